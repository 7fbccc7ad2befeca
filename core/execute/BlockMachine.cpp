//===- BlockMachine.cpp - one core that runs block code -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/BlockMachine.h"
#include "core/execute/RunError.h"
#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tilewright::execute {

/// Elements handled at a time, so that temporaries stay in the first cache.
static constexpr int64_t chunk = 512;

static std::string shapeText(std::span<const int64_t> shape) {
  std::string out;
  for (size_t d = 0; d < shape.size(); ++d)
    out += (d ? "x" : "") + std::to_string(shape[d]);
  return out.empty() ? "scalar" : out;
}

[[noreturn]] static void fail(const StepCode &step, std::string code,
                              std::string message) {
  throw RunError(std::move(code), step.name + (": " + message), step.key);
}

View View::whole(std::byte *base, Element element,
                 std::span<const int64_t> shape) {
  View view;
  view.base = base;
  view.element = element;
  view.rank = int(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    view.sizes[d] = shape[d];
    view.strides[d] = stride;
    stride *= shape[d];
  }
  view.limit = stride * bytesOf(element);
  return view;
}

/// Throws if `view` reaches outside its buffer.
static void checkBounds(const StepCode &step, const View &view) {
  int64_t low = view.offset, high = view.offset;
  for (int d = 0; d < view.rank; ++d) {
    int64_t size = view.sizes[size_t(d)], stride = view.strides[size_t(d)];
    if (size == 0)
      return;
    if (size < 0)
      fail(step, "TW0542",
           "a tile has the negative size " + std::to_string(size) +
               " in dimension " + std::to_string(d));
    int64_t reach;
    if (__builtin_mul_overflow(size - 1, stride, &reach) ||
        __builtin_add_overflow(reach < 0 ? low : high, reach,
                               reach < 0 ? &low : &high))
      fail(step, "TW0541", "a tile's extent overflows");
  }
  int64_t elements = view.limit / bytesOf(view.element);
  if (low < 0 || high >= elements)
    fail(step, "TW0541",
         "a tile of shape " + shapeText(view.shape()) + " touches elements " +
             std::to_string(low) + " to " + std::to_string(high) +
             " of a buffer of " + std::to_string(elements));
}

const View &BlockMachine::operand(const StepCode &step, size_t i) const {
  const View &view = views[size_t(step.views[i])];
  if (!view.base && view.limit == 0 && view.count() != 0)
    fail(step, "TW0541",
         "operand " + std::to_string(i) + " is used before its buffer exists");
  checkBounds(step, view);
  return view;
}

int64_t BlockMachine::value(const IndexOperand &operand) const {
  return operand.reg >= 0 ? scalars[size_t(operand.reg)].i : operand.number;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Calls row(offsets…, n) for every innermost row of `shape`; `offsets[i]` is
/// the row's first element in views[i].
template <size_t count, typename Row>
static void forEachRow(std::span<const int64_t> shape,
                       const std::array<const View *, count> &views, Row row) {
  int rank = int(shape.size());
  std::array<int64_t, count> offsets = {};
  if (rank == 0)
    return row(offsets, int64_t(1));
  for (int64_t size : shape)
    if (size <= 0)
      return;
  std::array<int64_t, maxRank> index = {};
  while (true) {
    row(offsets, shape[size_t(rank - 1)]);
    int d = rank - 2;
    for (; d >= 0; --d) {
      size_t at = size_t(d);
      for (size_t v = 0; v < count; ++v)
        offsets[v] += views[v]->strides[at];
      if (++index[at] < shape[at])
        break;
      for (size_t v = 0; v < count; ++v)
        offsets[v] -= views[v]->strides[at] * shape[at];
      index[at] = 0;
    }
    if (d < 0)
      return;
  }
}

static int64_t innerStride(const View &view) {
  return view.rank ? view.strides[size_t(view.rank - 1)] : 1;
}

/// `source` seen with the shape of `dest`: size 1 stretches, missing leading
/// dimensions appear.
View BlockMachine::broadcast(const StepCode &step, const View &source,
                             const View &dest) const {
  View view = source;
  view.rank = dest.rank;
  int missing = dest.rank - source.rank;
  for (int d = 0; d < dest.rank; ++d) {
    size_t to = size_t(d);
    int from = d - missing;
    int64_t size = from < 0 ? 1 : source.sizes[size_t(from)];
    view.sizes[to] = dest.sizes[to];
    if (size == dest.sizes[to])
      view.strides[to] = from < 0 ? 0 : source.strides[size_t(from)];
    else if (size == 1)
      view.strides[to] = 0;
    else
      fail(step, "TW0542",
           "an operand of shape " + shapeText(source.shape()) +
               " does not fit the result's " + shapeText(dest.shape()));
  }
  if (missing < 0)
    fail(step, "TW0542",
         "an operand of shape " + shapeText(source.shape()) +
             " does not fit the result's " + shapeText(dest.shape()));
  return view;
}

/// A row of a view as T: in place where it lies as T already, else in `buffer`.
template <typename T>
static const T *rowOf(const View &view, int64_t offset, int64_t begin,
                      int64_t n, T *buffer, int64_t &step) {
  int64_t stride = innerStride(view);
  step = stride == 0 ? 0 : 1;
  const std::byte *from = view.at(offset + begin * stride);
  loadRow(from, view.element, stride, step ? n : 1, buffer);
  return buffer;
}

template <typename T> void BlockMachine::elementwise(const StepCode &step) {
  size_t last = step.views.size() - 1;
  View dest = operand(step, last);
  View a = broadcast(step, operand(step, 0), dest);
  View b = last > 1 ? broadcast(step, operand(step, 1), dest) : a;
  int64_t destStride = innerStride(dest);
  T rowA[chunk], rowB[chunk], out[chunk];
  int64_t flags[chunk];
  forEachRow<3>(dest.shape(), {&dest, &a, &b}, [&](auto offsets, int64_t n) {
    for (int64_t begin = 0; begin < n; begin += chunk) {
      int64_t part = std::min(chunk, n - begin), stepA, stepB;
      std::byte *to = dest.at(offsets[0] + begin * destStride);
      const T *x = rowOf(a, offsets[1], begin, part, rowA, stepA);
      if (step.step == Step::Unary) {
        if (!stepA)
          std::fill_n(rowA + 1, part - 1, rowA[0]);
        unaryRow(UnaryFunction(step.kind), x, part, out);
      } else {
        const T *y = rowOf(b, offsets[2], begin, part, rowB, stepB);
        if (step.step == Step::Compare) {
          compareRow(Predicate(step.kind), x, stepA, y, stepB, part, flags);
          storeRow(flags, dest.element, destStride, part, to);
          continue;
        }
        binaryRow(BinaryFunction(step.kind), x, stepA, y, stepB, part, out);
      }
      storeRow(out, dest.element, destStride, part, to);
    }
  });
}

void BlockMachine::select(const StepCode &step) {
  View dest = operand(step, 3);
  View condition = broadcast(step, operand(step, 0), dest);
  View a = broadcast(step, operand(step, 1), dest);
  View b = broadcast(step, operand(step, 2), dest);
  int64_t bytes = bytesOf(dest.element);
  forEachRow<4>(
      dest.shape(), {&dest, &condition, &a, &b}, [&](auto offsets, int64_t n) {
        std::byte *to = dest.at(offsets[0]);
        const std::byte *c = condition.at(offsets[1]);
        const std::byte *x = a.at(offsets[2]), *y = b.at(offsets[3]);
        int64_t cs = innerStride(condition), xs = innerStride(a) * bytes,
                ys = innerStride(b) * bytes, ts = innerStride(dest) * bytes;
        for (int64_t i = 0; i < n; ++i)
          std::memmove(to + i * ts,
                       c[i * cs] != std::byte(0) ? x + i * xs : y + i * ys,
                       size_t(bytes));
      });
}

/// Element types whose arithmetic is done in float.
static bool inFloat(Element element) {
  return isFloat(element) && element != Element::F64;
}

/// Calls with a value of the type that `element` is computed in.
template <typename Run> static void computeType(Element element, Run run) {
  if (inFloat(element))
    run(float());
  else if (element == Element::F64)
    run(double());
  else
    run(int64_t());
}

/// Copies source to dest (same shape), converting the element type.
static void convertAll(const View &source, const View &dest) {
  Element from = source.element, to = dest.element;
  int64_t fromStride = innerStride(source), toStride = innerStride(dest);
  if (from == to) {
    forEachRow<2>(dest.shape(), {&dest, &source}, [&](auto offsets, int64_t n) {
      copyRow(source.at(offsets[1]), fromStride, dest.at(offsets[0]), toStride,
              bytesOf(to), n);
    });
    return;
  }
  auto run = [&](auto zero) {
    decltype(zero) row[chunk];
    forEachRow<2>(dest.shape(), {&dest, &source}, [&](auto offsets, int64_t n) {
      for (int64_t begin = 0; begin < n; begin += chunk) {
        int64_t part = std::min(chunk, n - begin);
        loadRow(source.at(offsets[1] + begin * fromStride), from, fromStride,
                part, row);
        storeRow(row, to, toStride, part,
                 dest.at(offsets[0] + begin * toStride));
      }
    });
  };
  // In the wider of both, so that nothing is rounded twice.
  if (inFloat(from) && inFloat(to))
    run(float());
  else if (isFloat(from) || (isFloat(to) && from != Element::I64))
    run(double());
  else
    run(int64_t());
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void BlockMachine::move(const StepCode &step) {
  if (step.lhsLayout.axis >= 0)
    return pack(step);
  const View &dest = operand(step, 1), &source = operand(step, 0);
  if (!std::ranges::equal(source.shape(), dest.shape()))
    fail(step, "TW0542",
         "the source has shape " + shapeText(source.shape()) +
             ", the destination " + shapeText(dest.shape()));
  convertAll(source, dest);
}

void BlockMachine::pack(const StepCode &step) {
  const View &dest = operand(step, 1), &source = operand(step, 0);
  int axis = step.lhsLayout.axis;
  int64_t block = step.lhsLayout.block;
  if (source.rank != 2 || dest.rank != 3 || dest.sizes[2] != block)
    fail(step, "TW0542",
         "packs shape " + shapeText(source.shape()) + " as " +
             shapeText(dest.shape()));
  int64_t packedSize = source.sizes[size_t(axis)],
          other = source.sizes[size_t(1 - axis)];
  if (dest.sizes[0] * block < packedSize || dest.sizes[1] < other)
    fail(step, "TW0542",
         "panels of shape " + shapeText(dest.shape()) +
             " do not hold a matrix of shape " + shapeText(source.shape()));
  int64_t packedStride = source.strides[size_t(axis)],
          otherStride = source.strides[size_t(1 - axis)];
  std::vector<float> row(static_cast<size_t>(block));
  std::vector<double> wide(inFloat(source.element) && inFloat(dest.element)
                               ? 0
                               : static_cast<size_t>(block));
  for (int64_t panel = 0; panel < dest.sizes[0]; ++panel) {
    int64_t valid = std::clamp<int64_t>(packedSize - panel * block, 0, block);
    for (int64_t j = 0; j < other; ++j) {
      std::byte *to = dest.at(panel * dest.strides[0] + j * dest.strides[1]);
      int64_t first = panel * block * packedStride + j * otherStride;
      auto run = [&](auto &buffer) {
        std::fill(buffer.begin() + valid, buffer.end(), 0);
        if (valid)
          loadRow(source.at(first), source.element, packedStride, valid,
                  buffer.data());
        storeRow(buffer.data(), dest.element, dest.strides[2], block, to);
      };
      if (wide.empty())
        run(row);
      else
        run(wide);
    }
  }
}

void BlockMachine::fill(const StepCode &step) {
  const View &dest = operand(step, 0);
  std::byte value[8];
  computeType(dest.element, [&](auto zero) {
    auto constant = decltype(zero)(
        isFloat(dest.element) ? step.scalar.constant.f : double(0));
    if constexpr (std::is_integral_v<decltype(zero)>)
      constant = step.scalar.constant.i;
    storeRow(&constant, dest.element, 1, 1, value);
  });
  int64_t bytes = bytesOf(dest.element), stride = innerStride(dest);
  forEachRow<1>(dest.shape(), {&dest}, [&](auto offsets, int64_t n) {
    copyRow(value, 0, dest.at(offsets[0]), stride, bytes, n);
  });
}

template <typename T> void BlockMachine::reduce(const StepCode &step) {
  const View &source = operand(step, 0), &dest = operand(step, 1);
  auto function = ReduceFunction(step.kind);
  std::array<bool, maxRank> reduced = {};
  int64_t reducedCount = 1;
  for (int64_t axis : step.numbers) {
    reduced[size_t(axis)] = true;
    reducedCount *= source.sizes[size_t(axis)];
  }
  // Strides over a dense accumulator, and over dest, for each source dimension.
  View acc = source, target = source;
  bool keeps = dest.rank == source.rank;
  int64_t count = 1;
  int to = dest.rank - 1;
  for (int d = source.rank - 1; d >= 0; --d) {
    size_t at = size_t(d);
    acc.strides[at] = target.strides[at] = 0;
    if (!reduced[at]) {
      acc.strides[at] = count;
      count *= source.sizes[at];
    }
    if (!reduced[at] || keeps) {
      int64_t wanted = reduced[at] ? 1 : source.sizes[at];
      if (to < 0 || dest.sizes[size_t(to)] != wanted)
        fail(step, "TW0542",
             "a reduction of shape " + shapeText(source.shape()) +
                 " does not fit the result's " + shapeText(dest.shape()));
      if (!reduced[at])
        target.strides[at] = dest.strides[size_t(to)];
      --to;
    }
  }
  std::vector<T> total(size_t(count), reduceIdentity<T>(function));
  bool rowReduced = source.rank && reduced[size_t(source.rank - 1)];
  int64_t stride = innerStride(source);
  T row[chunk];
  acc.base = target.base = nullptr;
  forEachRow<2>(source.shape(), {&source, &acc}, [&](auto offsets, int64_t n) {
    for (int64_t begin = 0; begin < n; begin += chunk) {
      int64_t part = std::min(chunk, n - begin);
      loadRow(source.at(offsets[0] + begin * stride), source.element, stride,
              part, row);
      T *into = total.data() + offsets[1];
      if (rowReduced)
        *into = combine(function, *into, reduceRow(function, row, part));
      else
        accumulateRow(function, row, part, into + begin);
    }
  });
  // Each result once: over the dimensions that are kept.
  View keptAcc = acc, keptDest = target;
  for (int d = 0; d < source.rank; ++d)
    if (reduced[size_t(d)])
      keptAcc.sizes[size_t(d)] = keptDest.sizes[size_t(d)] = 1;
  forEachRow<2>(keptAcc.shape(), {&keptAcc, &keptDest},
                [&](auto offsets, int64_t n) {
                  int64_t accStep = innerStride(keptAcc),
                          destStep = innerStride(keptDest);
                  for (int64_t i = 0; i < n; ++i) {
                    T value = total[size_t(offsets[0] + i * accStep)];
                    if (function == ReduceFunction::Mean)
                      value = reducedCount ? T(value / T(reducedCount)) : T(0);
                    std::byte *at = dest.at(offsets[1] + i * destStep);
                    if (step.accumulate) {
                      T old;
                      loadRow(at, dest.element, 1, 1, &old);
                      value = combine(function, old, value);
                    }
                    storeRow(&value, dest.element, 1, 1, at);
                  }
                });
}

/// A matrix, packed or not, as dense row-major floats.
static void denseMatrix(const View &view, PackedLayout layout, bool transposed,
                        int64_t rows, int64_t columns, std::vector<float> &to) {
  to.resize(size_t(rows * columns));
  if (layout.axis == 0) {
    for (int64_t i = 0; i < rows; ++i)
      loadRow(view.at(i / layout.block * view.strides[0] +
                      i % layout.block * view.strides[2]),
              view.element, view.strides[1], columns, to.data() + i * columns);
    return;
  }
  if (layout.axis == 1) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; j += layout.block)
        loadRow(
            view.at(j / layout.block * view.strides[0] + i * view.strides[1]),
            view.element, view.strides[2], std::min(layout.block, columns - j),
            to.data() + i * columns + j);
    return;
  }
  int64_t rowStride = view.strides[transposed ? 1 : 0],
          columnStride = view.strides[transposed ? 0 : 1];
  for (int64_t i = 0; i < rows; ++i)
    loadRow(view.at(i * rowStride), view.element, columnStride, columns,
            to.data() + i * columns);
}

void BlockMachine::matmul(const StepCode &step) {
  const View &lhs = operand(step, 0), &rhs = operand(step, 1),
             &dest = operand(step, 2);
  if (!inFloat(lhs.element) || !inFloat(rhs.element) || !inFloat(dest.element))
    fail(step, "TW0430", "only f32, f16 and bf16 matrices are multiplied");
  bool lhsPacked = step.lhsLayout.axis >= 0,
       rhsPacked = step.rhsLayout.axis >= 0;
  int64_t m = dest.sizes[0], n = dest.sizes[1];
  int64_t lhsRows = lhsPacked ? lhs.sizes[0] * lhs.sizes[2]
                              : lhs.sizes[step.transposeLhs ? 1 : 0];
  int64_t lhsK = lhs.sizes[lhsPacked || !step.transposeLhs ? 1 : 0];
  int64_t rhsColumns = rhsPacked ? rhs.sizes[0] * rhs.sizes[2]
                                 : rhs.sizes[step.transposeRhs ? 0 : 1];
  int64_t rhsK =
      rhsPacked ? rhs.sizes[1] : rhs.sizes[step.transposeRhs ? 1 : 0];
  int64_t k = step.scalars.empty() ? lhsK : scalars[size_t(step.scalars[0])].i;
  bool exact = step.scalars.empty() ? lhsK == rhsK : k <= lhsK && k <= rhsK;
  if (!exact || k < 0 || (lhsPacked ? lhsRows < m : lhsRows != m) ||
      (rhsPacked ? rhsColumns < n : rhsColumns != n))
    fail(step, "TW0542",
         "shapes " + shapeText(lhs.shape()) + " and " + shapeText(rhs.shape()) +
             " with k = " + std::to_string(k) + " do not give " +
             shapeText(dest.shape()));
  denseMatrix(lhs, step.lhsLayout, step.transposeLhs, m, k, matrixA);
  denseMatrix(rhs, step.rhsLayout, step.transposeRhs, k, n, matrixB);
  matrixC.assign(size_t(m * n), 0);
  if (step.accumulate)
    for (int64_t i = 0; i < m; ++i)
      loadRow(dest.at(i * dest.strides[0]), dest.element, dest.strides[1], n,
              matrixC.data() + i * n);
  multiplyAdd(matrixA.data(), matrixB.data(), matrixC.data(), m, n, k);
  for (int64_t i = 0; i < m; ++i)
    storeRow(matrixC.data() + i * n, dest.element, dest.strides[1], n,
             dest.at(i * dest.strides[0]));
}

void BlockMachine::transpose(const StepCode &step) {
  const View &source = operand(step, 0), &dest = operand(step, 1);
  View permuted = source;
  for (int d = 0; d < dest.rank; ++d) {
    permuted.sizes[size_t(d)] = source.sizes[size_t(step.numbers[size_t(d)])];
    permuted.strides[size_t(d)] =
        source.strides[size_t(step.numbers[size_t(d)])];
  }
  if (!std::ranges::equal(permuted.shape(), dest.shape()))
    fail(step, "TW0542",
         "the permuted source has shape " + shapeText(permuted.shape()) +
             ", the result " + shapeText(dest.shape()));
  convertAll(permuted, dest);
}

void BlockMachine::reshape(const StepCode &step) {
  const View &source = operand(step, 0), &dest = operand(step, 1);
  if (source.count() != dest.count())
    fail(step, "TW0542",
         "shape " + shapeText(source.shape()) +
             " does not hold as many elements as " + shapeText(dest.shape()));
  int64_t bytes = bytesOf(dest.element);
  std::vector<std::byte> dense(size_t(dest.count() * bytes));
  std::byte *at = dense.data();
  forEachRow<1>(source.shape(), {&source}, [&](auto offsets, int64_t n) {
    copyRow(source.at(offsets[0]), innerStride(source), at, 1, bytes, n);
    at += n * bytes;
  });
  at = dense.data();
  forEachRow<1>(dest.shape(), {&dest}, [&](auto offsets, int64_t n) {
    copyRow(at, 1, dest.at(offsets[0]), innerStride(dest), bytes, n);
    at += n * bytes;
  });
}

static Scalar loadElement(const View &view, int64_t offset) {
  Scalar out;
  if (isFloat(view.element))
    loadRow(view.at(offset), view.element, 1, 1, &out.f);
  else
    loadRow(view.at(offset), view.element, 1, 1, &out.i);
  return out;
}

static void storeElement(const View &view, int64_t offset, Scalar value) {
  if (!isFloat(view.element)) {
    storeRow(&value.i, view.element, 1, 1, view.at(offset));
    return;
  }
  storeRow(&value.f, view.element, 1, 1, view.at(offset));
}

void BlockMachine::generic(const StepCode &step) {
  const GenericCode &generic = *step.generic;
  size_t operands = step.views.size(), dims = size_t(generic.dims);
  std::vector<View> operandViews;
  for (size_t i = 0; i < operands; ++i)
    operandViews.push_back(operand(step, i));
  std::array<int64_t, maxRank> extent = {}, index = {};
  for (size_t d = 0; d < dims; ++d) {
    auto [which, dim] = generic.extents[d];
    extent[d] = operandViews[size_t(which)].sizes[size_t(dim)];
    if (extent[d] == 0)
      return;
  }
  std::vector<Scalar> registers(size_t(generic.registers));
  for (auto [outer, inner] : generic.captured)
    registers[size_t(inner)] = scalars[size_t(outer)];
  std::vector<int64_t> offsets(operands);
  while (true) {
    for (size_t i = 0; i < operands; ++i) {
      const View &view = operandViews[i];
      int64_t offset = 0;
      for (int r = 0; r < view.rank; ++r) {
        int64_t at = generic.maps[i].evaluate(
            size_t(r), {index.data(), size_t(generic.dims)});
        if (at < 0 || at >= view.sizes[size_t(r)])
          fail(step, "TW0541",
               "operand " + std::to_string(i) + " of shape " +
                   shapeText(view.shape()) + " is indexed by " +
                   std::to_string(at) + " in dimension " + std::to_string(r));
        offset += at * view.strides[size_t(r)];
      }
      offsets[i] = offset;
      registers[i] = loadElement(view, offset);
    }
    for (const ScalarInstruction &instruction : generic.body)
      evaluate(instruction, registers.data());
    for (size_t i = 0; i < generic.yields.size(); ++i) {
      size_t output = size_t(generic.inputs) + i;
      storeElement(operandViews[output], offsets[output],
                   registers[size_t(generic.yields[i])]);
    }
    int d = generic.dims - 1;
    for (; d >= 0; --d) {
      if (++index[size_t(d)] < extent[size_t(d)])
        break;
      index[size_t(d)] = 0;
    }
    if (d < 0)
      return;
  }
}

//===----------------------------------------------------------------------===//
// Views and scalars
//===----------------------------------------------------------------------===//

void BlockMachine::subview(const StepCode &step) {
  const View &source = views[size_t(step.views[0])];
  View out = source;
  out.rank = 0;
  for (size_t d = 0; d < step.offsets.size(); ++d) {
    int64_t offset = value(step.offsets[d]), size = value(step.sizes[d]),
            stride = value(step.strides[d]);
    if (size < 0 || offset < 0 ||
        (size > 0 && offset + (size - 1) * stride >= source.sizes[d]))
      fail(step, "TW0541",
           "elements [" + std::to_string(offset) + ", " +
               std::to_string(offset + size) + ") of dimension " +
               std::to_string(d) + " are outside the shape " +
               shapeText(source.shape()));
    out.offset += offset * source.strides[d];
    if (step.numbers[d])
      continue;
    out.sizes[size_t(out.rank)] = size;
    out.strides[size_t(out.rank)] = stride * source.strides[d];
    ++out.rank;
  }
  views[size_t(step.dest)] = out;
}

void BlockMachine::reshapeView(const StepCode &step) {
  const View &source = views[size_t(step.views[0])];
  View out = source;
  if (step.kind == 2) { // reinterpret_cast
    out.offset = value(step.offsets[0]);
    out.rank = int(step.sizes.size());
    for (size_t d = 0; d < step.sizes.size(); ++d) {
      out.sizes[d] = value(step.sizes[d]);
      out.strides[d] = value(step.strides[d]);
    }
    views[size_t(step.dest)] = out;
    return;
  }
  size_t wide = 0; // dimension on the side with more of them
  if (step.kind == 0) {
    out.rank = int(step.numbers.size());
    for (size_t group = 0; group < step.numbers.size(); ++group) {
      int64_t size = 1, stride = 1;
      for (int64_t i = 0; i < step.numbers[group]; ++i, ++wide) {
        size *= source.sizes[wide];
        if (source.sizes[wide] != 1 || i == 0)
          stride = source.strides[wide];
      }
      out.sizes[group] = size;
      out.strides[group] = stride;
    }
  } else {
    out.rank = int(step.sizes.size());
    for (size_t group = 0; group < step.numbers.size(); ++group) {
      size_t first = wide;
      wide += size_t(step.numbers[group]);
      int64_t stride = source.strides[group];
      for (size_t d = wide; d-- > first;) {
        out.sizes[d] = value(step.sizes[d]);
        out.strides[d] = stride;
        stride *= out.sizes[d];
      }
    }
  }
  views[size_t(step.dest)] = out;
}

void BlockMachine::alloc(const StepCode &step) {
  std::vector<std::byte> &level = levels[size_t(step.level)];
  views[size_t(step.dest)] =
      View::whole(level.data() + step.offset, step.element, step.numbers);
}

void BlockMachine::loadStore(const StepCode &step) {
  const View &view = operand(step, 0);
  size_t first = step.step == Step::Store ? 1 : 0;
  int64_t offset = 0;
  for (int d = 0; d < view.rank; ++d) {
    int64_t at = scalars[size_t(step.scalars[first + size_t(d)])].i;
    if (at < 0 || at >= view.sizes[size_t(d)])
      fail(step, "TW0541",
           "index " + std::to_string(at) + " in dimension " +
               std::to_string(d) + " is outside the shape " +
               shapeText(view.shape()));
    offset += at * view.strides[size_t(d)];
  }
  if (step.step == Step::Store)
    storeElement(view, offset, scalars[size_t(step.scalars[0])]);
  else
    scalars[size_t(step.dest)] = loadElement(view, offset);
}

void BlockMachine::affine(const StepCode &step) {
  std::vector<int64_t> inputs;
  for (int reg : step.scalars)
    inputs.push_back(scalars[size_t(reg)].i);
  int64_t result = step.map.evaluate(0, inputs);
  for (size_t i = 1; i < step.map.size(); ++i) {
    int64_t other = step.map.evaluate(i, inputs);
    result = step.step == Step::AffineMin ? std::min(result, other)
                                          : std::max(result, other);
  }
  scalars[size_t(step.dest)].i = result;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

/// All values are read before any is written: a loop may swap what it carries.
void BlockMachine::copy(const std::vector<std::pair<int, int>> &scalarPairs,
                        const std::vector<std::pair<int, int>> &viewPairs) {
  std::vector<Scalar> scalarValues;
  std::vector<View> viewValues;
  for (auto [from, to] : scalarPairs)
    scalarValues.push_back(scalars[size_t(from)]);
  for (auto [from, to] : viewPairs)
    viewValues.push_back(views[size_t(from)]);
  for (size_t i = 0; i < scalarPairs.size(); ++i)
    scalars[size_t(scalarPairs[i].second)] = scalarValues[i];
  for (size_t i = 0; i < viewPairs.size(); ++i)
    views[size_t(viewPairs[i].second)] = viewValues[i];
}

void BlockMachine::runFor(const RoutineCode &routine, const StepCode &step) {
  int64_t lower = scalars[size_t(step.scalars[0])].i,
          upper = scalars[size_t(step.scalars[1])].i,
          stride = scalars[size_t(step.scalars[2])].i;
  if (stride <= 0)
    fail(step, "TW0542",
         "a loop has the step " + std::to_string(stride) +
             "; it must be "
             "positive");
  copy(step.initScalars, step.initViews);
  for (int64_t i = lower; i < upper; i += stride) {
    scalars[size_t(step.scalars[3])].i = i;
    runBody(routine, step.body);
    copy(step.yieldScalars, step.yieldViews);
  }
  copy(step.resultScalars, step.resultViews);
}

void BlockMachine::runIf(const RoutineCode &routine, const StepCode &step) {
  if (scalars[size_t(step.scalars[0])].i) {
    runBody(routine, step.body);
    copy(step.yieldScalars, step.yieldViews);
  } else if (step.elseBody >= 0) {
    runBody(routine, step.elseBody);
    copy(step.elseScalars, step.elseViews);
  }
}

void BlockMachine::runBody(const RoutineCode &routine, int body) {
  for (const StepCode &step : routine.bodies[size_t(body)])
    runStep(routine, step);
}

void BlockMachine::runStep(const RoutineCode &routine, const StepCode &step) {
  switch (step.step) {
  case Step::Scalar:
    return evaluate(step.scalar, scalars.data());
  case Step::AffineApply:
  case Step::AffineMin:
  case Step::AffineMax:
    return affine(step);
  case Step::Dim: {
    const View &view = views[size_t(step.views[0])];
    int64_t d = scalars[size_t(step.scalars[0])].i;
    if (d < 0 || d >= view.rank)
      fail(step, "TW0542",
           "a buffer of rank " + std::to_string(view.rank) +
               " has no dimension " + std::to_string(d));
    scalars[size_t(step.dest)].i = view.sizes[size_t(d)];
    return;
  }
  case Step::Subview:
    return subview(step);
  case Step::Reshaped:
    return reshapeView(step);
  case Step::CopyView:
    views[size_t(step.dest)] = views[size_t(step.views[0])];
    return;
  case Step::Load:
  case Step::Store:
    return loadStore(step);
  case Step::Alloc:
    return alloc(step);
  case Step::For:
    return runFor(routine, step);
  case Step::If:
    return runIf(routine, step);
  case Step::Move:
    return move(step);
  case Step::Fill:
    return fill(step);
  case Step::Unary:
  case Step::Binary:
  case Step::Compare:
    return computeType(step.element,
                       [&](auto zero) { elementwise<decltype(zero)>(step); });
  case Step::Cast: {
    const View &dest = operand(step, 1), &source = operand(step, 0);
    if (!std::ranges::equal(source.shape(), dest.shape()))
      fail(step, "TW0542",
           "the source has shape " + shapeText(source.shape()) +
               ", the result " + shapeText(dest.shape()));
    return convertAll(source, dest);
  }
  case Step::Select:
    return select(step);
  case Step::Reduce:
    return computeType(step.element,
                       [&](auto zero) { reduce<decltype(zero)>(step); });
  case Step::Matmul:
    return matmul(step);
  case Step::Transpose:
    return transpose(step);
  case Step::Reshape:
    return reshape(step);
  case Step::Generic:
    return generic(step);
  case Step::Buffer: {
    globals.emplace_back(size_t(step.bytes), std::byte(0xff));
    views[size_t(step.dest)] =
        View::whole(globals.back().data(), step.element, step.numbers);
    return;
  }
  case Step::Constant:
    // Read only: kernels that write it are refused by the verifier.
    views[size_t(step.dest)] =
        View::whole(const_cast<std::byte *>(step.constant->data()),
                    step.element, step.numbers);
    return;
  case Step::Dispatch: {
    std::vector<View> buffers;
    for (size_t i = 0; i < step.views.size(); ++i)
      buffers.push_back(operand(step, i));
    std::vector<int64_t> grid;
    for (const IndexOperand &size : step.dispatch->grid)
      grid.push_back(value(size));
    return dispatch(step, code.kernels[size_t(step.dispatch->kernel)],
                    std::move(buffers), std::move(grid));
  }
  }
}

void BlockMachine::enter(const RoutineCode &routine,
                         std::span<const View> buffers) {
  views.assign(size_t(routine.views), View());
  scalars.assign(size_t(routine.scalars), Scalar());
  std::ranges::copy(buffers, views.begin());
}

void BlockMachine::runKernel(const RoutineCode &kernel,
                             std::span<const View> buffers,
                             std::span<const int64_t> grid) {
  enter(kernel, buffers);
  for (size_t d = 0; d < grid.size(); ++d)
    scalars[d].i = grid[d];
  levels.resize(code.levels.size());
  for (size_t level = 0; level < levels.size(); ++level)
    // assign() keeps the memory of the task before.
    levels[level].assign(size_t(kernel.levelBytes[level]), std::byte(0xff));
  runBody(kernel, 0);
}

void BlockMachine::runProgram(const RoutineCode &program,
                              std::span<const View> arguments,
                              Dispatch onDispatch) {
  dispatch = std::move(onDispatch);
  enter(program, arguments);
  runBody(program, 0);
  globals.clear();
}

} // namespace tilewright::execute
