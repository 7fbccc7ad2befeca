//===- MatrixTest.cpp - packing and matrix products -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MatmulText.h"
#include "ProductCheck.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace tilewright::test;
using tilewright::execute::nameOf;

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
                             {33, 100, 17}, // columns end in one vector
                             {40, 57, 31},  // or in two
                             {24, 64, 127},
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
