//===- StridedCopy.cpp - parts of tensors moved and read ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/StridedCopy.h"
#include <algorithm>
#include <cstring>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace tilewright::execute {

std::vector<int64_t> rowMajorStrides(std::span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

namespace {

/// Steps through the rows (last dimension) of a box.
struct RowWalk {
  std::span<const int64_t> shape;
  std::vector<int64_t> index;

  RowWalk(std::span<const int64_t> shape, int64_t row) : shape(shape) {
    index.assign(shape.empty() ? 0 : shape.size() - 1, 0);
    for (size_t d = index.size(); d-- > 0;) {
      index[d] = row % shape[d];
      row /= shape[d];
    }
  }
  int64_t position(const StridedView &view) const {
    int64_t at = view.offset;
    for (size_t d = 0; d < index.size(); ++d)
      at += index[d] * view.strides[d];
    return at;
  }
  void next() {
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        return;
      index[d] = 0;
    }
  }
};

template <typename T>
void copyRow(const std::byte *from, int64_t fromAt, int64_t fromStride,
             std::byte *into, int64_t intoAt, int64_t intoStride,
             int64_t count) {
  const T *source = reinterpret_cast<const T *>(from) + fromAt;
  T *target = reinterpret_cast<T *>(into) + intoAt;
  if (fromStride == 1 && intoStride == 1) {
    std::memcpy(target, source, size_t(count) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    target[i * intoStride] = source[i * fromStride];
}

} // namespace

void copyStrided(std::span<const int64_t> shape, const HostTensor &from,
                 const StridedView &fromView, HostTensor &into,
                 const StridedView &intoView) {
  int64_t total = elementCount(shape).value_or(0);
  if (total == 0)
    return;
  int64_t row = shape.empty() ? 1 : shape.back();
  int64_t fromStride = shape.empty() ? 1 : fromView.strides.back();
  int64_t intoStride = shape.empty() ? 1 : intoView.strides.back();
  auto copy = [&](auto zero, int64_t begin, int64_t end) {
    using T = decltype(zero);
    RowWalk walk(shape, begin);
    for (int64_t r = begin; r < end; ++r, walk.next())
      copyRow<T>(from.data(), walk.position(fromView), fromStride, into.data(),
                 walk.position(intoView), intoStride, row);
  };
  int64_t grain = std::max<int64_t>(1, 16384 / row);
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, total / row, size_t(grain)),
                    [&](const tbb::blocked_range<int64_t> &range) {
                      switch (bytesOf(from.element())) {
                      case 1:
                        return copy(uint8_t(0), range.begin(), range.end());
                      case 2:
                        return copy(uint16_t(0), range.begin(), range.end());
                      case 4:
                        return copy(uint32_t(0), range.begin(), range.end());
                      default:
                        return copy(uint64_t(0), range.begin(), range.end());
                      }
                    });
}

void readStrided(std::span<const int64_t> shape, const HostTensor &from,
                 const StridedView &view, int64_t begin, std::span<double> out,
                 bool raw) {
  auto read = [&](int64_t at, std::span<double> into) {
    if (raw && from.element() == Element::I64)
      std::memcpy(into.data(), from.data() + at * 8, into.size() * 8);
    else
      from.read(at, into);
  };
  int64_t row = shape.empty() ? 1 : shape.back();
  int64_t stride = shape.empty() ? 1 : view.strides.back();
  RowWalk walk(shape, begin / row);
  int64_t column = begin % row;
  size_t done = 0;
  while (done < out.size()) {
    size_t count = std::min(out.size() - done, size_t(row - column));
    int64_t at = walk.position(view) + column * stride;
    std::span<double> part = out.subspan(done, count);
    if (stride == 1) {
      read(at, part);
    } else if (stride == 0) {
      read(at, part.first(1));
      std::fill(part.begin() + 1, part.end(), part.front());
    } else {
      for (size_t i = 0; i < count; ++i)
        read(at + int64_t(i) * stride, part.subspan(i, 1));
    }
    done += count;
    column = 0;
    walk.next();
  }
}

} // namespace tilewright::execute
