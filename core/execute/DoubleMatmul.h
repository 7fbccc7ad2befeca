//===- DoubleMatmul.h - matrix products summed in double --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/Element.h"
#include <atomic>
#include <cstddef>

namespace tilewright::execute {

/// A matrix in memory; strides in elements.
struct MatrixView {
  const std::byte *data = nullptr;
  Element element = Element::F32;
  int64_t rowStride = 0;
  int64_t columnStride = 0;
};

/// c += a b, with a of m x k, b of k x n, c of m x n in row-major order. Every
/// product and sum is in double, summed over k in ascending blocks, so that the
/// result does not depend on the number of threads. `magnitudes`: |a| |b|
/// instead. Runs on the calling thread's TBB arena. False if cancelled, with c
/// then unfinished.
bool multiplyAdd(int64_t m, int64_t n, int64_t k, MatrixView a, MatrixView b,
                 double *c, bool magnitudes = false,
                 const std::atomic<bool> *cancel = nullptr);

} // namespace tilewright::execute
