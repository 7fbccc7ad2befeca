//===- PinnedChoiceTest.cpp - what is pinned computes the same ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "WrongPass.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;

namespace {

std::string product(const std::string &lhs, const std::string &rhs,
                    const std::string &result, const std::string &how = "") {
  return "func.func @f(%a: " + lhs + ", %b: " + rhs + ") -> " + result +
         " {\n%c = tw.matmul %a, %b " + how + " : (" + lhs + ", " + rhs +
         ") -> " + result + "\nreturn %c : " + result + "\n}\n";
}

template <typename Op>
int64_t countWith(const std::string &text, const std::string &after,
                  const std::vector<model::Pin> &pins) {
  int64_t count = 0;
  auto result = verifyWith(text, "ascend-a3",
                           {after,
                            [&](ModuleOp module) {
                              module->walk([&](Op) { ++count; });
                              return false;
                            }},
                           pins);
  CAPTURE(text, result.firstPass, result.firstKey);
  CHECK(result.passed);
  return count;
}

} // namespace

TEST_CASE("matmuls compute the same on vector cores, however operands lie") {
  for (const auto &[lhs, rhs, result, how] :
       {std::tuple{"tensor<1x96xf16>", "tensor<96x80xf16>", "tensor<1x80xf16>",
                   ""},
        {"tensor<1x96xf32>", "tensor<80x96xf32>", "tensor<1x80xf32>",
         "{transpose_rhs}"},
        {"tensor<96x1xf32>", "tensor<96x80xf32>", "tensor<1x80xf32>",
         "{transpose_lhs}"},
        {"tensor<70x96xbf16>", "tensor<96x1xbf16>", "tensor<70x1xf32>", ""},
        {"tensor<96x70xf32>", "tensor<1x96xf32>", "tensor<70x1xf32>",
         "{transpose_lhs, transpose_rhs}"},
        {"tensor<3x40xf32>", "tensor<40x24xf32>", "tensor<3x24xf32>", ""},
        {"tensor<3x40xf16>", "tensor<24x40xf16>", "tensor<3x24xf16>",
         "{transpose_rhs}"},
        {"tensor<40x3xf32>", "tensor<40x24xf32>", "tensor<3x24xf32>",
         "{transpose_lhs}"},
        {"tensor<40x3xf32>", "tensor<24x40xf32>", "tensor<3x24xf32>",
         "{transpose_lhs, transpose_rhs}"},
        {"tensor<2x5x32xf32>", "tensor<32x16xf32>", "tensor<2x5x16xf32>", ""}})
    CHECK(countWith<tw::MatmulOp>(
              product(lhs, rhs, result, how), "tile/form-scopes",
              {{"f/c", "*", "core", "vector", "", {}}}) == 0);
}

TEST_CASE("the store of a matmul converts what it makes, in the same kernel") {
  auto text = [](const std::string &batch) {
    std::string a = "tensor<" + batch + "40x64xf16>",
                b = "tensor<" + batch + "64x48xf16>",
                wide = "tensor<" + batch + "40x48xf32>",
                narrow = "tensor<" + batch + "40x48xf16>";
    return "func.func @f(%a: " + a + ", %b: " + b + ") -> " + narrow +
           " {\n%c = tw.matmul %a, %b : (" + a + ", " + b + ") -> " + wide +
           "\n%d = tw.cast %c : (" + wide + ") -> " + narrow +
           "\nreturn %d : " + narrow + "\n}\n";
  };
  for (const char *batch : {"", "3x"}) {
    CHECK(countWith<block::KernelOp>(text(batch), "block/insert-sync", {}) ==
          1);
    CHECK(countWith<block::KernelOp>(
              text(batch), "block/insert-sync",
              {{"f/d", "*", "core", "vector", "", {}}}) == 2);
  }
}

TEST_CASE("an operand that stays computes the same as one that passes") {
  auto pins = [](const char *dim, int64_t stays, int64_t step, int64_t unit) {
    return std::vector<model::Pin>{
        {"f/c",
         "*",
         "tile",
         {{"L1", {{"m", 32}, {"n", 32}, {"k", step}, {dim, stays}}},
          {"L0", {{"m", 32}, {"n", 32}, {"k", unit}}}},
         "",
         {}}};
  };
  for (const auto &[lhs, rhs, result, how] :
       {std::tuple{"tensor<48x256xf16>", "tensor<256x64xf16>",
                   "tensor<48x64xf32>", ""},
        {"tensor<256x40xf16>", "tensor<56x256xf16>", "tensor<40x56xf16>",
         "{transpose_lhs, transpose_rhs}"},
        // The last step, and the last stretch of what stays, are shorter.
        {"tensor<48x200xf16>", "tensor<200x64xf16>", "tensor<48x64xf32>", ""},
        {"tensor<2x32x256xf16>", "tensor<2x256x32xf16>", "tensor<2x32x32xf32>",
         ""}})
    for (const char *dim : {"k#0", "k#1"})
      for (const auto &[stays, step, unit] :
           {std::tuple{256, 64, 32}, {256, 64, 64}, {128, 64, 16}}) {
        CAPTURE(dim, stays, step, unit);
        countWith<tw::MatmulOp>(product(lhs, rhs, result, how), "tensor/dce",
                                pins(dim, stays, step, unit));
      }
}

TEST_CASE("a weight that two scopes read in the same panels is packed once") {
  const char *text =
      R"(func.func @f(%x: tensor<96x64xf32>, %y: tensor<48x64xf32>, %w: tensor<64x100xf32> {tw.weight})
    -> (tensor<96x100xf32>, tensor<48x100xf32>) {
  %a = tw.matmul %x, %w : (tensor<96x64xf32>, tensor<64x100xf32>) -> tensor<96x100xf32>
  %b = tw.matmul %y, %w : (tensor<48x64xf32>, tensor<64x100xf32>) -> tensor<48x100xf32>
  return %a, %b : tensor<96x100xf32>, tensor<48x100xf32>
})";
  int64_t packings = 0, products = 0;
  auto result = verifyWith(text, "cpu-generic",
                           {"execution/build-tasks", [&](ModuleOp module) {
                              module->walk([&](block::DispatchOp dispatch) {
                                bool once = dispatch->hasAttr("block.once");
                                (once ? packings : products) += 1;
                              });
                              return false;
                            }});
  CHECK(result.passed);
  CHECK(packings == 1);
  CHECK(products == 2);
}
