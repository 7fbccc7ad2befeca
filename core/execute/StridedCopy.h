//===- StridedCopy.h - parts of tensors moved and read ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/HostTensor.h"

namespace tilewright::execute {

/// Where an element of a box lies in a tensor: `offset` plus one stride a
/// dimension of the box, all in elements. A stride of 0 repeats.
struct StridedView {
  int64_t offset = 0;
  std::vector<int64_t> strides;
};

/// Strides of a row-major tensor of that shape.
std::vector<int64_t> rowMajorStrides(std::span<const int64_t> shape);

/// Copies the elements of a box of `shape` from one place to another, in
/// parallel on the caller's TBB arena. Both tensors have the same element.
void copyStrided(std::span<const int64_t> shape, const HostTensor &from,
                 const StridedView &fromView, HostTensor &into,
                 const StridedView &intoView);

/// Elements [begin, begin + out.size()) of the box of `shape` seen through
/// `view`, as doubles; or for an i64 tensor with `raw`, as doubles of its bits.
void readStrided(std::span<const int64_t> shape, const HostTensor &from,
                 const StridedView &view, int64_t begin, std::span<double> out,
                 bool raw = false);

} // namespace tilewright::execute
