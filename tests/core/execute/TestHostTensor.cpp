//===- TestHostTensor.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/HostTensor.h"
#include "core/execute/SeededTensor.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace tilewright;
using namespace tilewright::execute;

TEST_CASE("a tensor is zeroed, aligned and counted") {
  model::Diagnostic error;
  auto tensor = HostTensor::make(Element::BF16, {3, 5}, error);
  REQUIRE(tensor);
  CHECK(tensor->elements() == 15);
  CHECK(tensor->byteSize() == 30);
  CHECK(tensor->typeText() == "3x5xbf16");
  CHECK(reinterpret_cast<uintptr_t>(tensor->data()) % 64 == 0);
  for (int64_t i = 0; i < 15; ++i)
    CHECK(tensor->at(i) == 0);
  CHECK(tensor->reshape({15}));
  CHECK_FALSE(tensor->reshape({4, 4}));
  CHECK(HostTensor().elements() == 1);
}

TEST_CASE("sizes that cannot be had are errors with figures") {
  model::Diagnostic error;
  int64_t large = int64_t(1) << 40;
  CHECK_FALSE(HostTensor::make(Element::F32, {-1}, error));
  CHECK(error.code == "TW0511");
  CHECK_FALSE(HostTensor::make(Element::F32, {large, large}, error));
  CHECK(error.message.find("1099511627776x1099511627776") != std::string::npos);
  CHECK_FALSE(HostTensor::make(Element::F64, {large, 1 << 20}, error));
  // An empty dimension makes any other harmless.
  CHECK(HostTensor::make(Element::F32, {large, large, 0}, error));
}

/// The 16-bit value nearest to `value`, ties to even, by trying them all.
template <typename Decode>
static uint16_t nearest(double value, Decode decode) {
  uint32_t best = 0;
  double bestDistance = std::numeric_limits<double>::infinity();
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    double candidate = decode(uint16_t(bits));
    if (!std::isfinite(candidate) ||
        std::signbit(candidate) != std::signbit(value))
      continue;
    double distance = std::fabs(candidate - value);
    if (distance < bestDistance ||
        (distance == bestDistance && (bits & 1) == 0)) {
      best = bits;
      bestDistance = distance;
    }
  }
  return uint16_t(best);
}

TEST_CASE("16-bit rounding is to nearest even, once") {
  // Just above a tie of bf16: an intermediate f32 would make it the tie.
  double aboveTie = 1.0 + std::ldexp(1.0, -8) + std::ldexp(1.0, -40);
  CHECK(fromBf16(roundToBf16(aboveTie)) == 1.0f + std::ldexp(1.0f, -7));
  double aboveTieF16 = 1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -40);
  CHECK(fromF16(roundToF16(aboveTieF16)) == 1.0f + std::ldexp(1.0f, -10));
  for (double value : {1.0 + std::ldexp(1.0, -8), 1.0 + 3 * std::ldexp(1.0, -8),
                       3.14159265358979, -2.71828e-5, 65519.0, 1e-7, 6e-8, -0.0,
                       1.0 + std::ldexp(1.0, -11), aboveTie, -aboveTieF16}) {
    INFO(value);
    CHECK(roundToBf16(value) == nearest(value, fromBf16));
    CHECK(roundToF16(value) == nearest(value, fromF16));
  }
  double inf = std::numeric_limits<double>::infinity();
  CHECK(fromF16(roundToF16(65520)) == inf);
  CHECK(fromBf16(roundToBf16(1e39)) == inf);
  CHECK(fromBf16(roundToBf16(-inf)) == -inf);
  CHECK(std::isnan(fromF16(roundToF16(std::nan("")))));
  CHECK(std::isnan(fromBf16(roundToBf16(std::nan("")))));
}

TEST_CASE("integers are clamped, NaN becomes 0") {
  model::Diagnostic error;
  auto bytes = HostTensor::make(Element::I8, {5}, error);
  bytes->write(0, std::vector<double>{300, -300, -1.9, std::nan(""), 127.5});
  CHECK(bytes->at(0) == 127);
  CHECK(bytes->at(1) == -128);
  CHECK(bytes->at(2) == -1);
  CHECK(bytes->at(3) == 0);
  CHECK(bytes->at(4) == 127);
  auto wide = HostTensor::make(Element::I64, {2}, error);
  wide->write(0, std::vector<double>{1e300, -1e300});
  CHECK(wide->as<int64_t>()[0] == std::numeric_limits<int64_t>::max());
  CHECK(wide->as<int64_t>()[1] == std::numeric_limits<int64_t>::min());
  auto bits = HostTensor::make(Element::I1, {2}, error);
  bits->write(0, std::vector<double>{0.5, 0});
  CHECK(bits->at(0) == 1);
  CHECK(bits->at(1) == 0);
}

TEST_CASE("seeded tensors are the same on every machine") {
  model::Diagnostic error;
  auto x = seededTensor(Element::F32, {100, 1000}, 7, "x", error, 1.0);
  REQUIRE(x);
  // Fixed figures: a change here changes every recorded run.
  CHECK(x->at(0) == -1.0431365966796875);
  CHECK(x->at(99999) == -0.4915924072265625);
  double sum = 0, squares = 0, fourths = 0;
  for (float value : x->as<float>()) {
    sum += value;
    squares += double(value) * value;
    fourths += std::pow(double(value), 4);
  }
  CHECK(std::fabs(sum / 1e5) < 0.02);
  CHECK(squares / 1e5 == Approx(1).epsilon(0.02));
  // A normal distribution has 3; a sum of twelve 2.9.
  CHECK(fourths / 1e5 == Approx(2.9).epsilon(0.03));
  auto other = seededTensor(Element::F32, {100, 1000}, 7, "y", error, 1.0);
  CHECK(other->at(0) != x->at(0));
  auto bits = seededTensor(Element::I1, {10000}, 7, "m", error);
  double ones = 0;
  for (int64_t i = 0; i < bits->elements(); ++i)
    ones += bits->at(i);
  CHECK(ones / 1e4 == Approx(0.5).epsilon(0.05));
}
