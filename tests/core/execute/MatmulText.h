//===- MatmulText.h - matrix products as Block graphs -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "BlockHarness.h"
#include <string>

namespace tilewright::test {

/// A product tiled m x n over a grid and along k in a loop, its operands packed
/// for a rows x columns register block, as the compiler makes it for a CPU.
/// With a `multiple` panels keep the element type and hold groups of steps.
struct PackedMatmul {
  int64_t m, n, k;
  Element element;
  int64_t tileM, tileN, tileK;
  int64_t rows, columns;
  int64_t lhsGroup = 1, rhsGroup = 1, multiple = 1;
  bool transposeA = false, transposeB = false; ///< before they are packed
  Element result = element;
  std::string str() const;
};

/// One task, the whole matrices as they lie.
std::string plainMatmul(const Tensor &a, const Tensor &b, const Tensor &c,
                        bool transposeA, bool transposeB);

} // namespace tilewright::test
