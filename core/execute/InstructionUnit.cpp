//===- InstructionUnit.cpp - what each instruction does -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/InstructionUnit.h"
#include "core/execute/RunError.h"
#include <algorithm>
#include <cstring>
#include <type_traits>

namespace tilewright::execute {

/// Elements handled at a time, so that temporaries stay in the first cache.
static constexpr int64_t chunk = 512;

[[noreturn]] static void fail(const StepCode &step, std::string code,
                              std::string message) {
  throw RunError(std::move(code), step.name + (": " + message), step.key);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// `source` seen with the shape of `dest`: size 1 stretches, missing leading
/// dimensions appear.
static View broadcast(const StepCode &step, const View &source,
                      const View &dest) {
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
           "an operand of shape " + extentText(source.shape()) +
               " does not fit the result's " + extentText(dest.shape()));
  }
  if (missing < 0)
    fail(step, "TW0542",
         "an operand of shape " + extentText(source.shape()) +
             " does not fit the result's " + extentText(dest.shape()));
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

template <typename T> void InstructionUnit::elementwise(const StepCode &step) {
  size_t last = step.views.size() - 1;
  View dest = operands[size_t(last)];
  View a = broadcast(step, operands[0], dest);
  View b = last > 1 ? broadcast(step, operands[1], dest) : a;
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

void InstructionUnit::select(const StepCode &step) {
  View dest = operands[3];
  View condition = broadcast(step, operands[0], dest);
  View a = broadcast(step, operands[1], dest);
  View b = broadcast(step, operands[2], dest);
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

void InstructionUnit::move(const StepCode &step) {
  if (step.lhsLayout.axis >= 0)
    return pack(step);
  const View &dest = operands[1], &source = operands[0];
  if (!std::ranges::equal(source.shape(), dest.shape()))
    fail(step, "TW0542",
         "the source has shape " + extentText(source.shape()) +
             ", the destination " + extentText(dest.shape()));
  convertAll(source, dest);
}

void InstructionUnit::pack(const StepCode &step) {
  const View &dest = operands[1], &source = operands[0];
  int axis = step.lhsLayout.axis;
  int64_t block = step.lhsLayout.block, group = step.lhsLayout.group;
  if (source.rank != 2 || dest.rank != 3 || dest.sizes[2] != block * group)
    fail(step, "TW0542",
         "packs shape " + extentText(source.shape()) + " as " +
             extentText(dest.shape()));
  int64_t packedSize = source.sizes[size_t(axis)],
          other = source.sizes[size_t(1 - axis)];
  int64_t groups = step.lhsLayout.groupsOf(other);
  if (dest.sizes[0] * block < packedSize || dest.sizes[1] < groups)
    fail(step, "TW0542",
         "panels of shape " + extentText(dest.shape()) +
             " do not hold a matrix of shape " + extentText(source.shape()));
  int64_t packedStride = source.strides[size_t(axis)],
          otherStride = source.strides[size_t(1 - axis)];
  std::vector<float> row(static_cast<size_t>(block));
  std::vector<double> wide(inFloat(source.element) && inFloat(dest.element)
                               ? 0
                               : static_cast<size_t>(block));
  for (int64_t panel = 0; panel < dest.sizes[0]; ++panel) {
    int64_t inside = std::clamp<int64_t>(packedSize - panel * block, 0, block);
    for (int64_t j = 0; j < groups * group; ++j) {
      int64_t valid = j < other ? inside : 0; // padding steps are zeros
      std::byte *to =
          dest.at(panel * dest.strides[0] + j / group * dest.strides[1] +
                  j % group * dest.strides[2]);
      int64_t first = panel * block * packedStride + j * otherStride;
      auto run = [&](auto &buffer) {
        std::fill(buffer.begin() + valid, buffer.end(), 0);
        if (valid)
          loadRow(source.at(first), source.element, packedStride, valid,
                  buffer.data());
        storeRow(buffer.data(), dest.element, dest.strides[2] * group, block,
                 to);
      };
      if (wide.empty())
        run(row);
      else
        run(wide);
    }
  }
}

void InstructionUnit::fill(const StepCode &step) {
  const View &dest = operands[0];
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

template <typename T> void InstructionUnit::reduce(const StepCode &step) {
  const View &source = operands[0], &dest = operands[1];
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
             "a reduction of shape " + extentText(source.shape()) +
                 " does not fit the result's " + extentText(dest.shape()));
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
  int64_t group = layout.group;
  if (layout.axis == 0) {
    // The steps of a row that have one place in their groups at a time.
    std::vector<float> steps(group > 1 ? size_t(columns) : 0);
    for (int64_t i = 0; i < rows; ++i) {
      float *row = to.data() + i * columns;
      int64_t first = i / layout.block * view.strides[0] +
                      i % layout.block * group * view.strides[2];
      if (group == 1) {
        loadRow(view.at(first), view.element, view.strides[1], columns, row);
        continue;
      }
      for (int64_t place = 0; place < std::min(group, columns); ++place) {
        int64_t count = (columns - place + group - 1) / group;
        loadRow(view.at(first + place * view.strides[2]), view.element,
                view.strides[1], count, steps.data());
        for (int64_t j = 0; j < count; ++j)
          row[j * group + place] = steps[size_t(j)];
      }
    }
    return;
  }
  if (layout.axis == 1) {
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; j += layout.block)
        loadRow(
            view.at(j / layout.block * view.strides[0] +
                    i / group * view.strides[1] + i % group * view.strides[2]),
            view.element, view.strides[2] * group,
            std::min(layout.block, columns - j), to.data() + i * columns + j);
    return;
  }
  int64_t rowStride = view.strides[transposed ? 1 : 0],
          columnStride = view.strides[transposed ? 0 : 1];
  for (int64_t i = 0; i < rows; ++i)
    loadRow(view.at(i * rowStride), view.element, columnStride, columns,
            to.data() + i * columns);
}

void InstructionUnit::matmul(const StepCode &step) {
  const View &lhs = operands[0], &rhs = operands[1], &dest = operands[2];
  if (!inFloat(lhs.element) || !inFloat(rhs.element) || !inFloat(dest.element))
    fail(step, "TW0430", "only f32, f16 and bf16 matrices are multiplied");
  bool lhsPacked = step.lhsLayout.axis >= 0,
       rhsPacked = step.rhsLayout.axis >= 0;
  int64_t m = dest.sizes[0], n = dest.sizes[1];
  int64_t lhsGroup = lhsPacked ? step.lhsLayout.group : 1,
          rhsGroup = rhsPacked ? step.rhsLayout.group : 1;
  int64_t lhsRows = lhsPacked ? lhs.sizes[0] * lhs.sizes[2] / lhsGroup
                              : lhs.sizes[step.transposeLhs ? 1 : 0];
  int64_t lhsK = lhs.sizes[lhsPacked || !step.transposeLhs ? 1 : 0] * lhsGroup;
  int64_t rhsColumns = rhsPacked ? rhs.sizes[0] * rhs.sizes[2] / rhsGroup
                                 : rhs.sizes[step.transposeRhs ? 0 : 1];
  int64_t rhsK = rhsPacked ? rhs.sizes[1] * rhsGroup
                           : rhs.sizes[step.transposeRhs ? 1 : 0];
  int64_t k = step.scalars.empty() ? lhsK : scalars[0].i;
  bool exact = step.scalars.empty() ? lhsK == rhsK : k <= lhsK && k <= rhsK;
  if (!exact || k < 0 || (lhsPacked ? lhsRows < m : lhsRows != m) ||
      (rhsPacked ? rhsColumns < n : rhsColumns != n))
    fail(step, "TW0542",
         "shapes " + extentText(lhs.shape()) + " and " +
             extentText(rhs.shape()) + " with k = " + std::to_string(k) +
             " do not give " + extentText(dest.shape()));
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

void InstructionUnit::transpose(const StepCode &step) {
  const View &source = operands[0], &dest = operands[1];
  View permuted = source;
  for (int d = 0; d < dest.rank; ++d) {
    permuted.sizes[size_t(d)] = source.sizes[size_t(step.numbers[size_t(d)])];
    permuted.strides[size_t(d)] =
        source.strides[size_t(step.numbers[size_t(d)])];
  }
  if (!std::ranges::equal(permuted.shape(), dest.shape()))
    fail(step, "TW0542",
         "the permuted source has shape " + extentText(permuted.shape()) +
             ", the result " + extentText(dest.shape()));
  convertAll(permuted, dest);
}

void InstructionUnit::reshape(const StepCode &step) {
  const View &source = operands[0], &dest = operands[1];
  if (source.count() != dest.count())
    fail(step, "TW0542",
         "shape " + extentText(source.shape()) +
             " does not hold as many elements as " + extentText(dest.shape()));
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

Scalar loadElement(const View &view, int64_t offset) {
  Scalar out;
  if (isFloat(view.element))
    loadRow(view.at(offset), view.element, 1, 1, &out.f);
  else
    loadRow(view.at(offset), view.element, 1, 1, &out.i);
  return out;
}

void storeElement(const View &view, int64_t offset, Scalar value) {
  if (!isFloat(view.element)) {
    storeRow(&value.i, view.element, 1, 1, view.at(offset));
    return;
  }
  storeRow(&value.f, view.element, 1, 1, view.at(offset));
}

void InstructionUnit::generic(const StepCode &step) {
  const GenericCode &generic = *step.generic;
  size_t count = operands.size(), dims = size_t(generic.dims);
  std::array<int64_t, maxRank> extent = {}, index = {};
  for (size_t d = 0; d < dims; ++d) {
    auto [which, dim] = generic.extents[d];
    extent[d] = operands[size_t(which)].sizes[size_t(dim)];
    if (extent[d] == 0)
      return;
  }
  std::vector<Scalar> registers(size_t(generic.registers));
  for (size_t i = 0; i < generic.captured.size(); ++i)
    registers[size_t(generic.captured[i].second)] = scalars[i];
  std::vector<int64_t> offsets(count);
  while (true) {
    for (size_t i = 0; i < count; ++i) {
      const View &view = operands[i];
      int64_t offset = 0;
      for (int r = 0; r < view.rank; ++r) {
        int64_t at = generic.maps[i].evaluate(
            size_t(r), {index.data(), size_t(generic.dims)});
        if (at < 0 || at >= view.sizes[size_t(r)])
          fail(step, "TW0541",
               "operand " + std::to_string(i) + " of shape " +
                   extentText(view.shape()) + " is indexed by " +
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
      storeElement(operands[output], offsets[output],
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

void InstructionUnit::execute(const StepCode &step,
                              std::span<const View> ownOperands,
                              std::span<const Scalar> ownScalars) {
  operands = ownOperands;
  scalars = ownScalars;
  switch (step.step) {
  case Step::Move:
    return move(step);
  case Step::Fill:
    return fill(step);
  case Step::Unary:
  case Step::Binary:
  case Step::Compare:
    return computeType(step.element,
                       [&](auto zero) { elementwise<decltype(zero)>(step); });
  case Step::Cast:
    if (!std::ranges::equal(operands[0].shape(), operands[1].shape()))
      execute::fail(step, "TW0542",
                    "the source has shape " + extentText(operands[0].shape()) +
                        ", the result " + extentText(operands[1].shape()));
    return convertAll(operands[0], operands[1]);
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
  case Step::Store:
    return storeElement(operands[0], 0, scalars[0]);
  default:
    execute::fail(step, "TW0430", "is no instruction");
  }
}

std::vector<OperandAccess> accessesOf(const StepCode &step,
                                      std::span<const View> operands,
                                      std::span<const Scalar> scalars) {
  std::vector<OperandAccess> accesses;
  auto add = [&](size_t i, bool write) {
    accesses.push_back({int(i), write, operands[i].sizes});
  };
  size_t first = operands.size() - 1; // of the destinations
  if (step.step == Step::Generic)
    first = size_t(step.generic->inputs);
  for (size_t i = 0; i < first; ++i)
    add(i, false);
  if (step.step == Step::Matmul && !scalars.empty()) {
    bool lhsPacked = step.lhsLayout.axis >= 0,
         rhsPacked = step.rhsLayout.axis >= 0;
    size_t lhsK = lhsPacked || !step.transposeLhs ? 1 : 0;
    size_t rhsK = rhsPacked || step.transposeRhs ? 1 : 0;
    int64_t k = std::max<int64_t>(0, scalars[0].i);
    auto steps = [&](bool packed, const PackedLayout &layout) {
      return packed ? layout.groupsOf(k) : k;
    };
    accesses[0].sizes[lhsK] =
        std::min(steps(lhsPacked, step.lhsLayout), accesses[0].sizes[lhsK]);
    accesses[1].sizes[rhsK] =
        std::min(steps(rhsPacked, step.rhsLayout), accesses[1].sizes[rhsK]);
  }
  for (size_t i = first; i < operands.size(); ++i)
    if (step.accumulate ||
        (step.step == Step::Generic && step.generic->readsOutput[i - first]))
      add(i, false);
  for (size_t i = first; i < operands.size(); ++i)
    add(i, true);
  if (step.step == Step::Move && step.lhsLayout.axis >= 0)
    accesses.back().sizes[1] =
        std::min(step.lhsLayout.groupsOf(
                     operands[0].sizes[size_t(1 - step.lhsLayout.axis)]),
                 accesses.back().sizes[1]);
  return accesses;
}

/// Bytes from the first to the last that a view touches.
static std::pair<int64_t, int64_t> hull(const View &view) {
  int64_t low = view.offset, high = view.offset;
  for (int d = 0; d < view.rank; ++d) {
    int64_t reach = (view.sizes[size_t(d)] - 1) * view.strides[size_t(d)];
    (reach < 0 ? low : high) += reach;
  }
  int64_t bytes = bytesOf(view.element);
  return {view.address + low * bytes, view.address + (high + 1) * bytes};
}

static bool overlap(const View &a, const View &b) {
  auto [aBegin, aEnd] = hull(a);
  auto [bBegin, bEnd] = hull(b);
  if (a.level != b.level || aBegin >= bEnd || bBegin >= aEnd ||
      a.count() == 0 || b.count() == 0)
    return false;
  bool found = false;
  forEachByteRange(a, [&](int64_t begin, int64_t end) {
    if (!found)
      forEachByteRange(b, [&](int64_t from, int64_t to) {
        found |= begin < to && from < end;
      });
  });
  return found;
}

static bool isDense(const View &view) {
  int ranges = 0;
  forEachByteRange(view, [&](int64_t, int64_t) { ++ranges; });
  return ranges <= 1;
}

static bool isInPlace(const StepCode &step, std::span<const View> operands,
                      size_t from, size_t to) {
  const View &source = operands[from], &dest = operands[to];
  if (source.address + source.offset * bytesOf(source.element) !=
          dest.address + dest.offset * bytesOf(dest.element) ||
      bytesOf(source.element) != bytesOf(dest.element))
    return false;
  bool same =
      std::ranges::equal(source.shape(), dest.shape()) &&
      std::equal(source.strides.begin(), source.strides.begin() + source.rank,
                 dest.strides.begin());
  switch (step.step) {
  case Step::Move:
  case Step::Unary:
  case Step::Binary:
  case Step::Cast:
  case Step::Compare:
  case Step::Select:
    return same;
  case Step::Reshape:
    return same || (isDense(source) && isDense(dest));
  case Step::Generic:
    return same && step.generic->maps[from] == step.generic->maps[to];
  default:
    return false;
  }
}

bool overwritesSource(const StepCode &step, std::span<const View> operands) {
  size_t first =
      step.generic ? size_t(step.generic->inputs) : operands.size() - 1;
  for (size_t to = first; to < operands.size(); ++to)
    for (size_t from = 0; from < operands.size(); ++from)
      if (from != to && overlap(operands[from], operands[to]) &&
          !isInPlace(step, operands, from, to))
        return true;
  return false;
}

} // namespace tilewright::execute
