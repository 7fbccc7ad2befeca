//===- TensorOperators.cpp - reference semantics of tw operators ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/TensorOperators.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/ShapeInference.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/execute/DoubleMatmul.h"
#include "core/execute/ElementsBytes.h"
#include "core/execute/IterationViews.h"
#include "core/execute/OperatorFunctions.h"
#include "core/execute/RunError.h"
#include "core/execute/ScalarFunctions.h"
#include "core/execute/StridedCopy.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cstring>
#include <limits>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

using namespace mlir;
using tilewright::tw::IterationSpace;

namespace tilewright::execute {

using Sizes = std::vector<int64_t>;

Element elementOfType(Type type) {
  if (std::optional<Element> element = elementOf(type))
    return *element;
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

static Element resultElement(Operation *op) {
  return elementOfType(
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

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
  if (UnaryFunction function = unaryFunction(op)) {
    fillBlocks(result, options, [&](int64_t begin, std::span<double> out) {
      read(0, begin, out);
      for (double &x : out)
        x = function(x);
    });
    return result;
  }
  if (BinaryFunction function = binaryFunction(op)) {
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

HostTensor multiplyAs(Operation *op, ArrayRef<TensorRef> operands,
                      const HostTensor &lhs, const HostTensor &rhs,
                      const HostTensor *acc, Element element, bool magnitudes,
                      const EvaluateOptions &options) {
  IterationSpace space = tw::iterationSpace(op);
  Sizes sizes = iterationSizes(op, space, operands, {});
  size_t batches = sizes.size() - 3;
  BatchedMatmul shape;
  shape.batch.assign(sizes.begin(), sizes.begin() + batches);
  shape.m = sizes[batches];
  shape.n = sizes[batches + 1];
  shape.k = sizes[batches + 2];
  auto strides = [&](const HostTensor &operand, unsigned i,
                     Sizes &batchStrides) {
    StridedView view = broadcastView(operand, space.operands[i], sizes.size());
    batchStrides.assign(view.strides.begin(), view.strides.begin() + batches);
    return view.strides;
  };
  Sizes left = strides(lhs, 0, shape.lhsBatchStrides);
  Sizes right = strides(rhs, 1, shape.rhsBatchStrides);
  shape.lhsRow = left[batches];
  shape.lhsColumn = left[batches + 2];
  shape.rhsRow = right[batches + 2];
  shape.rhsColumn = right[batches + 1];
  return evaluateMatmul(shape, lhs, rhs, acc, element, magnitudes, options);
}

MatmulBound matmulBound(Operation *op, ArrayRef<TensorRef> operands,
                        const EvaluateOptions &options) {
  MatmulBound bound;
  // The sum starts with the accumulator: it is rounded with every step.
  std::optional<HostTensor> start;
  if (operands.size() > 2) {
    start = makeTensor(Element::F64, operands[2]->shape());
    operands[2]->read(0, start->as<double>());
    for (double &value : start->as<double>())
      value = std::fabs(value);
  }
  bound.magnitudes = std::make_shared<HostTensor>(
      multiplyAs(op, operands, *operands[0], *operands[1],
                 start ? &*start : nullptr, Element::F64, true, options));
  IterationSpace space = tw::iterationSpace(op);
  bound.depth = iterationSizes(op, space, operands, {}).back();
  bound.underflow = matmulUnderflow(op, operands);
  return bound;
}

double matmulUnderflow(Operation *op, ArrayRef<TensorRef> operands) {
  // Sums along k of each operand, wherever k lies in it.
  IterationSpace space = tw::iterationSpace(op);
  int depth = int(space.iterators.size()) - 1;
  double underflow = 0;
  for (unsigned i : {0u, 1u}) {
    const HostTensor &operand = *operands[i];
    size_t k = llvm::find(space.operands[i], depth) - space.operands[i].begin();
    Sizes strides = rowMajorStrides(operand.shape());
    Sizes others = operand.shape(), other = strides;
    others.erase(others.begin() + k);
    other.erase(other.begin() + k);
    int64_t length = operand.shape()[k], stride = strides[k];
    if (length == 0)
      return 0;
    int64_t lines = elementCount(others).value_or(0);
    double largest = tbb::parallel_reduce(
        tbb::blocked_range<int64_t>(0, lines), 0.0,
        [&](const tbb::blocked_range<int64_t> &range, double most) {
          std::vector<double> values(static_cast<size_t>(length));
          for (int64_t line = range.begin(); line < range.end(); ++line) {
            int64_t at = 0, rest = line;
            for (size_t d = others.size(); d-- > 0;) {
              at += rest % others[d] * other[d];
              rest /= others[d];
            }
            readStrided(Sizes{length}, operand, {at, {stride}}, 0, values);
            double sum = 0;
            for (double x : values)
              sum += std::isfinite(x) ? std::fabs(x) : 0;
            most = std::max(most, sum);
          }
          return most;
        },
        [](double x, double y) { return std::max(x, y); });
    underflow += largest + double(length) / 2;
  }
  return std::ldexp(underflow, -126);
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

HostTensor evaluateReduce(tw::ReduceKind kind, ArrayRef<int64_t> axes,
                          Sizes shape, Element element, const HostTensor &input,
                          const EvaluateOptions &options) {
  HostTensor result = makeTensor(element, std::move(shape));
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
        return multiplyAs(op, operands, *operands[0], *operands[1],
                          matmul.getAcc() ? operands[2].get() : nullptr,
                          resultElement(op), false, options);
      })
      .Case([&](tw::ReduceOp reduce) {
        return evaluateReduce(reduce.getKind(), reduce.getNormalizedAxes(),
                              shape, resultElement(op), *operands[0], options);
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
