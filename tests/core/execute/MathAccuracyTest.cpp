//===- MathAccuracyTest.cpp - how exact vector functions are --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error of compiled exp, log, tanh, erf in units in the last place, over
// about a million f32 from all of them, evenly by their bits: every exponent,
// both signs, denormals, infinities and NaNs. docs/numerics.md states the
// limits held here.
//
//===----------------------------------------------------------------------===//
#include "BlockHarness.h"
#include <bit>
#include <catch2/catch.hpp>
#include <cfloat>
#include <cmath>
#include <cstring>

using namespace tilewright::test;

namespace {

/// Evenly by their bits, and the places where functions turn.
std::vector<float> sweep() {
  std::vector<float> values;
  for (uint64_t bits = 0; bits < (uint64_t(1) << 32); bits += 4091)
    values.push_back(std::bit_cast<float>(uint32_t(bits)));
  for (float x :
       {0.0f,      -0.0f,      1.0f,       -1.0f,     87.33654f, 88.72283f,
        88.72284f, -87.33654f, -87.33655f, -103.97f,  -104.0f,   9.0f,
        -9.0f,     4.0f,       INFINITY,   -INFINITY, NAN,       FLT_MIN,
        -FLT_MIN,  FLT_MAX,    -FLT_MAX,   0x1p-149f, -0x1p-149f})
    values.push_back(x);
  while (values.size() % 64 != 1) // a tail too
    values.push_back(0.5f);
  return values;
}

std::vector<float> compiled(const char *function,
                            const std::vector<float> &values) {
  Tensor x(Element::F32, {int64_t(values.size())}), blank = x;
  std::memcpy(x.bytes.data(), values.data(), x.bytes.size());
  std::string type = "memref<" + x.type() + ", #block.level<\"GM\">>";
  std::string text =
      "block.kernel @k(%x: " + type + ", %y: " + type +
      ", %g0: index) attributes {core = \"any\", grid_rank = 1 : i64} {\n"
      "  block.unary <" +
      function + "> %x into %y : " + type + " into " + type +
      "\n  block.return\n}\nblock.program @p(%x: " + type + ", %y: " + type +
      ") attributes {result_count = 1 : i64} {\n"
      "  block.dispatch @k grid [1] (%x, %y) : " +
      type + ", " + type + "\n  block.return\n}\n";
  Tensor result = runCompiled(text, {x}, {blank})[0];
  std::vector<float> out(values.size());
  std::memcpy(out.data(), result.bytes.data(), result.bytes.size());
  return out;
}

/// The distance between neighbours at `exact`; that of the smallest normal
/// number below it.
double lastPlace(double exact) {
  int exponent = std::ilogb(std::max(std::fabs(exact), double(FLT_MIN)));
  return std::ldexp(1.0, exponent - 23);
}

struct Limit {
  const char *function;
  double (*exact)(double);
  double units; ///< in the last place
};

} // namespace

TEST_CASE("vector functions are as exact as stated, for every kind of number") {
  const std::vector<float> values = sweep();
  for (Limit limit : {Limit{"exp", std::exp, 1}, Limit{"log", std::log, 2},
                      Limit{"tanh", std::tanh, 5}, Limit{"erf", std::erf, 4}}) {
    std::vector<float> got = compiled(limit.function, values);
    double worst = 0;
    float worstAt = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      double exact = limit.exact(values[i]);
      float rounded = float(exact);
      INFO(limit.function << "(" << values[i] << ") is " << exact << ", not "
                          << got[i]);
      if (std::isnan(exact)) {
        REQUIRE(std::isnan(got[i]));
        continue;
      }
      if (std::isinf(rounded) || std::isinf(got[i])) {
        REQUIRE(got[i] == rounded);
        continue;
      }
      if (std::fabs(exact) < FLT_MIN && limit.exact(1) > 2) {
        // exp may give 0 instead of what is below the normal numbers.
        REQUIRE((got[i] >= 0 && got[i] <= FLT_MIN));
        continue;
      }
      double error = std::fabs(got[i] - exact) / lastPlace(exact);
      if (!(error <= worst)) {
        worst = error;
        worstAt = values[i];
      }
    }
    INFO(limit.function << " is " << worst << " units off at " << worstAt);
    CHECK(worst <= limit.units);
  }
}
