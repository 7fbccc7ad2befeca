//===- ProductCheck.cpp - how far a matrix product may be off -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ProductCheck.h"
#include <catch2/catch.hpp>
#include <cmath>

namespace tilewright::test {

void checkProduct(const Tensor &a, const Tensor &b, const Tensor &got,
                  bool transposeA, bool transposeB) {
  int64_t m = got.shape[0], n = got.shape[1];
  int64_t k = a.shape[transposeA ? 0 : 1];
  double worst = 0;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double exact = 0, magnitude = 0;
      for (int64_t p = 0; p < k; ++p) {
        double x = a.get(transposeA ? p * m + i : i * k + p);
        double y = b.get(transposeB ? j * k + p : p * n + j);
        exact += x * y;
        magnitude += std::fabs(x * y);
      }
      double bound = 4 * 0x1p-24 * std::sqrt(double(k)) * magnitude;
      if (got.element != Element::F32)
        bound += std::fabs(exact) * epsilon(got.element) + 1e-30;
      worst = std::max(worst, std::fabs(got.get(i * n + j) - exact) / bound);
    }
  CHECK(worst <= 1);
}

} // namespace tilewright::test
