//===- ScalarFunctions.h - what operators do to one element -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference semantics of the elementwise `tw` operators, in double.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cmath>

namespace tilewright::execute {

// In double e^-x overflows only where the quotient is 0 for every result type.
inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
inline double silu(double x) { return x / (1 + std::exp(-x)); }
// erfc keeps the digits that 1 + erf(x / sqrt(2)) cancels for negative x.
inline double gelu(double x) {
  return 0.5 * x * std::erfc(-x * 0.70710678118654752440);
}

/// NaN if either is; +0 above -0.
inline double maximum(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return x + y;
  if (x == y)
    return std::signbit(x) ? y : x;
  return x > y ? x : y;
}
inline double minimum(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return x + y;
  if (x == y)
    return std::signbit(x) ? x : y;
  return x < y ? x : y;
}
inline double relu(double x) { return std::isnan(x) ? x : x > 0 ? x : 0.0; }

} // namespace tilewright::execute
