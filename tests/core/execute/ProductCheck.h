//===- ProductCheck.h - how far a matrix product may be off -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "BlockHarness.h"

namespace tilewright::test {

/// |got - exact| <= 4 eps sqrt(k) (|A||B|), element by element, eps = 2^-24,
/// plus one unit in the last place of a 16-bit result.
void checkProduct(const Tensor &a, const Tensor &b, const Tensor &got,
                  bool transposeA = false, bool transposeB = false);

} // namespace tilewright::test
