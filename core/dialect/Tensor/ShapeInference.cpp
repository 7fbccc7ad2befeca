//===- ShapeInference.cpp - result shapes from operand shapes -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Tensor/ShapeInference.h"
#include "core/dialect/Tensor/IterationSpace.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewright::tw {

static bool dynamic(int64_t size) { return ShapedType::isDynamic(size); }

static std::string sizeText(int64_t size) {
  return dynamic(size) ? "?" : std::to_string(size);
}

std::string shapeText(ShapeRef shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + sizeText(size);
  return text;
}

/// Joins two sizes that must be equal.
static std::optional<int64_t> joinSizes(int64_t a, int64_t b) {
  if (dynamic(a))
    return b;
  if (dynamic(b) || a == b)
    return a;
  return std::nullopt;
}

FailureOr<Shape> joinShapes(ShapeRef a, ShapeRef b) {
  if (a.size() != b.size())
    return failure();
  Shape joined;
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    auto size = joinSizes(x, y);
    if (!size)
      return failure();
    joined.push_back(*size);
  }
  return joined;
}

FailureOr<Shape> broadcastShapes(ArrayRef<ShapeRef> shapes,
                                 std::string &error) {
  size_t rank = 0;
  for (ShapeRef shape : shapes)
    rank = std::max(rank, shape.size());
  Shape result(rank, 1);
  for (ShapeRef shape : shapes) {
    size_t lead = rank - shape.size();
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t &into = result[lead + d];
      if (shape[d] == 1)
        continue;
      if (into == 1) {
        into = shape[d];
        continue;
      }
      auto size = joinSizes(into, shape[d]);
      if (!size) {
        error = "operand shapes ";
        for (size_t i = 0; i < shapes.size(); ++i)
          error += (i == 0                   ? ""
                    : i + 1 == shapes.size() ? " and "
                                             : ", ") +
                   shapeText(shapes[i]);
        error += " do not broadcast: dimension " + std::to_string(lead + d) +
                 " is " + sizeText(into) + " against " + sizeText(shape[d]) +
                 "; sizes must be equal or 1 [TW0103]";
        return failure();
      }
      into = *size;
    }
  }
  return result;
}

FailureOr<Shape> matmulShape(ShapeRef lhs, ShapeRef rhs, bool transposeLhs,
                             bool transposeRhs, std::string &error) {
  if (lhs.size() < 2 || rhs.size() < 2) {
    error = "operands must be matrices or batches of them, but are " +
            shapeText(lhs) + " and " + shapeText(rhs) +
            "; give both at least 2 dimensions [TW0104]";
    return failure();
  }
  auto matrix = [](ShapeRef shape, bool transpose) {
    int64_t rows = shape[shape.size() - 2], columns = shape.back();
    return transpose ? std::pair(columns, rows) : std::pair(rows, columns);
  };
  auto [m, k] = matrix(lhs, transposeLhs);
  auto [k2, n] = matrix(rhs, transposeRhs);
  if (!joinSizes(k, k2)) {
    error = "inner dimensions differ: the left operand " + shapeText(lhs) +
            (transposeLhs ? " (transposed)" : "") + " has k = " + sizeText(k) +
            ", the right operand " + shapeText(rhs) +
            (transposeRhs ? " (transposed)" : "") + " has k = " + sizeText(k2) +
            " [TW0104]";
    return failure();
  }
  std::string batchError;
  auto result =
      broadcastShapes({lhs.drop_back(2), rhs.drop_back(2)}, batchError);
  if (failed(result)) {
    error = "batch dimensions of " + shapeText(lhs) + " and " + shapeText(rhs) +
            " do not broadcast [TW0104]";
    return failure();
  }
  result->append({m, n});
  return result;
}

FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank,
                                 std::string &error) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  error = "axis " + std::to_string(axis) + " is out of range for " +
          std::to_string(rank) + " dimensions";
  if (rank > 0)
    error +=
        "; use " + std::to_string(-rank) + " to " + std::to_string(rank - 1);
  error += " [TW0106]";
  return failure();
}

FailureOr<Shape> reduceShape(ShapeRef input, ArrayRef<int64_t> axes,
                             bool keepDims, std::string &error) {
  llvm::SmallVector<bool> reduced(input.size(), false);
  for (int64_t axis : axes) {
    auto normal = normalizeAxis(axis, input.size(), error);
    if (failed(normal))
      return failure();
    if (reduced[*normal]) {
      error = "axis " + std::to_string(axis) + " is given twice [TW0106]";
      return failure();
    }
    reduced[*normal] = true;
  }
  Shape result;
  for (size_t d = 0; d < input.size(); ++d) {
    if (!reduced[d])
      result.push_back(input[d]);
    else if (keepDims)
      result.push_back(1);
  }
  return result;
}

FailureOr<Shape> transposeShape(ShapeRef input, ArrayRef<int64_t> permutation,
                                std::string &error) {
  llvm::SmallVector<bool> seen(input.size(), false);
  bool valid = permutation.size() == input.size();
  for (int64_t d : permutation) {
    valid = valid && d >= 0 && d < int64_t(input.size()) && !seen[d];
    if (!valid)
      break;
    seen[d] = true;
  }
  if (!valid) {
    error = "permutation [";
    for (size_t i = 0; i < permutation.size(); ++i)
      error += (i ? ", " : "") + std::to_string(permutation[i]);
    error += "] must name each of the " + std::to_string(input.size()) +
             " dimensions of the input once, counted from 0 [TW0107]";
    return failure();
  }
  Shape result;
  for (int64_t d : permutation)
    result.push_back(input[d]);
  return result;
}

FailureOr<Shape> sliceShape(ShapeRef input, ArrayRef<int64_t> offsets,
                            ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides,
                            std::string &error) {
  size_t rank = input.size();
  if (offsets.size() != rank || sizes.size() != rank ||
      (!strides.empty() && strides.size() != rank)) {
    error = std::to_string(offsets.size()) + " offsets, " +
            std::to_string(sizes.size()) + " sizes and " +
            (strides.empty() ? "no" : std::to_string(strides.size())) +
            " strides for " + std::to_string(rank) +
            " dimensions; give one of each a dimension [TW0109]";
    return failure();
  }
  Shape result;
  for (size_t d = 0; d < rank; ++d) {
    int64_t offset = offsets[d], size = sizes[d];
    int64_t stride = strides.empty() ? 1 : strides[d];
    auto fail = [&](const std::string &what) {
      error = "dimension " + std::to_string(d) + ": " + what + " [TW0109]";
      return failure();
    };
    if (offset < 0 || stride < 1 || (!dynamic(size) && size < 0))
      return fail("offset " + std::to_string(offset) + ", size " +
                  sizeText(size) + ", stride " + std::to_string(stride) +
                  "; offsets and sizes are 0 or more, strides 1 or more");
    if (!dynamic(input[d]) && offset > input[d])
      return fail("offset " + std::to_string(offset) + " is beyond its size " +
                  std::to_string(input[d]));
    if (dynamic(size)) {
      result.push_back(dynamic(input[d]) ? ShapedType::kDynamic
                                         : int64_t(llvm::divideCeil(
                                               input[d] - offset, stride)));
      continue;
    }
    // The last element taken is offset + (size - 1) * stride.
    int64_t last = 0;
    bool overflow = size > 0 && (llvm::MulOverflow(size - 1, stride, last) ||
                                 llvm::AddOverflow(last, offset, last));
    if (overflow)
      return fail("offset " + std::to_string(offset) + " + " +
                  std::to_string(size) + " elements at stride " +
                  std::to_string(stride) + " overflows");
    if (size > 0 && !dynamic(input[d]) && last >= input[d])
      return fail("the slice ends at element " + std::to_string(last) +
                  ", but the dimension has " + std::to_string(input[d]) +
                  " (offset " + std::to_string(offset) + ", size " +
                  std::to_string(size) + ", stride " + std::to_string(stride) +
                  ")");
    result.push_back(size);
  }
  return result;
}

FailureOr<Shape> concatShape(ArrayRef<ShapeRef> inputs, int64_t axis,
                             std::string &error) {
  if (inputs.empty()) {
    error = "nothing to put together; give at least one operand [TW0110]";
    return failure();
  }
  auto normal = normalizeAxis(axis, inputs.front().size(), error);
  if (failed(normal))
    return failure();
  Shape result(inputs.front());
  for (size_t i = 1; i < inputs.size(); ++i) {
    ShapeRef shape = inputs[i];
    if (shape.size() != result.size()) {
      error = "operand 0 has " + std::to_string(result.size()) +
              " dimensions, operand " + std::to_string(i) + " has " +
              std::to_string(shape.size()) + "; they must agree [TW0110]";
      return failure();
    }
    for (size_t d = 0; d < result.size(); ++d) {
      if (int64_t(d) == *normal) {
        if (dynamic(result[d]) || dynamic(shape[d]))
          result[d] = ShapedType::kDynamic;
        else if (llvm::AddOverflow(result[d], shape[d], result[d])) {
          error = "the sizes along axis " + std::to_string(*normal) +
                  " add up to more than 2^63 [TW0102]";
          return failure();
        }
        continue;
      }
      auto size = joinSizes(result[d], shape[d]);
      if (!size) {
        error = "operand " + std::to_string(i) + " is " + shapeText(shape) +
                ", which differs from operand 0, " + shapeText(inputs.front()) +
                ", in dimension " + std::to_string(d) + "; only axis " +
                std::to_string(*normal) + " may [TW0110]";
        return failure();
      }
      result[d] = *size;
    }
  }
  return result;
}

/// Product of the static sizes; empty on overflow.
static std::optional<int64_t> staticElements(ShapeRef shape) {
  int64_t count = 1;
  bool overflow = false;
  for (int64_t size : shape) {
    if (size == 0)
      return 0;
    if (!dynamic(size))
      overflow |= bool(llvm::MulOverflow(count, size, count));
  }
  if (overflow)
    return std::nullopt;
  return count;
}

FailureOr<Shape> reshapeShape(ShapeRef input, ShapeRef wanted,
                              std::string &error) {
  int64_t unknown = llvm::count_if(wanted, dynamic);
  if (unknown > 1) {
    error = "the result " + shapeText(wanted) + " has " +
            std::to_string(unknown) +
            " unknown sizes; at most one can be worked out [TW0108]";
    return failure();
  }
  auto have = staticElements(input), want = staticElements(wanted);
  if (!have || !want) {
    error = "a shape has more than 2^63 elements [TW0102]";
    return failure();
  }
  Shape result(wanted);
  bool inputStatic = llvm::none_of(input, dynamic);
  if (!inputStatic)
    return result;
  if (unknown == 0) {
    if (*have == *want)
      return result;
    error = "the input " + shapeText(input) + " has " + std::to_string(*have) +
            " elements, the result " + shapeText(wanted) + " has " +
            std::to_string(*want) + " [TW0108]";
    return failure();
  }
  if (*want == 0 || *have % *want != 0) {
    error = "the input " + shapeText(input) + " has " + std::to_string(*have) +
            " elements, which is no multiple of the " + std::to_string(*want) +
            " that the known sizes of the result " + shapeText(wanted) +
            " give [TW0108]";
    return failure();
  }
  *llvm::find_if(result, dynamic) = *have / *want;
  return result;
}

static ShapeRef shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

FailureOr<Shape> inferShape(Operation *op, std::string &error) {
  auto resultShape = shapeOf(op->getResult(0));
  if (isUnary(op) || isa<CastOp>(op))
    return Shape(shapeOf(op->getOperand(0)));
  if (isElementwise(op)) {
    SmallVector<ShapeRef> shapes;
    for (Value operand : op->getOperands())
      shapes.push_back(shapeOf(operand));
    return broadcastShapes(shapes, error);
  }
  return llvm::TypeSwitch<Operation *, FailureOr<Shape>>(op)
      .Case([&](MatmulOp matmul) -> FailureOr<Shape> {
        auto shape = matmulShape(
            shapeOf(matmul.getLhs()), shapeOf(matmul.getRhs()),
            matmul.getTransposeLhs(), matmul.getTransposeRhs(), error);
        if (failed(shape) || !matmul.getAcc())
          return shape;
        auto joined = joinShapes(*shape, shapeOf(matmul.getAcc()));
        if (failed(joined))
          error = "the accumulator is " + shapeText(shapeOf(matmul.getAcc())) +
                  ", but the product is " + shapeText(*shape) + " [TW0104]";
        return joined;
      })
      .Case([&](ReduceOp reduce) {
        return reduceShape(shapeOf(reduce.getInput()), reduce.getAxes(),
                           reduce.getKeepdims(), error);
      })
      .Case([&](SoftmaxOp softmax) -> FailureOr<Shape> {
        ShapeRef shape = shapeOf(softmax.getInput());
        if (failed(normalizeAxis(softmax.getAxis(), shape.size(), error)))
          return failure();
        return Shape(shape);
      })
      .Case<RmsNormOp, LayerNormOp>([&](Operation *norm) -> FailureOr<Shape> {
        Shape shape(shapeOf(norm->getOperand(0)));
        if (shape.empty()) {
          error = "the input is a scalar; it needs a last axis [TW0111]";
          return failure();
        }
        static constexpr const char *names[] = {"input", "weight", "bias"};
        for (unsigned i = 1; i < norm->getNumOperands(); ++i) {
          ShapeRef other = shapeOf(norm->getOperand(i));
          auto size = other.size() == 1 ? joinSizes(shape.back(), other.front())
                                        : std::nullopt;
          if (!size) {
            error = std::string("the ") + names[i] + " is " + shapeText(other) +
                    ", but must have one dimension of " +
                    sizeText(shape.back()) + ", the last axis of the input " +
                    shapeText(shapeOf(norm->getOperand(0))) + " [TW0111]";
            return failure();
          }
          shape.back() = *size;
        }
        return shape;
      })
      .Case([&](TransposeOp transpose) {
        return transposeShape(shapeOf(transpose.getInput()),
                              transpose.getPermutation(), error);
      })
      .Case([&](ReshapeOp reshape) {
        return reshapeShape(shapeOf(reshape.getInput()), resultShape, error);
      })
      .Case([&](SliceOp slice) {
        return sliceShape(
            shapeOf(slice.getInput()), slice.getOffsets(), slice.getSizes(),
            slice.getStrides().value_or(ArrayRef<int64_t>()), error);
      })
      .Case([&](InsertOp insert) -> FailureOr<Shape> {
        ShapeRef source = shapeOf(insert.getSource()),
                 into = shapeOf(insert.getInto());
        if (source.size() != into.size()) {
          error = "the source " + shapeText(source) + " and the target " +
                  shapeText(into) +
                  " must have the same number of dimensions [TW0109]";
          return failure();
        }
        if (failed(sliceShape(into, insert.getOffsets(), source,
                              insert.getStrides().value_or(ArrayRef<int64_t>()),
                              error)))
          return failure();
        return Shape(into);
      })
      .Case([&](ConcatOp concat) {
        SmallVector<ShapeRef> shapes;
        for (Value input : concat.getInputs())
          shapes.push_back(shapeOf(input));
        return concatShape(shapes, concat.getAxis(), error);
      })
      .Case([&](FullOp full) -> FailureOr<Shape> {
        int64_t unknown = llvm::count_if(resultShape, dynamic);
        if (int64_t(full.getDynamicSizes().size()) == unknown)
          return Shape(resultShape);
        error = "the result " + shapeText(resultShape) + " has " +
                std::to_string(unknown) + " unknown sizes, but " +
                std::to_string(full.getDynamicSizes().size()) +
                " operands give sizes; give one for each ? [TW0112]";
        return failure();
      })
      .Default([&](Operation *) -> FailureOr<Shape> {
        error = "no shape rule [TW0105]";
        return failure();
      });
}

RankedTensorType broadcastType(Value lhs, Value rhs) {
  auto type = cast<RankedTensorType>(lhs.getType());
  std::string error;
  auto shape = broadcastShapes({shapeOf(lhs), shapeOf(rhs)}, error);
  return failed(shape) ? type : type.clone(*shape);
}

//===----------------------------------------------------------------------===//
// Sizes at run time
//===----------------------------------------------------------------------===//

/// Result sizes of the operators that have no iteration space.
static SmallVector<OpFoldResult> movedSizes(Operation *op, OpBuilder &b) {
  Location loc = op->getLoc();
  auto sizeOf = [&](Value value, int64_t d) {
    return tensor::getMixedSize(b, loc, value, d);
  };
  SmallVector<OpFoldResult> sizes;
  if (auto insert = dyn_cast<InsertOp>(op))
    return tensor::getMixedSizes(b, loc, insert.getInto());
  if (auto slice = dyn_cast<SliceOp>(op)) {
    SmallVector<int64_t> strides = slice.getStridesOrOnes();
    AffineExpr d0 = b.getAffineDimExpr(0);
    for (auto [d, size] : llvm::enumerate(slice.getSizes())) {
      if (!dynamic(size))
        sizes.push_back(b.getIndexAttr(size));
      else
        sizes.push_back(affine::makeComposedFoldedAffineApply(
            b, loc, (d0 - slice.getOffsets()[d]).ceilDiv(strides[d]),
            {sizeOf(slice.getInput(), d)}));
    }
    return sizes;
  }
  if (auto concat = dyn_cast<ConcatOp>(op)) {
    sizes = tensor::getMixedSizes(b, loc, concat.getInputs().front());
    int64_t axis = concat.getNormalizedAxis();
    AffineExpr sum = b.getAffineDimExpr(0) + b.getAffineDimExpr(1);
    for (Value input : concat.getInputs().drop_front())
      sizes[axis] = affine::makeComposedFoldedAffineApply(
          b, loc, sum, {sizes[axis], sizeOf(input, axis)});
    return sizes;
  }
  auto reshape = cast<ReshapeOp>(op);
  OpFoldResult elements = b.getIndexAttr(1);
  // Sizes multiply as values: a product of two unknowns is not affine.
  for (OpFoldResult size : tensor::getMixedSizes(b, loc, reshape.getInput())) {
    auto x = getConstantIntValue(elements), y = getConstantIntValue(size);
    if (x && y)
      elements = b.getIndexAttr(*x * *y);
    else if (x == 1)
      elements = size;
    else if (y != 1)
      elements = b.create<arith::MulIOp>(
                      loc, getValueOrCreateConstantIndexOp(b, loc, elements),
                      getValueOrCreateConstantIndexOp(b, loc, size))
                     .getResult();
  }
  int64_t known = 1;
  for (int64_t size : shapeOf(reshape.getResult()))
    known *= dynamic(size) ? 1 : size;
  for (int64_t size : shapeOf(reshape.getResult())) {
    if (!dynamic(size))
      sizes.push_back(b.getIndexAttr(size));
    else
      sizes.push_back(affine::makeComposedFoldedAffineApply(
          b, loc, b.getAffineDimExpr(0).floorDiv(std::max<int64_t>(known, 1)),
          {elements}));
  }
  return sizes;
}

LogicalResult reifyResultShapes(Operation *op, OpBuilder &b,
                                ReifiedRankedShapedTypeDims &shapes) {
  ShapeRef type = shapeOf(op->getResult(0));
  SmallVector<OpFoldResult> sizes;
  if (isa<TilingInterface>(op)) {
    IterationSpace space = iterationSpace(op);
    for (auto [d, dim] : llvm::enumerate(space.result))
      sizes.push_back(dim >= 0 ? space.sizeOf(b, op, dim)
                               : b.getIndexAttr(type[d]));
  } else {
    sizes = movedSizes(op, b);
  }
  // The interface wants attributes exactly where the type is static.
  for (auto [d, size] : llvm::enumerate(sizes)) {
    if (!dynamic(type[d]))
      size = b.getIndexAttr(type[d]);
    else
      size = getValueOrCreateConstantIndexOp(b, op->getLoc(), size);
  }
  shapes.push_back(std::move(sizes));
  return success();
}

} // namespace tilewright::tw
