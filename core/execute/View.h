//===- View.h - parts of buffers --------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/BlockCode.h"
#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace tilewright::execute {

/// A part of a buffer: `base` is the buffer, `limit` its bytes. Offset and
/// strides are in elements.
struct View {
  std::byte *base = nullptr;
  int64_t limit = 0;
  int64_t offset = 0;
  Element element = Element::F32;
  int rank = 0;
  std::array<int64_t, maxRank> sizes = {};
  std::array<int64_t, maxRank> strides = {};
  /// Where the buffer is: its level in BlockCode::levels and its first byte
  /// there; level -1 is global memory, where the address is the machine's.
  int level = -1;
  int64_t address = 0;
  /// Which buffer it is: each run of a block.alloc makes another one, numbered
  /// from 0; -1 - i is argument i.
  int buffer = -1;

  std::byte *at(int64_t element) const {
    return base + (offset + element) * bytesOf(this->element);
  }
  int64_t count() const {
    int64_t n = 1;
    for (int d = 0; d < rank; ++d)
      n *= sizes[size_t(d)];
    return n;
  }
  std::span<const int64_t> shape() const {
    return {sizes.data(), size_t(rank)};
  }

  /// The whole of a row-major buffer.
  static View whole(std::byte *base, Element element,
                    std::span<const int64_t> shape);
};

/// "4x8", or "scalar".
std::string extentText(std::span<const int64_t> shape);

/// Throws RunError TW0541 or TW0542 in the name of `step` if `view` reaches
/// outside its buffer.
void checkBounds(const StepCode &step, const View &view);

inline int64_t innerStride(const View &view) {
  return view.rank ? view.strides[size_t(view.rank - 1)] : 1;
}

/// Calls row(offsets…, n) for every innermost row of `shape`; `offsets[i]` is
/// the row's first element in views[i].
template <size_t count, typename Row>
void forEachRow(std::span<const int64_t> shape,
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

/// Calls range(begin, end) with the bytes of `view`, in its level's addresses;
/// neighbours that follow on each other are one range.
template <typename Range> void forEachByteRange(const View &view, Range range) {
  int64_t bytes = bytesOf(view.element), inner = innerStride(view);
  int64_t begin = 0, end = 0;
  auto add = [&](int64_t from, int64_t to) {
    if (from != end || begin == end) {
      if (begin != end)
        range(begin, end);
      begin = from;
    }
    end = to;
  };
  forEachRow<1>(view.shape(), {&view}, [&](auto offsets, int64_t n) {
    int64_t first = view.address + (view.offset + offsets[0]) * bytes;
    if (inner == 1)
      return add(first, first + n * bytes);
    for (int64_t i = 0; i < n; ++i, first += inner * bytes)
      add(first, first + bytes);
  });
  if (begin != end)
    range(begin, end);
}

} // namespace tilewright::execute
