//===- LayersTest.cpp - equal layers are compiled once --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/Session.h"
#include "core/target/TargetRegistry.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <ctime>

using namespace tilewright;

namespace {

/// Residual blocks one behind the other: a norm, heads split off and swapped
/// with the tokens, two matmuls with activations, a sum. Constants of all
/// layers become one by common subexpression elimination.
std::string layers(int count) {
  std::string arguments = "%x: tensor<32x64xf32>", body, current = "%x";
  for (int i = 0; i < count; ++i) {
    std::string p = "%l" + std::to_string(i) + "_";
    arguments += ", " + p + "n: tensor<64xf32>, " + p + "w: tensor<64x64xf32>";
    auto line = [&](const std::string &name, const std::string &text) {
      body += "  " + p + name + " = tw." + text + "\n";
    };
    line("normed", "rms_norm " + current + ", " + p +
                       "n : (tensor<32x64xf32>, tensor<64xf32>) -> "
                       "tensor<32x64xf32>");
    line("split", "reshape " + p +
                      "normed : (tensor<32x64xf32>) -> tensor<32x4x16xf32>");
    line("heads", "transpose " + p +
                      "split {permutation = [1, 0, 2]} : "
                      "(tensor<32x4x16xf32>) -> tensor<4x32x16xf32>");
    line("scores", "matmul " + p + "heads, " + p +
                       "heads {transpose_rhs} : (tensor<4x32x16xf32>, "
                       "tensor<4x32x16xf32>) -> tensor<4x32x32xf32>");
    line("p", "softmax " + p +
                  "scores : (tensor<4x32x32xf32>) -> tensor<4x32x32xf32>");
    line("mean", "reduce " + p +
                     "p {kind = mean, axes = [0]} : (tensor<4x32x32xf32>) "
                     "-> tensor<32x32xf32>");
    line("mixed", "matmul " + p + "mean, " + p +
                      "normed : (tensor<32x32xf32>, tensor<32x64xf32>) -> "
                      "tensor<32x64xf32>");
    line("gate", "matmul " + p + "mixed, " + p +
                     "w : (tensor<32x64xf32>, tensor<64x64xf32>) -> "
                     "tensor<32x64xf32>");
    line("act", "silu " + p +
                    "gate : (tensor<32x64xf32>) -> "
                    "tensor<32x64xf32>");
    line("y", "add " + current + ", " + p +
                  "act : (tensor<32x64xf32>, tensor<32x64xf32>) -> "
                  "tensor<32x64xf32>");
    current = p + "y";
  }
  return "func.func @stack(" + arguments + ") -> tensor<32x64xf32> {\n" + body +
         "  return " + current + " : tensor<32x64xf32>\n}\n";
}

struct Compiled {
  int64_t scopes = 0;
  double seconds = 0; ///< of the processor, which other processes do not add to
};

Compiled compile(int count, const std::string &target) {
  std::vector<model::Diagnostic> problems;
  Session session(target::TargetRegistry::standard(problems));
  CompileRequest request;
  request.uri = "stack.mlir";
  request.text = layers(count);
  request.target = target;
  std::clock_t start = std::clock();
  auto compilation = session.compile(request);
  double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
  REQUIRE(compilation);
  for (const model::Diagnostic &diagnostic : compilation->stages().diagnostics)
    UNSCOPED_INFO(diagnostic.message);
  REQUIRE(compilation->complete());
  return {session.statistics().scopesCompiled, seconds};
}

} // namespace

TEST_CASE("a stack of equal layers costs the scopes of its first ones") {
  for (const char *target : {"cpu-generic", "ascend-a3"}) {
    INFO(target);
    int64_t few = compile(4, target).scopes;
    CHECK(few > 0);
    CHECK(compile(12, target).scopes == few);
  }
}

TEST_CASE("compiling grows no faster than n log n with the layers") {
  auto least = [](int count) {
    double seconds = compile(count, "cpu-generic").seconds;
    for (int again = 0; again < 2; ++again)
      seconds = std::min(seconds, compile(count, "cpu-generic").seconds);
    return seconds;
  };
  double few = least(10), many = least(400);
  double allowed = 400 * std::log(400.0) / (10 * std::log(10.0));
  CAPTURE(few, many);
  CHECK(many / few < allowed);
}
