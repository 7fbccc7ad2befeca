//===- TensorOperators.cpp - reference semantics of tw operators ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/TensorOperators.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/IterationSpace.h"
#include "core/dialect/Tensor/ShapeInference.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/execute/DoubleMatmul.h"
#include "core/execute/RunError.h"
#include "core/execute/ScalarFunctions.h"
#include "core/execute/StridedCopy.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstring>
#include <limits>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

using namespace mlir;
using tilewright::tw::IterationSpace;

namespace tilewright::execute {

using Sizes = std::vector<int64_t>;

Element elementOfType(Type type) {
  if (type.isF64())
    return Element::F64;
  if (type.isF32())
    return Element::F32;
  if (type.isF16())
    return Element::F16;
  if (type.isBF16())
    return Element::BF16;
  if (type.isIndex())
    return Element::I64;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return Element::I1;
    case 8:
      return Element::I8;
    case 16:
      return Element::I16;
    case 32:
      return Element::I32;
    case 64:
      return Element::I64;
    }
  }
  std::string text;
  llvm::raw_string_ostream(text) << type;
  throw RunError("TW0510", "elements of type " + text + " cannot be executed",
                 "", "use f32, f16, bf16, i1, i8, i32 or i64");
}

HostTensor makeTensor(Element element, Sizes shape) {
  model::Diagnostic error;
  auto tensor = HostTensor::make(element, std::move(shape), error);
  if (!tensor)
    throw RunError(error.code, error.message, "", error.hint);
  return std::move(*tensor);
}

void throwIfCancelled(const EvaluateOptions &options) {
  if (options.cancel && options.cancel->load(std::memory_order_relaxed))
    throw RunError("TW0519", "cancelled");
}

void fillBlocks(HostTensor &result, const EvaluateOptions &options,
                llvm::function_ref<void(int64_t, std::span<double>)> fill) {
  constexpr int64_t block = 2048;
  int64_t blocks = (result.elements() + block - 1) / block;
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, blocks),
                    [&](const tbb::blocked_range<int64_t> &range) {
                      throwIfCancelled(options);
                      double values[block];
                      for (int64_t b = range.begin(); b < range.end(); ++b) {
                        int64_t begin = b * block;
                        std::span<double> part(
                            values,
                            size_t(std::min(block, result.elements() - begin)));
                        fill(begin, part);
                        result.write(begin, part);
                      }
                    });
}

static ArrayRef<int64_t> typeShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}
static Element resultElement(Operation *op) {
  return elementOfType(
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
}

[[noreturn]] static void throwSizes(Operation *op, const std::string &what) {
  throw RunError("TW0516",
                 "'" + op->getName().getStringRef().str() + "': " + what,
                 primaryKey(op).str(),
                 "a ? never stretches; give inputs whose sizes agree");
}

/// The sizes of the iteration dimensions, all operands agreeing on them.
static Sizes iterationSizes(Operation *op, const IterationSpace &space,
                            ArrayRef<TensorRef> operands,
                            ArrayRef<int64_t> given) {
  Sizes sizes(space.iterators.size(), -1);
  auto join = [&](int dim, int64_t size, const std::string &who) {
    if (sizes[dim] >= 0 && sizes[dim] != size)
      throwSizes(op, who + " has " + std::to_string(size) + " along " +
                         space.names[dim] + ", others " +
                         std::to_string(sizes[dim]));
    sizes[dim] = size;
  };
  for (auto [i, map] : llvm::enumerate(space.operands))
    for (auto [d, dim] : llvm::enumerate(map))
      if (dim >= 0)
        join(dim, operands[i]->shape()[d], "operand " + std::to_string(i));
  ArrayRef<int64_t> type = typeShape(op->getResult(0));
  size_t next = 0;
  for (auto [d, dim] : llvm::enumerate(space.result)) {
    if (dim < 0)
      continue;
    if (isa<tw::FullOp>(op) && ShapedType::isDynamic(type[d])) {
      if (given[next] < 0)
        throwSizes(op, "size " + std::to_string(given[next]) +
                           " of dimension " + std::to_string(d));
      join(dim, given[next++], "an operand");
    } else if (!ShapedType::isDynamic(type[d])) {
      join(dim, type[d], "the result type");
    }
  }
  for (int64_t &size : sizes)
    if (size < 0)
      size = 1; // only stretched dimensions of 1 met here
  return sizes;
}

static Sizes resultSizes(Operation *op, const IterationSpace &space,
                         const Sizes &sizes, ArrayRef<TensorRef> operands) {
  Sizes shape;
  ArrayRef<int64_t> type = typeShape(op->getResult(0));
  for (auto [d, dim] : llvm::enumerate(space.result))
    shape.push_back(dim >= 0                         ? sizes[dim]
                    : ShapedType::isDynamic(type[d]) ? operands[0]->shape()[d]
                                                     : type[d]);
  return shape;
}

/// How an elementwise operand is seen from the result.
static StridedView broadcastView(const HostTensor &operand, ArrayRef<int> map,
                                 size_t rank) {
  Sizes own = rowMajorStrides(operand.shape());
  StridedView view{0, Sizes(rank, 0)};
  for (auto [d, dim] : llvm::enumerate(map))
    if (dim >= 0)
      view.strides[dim] = own[d];
  return view;
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

using Unary = double (*)(double);
using Binary = double (*)(double, double);

static Unary unaryFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, Unary>(op)
      .Case([](tw::NegOp) { return [](double x) { return -x; }; })
      .Case([](tw::AbsOp) { return [](double x) { return std::fabs(x); }; })
      .Case([](tw::ExpOp) { return [](double x) { return std::exp(x); }; })
      .Case([](tw::LogOp) { return [](double x) { return std::log(x); }; })
      .Case([](tw::SqrtOp) { return [](double x) { return std::sqrt(x); }; })
      .Case(
          [](tw::RsqrtOp) { return [](double x) { return 1 / std::sqrt(x); }; })
      .Case([](tw::ReciprocalOp) { return [](double x) { return 1 / x; }; })
      .Case([](tw::TanhOp) { return [](double x) { return std::tanh(x); }; })
      .Case([](tw::ErfOp) { return [](double x) { return std::erf(x); }; })
      .Case([](tw::SigmoidOp) { return &sigmoid; })
      .Case([](tw::SiluOp) { return &silu; })
      .Case([](tw::GeluOp) { return &gelu; })
      .Case([](tw::ReluOp) { return &relu; })
      .Default([](Operation *) { return nullptr; });
}

static Binary binaryFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, Binary>(op)
      .Case([](tw::AddOp) { return [](double x, double y) { return x + y; }; })
      .Case([](tw::SubOp) { return [](double x, double y) { return x - y; }; })
      .Case([](tw::MulOp) { return [](double x, double y) { return x * y; }; })
      .Case([](tw::DivOp) { return [](double x, double y) { return x / y; }; })
      .Case([](tw::MaximumOp) { return &maximum; })
      .Case([](tw::MinimumOp) { return &minimum; })
      .Case([](tw::PowOp) {
        return [](double x, double y) { return std::pow(x, y); };
      })
      .Default([](Operation *) { return nullptr; });
}

template <typename T>
static bool compares(tw::ComparePredicate predicate, T x, T y) {
  switch (predicate) {
  case tw::ComparePredicate::Eq:
    return x == y;
  case tw::ComparePredicate::Ne:
    return x != y;
  case tw::ComparePredicate::Lt:
    return x < y;
  case tw::ComparePredicate::Le:
    return x <= y;
  case tw::ComparePredicate::Gt:
    return x > y;
  case tw::ComparePredicate::Ge:
    return x >= y;
  }
  return false;
}

static void writeRaw(HostTensor &result, int64_t begin,
                     std::span<const double> bits) {
  std::memcpy(result.data() + begin * 8, bits.data(), bits.size() * 8);
}

static HostTensor evaluateElementwise(Operation *op, Sizes shape,
                                      const IterationSpace &space,
                                      ArrayRef<TensorRef> operands,
                                      const EvaluateOptions &options) {
  HostTensor result = makeTensor(resultElement(op), shape);
  SmallVector<StridedView, 3> views;
  for (auto [operand, map] : llvm::zip_equal(operands, space.operands))
    views.push_back(broadcastView(*operand, map, shape.size()));
  auto read = [&](unsigned i, int64_t begin, std::span<double> out,
                  bool raw = false) {
    readStrided(shape, *operands[i], views[i], begin, out, raw);
  };
  if (Unary function = unaryFunction(op)) {
    fillBlocks(result, options, [&](int64_t begin, std::span<double> out) {
      read(0, begin, out);
      for (double &x : out)
        x = function(x);
    });
    return result;
  }
  if (Binary function = binaryFunction(op)) {
    fillBlocks(result, options, [&](int64_t begin, std::span<double> out) {
      std::vector<double> y(out.size());
      read(0, begin, out);
      read(1, begin, y);
      for (size_t i = 0; i < out.size(); ++i)
        out[i] = function(out[i], y[i]);
    });
    return result;
  }
  if (auto compare = dyn_cast<tw::CompareOp>(op)) {
    // Bits of an i64 compare as integers: double would round them.
    bool wide = operands[0]->element() == Element::I64;
    tw::ComparePredicate predicate = compare.getPredicate();
    fillBlocks(result, options, [&](int64_t begin, std::span<double> out) {
      std::vector<double> y(out.size());
      read(0, begin, out, wide);
      read(1, begin, y, wide);
      for (size_t i = 0; i < out.size(); ++i)
        out[i] = wide ? compares(predicate, std::bit_cast<int64_t>(out[i]),
                                 std::bit_cast<int64_t>(y[i]))
                      : compares(predicate, out[i], y[i]);
    });
    return result;
  }
  // select
  bool wide = result.element() == Element::I64;
  constexpr int64_t block = 2048;
  tbb::parallel_for(
      tbb::blocked_range<int64_t>(0, (result.elements() + block - 1) / block),
      [&](const tbb::blocked_range<int64_t> &range) {
        throwIfCancelled(options);
        double chosen[block], x[block], y[block];
        for (int64_t b = range.begin(); b < range.end(); ++b) {
          int64_t begin = b * block;
          size_t count = size_t(std::min(block, result.elements() - begin));
          read(0, begin, {chosen, count});
          read(1, begin, {x, count}, wide);
          read(2, begin, {y, count}, wide);
          for (size_t i = 0; i < count; ++i)
            x[i] = chosen[i] != 0 ? x[i] : y[i];
          if (wide)
            writeRaw(result, begin, {x, count});
          else
            result.write(begin, {x, count});
        }
      });
  return result;
}

/// Integers wrap when made narrower; everything else goes by value.
static HostTensor evaluateCast(Operation *op, const HostTensor &input,
                               const EvaluateOptions &options) {
  Element element = resultElement(op);
  HostTensor result = makeTensor(element, input.shape());
  if (element == input.element()) {
    std::memcpy(result.data(), input.data(), size_t(input.byteSize()));
    return result;
  }
  bool wraps = !isFloat(element) && element != Element::I1 &&
               !isFloat(input.element()) &&
               bytesOf(element) < bytesOf(input.element());
  if (!wraps) {
    fillBlocks(result, options, [&](int64_t begin, std::span<double> out) {
      input.read(begin, out);
    });
    return result;
  }
  // Little-endian: the low bytes are the wrapped value.
  size_t from = size_t(bytesOf(input.element())), to = size_t(bytesOf(element));
  for (int64_t i = 0; i < input.elements(); ++i)
    std::memcpy(result.data() + i * to, input.data() + i * from, to);
  return result;
}

//===----------------------------------------------------------------------===//
// Contraction and reduction
//===----------------------------------------------------------------------===//

HostTensor evaluateMatmul(const BatchedMatmul &shape, const HostTensor &lhs,
                          const HostTensor &rhs, const HostTensor *acc,
                          Element element, bool magnitudes,
                          const EvaluateOptions &options) {
  Sizes resultShape = shape.batch;
  resultShape.push_back(shape.m);
  resultShape.push_back(shape.n);
  HostTensor result = makeTensor(element, resultShape);
  HostTensor sums = makeTensor(Element::F64, {shape.m, shape.n});
  int64_t matrix = shape.m * shape.n;
  int64_t batches = elementCount(shape.batch).value_or(0);
  if (matrix == 0)
    return result;
  for (int64_t b = 0; b < batches; ++b) {
    int64_t lhsAt = 0, rhsAt = 0, rest = b;
    for (size_t d = shape.batch.size(); d-- > 0;) {
      lhsAt += rest % shape.batch[d] * shape.lhsBatchStrides[d];
      rhsAt += rest % shape.batch[d] * shape.rhsBatchStrides[d];
      rest /= shape.batch[d];
    }
    MatrixView a{lhs.data() + lhsAt * bytesOf(lhs.element()), lhs.element(),
                 shape.lhsRow, shape.lhsColumn};
    MatrixView c{rhs.data() + rhsAt * bytesOf(rhs.element()), rhs.element(),
                 shape.rhsRow, shape.rhsColumn};
    if (acc)
      acc->read(b * matrix, sums.as<double>());
    else
      std::fill_n(sums.as<double>().data(), matrix, 0.0);
    if (!multiplyAdd(shape.m, shape.n, shape.k, a, c, sums.as<double>().data(),
                     magnitudes, options.cancel))
      throwIfCancelled(options);
    result.write(b * matrix, sums.as<double>());
  }
  return result;
}

static HostTensor runMatmul(tw::MatmulOp op, const IterationSpace &space,
                            const Sizes &sizes, ArrayRef<TensorRef> operands,
                            Element element, bool magnitudes,
                            const EvaluateOptions &options) {
  size_t batches = sizes.size() - 3;
  BatchedMatmul shape;
  shape.batch.assign(sizes.begin(), sizes.begin() + batches);
  shape.m = sizes[batches];
  shape.n = sizes[batches + 1];
  shape.k = sizes[batches + 2];
  auto strides = [&](unsigned i, Sizes &batchStrides) {
    StridedView view =
        broadcastView(*operands[i], space.operands[i], sizes.size());
    batchStrides.assign(view.strides.begin(), view.strides.begin() + batches);
    return view.strides;
  };
  Sizes lhs = strides(0, shape.lhsBatchStrides);
  Sizes rhs = strides(1, shape.rhsBatchStrides);
  shape.lhsRow = lhs[batches];
  shape.lhsColumn = lhs[batches + 2];
  shape.rhsRow = rhs[batches + 2];
  shape.rhsColumn = rhs[batches + 1];
  const HostTensor *acc =
      op.getAcc() && !magnitudes ? operands[2].get() : nullptr;
  return evaluateMatmul(shape, *operands[0], *operands[1], acc, element,
                        magnitudes, options);
}

MatmulBound matmulBound(Operation *op, ArrayRef<TensorRef> operands,
                        const EvaluateOptions &options) {
  IterationSpace space = tw::iterationSpace(op);
  Sizes sizes = iterationSizes(op, space, operands, {});
  auto matmul = cast<tw::MatmulOp>(op);
  return {std::make_shared<HostTensor>(runMatmul(matmul, space, sizes, operands,
                                                 Element::F64, true, options)),
          sizes.back()};
}

/// One running reduction.
struct Reduction {
  tw::ReduceKind kind;
  double value;

  explicit Reduction(tw::ReduceKind kind) : kind(kind) {
    double inf = std::numeric_limits<double>::infinity();
    value = kind == tw::ReduceKind::Max    ? -inf
            : kind == tw::ReduceKind::Min  ? inf
            : kind == tw::ReduceKind::Prod ? 1
                                           : 0;
  }
  void add(std::span<const double> values) {
    switch (kind) {
    case tw::ReduceKind::Sum:
    case tw::ReduceKind::Mean:
      for (double x : values)
        value += x;
      return;
    case tw::ReduceKind::Prod:
      for (double x : values)
        value *= x;
      return;
    case tw::ReduceKind::Max:
      for (double x : values)
        value = maximum(value, x);
      return;
    case tw::ReduceKind::Min:
      for (double x : values)
        value = minimum(value, x);
      return;
    }
  }
};

static HostTensor evaluateReduce(tw::ReduceOp op, Sizes shape,
                                 const HostTensor &input,
                                 const EvaluateOptions &options) {
  HostTensor result = makeTensor(resultElement(op), shape);
  SmallVector<int64_t> axes = op.getNormalizedAxes();
  Sizes strides = rowMajorStrides(input.shape());
  Sizes keptShape;
  StridedView kept;
  Sizes innerShape;
  StridedView inner;
  for (int64_t d = 0; d < input.rank(); ++d) {
    bool reduced = llvm::is_contained(axes, d);
    (reduced ? innerShape : keptShape).push_back(input.shape()[d]);
    (reduced ? inner : kept).strides.push_back(strides[d]);
  }
  int64_t count = elementCount(innerShape).value_or(0);
  tw::ReduceKind kind = op.getKind();
  constexpr int64_t block = 1024;
  tbb::parallel_for(
      tbb::blocked_range<int64_t>(
          0, result.elements(),
          size_t(std::max<int64_t>(1, 4096 / std::max<int64_t>(count, 1)))),
      [&](const tbb::blocked_range<int64_t> &range) {
        double values[block];
        for (int64_t i = range.begin(); i < range.end(); ++i) {
          throwIfCancelled(options);
          StridedView view = inner;
          int64_t rest = i;
          for (size_t d = keptShape.size(); d-- > 0;) {
            view.offset += rest % keptShape[d] * kept.strides[d];
            rest /= keptShape[d];
          }
          Reduction reduction(kind);
          for (int64_t begin = 0; begin < count; begin += block) {
            std::span<double> part(values,
                                   size_t(std::min(block, count - begin)));
            readStrided(innerShape, input, view, begin, part);
            reduction.add(part);
          }
          double value = reduction.value;
          result.set(i, kind == tw::ReduceKind::Mean ? value / double(count)
                                                     : value);
        }
      });
  return result;
}

//===----------------------------------------------------------------------===//
// Composites
//===----------------------------------------------------------------------===//

/// Runs `row` over every line of `input` along `axis`, in parallel; what it
/// leaves in its argument is the result.
static HostTensor
evaluateRows(const HostTensor &input, int64_t axis, Element element,
             const EvaluateOptions &options,
             llvm::function_ref<void(std::span<double>)> row) {
  HostTensor result = makeTensor(element, input.shape());
  int64_t length = input.shape()[axis];
  if (input.elements() == 0)
    return result;
  Sizes strides = rowMajorStrides(input.shape());
  int64_t stride = strides[axis];
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, input.elements() / length),
                    [&](const tbb::blocked_range<int64_t> &range) {
                      std::vector<double> values(static_cast<size_t>(length));
                      for (int64_t r = range.begin(); r < range.end(); ++r) {
                        throwIfCancelled(options);
                        int64_t at = r / stride * stride * length + r % stride;
                        Sizes shape{length};
                        readStrided(shape, input, {at, {stride}}, 0, values);
                        row(values);
                        if (stride == 1)
                          result.write(at, values);
                        else
                          for (int64_t i = 0; i < length; ++i)
                            result.set(at + i * stride, values[size_t(i)]);
                      }
                    });
  return result;
}

static void softmaxRow(std::span<double> row) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (double x : row)
    largest = maximum(largest, x);
  for (double &x : row) {
    x = std::exp(x - largest);
    sum += x;
  }
  for (double &x : row)
    x /= sum;
}

static std::vector<double> values(const HostTensor &tensor) {
  std::vector<double> all(size_t(tensor.elements()));
  tensor.read(0, all);
  return all;
}

static HostTensor evaluateNorm(Operation *op, ArrayRef<TensorRef> operands,
                               const EvaluateOptions &options) {
  const HostTensor &input = *operands[0];
  int64_t axis = input.rank() - 1, length = input.shape()[axis];
  for (size_t i = 1; i < operands.size(); ++i)
    if (operands[i]->elements() != length)
      throwSizes(op, "the last axis of the input has " +
                         std::to_string(length) + " elements, operand " +
                         std::to_string(i) + " " +
                         std::to_string(operands[i]->elements()));
  std::vector<double> weight = values(*operands[1]);
  if (auto norm = dyn_cast<tw::RmsNormOp>(op)) {
    double epsilon = norm.getEpsilon().convertToDouble();
    return evaluateRows(
        input, axis, resultElement(op), options, [&](std::span<double> row) {
          double squares = 0;
          for (double x : row)
            squares += x * x;
          double scale = 1 / std::sqrt(squares / double(length) + epsilon);
          for (size_t i = 0; i < row.size(); ++i)
            row[i] *= scale * weight[i];
        });
  }
  std::vector<double> bias = values(*operands[2]);
  double epsilon = cast<tw::LayerNormOp>(op).getEpsilon().convertToDouble();
  return evaluateRows(
      input, axis, resultElement(op), options, [&](std::span<double> row) {
        double sum = 0, squares = 0;
        for (double x : row)
          sum += x;
        double mean = sum / double(length);
        for (double x : row)
          squares += (x - mean) * (x - mean);
        double scale = 1 / std::sqrt(squares / double(length) + epsilon);
        for (size_t i = 0; i < row.size(); ++i)
          row[i] = (row[i] - mean) * scale * weight[i] + bias[i];
      });
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

static void copyAll(const HostTensor &from, HostTensor &into) {
  std::memcpy(into.data(), from.data(), size_t(from.byteSize()));
}

static HostTensor evaluateTranspose(tw::TransposeOp op,
                                    const HostTensor &input) {
  Sizes from = rowMajorStrides(input.shape()), shape;
  StridedView view;
  for (int64_t d : op.getPermutation()) {
    shape.push_back(input.shape()[d]);
    view.strides.push_back(from[d]);
  }
  HostTensor result = makeTensor(input.element(), shape);
  copyStrided(shape, input, view, result, {0, rowMajorStrides(shape)});
  return result;
}

static HostTensor evaluateReshape(tw::ReshapeOp op, const HostTensor &input) {
  std::string error;
  auto shape = tw::reshapeShape(input.shape(), op.getType().getShape(), error);
  if (failed(shape))
    throwSizes(op, error);
  HostTensor result =
      makeTensor(input.element(), Sizes(shape->begin(), shape->end()));
  copyAll(input, result);
  return result;
}

/// Where a slice lies in a tensor of `shape`.
static StridedView sliceView(const Sizes &shape, ArrayRef<int64_t> offsets,
                             ArrayRef<int64_t> strides) {
  StridedView view{0, rowMajorStrides(shape)};
  for (size_t d = 0; d < offsets.size(); ++d) {
    view.offset += offsets[d] * view.strides[d];
    view.strides[d] *= strides[d];
  }
  return view;
}

static HostTensor evaluateSlice(tw::SliceOp op, const HostTensor &input) {
  std::string error;
  auto shape = tw::sliceShape(input.shape(), op.getOffsets(), op.getSizes(),
                              op.getStridesOrOnes(), error);
  if (failed(shape))
    throwSizes(op, error);
  Sizes sizes(shape->begin(), shape->end());
  HostTensor result = makeTensor(input.element(), sizes);
  copyStrided(sizes, input,
              sliceView(input.shape(), op.getOffsets(), op.getStridesOrOnes()),
              result, {0, rowMajorStrides(sizes)});
  return result;
}

static HostTensor evaluateInsert(tw::InsertOp op, const HostTensor &source,
                                 const HostTensor &into) {
  std::string error;
  if (failed(tw::sliceShape(into.shape(), op.getOffsets(), source.shape(),
                            op.getStridesOrOnes(), error)))
    throwSizes(op, error);
  HostTensor result = makeTensor(into.element(), into.shape());
  copyAll(into, result);
  copyStrided(source.shape(), source, {0, rowMajorStrides(source.shape())},
              result,
              sliceView(into.shape(), op.getOffsets(), op.getStridesOrOnes()));
  return result;
}

static HostTensor evaluateConcat(tw::ConcatOp op, ArrayRef<TensorRef> inputs) {
  SmallVector<ArrayRef<int64_t>> shapes;
  for (const TensorRef &input : inputs)
    shapes.push_back(input->shape());
  std::string error;
  auto shape = tw::concatShape(shapes, op.getAxis(), error);
  if (failed(shape))
    throwSizes(op, error);
  Sizes sizes(shape->begin(), shape->end());
  HostTensor result = makeTensor(inputs.front()->element(), sizes);
  StridedView view{0, rowMajorStrides(sizes)};
  int64_t axis = op.getNormalizedAxis();
  for (const TensorRef &input : inputs) {
    copyStrided(input->shape(), *input, {0, rowMajorStrides(input->shape())},
                result, view);
    view.offset += input->shape()[axis] * view.strides[axis];
  }
  return result;
}

HostTensor evaluateOperator(Operation *op, ArrayRef<TensorRef> operands,
                            ArrayRef<int64_t> sizes,
                            const EvaluateOptions &options) {
  if (auto reshape = dyn_cast<tw::ReshapeOp>(op))
    return evaluateReshape(reshape, *operands[0]);
  if (auto slice = dyn_cast<tw::SliceOp>(op))
    return evaluateSlice(slice, *operands[0]);
  if (auto insert = dyn_cast<tw::InsertOp>(op))
    return evaluateInsert(insert, *operands[0], *operands[1]);
  if (auto concat = dyn_cast<tw::ConcatOp>(op))
    return evaluateConcat(concat, operands);
  if (!isa_and_nonnull<tw::TensorDialect>(op->getDialect()))
    throw RunError("TW0510",
                   "'" + op->getName().getStringRef().str() +
                       "' is no operator the interpreter knows",
                   primaryKey(op).str());

  IterationSpace space = tw::iterationSpace(op);
  Sizes points = iterationSizes(op, space, operands, sizes);
  Sizes shape = resultSizes(op, space, points, operands);
  return llvm::TypeSwitch<Operation *, HostTensor>(op)
      .Case([&](tw::CastOp) { return evaluateCast(op, *operands[0], options); })
      .Case([&](tw::MatmulOp matmul) {
        return runMatmul(matmul, space, points, operands, resultElement(op),
                         false, options);
      })
      .Case([&](tw::ReduceOp reduce) {
        return evaluateReduce(reduce, shape, *operands[0], options);
      })
      .Case([&](tw::SoftmaxOp softmax) {
        return evaluateRows(*operands[0], softmax.getNormalizedAxis(),
                            resultElement(op), options, softmaxRow);
      })
      .Case<tw::RmsNormOp, tw::LayerNormOp>(
          [&](Operation *) { return evaluateNorm(op, operands, options); })
      .Case([&](tw::TransposeOp transpose) {
        return evaluateTranspose(transpose, *operands[0]);
      })
      .Case([&](tw::FullOp full) {
        HostTensor result = makeTensor(resultElement(op), shape);
        double value = full.getValue().convertToDouble();
        fillBlocks(result, options, [&](int64_t, std::span<double> out) {
          std::fill(out.begin(), out.end(), value);
        });
        return result;
      })
      .Default([&](Operation *) {
        return evaluateElementwise(op, shape, space, operands, options);
      });
}

} // namespace tilewright::execute
