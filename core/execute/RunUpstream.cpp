//===- RunUpstream.cpp - tensor, arith, math and affine operations --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/execute/ConstantTensor.h"
#include "core/execute/RunError.h"
#include "core/execute/RunValues.h"
#include "core/execute/ScalarDecoder.h"
#include "core/execute/StridedCopy.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstring>

using namespace mlir;

namespace tilewright::execute {

using Sizes = std::vector<int64_t>;

[[noreturn]] static void fail(Operation *op, const std::string &what) {
  throw RunError("TW0516",
                 "'" + op->getName().getStringRef().str() + "': " + what,
                 primaryKey(op).str(), "give inputs whose sizes agree");
}

//===----------------------------------------------------------------------===//
// tensor
//===----------------------------------------------------------------------===//

/// Checks a slice against the tensor it lies in and says where that is.
static StridedView viewOf(Operation *op, const Sizes &shape,
                          const Sizes &offsets, const Sizes &sizes,
                          const Sizes &strides) {
  StridedView view{0, rowMajorStrides(shape)};
  for (size_t d = 0; d < shape.size(); ++d) {
    // Compared so that nothing overflows.
    bool fits = offsets[d] >= 0 && sizes[d] >= 0 && strides[d] > 0 &&
                (sizes[d] == 0 ||
                 (offsets[d] < shape[d] &&
                  (shape[d] - 1 - offsets[d]) / strides[d] >= sizes[d] - 1));
    if (!fits)
      fail(op, "dimension " + std::to_string(d) + " of size " +
                   std::to_string(shape[d]) + " has no part at offset " +
                   std::to_string(offsets[d]) + ", size " +
                   std::to_string(sizes[d]) + ", stride " +
                   std::to_string(strides[d]));
    view.offset += offsets[d] * view.strides[d];
    view.strides[d] *= strides[d];
  }
  if (elementCount(sizes) == 0)
    view.offset = 0;
  return view;
}

/// The sizes that stay when a slice drops dimensions of 1.
static Sizes droppedSizes(const Sizes &sizes,
                          const llvm::SmallBitVector &dropped) {
  Sizes kept;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (!dropped.test(d))
      kept.push_back(sizes[d]);
  return kept;
}

static void runExtractSlice(tensor::ExtractSliceOp op, RunValues &values) {
  const HeldTensor &source = values.tensor(op.getSource());
  Sizes sizes = values.numbers(op.getMixedSizes());
  StridedView view =
      viewOf(op, source->shape(), values.numbers(op.getMixedOffsets()), sizes,
             values.numbers(op.getMixedStrides()));
  HostTensor result = makeTensor(source->element(), sizes);
  copyStrided(sizes, *source, view, result, {0, rowMajorStrides(sizes)});
  result.reshape(droppedSizes(sizes, op.getDroppedDims()));
  values.setTensor(op.getResult(), std::move(result));
}

/// insert_slice and parallel_insert_slice.
template <typename Op>
static void insertInto(Op op, RunValues &values, HostTensor &into) {
  const HeldTensor &source = values.tensor(op.getSource());
  Sizes sizes = values.numbers(op.getMixedSizes());
  if (elementCount(sizes) != source->elements())
    fail(op, "the source is " + shapeText(source->shape()) +
                 ", the place for it " + shapeText(sizes));
  StridedView view =
      viewOf(op, into.shape(), values.numbers(op.getMixedOffsets()), sizes,
             values.numbers(op.getMixedStrides()));
  copyStrided(sizes, *source, {0, rowMajorStrides(sizes)}, into, view);
}

static Sizes runtimeShape(Operation *op, RankedTensorType type,
                          ValueRange sizes, RunValues &values) {
  Sizes shape(type.getShape().begin(), type.getShape().end());
  size_t next = 0;
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = values.scalar(sizes[next++]).i;
  return shape;
}

static Element elementOfValue(Value value) {
  return elementOfType(getElementTypeOrSelf(value.getType()));
}

/// A reshape with the sizes the result type does not tell worked out.
static void runReshape(Operation *op, RunValues &values,
                       ArrayRef<ReassociationIndices> groups, bool expands) {
  HeldTensor held = values.takeForWriting(op->getOperand(0), op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Sizes shape;
  if (!expands) {
    for (ArrayRef<int64_t> group : groups) {
      int64_t size = 1;
      for (int64_t d : group)
        size *= held->shape()[d];
      shape.push_back(size);
    }
  } else {
    shape.assign(type.getShape().begin(), type.getShape().end());
    for (auto [from, group] : llvm::enumerate(groups)) {
      int64_t known = 1, unknown = -1;
      for (int64_t d : group) {
        if (ShapedType::isDynamic(shape[d]))
          unknown = d;
        else
          known *= shape[d];
      }
      if (unknown >= 0)
        shape[unknown] = known ? held->shape()[from] / known : 0;
    }
  }
  if (!held->reshape(shape))
    fail(op, "the input has " + std::to_string(held->elements()) +
                 " elements, the result " + shapeText(shape));
  values.set(op->getResult(0), held);
}

static void runConcat(tensor::ConcatOp concat, RunValues &values) {
  size_t axis = size_t(concat.getDim());
  Sizes shape(values.tensor(concat.getInputs().front())->shape());
  shape[axis] = 0;
  for (Value input : concat.getInputs()) {
    const Sizes &part = values.tensor(input)->shape();
    for (size_t d = 0; d < shape.size(); ++d)
      if (d != axis && part[d] != shape[d])
        fail(concat,
             "tensors of " +
                 shapeText(values.tensor(concat.getInputs().front())->shape()) +
                 " and " + shapeText(part) + " are joined");
    shape[axis] += part[axis];
  }
  HostTensor result = makeTensor(elementOfValue(concat), shape);
  StridedView view{0, rowMajorStrides(shape)};
  for (Value input : concat.getInputs()) {
    const HeldTensor &part = values.tensor(input);
    copyStrided(part->shape(), *part, {0, rowMajorStrides(part->shape())},
                result, view);
    view.offset += part->shape()[axis] * view.strides[axis];
  }
  values.setTensor(concat, std::move(result));
}

/// What the region of a pad gives, where its arguments are set.
static Scalar paddingValue(tensor::PadOp pad, RunValues &values) {
  Block &body = pad.getRegion().front();
  for (Operation &op : body.without_terminator())
    if (op.getNumRegions() || !runUpstream(&op, values))
      throw RunError("TW0510",
                     "'" + op.getName().getStringRef().str() +
                         "' in a 'tensor.pad' cannot be interpreted",
                     primaryKey(pad).str(), "pad with a constant");
  return values.scalar(body.getTerminator()->getOperand(0));
}

static void runPad(tensor::PadOp pad, RunValues &values) {
  const HeldTensor &source = values.tensor(pad.getSource());
  Sizes low = values.numbers(pad.getMixedLowPad()),
        high = values.numbers(pad.getMixedHighPad()), shape = source->shape();
  for (size_t d = 0; d < shape.size(); ++d) {
    if (low[d] < 0 || high[d] < 0)
      fail(pad, "dimension " + std::to_string(d) + " is padded by " +
                    std::to_string(low[d]) + " and " + std::to_string(high[d]));
    shape[d] += low[d] + high[d];
  }
  HostTensor result = makeTensor(elementOfValue(pad), shape);
  auto set = [&](int64_t at, const Scalar &value) {
    if (result.element() == Element::I64)
      result.as<int64_t>()[at] = value.i;
    else
      result.set(at, isFloat(result.element()) ? value.f : double(value.i));
  };
  Block &body = pad.getRegion().front();
  bool isOneValue = llvm::all_of(
      body.getArguments(), [](Value argument) { return argument.use_empty(); });
  Scalar value;
  if (isOneValue && result.elements())
    value = paddingValue(pad, values);
  Sizes index(shape.size());
  for (int64_t at = 0; at < result.elements(); ++at) {
    if (!isOneValue) {
      int64_t rest = at;
      for (size_t d = shape.size(); d-- > 0; rest /= shape[d])
        index[d] = rest % shape[d];
      for (auto [argument, i] : llvm::zip_equal(body.getArguments(), index))
        values.setInteger(argument, i);
      value = paddingValue(pad, values);
    }
    set(at, value);
  }
  StridedView view{0, rowMajorStrides(shape)};
  for (size_t d = 0; d < shape.size() && source->elements(); ++d)
    view.offset += low[d] * view.strides[d];
  copyStrided(source->shape(), *source, {0, rowMajorStrides(source->shape())},
              result, view);
  values.setTensor(pad, std::move(result));
}

static bool runTensor(Operation *op, RunValues &values) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tensor::EmptyOp empty) {
        HostTensor made = makeTensor(
            elementOfValue(empty),
            runtimeShape(op, empty.getType(), empty.getDynamicSizes(), values));
        // Nobody may read it before it is written: all bits set is NaN.
        if (isFloat(made.element()))
          std::memset(made.data(), 0xff, size_t(made.byteSize()));
        values.setTensor(empty, std::move(made));
        return true;
      })
      .Case([&](tensor::DimOp dim) {
        const HeldTensor &source = values.tensor(dim.getSource());
        int64_t index = values.scalar(dim.getIndex()).i;
        if (index < 0 || index >= source->rank())
          fail(op, "dimension " + std::to_string(index) + " of " +
                       shapeText(source->shape()));
        values.setInteger(dim, source->shape()[index]);
        return true;
      })
      .Case([&](tensor::CastOp cast) {
        const HeldTensor &source = values.tensor(cast.getSource());
        auto type = dyn_cast<RankedTensorType>(cast.getType());
        for (int64_t d = 0; type && d < type.getRank(); ++d)
          if (!type.isDynamicDim(d) && type.getDimSize(d) != source->shape()[d])
            fail(op, "a tensor of " + shapeText(source->shape()) +
                         " is said to have " +
                         std::to_string(type.getDimSize(d)) + " in dimension " +
                         std::to_string(d));
        values.set(cast, values.get(cast.getSource()));
        return true;
      })
      .Case([&](tensor::ExtractSliceOp slice) {
        runExtractSlice(slice, values);
        return true;
      })
      .Case([&](tensor::InsertSliceOp insert) {
        HeldTensor into = values.takeForWriting(insert.getDest(), op);
        insertInto(insert, values, *into);
        values.set(insert.getResult(), into);
        return true;
      })
      .Case([&](tensor::ParallelInsertSliceOp insert) {
        // The tiles of a forall write to one tensor.
        insertInto(insert, values, *values.tensor(insert.getDest()));
        return true;
      })
      .Case([&](tensor::ExpandShapeOp expand) {
        runReshape(op, values, expand.getReassociationIndices(), true);
        return true;
      })
      .Case([&](tensor::ConcatOp concat) {
        runConcat(concat, values);
        return true;
      })
      .Case([&](tensor::PadOp pad) {
        runPad(pad, values);
        return true;
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        runReshape(op, values, collapse.getReassociationIndices(), false);
        return true;
      })
      .Case([&](tensor::ExtractOp extract) {
        const HeldTensor &source = values.tensor(extract.getTensor());
        Sizes strides = rowMajorStrides(source->shape());
        int64_t at = 0;
        for (auto [d, index] : llvm::enumerate(extract.getIndices())) {
          int64_t i = values.scalar(index).i;
          if (i < 0 || i >= source->shape()[d])
            fail(op, "index " + std::to_string(i) + " of " +
                         std::to_string(source->shape()[d]));
          at += i * strides[d];
        }
        Scalar scalar;
        if (isFloat(source->element()))
          scalar.f = source->at(at);
        else if (source->element() == Element::I64)
          scalar.i = source->as<int64_t>()[at];
        else
          scalar.i = int64_t(source->at(at));
        values.set(extract, scalar);
        return true;
      })
      .Case([&](tensor::SplatOp splat) {
        HostTensor result = makeTensor(
            elementOfValue(splat),
            runtimeShape(op, splat.getType(), splat.getDynamicSizes(), values));
        const Scalar &scalar = values.scalar(splat.getInput());
        double value = isFloat(result.element()) ? scalar.f : double(scalar.i);
        fillBlocks(result, values.options, [&](int64_t, std::span<double> out) {
          std::fill(out.begin(), out.end(), value);
        });
        values.setTensor(splat, std::move(result));
        return true;
      })
      .Default([](Operation *) { return false; });
}

//===----------------------------------------------------------------------===//
// arith, math
//===----------------------------------------------------------------------===//

/// An elementwise operation on tensors is run as its scalar form, element by
/// element.
static bool runElementwise(Operation *op, RunValues &values) {
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  // The same operation on element types, made only to be decoded.
  Block scope;
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.operands.push_back(scope.addArgument(
        getElementTypeOrSelf(operand.getType()), op->getLoc()));
  state.addTypes(getElementTypeOrSelf(op->getResult(0).getType()));
  state.addAttributes(op->getAttrs());
  Operation *scalarOp = Operation::create(state);
  scope.push_back(scalarOp);
  auto code = decodeScalar(scalarOp);
  if (!code)
    return false;
  code->dest = 3;
  const HostTensor *operands[3] = {};
  Sizes shape;
  Scalar fixed[3];
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    code->operands[i] = int(i);
    if (!isa<RankedTensorType>(operand.getType())) {
      fixed[i] = values.scalar(operand); // a scalar condition of a select
      continue;
    }
    operands[i] = values.tensor(operand).get();
    if (!shape.empty() && shape != operands[i]->shape())
      fail(op, "operands of " + shapeText(shape) + " and " +
                   shapeText(operands[i]->shape()));
    shape = operands[i]->shape();
  }
  HostTensor result = makeTensor(elementOfValue(op->getResult(0)), shape);
  bool resultFloat = isFloat(result.element());
  if (result.element() == Element::I64 ||
      llvm::any_of(operands, [](const HostTensor *operand) {
        return operand && operand->element() == Element::I64;
      })) {
    // 64-bit integers do not fit in a double.
    for (int64_t at = 0; at < result.elements(); ++at) {
      Scalar registers[4] = {fixed[0], fixed[1], fixed[2], {}};
      for (int i = 0; i < 3; ++i) {
        if (!operands[i])
          continue;
        if (operands[i]->element() == Element::I64)
          registers[i].i = operands[i]->as<int64_t>()[at];
        else if (isFloat(operands[i]->element()))
          registers[i].f = operands[i]->at(at);
        else
          registers[i].i = int64_t(operands[i]->at(at));
      }
      evaluate(*code, registers);
      if (result.element() == Element::I64)
        result.as<int64_t>()[at] = registers[3].i;
      else
        result.set(at, resultFloat ? registers[3].f : double(registers[3].i));
    }
    values.setTensor(op->getResult(0), std::move(result));
    return true;
  }
  fillBlocks(result, values.options, [&](int64_t begin, std::span<double> out) {
    std::vector<double> in[3];
    for (int i = 0; i < 3; ++i)
      if (operands[i]) {
        in[i].resize(out.size());
        operands[i]->read(begin, in[i]);
      }
    for (size_t at = 0; at < out.size(); ++at) {
      Scalar registers[4] = {fixed[0], fixed[1], fixed[2], {}};
      for (int i = 0; i < 3; ++i)
        if (operands[i]) {
          registers[i].f = in[i][at];
          registers[i].i =
              isFloat(operands[i]->element()) ? 0 : int64_t(in[i][at]);
        }
      evaluate(*code, registers);
      out[at] = resultFloat ? registers[3].f : double(registers[3].i);
    }
  });
  values.setTensor(op->getResult(0), std::move(result));
  return true;
}

static bool runScalar(Operation *op, RunValues &values) {
  auto code = decodeScalar(op);
  if (!code)
    return false;
  Scalar registers[4];
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    registers[i] = values.scalar(operand);
    code->operands[i] = int(i);
  }
  code->dest = 3;
  evaluate(*code, registers);
  values.set(op->getResult(0), registers[3]);
  return true;
}

static bool runConstant(arith::ConstantOp op, RunValues &values) {
  auto elements = dyn_cast<ElementsAttr>(op.getValue());
  if (!elements)
    return runScalar(op, values);
  auto tensor = toHostTensor(elements);
  if (!tensor)
    throw RunError("TW0510", "a constant of this kind cannot be read",
                   primaryKey(op).str(), "use dense<…>");
  values.setTensor(op, std::move(*tensor));
  return true;
}

//===----------------------------------------------------------------------===//
// affine, tile
//===----------------------------------------------------------------------===//

static bool runAffine(Operation *op, RunValues &values) {
  AffineMap map;
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    map = apply.getAffineMap();
  else if (auto min = dyn_cast<affine::AffineMinOp>(op))
    map = min.getAffineMap();
  else if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    map = max.getAffineMap();
  else
    return false;
  Builder builder(op->getContext());
  SmallVector<Attribute> inputs, results;
  for (Value operand : op->getOperands())
    inputs.push_back(builder.getIndexAttr(values.scalar(operand).i));
  if (failed(map.constantFold(inputs, results)))
    fail(op, "a division by zero");
  int64_t value = cast<IntegerAttr>(results.front()).getInt();
  for (Attribute result : results) {
    int64_t next = cast<IntegerAttr>(result).getInt();
    value = isa<affine::AffineMinOp>(op) ? std::min(value, next)
                                         : std::max(value, next);
  }
  values.setInteger(op->getResult(0), value);
  return true;
}

static void runMove(tile::MoveOp op, RunValues &values) {
  const HeldTensor &source = values.tensor(op.getSource());
  Element element = elementOfValue(op.getResult());
  if (element == source->element())
    return values.set(op.getResult(), values.get(op.getSource()));
  HostTensor result = makeTensor(element, source->shape());
  fillBlocks(result, values.options, [&](int64_t begin, std::span<double> out) {
    source->read(begin, out);
  });
  values.setTensor(op.getResult(), std::move(result));
}

bool runUpstream(Operation *op, RunValues &values) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return runConstant(constant, values);
  if (auto move = dyn_cast<tile::MoveOp>(op)) {
    runMove(move, values);
    return true;
  }
  return runTensor(op, values) || runAffine(op, values) ||
         runElementwise(op, values) || runScalar(op, values);
}

} // namespace tilewright::execute
