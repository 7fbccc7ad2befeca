//===- TestCompareTensors.cpp ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/CompareTensors.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace tilewright;
using namespace tilewright::execute;

static HostTensor tensor(Element element, std::vector<int64_t> shape,
                         std::vector<double> values) {
  model::Diagnostic error;
  auto made = HostTensor::make(element, shape, error);
  REQUIRE(made);
  made->write(0, values);
  return std::move(*made);
}

TEST_CASE("rows are compared by their largest magnitude") {
  HostTensor want =
      tensor(Element::F32, {2, 3}, {1, 2, 1000, 1e-6, 2e-6, 1e-6});
  HostTensor got =
      tensor(Element::F32, {2, 3}, {1.005, 2, 1000, 1e-6, 2e-6, 1e-6});
  auto check = compareTensors(got, want);
  CHECK(check.passed);
  CHECK(check.rule == "row-relative");
  CHECK(check.tolerance == 1e-5);
  CHECK(check.error == Approx(0.005 / 1000).epsilon(1e-3));
  CHECK(check.worst == "[0, 0]: 1.005, wanted 1");

  // The same absolute error is fatal in the row of small numbers.
  got.set(5, 1e-6 + 0.005);
  check = compareTensors(got, want);
  CHECK_FALSE(check.passed);
  CHECK(check.worst.rfind("[1, 2]: ", 0) == 0);

  CHECK(compareTensors(tensor(Element::BF16, {2}, {1, 1.0078125}),
                       tensor(Element::BF16, {2}, {1, 1}))
            .tolerance == std::ldexp(1.0, -7));
  CHECK(compareTensors(tensor(Element::F16, {1}, {1}),
                       tensor(Element::F16, {1}, {1}))
            .tolerance == std::ldexp(1.0, -10));
}

TEST_CASE("NaN and infinities only agree with themselves") {
  double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  HostTensor want = tensor(Element::F32, {4}, {nan, inf, -inf, 1});
  CHECK(compareTensors(tensor(Element::F32, {4}, {nan, inf, -inf, 1}), want)
            .passed);
  for (std::vector<double> values : {std::vector<double>{1, inf, -inf, 1},
                                     {nan, -inf, -inf, 1},
                                     {nan, inf, -inf, nan},
                                     {nan, 1e38, -inf, 1},
                                     {nan, inf, -inf, inf}})
    CHECK_FALSE(compareTensors(tensor(Element::F32, {4}, values), want).passed);
}

TEST_CASE("a matrix product is held to its bound") {
  auto magnitudes =
      std::make_shared<HostTensor>(tensor(Element::F64, {1, 2}, {100, 100}));
  MatmulBound bound;
  bound.magnitudes = magnitudes;
  bound.depth = 1024;
  double allowed = 4 * std::ldexp(1.0, -24) * 32 * 100;
  HostTensor want = tensor(Element::F64, {1, 2}, {1, 2});
  auto check = compareTensors(
      tensor(Element::F32, {1, 2}, {1 + 0.9 * allowed, 2}), want, bound);
  CHECK(check.rule == "matmul-bound");
  CHECK(check.passed);
  CHECK(check.error == Approx(0.9).epsilon(1e-2));
  check = compareTensors(tensor(Element::F32, {1, 2}, {1, 2 + 1.1 * allowed}),
                         want, bound);
  CHECK_FALSE(check.passed);
  CHECK(check.tolerance == 1);

  // A 16-bit result may be off by one of its last places more.
  double ulp = std::ldexp(1.0, -7);
  CHECK(compareTensors(tensor(Element::BF16, {1, 2}, {1 + ulp, 2}), want, bound)
            .passed);
  CHECK_FALSE(compareTensors(tensor(Element::BF16, {1, 2}, {1 + 3 * ulp, 2}),
                             want, bound)
                  .passed);
}

TEST_CASE("a product too small for a normal number may be flushed to zero") {
  double tiny = std::ldexp(1.0, -130);
  MatmulBound bound;
  bound.magnitudes =
      std::make_shared<HostTensor>(tensor(Element::F64, {1, 1}, {tiny}));
  bound.depth = 1;
  HostTensor want = tensor(Element::F64, {1, 1}, {tiny});
  HostTensor zero = tensor(Element::F32, {1, 1}, {0});
  CHECK_FALSE(compareTensors(zero, want, bound).passed);
  bound.underflow = std::ldexp(1.0, -126);
  CHECK(compareTensors(zero, want, bound).passed);
  HostTensor one = tensor(Element::F32, {1, 1}, {std::ldexp(1.0, -124)});
  CHECK_FALSE(compareTensors(one, want, bound).passed);
}

TEST_CASE("where differences are allowed one by one, each is held to its own") {
  MatmulBound bound;
  bound.allowed =
      std::make_shared<HostTensor>(tensor(Element::F64, {2}, {0.5, 0}));
  HostTensor want = tensor(Element::F32, {2}, {1e-9, 3});
  auto check =
      compareTensors(tensor(Element::F32, {2}, {0.25, 3}), want, bound);
  CHECK(check.rule == "carried-errors");
  CHECK(check.passed);
  CHECK(check.error == Approx(0.5));
  CHECK_FALSE(
      compareTensors(tensor(Element::F32, {2}, {0.75, 3}), want, bound).passed);
  CHECK_FALSE(compareTensors(tensor(Element::F32, {2}, {0, 3.001}), want, bound)
                  .passed);
}

TEST_CASE("integers must be equal, shapes must agree") {
  HostTensor want = tensor(Element::I32, {2}, {1, 2});
  CHECK(compareTensors(tensor(Element::I32, {2}, {1, 2}), want).passed);
  auto check = compareTensors(tensor(Element::I32, {2}, {1, 3}), want);
  CHECK_FALSE(check.passed);
  CHECK(check.rule == "exact");
  CHECK(check.worst == "[1]: 3, wanted 2");
  check = compareTensors(tensor(Element::I32, {1, 2}, {1, 2}), want);
  CHECK_FALSE(check.passed);
  CHECK(check.worst == "shape 1x2 instead of 2");
  CHECK(compareTensors(tensor(Element::F32, {0, 4}, {}),
                       tensor(Element::F32, {0, 4}, {}))
            .passed);
}
