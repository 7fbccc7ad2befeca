//===- MatrixTest.cpp - packing and matrix products -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MatmulText.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace tilewright::test;
using tilewright::execute::nameOf;

namespace {

/// |got - exact| <= 4 eps sqrt(k) (|A||B|), element by element, eps = 2^-24,
/// plus one unit in the last place of a 16-bit result.
void checkProduct(const Tensor &a, const Tensor &b, const Tensor &got,
                  bool transposeA = false, bool transposeB = false) {
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

} // namespace

TEST_CASE("packed products of any size agree with the exact product") {
  std::mt19937 rng(5);
  struct Size {
    int64_t m, n, k;
  };
  for (Size size : {Size{1, 1, 1}, Size{7, 127, 33}, Size{64, 64, 64},
                    Size{12, 32, 8}, Size{127, 129, 65}, Size{50, 100, 300}})
    for (Element element : {Element::F32, Element::BF16, Element::F16}) {
      INFO(size.m << "x" << size.n << "x" << size.k << " " << nameOf(element));
      Tensor a = Tensor::random(element, {size.m, size.k}, rng);
      Tensor b = Tensor::random(element, {size.k, size.n}, rng);
      Tensor blank(element, {size.m, size.n});
      for (auto [rows, columns] :
           {std::pair<int64_t, int64_t>{12, 32}, {6, 16}, {4, 8}}) {
        PackedMatmul text{size.m, size.n, size.k, element, 48,
                          64,     32,     rows,   columns};
        INFO(text.str());
        checkProduct(a, b, interpret(text.str(), {a, b}, {blank})[0]);
        checkProduct(a, b, runCompiled(text.str(), {a, b}, {blank})[0]);
      }
    }
}

TEST_CASE("plain products, transposed operands too, agree") {
  std::mt19937 rng(6);
  for (int flags = 0; flags < 4; ++flags)
    for (Element element : {Element::F32, Element::BF16})
      for (auto [m, n, k] : {std::tuple<int64_t, int64_t, int64_t>{5, 7, 9},
                             {33, 100, 17},
                             {4, 64, 40},
                             {1, 50, 129}}) {
        bool ta = flags & 1, tb = flags & 2;
        INFO(m << "x" << n << "x" << k << " " << ta << tb);
        Tensor a = Tensor::random(
            element,
            ta ? std::vector<int64_t>{k, m} : std::vector<int64_t>{m, k}, rng);
        Tensor b = Tensor::random(
            element,
            tb ? std::vector<int64_t>{n, k} : std::vector<int64_t>{k, n}, rng);
        Tensor blank(element, {m, n});
        std::string text = plainMatmul(a, b, blank, ta, tb);
        checkProduct(a, b, interpret(text, {a, b}, {blank})[0], ta, tb);
        checkProduct(a, b, runCompiled(text, {a, b}, {blank})[0], ta, tb);
      }
}
