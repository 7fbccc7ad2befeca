// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/inspect/OperationDiff.h"
#include "core/inspect/TextDiff.h"
#include "tests/Stopwatch.h"
#include "tests/core/frontend/ReadText.h"
#include <catch2/catch.hpp>
#include <random>
#include <sstream>

using namespace tilewright;
using namespace tilewright::frontend;
using namespace tilewright::inspect;

namespace {

mlir::OwningOpRef<mlir::ModuleOp> build(const std::string &text) {
  auto source = readText(text);
  SourceModule module = buildModule(*source, testContext(), nullptr);
  INFO(codesOf(*source));
  REQUIRE(module.module);
  return std::move(module.module);
}

std::string changes(const std::string &before, const std::string &after) {
  auto a = build(before);
  auto b = build(after);
  model::Diff diff = diffOperations(*a, *b);
  std::string result;
  for (const model::OperationDiff &op : diff.ops)
    result += (result.empty() ? "" : ", ") +
              nlohmann::json(op.change).get<std::string>() + " " + op.key;
  return result;
}

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// Applies a unified diff, by the rules of patch(1).
std::string applied(const std::string &before, const std::string &diff) {
  std::vector<std::string> lines;
  std::istringstream in(before);
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  std::string out;
  size_t at = 0;
  std::istringstream patch(diff);
  for (std::string line; std::getline(patch, line);) {
    if (line.rfind("---", 0) == 0 || line.rfind("+++", 0) == 0)
      continue;
    if (line.rfind("@@", 0) == 0) {
      // "-N,0" means behind line N, anything else from line N on.
      size_t begin = std::stoul(line.substr(4));
      if (line.find(",0 ") > line.find('+'))
        --begin;
      while (at < begin)
        out += lines.at(at++) + "\n";
    } else if (line[0] == ' ') {
      REQUIRE(lines.at(at) == line.substr(1));
      out += lines.at(at++) + "\n";
    } else if (line[0] == '-') {
      REQUIRE(lines.at(at) == line.substr(1));
      ++at;
    } else if (line[0] == '+') {
      out += line.substr(1) + "\n";
    }
  }
  while (at < lines.size())
    out += lines[at++] + "\n";
  return out;
}

const char *const base = R"(func.func @f(%x: f32, %y: f32) -> f32 {
  %a = arith.addf %x, %y : f32
  %b = arith.mulf %a, %y : f32
  %c = arith.subf %x, %y : f32
  %d = arith.divf %b, %c : f32
  return %d : f32
}
)";

} // namespace

TEST_CASE("equal snapshots have no differences") {
  CHECK(changes(base, base) == "");
  // Names and lines do not count.
  CHECK(changes(base, std::string("// words\n\n") + base) == "");
}

TEST_CASE("operations are matched by key") {
  CHECK(changes(base, replaced(base, "arith.mulf %a", "arith.addf %a")) ==
        "changed f/b");
  CHECK(changes(base, replaced(base, "  %d =",
                               "  %n = arith.negf %x : f32\n  %d =")) ==
        "added f/n");
  CHECK(changes(replaced(base, "  %d =", "  %n = arith.negf %x : f32\n  %d ="),
                base) == "removed f/n");
  CHECK(changes(base, replaced(base, "arith.mulf %a, %y",
                               "arith.mulf %a, %x")) == "changed f/b");
  CHECK(changes(base, replaced(base, "arith.mulf %a, %y :",
                               "arith.mulf %a, %y fastmath<fast> :")) ==
        "changed f/b");
}

TEST_CASE("an operation whose text stayed is not listed") {
  // What its operand's name stands for is told where that is made.
  const char *filled = R"(func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
)";
  CHECK(
      changes(filled, replaced(filled, "tensor.empty() : tensor<4xf32>",
                               "arith.constant dense<1.0> : tensor<4xf32>")) ==
      "changed f/e");
}

TEST_CASE("an operation that only stands elsewhere has moved") {
  std::string moved = replaced(base, "  %c = arith.subf %x, %y : f32\n", "");
  moved = replaced(moved, "  %a =", "  %c = arith.subf %x, %y : f32\n  %a =");
  CHECK(changes(base, moved) == "moved f/c");
}

TEST_CASE("before and after are shown") {
  auto a = build(base);
  auto b = build(replaced(base, "arith.mulf %a", "arith.addf %a"));
  model::Diff diff = diffOperations(*a, *b);
  REQUIRE(diff.ops.size() == 1);
  CHECK(diff.ops[0].before == "%b = arith.mulf %a, %y : f32");
  CHECK(diff.ops[0].after == "%b = arith.addf %a, %y : f32");
  CHECK(diff.text.find("-    %b = arith.mulf %a, %y : f32\n"
                       "+    %b = arith.addf %a, %y : f32\n") !=
        std::string::npos);
}

TEST_CASE("unified text") {
  CHECK(unifiedDiff("a\nb\n", "a\nb\n", "x", "y") == "");
  CHECK(unifiedDiff("a\nb\nc\n", "a\nB\nc\n", "x", "y") ==
        "--- x\n+++ y\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n");
  CHECK(unifiedDiff("", "a\n", "x", "y") ==
        "--- x\n+++ y\n@@ -0,0 +1 @@\n+a\n");
  std::string far = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
  std::string both =
      replaced(replaced(far, "1\n", "one\n"), "12\n", "twelve\n");
  CHECK(unifiedDiff(far, both, "x", "y") ==
        "--- x\n+++ y\n@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n"
        "@@ -9,4 +9,4 @@\n 9\n 10\n 11\n-12\n+twelve\n");
}

TEST_CASE("a diff applied gives the other text") {
  std::mt19937 random(11);
  for (int round = 0; round < 500; ++round) {
    std::string a, b;
    int lines = int(random() % 40);
    for (int i = 0; i < lines; ++i) {
      std::string line = std::to_string(random() % 8) + "\n";
      if (random() % 10)
        a += line;
      if (random() % 10)
        b += random() % 12 ? line : "x\n";
    }
    INFO("before:\n" << a << "after:\n" << b);
    std::string diff = unifiedDiff(a, b, "a", "b");
    CHECK(applied(a, diff) == b);
    // And when it must give up early.
    TextDiffLimits limits;
    limits.steps = int64_t(random() % 30);
    CHECK(applied(a, unifiedDiff(a, b, "a", "b", limits)) == b);
  }
}

TEST_CASE("100,000 lines are compared in bounded time") {
  std::mt19937 random(3);
  std::string a, b;
  for (int i = 0; i < 100000; ++i) {
    std::string line = "  %v" + std::to_string(i) + " = tw.add\n";
    a += line;
    b += random() % 20 ? line : "  %w" + std::to_string(i) + " = tw.mul\n";
  }
  testing::Stopwatch watch;
  std::string diff = unifiedDiff(a, b, "a", "b");
  double took = watch.seconds();
  WARN("comparing 100,000 lines, 5 % changed: " << took << " s");
  CHECK(took < 10);
  CHECK_FALSE(diff.empty());
  // Nothing in common.
  std::string c;
  for (int i = 0; i < 100000; ++i)
    c += "  other " + std::to_string(i) + "\n";
  watch.restart();
  unifiedDiff(a, c, "a", "b");
  CHECK(watch.seconds() < 10);
}

/// The lines of a unified diff that begin with `sign`, headers left out.
static int64_t linesOf(const std::string &diff, char sign) {
  int64_t count = 0;
  std::istringstream lines(diff);
  for (std::string line; std::getline(lines, line);)
    count += line[0] == sign && line.rfind("---", 0) != 0 &&
             line.rfind("+++", 0) != 0;
  return count;
}

// What made other tools' diffs hang or useless (monaco-editor 1236, VS Code
// 270344, 219259, 202242, 69761).
TEST_CASE("texts that other diffs fail on are compared in seconds, minimally") {
  auto numbered = [](int lines) {
    std::vector<std::string> result;
    for (int i = 0; i < lines; ++i)
      result.push_back("  %" + std::to_string(i) + " = arith.addi %a, %b\n");
    return result;
  };
  auto joined = [](const std::vector<std::string> &lines) {
    std::string text;
    for (const std::string &line : lines)
      text += line;
    return text;
  };
  testing::Stopwatch watch;
  SECTION("200,000 lines with 10 edits") {
    auto lines = numbered(200000);
    std::string before = joined(lines);
    for (int i = 0; i < 10; ++i)
      lines[size_t(i) * 19999 + 7] = "  edited " + std::to_string(i) + "\n";
    std::string diff = unifiedDiff(before, joined(lines), "a", "b");
    CHECK(linesOf(diff, '-') == 10);
    CHECK(linesOf(diff, '+') == 10);
  }
  SECTION("2,000 lines taken out of 30,000") {
    auto lines = numbered(30000);
    std::string before = joined(lines);
    lines.erase(lines.begin() + 11000, lines.begin() + 13000);
    std::string diff = unifiedDiff(before, joined(lines), "a", "b");
    CHECK(linesOf(diff, '-') == 2000);
    CHECK(linesOf(diff, '+') == 0);
  }
  SECTION("one line of 100 KB among 34") {
    auto lines = numbered(34);
    lines[20] = "  %big = dense<\"0x" + std::string(100000, 'A') + "\">\n";
    std::string before = joined(lines);
    lines[20][50000] = 'B';
    std::string diff = unifiedDiff(before, joined(lines), "a", "b");
    CHECK(linesOf(diff, '-') == 1);
    CHECK(linesOf(diff, '+') == 1);
    CHECK(diff.size() < 210000);
  }
  WARN("compared in " << watch.seconds() << " s");
  CHECK(watch.seconds() < 5);
}

TEST_CASE("values that are only numbered anew are no change") {
  std::string before = "func.func @f(%a: i32) -> i32 {\n";
  std::string after = before + "  %new = arith.constant 7 : i32\n";
  for (int i = 0; i < 500; ++i) {
    auto line = [&](int number) {
      std::string last = i ? "%" + std::to_string(number - 1) : "%a";
      return "  %" + std::to_string(number) + " = arith.addi " + last +
             ", %a : i32\n";
    };
    before += line(i);
    after += line(i + 1000);
  }
  before += "  return %499 : i32\n}\n";
  after += "  return %1499 : i32\n}\n";
  auto a = build(before), b = build(after);
  model::Diff diff = diffOperations(*a, *b);
  INFO(diff.text.substr(0, 2000));
  REQUIRE(diff.ops.size() == 1);
  CHECK(diff.ops[0].change == model::Change::Added);
  CHECK(diff.ops[0].after.find("arith.constant 7") != std::string::npos);
}
