//===- RowNestTest.cpp - operations that go row by row together -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BlockHarness.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace tilewright::test;

namespace {

std::string memref(const std::string &shape, const std::string &level = "GM") {
  return "memref<" + shape + ", #block.level<\"" + level + "\">>";
}

/// A program of one task: `body` on arguments %x and %y of these shapes.
std::string program(const std::string &x, const std::string &y,
                    const std::string &body) {
  std::string args = "%x: " + memref(x) + ", %y: " + memref(y);
  return "block.kernel @k(" + args +
         ", %g0: index) attributes {core = \"any\", grid_rank = 1 : i64} {\n" +
         body + "  block.return\n}\nblock.program @p(" + args +
         ") attributes {result_count = 1 : i64} {\n"
         "  block.dispatch @k grid [1] (%x, %y) : " +
         memref(x) + ", " + memref(y) + "\n  block.return\n}\n";
}

void checkAgainstInterpreter(const std::string &text, const Tensor &x,
                             const Tensor &blank) {
  INFO(text);
  Tensor expected = interpret(text, {x}, {blank})[0];
  CHECK(relativeError(runCompiled(text, {x}, {blank})[0], expected) <= 2e-6);
}

} // namespace

TEST_CASE("rows of a softmax are done one after the other") {
  std::mt19937 rng(3);
  for (int64_t columns : {1, 5, 64, 100, 257, 1000}) {
    std::string shape = "6x" + std::to_string(columns) + "xf32",
                big = memref(shape, "L1"), one = memref("6x1xf32", "L1"),
                out = memref(shape);
    std::string body =
        "  %m = block.alloc at 0 : " + one +
        "\n  %t = block.alloc at 64 : " + big +
        "\n  block.reduce <max> %x into %m axes [1] : " + out + " into " + one +
        "\n  block.binary <sub> %x, %m into %t : " + out + ", " + one +
        " into " + big + "\n  block.unary <exp> %t into %t : " + big +
        " into " + big +
        // Where the largest of the row was, which nobody needs any more.
        "\n  %s = block.alloc at 0 : " + one +
        "\n  block.reduce <sum> %t into %s axes [1] : " + big + " into " + one +
        "\n  block.binary <div> %t, %s into %y : " + big + ", " + one +
        " into " + out + "\n";
    Tensor x = Tensor::random(Element::F32, {6, columns}, rng, -30, 30),
           blank(Element::F32, {6, columns});
    std::string text = program(shape, shape, body);
    checkAgainstInterpreter(text, x, blank);
    Tensor got = runCompiled(text, {x}, {blank})[0];
    for (int64_t row = 0; row < 6; ++row) {
      double sum = 0;
      for (int64_t column = 0; column < columns; ++column)
        sum += got.get(row * columns + column);
      CHECK(std::fabs(sum - 1) < 1e-5);
    }
  }
}

TEST_CASE("rows of a tile with an unknown number of them") {
  // Two blocks of up to five rows, of which three are there.
  std::mt19937 rng(5);
  auto part = [](const std::string &name, const std::string &of,
                 int64_t columns, const std::string &level) {
    std::string n = std::to_string(columns),
                outer = std::to_string(5 * columns);
    return std::pair("  %" + name + " = memref.subview %" + of +
                         "[0, 0, 0] [2, %n, " + n +
                         "] [1, 1, 1] : " + memref("2x5x" + n + "xf32", level) +
                         " to memref<2x?x" + n + "xf32, strided<[" + outer +
                         ", " + n + ", 1]>, #block.level<\"" + level + "\">>\n",
                     "memref<2x?x" + n + "xf32, strided<[" + outer + ", " + n +
                         ", 1]>, #block.level<\"" + level + "\">>");
  };
  auto [x, xType] = part("xs", "x", 64, "GM");
  auto [y, yType] = part("ys", "y", 64, "GM");
  auto [t, tType] = part("ts", "t", 64, "L1");
  auto [m, mType] = part("ms", "m", 1, "L1");
  std::string body =
      "  %three = arith.constant 3 : index\n"
      "  %n = arith.addi %g0, %three : index\n"
      "  %t = block.alloc at 0 : " +
      memref("2x5x64xf32", "L1") +
      "\n  %m = block.alloc at 4096 : " + memref("2x5x1xf32", "L1") + "\n" + x +
      y + t + m + "  block.reduce <max> %xs into %ms axes [2] : " + xType +
      " into " + mType + "\n  block.binary <sub> %xs, %ms into %ts : " + xType +
      ", " + mType + " into " + tType +
      "\n  block.unary <exp> %ts into %ts : " + tType + " into " + tType +
      "\n  block.reduce <sum> %ts into %ms axes [2] : " + tType + " into " +
      mType + "\n  block.binary <div> %ts, %ms into %ys : " + tType + ", " +
      mType + " into " + yType + "\n";
  checkAgainstInterpreter(program("2x5x64xf32", "2x5x64xf32", body),
                          Tensor::random(Element::F32, {2, 5, 64}, rng),
                          Tensor(Element::F32, {2, 5, 64}));
}

TEST_CASE("rows that depend on other rows are not done before them") {
  std::mt19937 rng(4);
  std::string all = memref("9x64xf32", "L1"), out = memref("8x64xf32"),
              view = "memref<8x64xf32, strided<[64, 1]>, #block.level<\"L1\">>",
              next = "memref<8x64xf32, strided<[64, 1], offset: 64>, "
                     "#block.level<\"L1\">>";
  std::string body =
      "  %t = block.alloc at 0 : " + all +
      "\n  block.fill 7.0 : f32, %t : " + all +
      "\n  %here = memref.subview %t[0, 0] [8, 64] [1, 1] : " + all + " to " +
      view + "\n  %there = memref.subview %t[1, 0] [8, 64] [1, 1] : " + all +
      " to " + next + "\n  block.unary <exp> %x into %here : " + out +
      " into " + view +
      // Row i needs row i + 1 of what is written above.
      "\n  block.unary <neg> %there into %y : " + next + " into " + out + "\n";
  checkAgainstInterpreter(program("8x64xf32", "8x64xf32", body),
                          Tensor::random(Element::F32, {8, 64}, rng),
                          Tensor(Element::F32, {8, 64}));
  // One row of sums stretched over all rows needs all of them.
  std::string sums = memref("1x64xf32", "L1");
  body = "  %s = block.alloc at 0 : " + sums +
         "\n  block.reduce <sum> %x into %s axes [0] : " + out + " into " +
         sums + "\n  block.binary <div> %x, %s into %y : " + out + ", " + sums +
         " into " + out + "\n";
  checkAgainstInterpreter(program("8x64xf32", "8x64xf32", body),
                          Tensor::random(Element::F32, {8, 64}, rng, 1, 2),
                          Tensor(Element::F32, {8, 64}));
}

TEST_CASE(
    "a row divided by one number keeps its value at the ends of the range") {
  // Rows of numerators, the divisor in the first column of each.
  constexpr int64_t columns = 256;
  const std::vector<float> divisors = {
      3.0f,       -0.7f, 0x1p-140f, 0x1.8p-127f, 0x1.3p-121f, 0x1.8p121f,
      0x1.9p127f, 0.0f,  -0.0f,     INFINITY,    -INFINITY,   NAN};
  const std::vector<float> numerators = {
      0.0f,       -0.0f,        1.0f,     -3.1f, 0x1p-149f, 0x1p-126f,
      0x1.1p127f, -0x1.7p-122f, INFINITY, NAN,   0x1p-10f};
  int64_t rows = int64_t(divisors.size());
  Tensor x(Element::F32, {rows, columns}), blank = x;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      x.set(row * columns + column,
            column ? numerators[size_t(column) % numerators.size()]
                   : divisors[size_t(row)]);
  std::string shape = std::to_string(rows) + "x256xf32", type = memref(shape),
              first = "memref<" + std::to_string(rows) +
                      "x1xf32, strided<[256, 1]>, #block.level<\"GM\">>";
  std::string text =
      program(shape, shape,
              "  %d = memref.subview %x[0, 0] [" + std::to_string(rows) +
                  ", 1] [1, 1] : " + type + " to " + first +
                  "\n  block.binary <div> %x, %d into %y : " + type + ", " +
                  first + " into " + type + "\n");
  Tensor got = runCompiled(text, {x}, {blank})[0];
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      float a = float(x.get(row * columns + column)), d = divisors[size_t(row)],
            want = a / d;
      float is = float(got.get(row * columns + column));
      INFO(a << " / " << d << " is " << want << ", not " << is);
      if (std::isnan(want))
        CHECK(std::isnan(is));
      else if (std::isinf(want) || want == 0)
        CHECK((is == want && std::signbit(is) == std::signbit(want)));
      else
        CHECK(std::fabs(double(is) - double(a) / double(d)) <=
              2 * std::max(std::fabs(double(want)) * 0x1p-23, 0x1p-149));
    }
}
