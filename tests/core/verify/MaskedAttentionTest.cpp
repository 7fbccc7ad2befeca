//===- MaskedAttentionTest.cpp - tiles that a mask hides are left out -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "WrongPass.h"
#include "core/pass/tile/AttentionMask.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;

namespace {

std::string numbers(int64_t count, int64_t first, bool upright) {
  std::string text = "[";
  for (int64_t i = 0; i < count; ++i) {
    std::string number = std::to_string(first + i);
    text += (i ? ", " : "") + (upright ? "[" + number + "]" : number);
  }
  return text + "]";
}

/// Queries at position `first` and behind it, in two heads that share keys;
/// %mask, of rows x keys, is made by `mask` of %rows and %cols.
std::string attention(int64_t queries, int64_t keys, int64_t first,
                      const std::string &mask) {
  std::string q = std::to_string(queries), k = std::to_string(keys);
  std::string scores = "tensor<2x" + q + "x" + k + "xf32>";
  std::string flat = "tensor<" + q + "x" + k + "x";
  std::string text =
      "func.func @f(%q: tensor<2xQx16xf32>, %k: tensor<1xKx16xf32>, %v: "
      "tensor<1xKx16xf32>) -> tensor<2xQx16xf32> {\n"
      "%rows = arith.constant dense<" +
      numbers(queries, first, true) + "> : tensor<Qx1xi32>\n" +
      "%cols = arith.constant dense<" + numbers(keys, 0, false) +
      "> : tensor<Kxi32>\n"
      "%never = tw.full {value = neg_inf} : () -> tensor<f32>\n"
      "%s = tw.matmul %q, %k {transpose_rhs} : (tensor<2xQx16xf32>, "
      "tensor<1xKx16xf32>) -> S\n" +
      mask +
      "%p = tw.softmax %m {axis = -1} : (S) -> S\n"
      "%o = tw.matmul %p, %v : (S, tensor<1xKx16xf32>) -> "
      "tensor<2xQx16xf32>\n"
      "return %o : tensor<2xQx16xf32>\n}\n";
  auto replace = [&](const std::string &what, const std::string &by) {
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos;
         at += by.size())
      text.replace(at, what.size(), by);
  };
  replace("MASK", flat + "i1>");
  replace("(S)", "(" + scores + ")");
  replace("(S,", "(" + scores + ",");
  replace(", S)", ", " + scores + ")");
  replace("-> S\n", "-> " + scores + "\n");
  replace("Qx", q + "x");
  replace("Kx", k + "x");
  return text;
}

const char *causal =
    "%may = tw.compare %rows, %cols {predicate = ge} : (tensor<Qx1xi32>, "
    "tensor<Kxi32>) -> MASK\n"
    "%m = tw.select %may, %s, %never : (MASK, tensor<2xQxKxf32>, tensor<f32>) "
    "-> S\n";
const char *later =
    "%no = tw.compare %cols, %rows {predicate = gt} : (tensor<Kxi32>, "
    "tensor<Qx1xi32>) -> MASK\n"
    "%m = tw.select %no, %never, %s : (MASK, tensor<f32>, tensor<2xQxKxf32>) "
    "-> S\n";
const char *added =
    "%zero = tw.full {value = 0.0} : () -> tensor<f32>\n"
    "%no = tw.compare %cols, %rows {predicate = gt} : (tensor<Kxi32>, "
    "tensor<Qx1xi32>) -> MASK\n"
    "%bias = tw.select %no, %never, %zero : (MASK, tensor<f32>, tensor<f32>) "
    "-> tensor<QxKxf32>\n"
    "%m = tw.add %s, %bias : (tensor<2xQxKxf32>, tensor<QxKxf32>) -> S\n";

/// Whether tiles are left out by a loop whose end depends on the queries.
bool skips(const std::string &text, const char *target) {
  bool found = false;
  auto result = verifyWith(
      text, target, {"tile/expand-tiles", [&](ModuleOp module) {
                       module->walk([&](scf::ForOp loop) {
                         found |= !getConstantIntValue(loop.getUpperBound());
                       });
                       return false;
                     }});
  CAPTURE(result.firstPass, result.firstKey);
  CHECK(result.passed);
  return found;
}

} // namespace

TEST_CASE("what a causal mask hides is left out, and nothing else") {
  for (const char *mask : {causal, later, added}) {
    CAPTURE(mask);
    // As many keys as queries, more, ragged ones, and masks of more elements
    // than are folded into one constant.
    CHECK(skips(attention(600, 600, 0, mask), "cpu-generic"));
    CHECK(skips(attention(100, 1100, 1000, mask), "cpu-generic"));
    // The machine at hand may have room for all keys in one tile.
    skips(attention(600, 600, 0, mask), "cpu");
    skips(attention(100, 1100, 1000, mask), "cpu");
    CHECK(skips(attention(300, 1030, 730, mask), "cpu-generic"));
    CHECK_FALSE(skips(attention(40, 60, 20, mask), "ascend-a3"));
  }
}

TEST_CASE("queries that see no key are no numbers, whatever is left out") {
  // Query r sees key c up to r - 100.
  CHECK(skips(attention(600, 600, -100, causal), "cpu-generic"));
}
