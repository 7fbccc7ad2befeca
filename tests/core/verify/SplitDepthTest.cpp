//===- SplitDepthTest.cpp - sums in parts compute the same ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "WrongPass.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;

namespace {

std::string product(const std::string &lhs, const std::string &rhs,
                    const std::string &result, const std::string &how) {
  return "func.func @f(%a: " + lhs + ", %b: " + rhs + ") -> " + result +
         " {\n%c = tw.matmul %a, %b " + how + " : (" + lhs + ", " + rhs +
         ") -> " + result + "\n%y = tw.relu %c : (" + result + ") -> " +
         result + "\nreturn %y : " + result + "\n}\n";
}

/// Parts the depth was cut into; 1 if it was not.
int64_t partsOf(const std::string &text, const char *target) {
  int64_t parts = 1;
  auto result = verifyWith(
      text, target,
      {"tile/form-scopes", [&](ModuleOp module) {
         module->walk([&](tw::MatmulOp op) {
           if (op->hasAttr("tile.depth_part"))
             parts =
                 op.getType().getShape()[size_t(op.getType().getRank() - 3)];
         });
         return false;
       }});
  CAPTURE(result.firstPass, result.firstKey);
  CHECK(result.passed);
  return parts;
}

} // namespace

TEST_CASE("long sums behind few tiles are split, in every layout") {
  for (const auto &[lhs, rhs, result, how] :
       {std::tuple{"tensor<48x8192xf16>", "tensor<8192x64xf16>",
                   "tensor<48x64xf16>", ""},
        {"tensor<8192x48xf32>", "tensor<8192x64xf32>", "tensor<48x64xf32>",
         "{transpose_lhs}"},
        {"tensor<48x16384xbf16>", "tensor<64x16384xbf16>", "tensor<48x64xf32>",
         "{transpose_rhs}"},
        {"tensor<2x16x4096xf32>", "tensor<4096x16xf32>", "tensor<2x16x16xf32>",
         ""}}) {
    CAPTURE(lhs, how);
    CHECK(partsOf(product(lhs, rhs, result, how), "ascend-a3") > 1);
  }
}

TEST_CASE("what keeps the cores busy, or would be short, stays whole") {
  CHECK(partsOf(product("tensor<48x300xf32>", "tensor<300x64xf32>",
                        "tensor<48x64xf32>", ""),
                "ascend-a3") == 1);
  // 8191 is a prime.
  CHECK(partsOf(product("tensor<4x8191xf32>", "tensor<8191x4xf32>",
                        "tensor<4x4xf32>", ""),
                "ascend-a3") == 1);
  CHECK(partsOf(product("tensor<512x512xf32>", "tensor<512x512xf32>",
                        "tensor<512x512xf32>", ""),
                "cpu-generic") == 1);
}
