//===- ElementwiseTest.cpp - element-by-element instructions --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "KernelText.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

using namespace tilewright::test;
using tilewright::execute::nameOf;

namespace {

struct Function {
  const char *name;
  std::function<double(double, double)> reference;
  double low = -2, high = 2;
};

const std::vector<Element> floats = {Element::F32, Element::BF16, Element::F16};

/// Shapes with tails in both dimensions, vectors that do not divide, one row,
/// one column.
const std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>>
    shapes = {{{17, 129}, {8, 64}},
              {{1, 1000}, {1, 1000}},
              {{7, 1}, {4, 1}},
              {{5, 7}, {5, 7}}};

void check(const std::string &text, const std::vector<Tensor> &inputs,
           const Tensor &expected, double tolerance) {
  INFO(text);
  Tensor blank(expected.element, expected.shape);
  Tensor interpreted = interpret(text, inputs, {blank})[0];
  CHECK(relativeError(interpreted, expected) <= tolerance);
  Tensor compiled = runCompiled(text, inputs, {blank})[0];
  CHECK(relativeError(compiled, expected) <= tolerance);
}

} // namespace

TEST_CASE("unary instructions agree with libm on every type and tail") {
  std::mt19937 rng(1);
  std::vector<Function> functions = {
      {"neg", [](double x, double) { return -x; }},
      {"abs", [](double x, double) { return std::fabs(x); }},
      {"exp", [](double x, double) { return std::exp(x); }},
      {"log", [](double x, double) { return std::log(x); }, 0.01, 50},
      {"sqrt", [](double x, double) { return std::sqrt(x); }, 0, 50},
      {"rsqrt", [](double x, double) { return 1 / std::sqrt(x); }, 0.1, 50},
      {"reciprocal", [](double x, double) { return 1 / x; }, 0.1, 5},
      {"tanh", [](double x, double) { return std::tanh(x); }, -9, 9},
      {"erf", [](double x, double) { return std::erf(x); }, -4, 4},
      {"sigmoid", [](double x, double) { return 1 / (1 + std::exp(-x)); }, -20,
       20},
      {"silu", [](double x, double) { return x / (1 + std::exp(-x)); }, -20,
       20},
      {"gelu",
       [](double x, double) {
         return 0.5 * x * (1 + std::erf(x * std::sqrt(0.5)));
       },
       -5, 5},
      {"relu", [](double x, double) { return std::max(x, 0.0); }}};
  for (const Function &function : functions)
    for (Element element : floats) {
      auto [shape, tile] = shapes[size_t(rng() % shapes.size())];
      INFO(function.name << " " << nameOf(element));
      Tensor x =
          Tensor::random(element, shape, rng, function.low, function.high);
      Tensor expected(element, shape);
      for (int64_t i = 0; i < x.count(); ++i)
        expected.set(i, function.reference(x.get(i), 0));
      TiledKernel kernel({x}, expected, tile);
      std::string a = kernel.input(0), out = kernel.buffer(element);
      kernel.line("block.unary <" + std::string(function.name) + "> " + a +
                  " into " + out + " : " + kernel.typeOf(a) + " into " +
                  kernel.typeOf(out));
      kernel.output(out);
      check(kernel.text(), {x}, expected,
            element == Element::F32 ? 4e-7 : epsilon(element) / 2 * 1.01);
    }
}

TEST_CASE("binary instructions broadcast rows, columns and scalars") {
  std::mt19937 rng(2);
  std::vector<Function> functions = {
      {"add", [](double x, double y) { return x + y; }},
      {"sub", [](double x, double y) { return x - y; }},
      {"mul", [](double x, double y) { return x * y; }},
      {"div", [](double x, double y) { return x / y; }, 0.5, 2},
      {"maximum", [](double x, double y) { return std::max(x, y); }},
      {"minimum", [](double x, double y) { return std::min(x, y); }},
      {"pow", [](double x, double y) { return std::pow(x, y); }, 0.5, 2}};
  for (const Function &function : functions)
    for (Element element : floats)
      for (int kind = 0; kind < 4; ++kind) {
        auto [shape, tile] = shapes[0];
        std::vector<int64_t> other = {kind & 1 ? 1 : shape[0],
                                      kind & 2 ? 1 : shape[1]};
        INFO(function.name << " " << nameOf(element) << " " << kind);
        Tensor x =
            Tensor::random(element, shape, rng, function.low, function.high);
        Tensor y =
            Tensor::random(element, other, rng, function.low, function.high);
        Tensor expected(element, shape);
        for (int64_t i = 0; i < x.count(); ++i) {
          int64_t row = i / shape[1], column = i % shape[1];
          double b =
              y.get((kind & 1 ? 0 : row) * other[1] + (kind & 2 ? 0 : column));
          expected.set(i, function.reference(x.get(i), b));
        }
        TiledKernel kernel({x, y}, expected, tile);
        std::string a = kernel.input(0), b = kernel.input(1),
                    out = kernel.buffer(element);
        kernel.line("block.binary <" + std::string(function.name) + "> " + a +
                    ", " + b + " into " + out + " : " + kernel.typeOf(a) +
                    ", " + kernel.typeOf(b) + " into " + kernel.typeOf(out));
        kernel.output(out);
        check(kernel.text(), {x, y}, expected,
              element == Element::F32 ? 4e-7 : epsilon(element) / 2 * 1.01);
      }
}

TEST_CASE("casts round to nearest even, also at ties, NaN and overflow") {
  std::mt19937 rng(3);
  Tensor x(Element::F32, {3, 70});
  for (int64_t i = 0; i < x.count(); ++i) {
    // Every second value lies exactly between two bf16 and two f16 values.
    double base =
        std::ldexp(1 + double(rng() % 128) / 128, int(rng() % 20) - 10);
    x.set(i, i % 2 ? base * (1 + 0x1p-8) : base * (1 + 0x1p-11));
  }
  x.set(0, NAN);
  x.set(1, INFINITY);
  x.set(2, -INFINITY);
  x.set(3, 3.4e38);
  x.set(4, -0.0);
  x.set(5, 65520); // rounds up to f16's infinity
  x.set(6, 1e-7);  // an f16 denormal
  for (Element to : {Element::BF16, Element::F16}) {
    INFO(nameOf(to));
    Tensor expected(to, x.shape);
    for (int64_t i = 0; i < x.count(); ++i) {
      float value = float(x.get(i));
      uint16_t bits = to == Element::BF16 ? tilewright::execute::toBf16(value)
                                          : tilewright::execute::toF16(value);
      std::memcpy(expected.bytes.data() + 2 * i, &bits, 2);
    }
    // The helper itself against an independent statement of the rule.
    for (int64_t i = 7; i < x.count(); ++i) {
      double exact = x.get(i), got = expected.get(i);
      int mantissa = to == Element::BF16 ? 8 : 11;
      double unit = std::ldexp(1, std::ilogb(exact) - mantissa + 1);
      CHECK(std::nearbyint(exact / unit) * unit == got);
    }
    TiledKernel kernel({x}, expected, {2, 64});
    std::string a = kernel.input(0), out = kernel.buffer(to);
    kernel.line("block.cast " + a + " into " + out + " : " + kernel.typeOf(a) +
                " into " + kernel.typeOf(out));
    kernel.output(out);
    check(kernel.text(), {x}, expected, 0);
  }
}

TEST_CASE("casts to integers saturate, and NaN becomes 0") {
  Tensor x(Element::F32, {2, 70});
  for (int64_t i = 0; i < x.count(); ++i)
    x.set(i, double(i % 40) * 1.25 - 20);
  const double special[] = {1e10, -1e10, 3e9, NAN, 2.5, -0.0, 127.9, -129.0};
  for (int i = 0; i < 8; ++i)
    x.set(i, special[i]);
  for (Element to : {Element::I8, Element::I32}) {
    INFO(nameOf(to));
    double low = to == Element::I8 ? -128 : -2147483648.0;
    double high = to == Element::I8 ? 127 : 2147483647.0;
    Tensor expected(to, x.shape);
    for (int64_t i = 0; i < x.count(); ++i) {
      double value = x.get(i);
      expected.set(i, std::isnan(value)
                          ? 0
                          : std::min(high, std::max(low, std::trunc(value))));
    }
    TiledKernel kernel({x}, expected, {2, 64});
    std::string a = kernel.input(0), out = kernel.buffer(to);
    kernel.line("block.cast " + a + " into " + out + " : " + kernel.typeOf(a) +
                " into " + kernel.typeOf(out));
    kernel.output(out);
    check(kernel.text(), {x}, expected, 0);
  }
}

TEST_CASE("true is more than false") {
  // And no less, as it would be as a signed number of one bit.
  for (const char *predicate : {"lt", "le", "gt", "ge"}) {
    Tensor x(Element::I1, {4, 33}), y(Element::I1, {4, 33});
    Tensor expected(Element::I1, x.shape);
    for (int64_t i = 0; i < x.count(); ++i) {
      int a = int(i & 1), b = int(i >> 1 & 1);
      x.set(i, a);
      y.set(i, b);
      std::string p = predicate;
      expected.set(i, p == "lt"   ? a < b
                      : p == "le" ? a <= b
                      : p == "gt" ? a > b
                                  : a >= b);
    }
    TiledKernel kernel({x, y}, expected, {2, 16});
    std::string a = kernel.input(0), b = kernel.input(1),
                out = kernel.buffer(Element::I1);
    kernel.line("block.compare <" + std::string(predicate) + "> " + a + ", " +
                b + " into " + out + " : " + kernel.typeOf(a) + ", " +
                kernel.typeOf(b) + " into " + kernel.typeOf(out));
    kernel.output(out);
    check(kernel.text(), {x, y}, expected, 0);
  }
}

TEST_CASE("compare and select") {
  std::mt19937 rng(4);
  for (const char *predicate : {"eq", "ne", "lt", "le", "gt", "ge"}) {
    Tensor x = Tensor::random(Element::F32, {9, 100}, rng);
    Tensor y = x;
    for (int64_t i = 0; i < y.count(); i += 2)
      y.set(i, -x.get(i));
    y.set(5, NAN);
    Tensor expected(Element::F32, x.shape);
    for (int64_t i = 0; i < x.count(); ++i) {
      double a = x.get(i), b = y.get(i);
      std::string p = predicate;
      bool holds = p == "eq"   ? a == b
                   : p == "ne" ? a != b
                   : p == "lt" ? a < b
                   : p == "le" ? a <= b
                   : p == "gt" ? a > b
                               : a >= b;
      expected.set(i, holds ? a : b);
    }
    TiledKernel kernel({x, y}, expected, {4, 48});
    std::string a = kernel.input(0), b = kernel.input(1),
                c = kernel.buffer(Element::I1),
                out = kernel.buffer(Element::F32);
    kernel.line("block.compare <" + std::string(predicate) + "> " + a + ", " +
                b + " into " + c + " : " + kernel.typeOf(a) + ", " +
                kernel.typeOf(b) + " into " + kernel.typeOf(c));
    kernel.line("block.select " + c + ", " + a + ", " + b + " into " + out +
                " : " + kernel.typeOf(c) + ", " + kernel.typeOf(a) + ", " +
                kernel.typeOf(b) + " into " + kernel.typeOf(out));
    kernel.output(out);
    check(kernel.text(), {x, y}, expected, 0);
  }
}
