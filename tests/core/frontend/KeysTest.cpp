// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every rule of keys, on upstream operations so that it depends on no dialect
// of ours.
#include "core/dialect/Key.h"
#include "tests/core/frontend/ReadText.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::frontend;

static const char *const loopText =
    R"(func.func @attention(%x: tensor<4xf32>, %n: index, %c: i1) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %loop = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> f32 {
    %qk = tensor.extract %x[%i] : tensor<4xf32>
    %sum = arith.addf %acc, %qk : f32
    scf.yield %sum : f32
  }
  %if:2 = scf.if %c -> (f32, f32) {
    %a = arith.addf %loop, %z : f32
    scf.yield %a, %a : f32, f32
  } else {
    %a = arith.mulf %loop, %z : f32
    scf.yield %a, %a : f32, f32
  }
  %0 = arith.addf %if#0, %if#1 : f32
  %1 = arith.addf %if#0, %if#1 : f32
  return %1 : f32
}
)";

TEST_CASE("names, arguments and regions") {
  auto source = readText(loopText);
  INFO(codesOf(*source));
  REQUIRE(source->diagnostics.empty());
  CHECK(keyAtWord(*source, "func.func") == "attention");
  CHECK(keyAtWord(*source, "%x") == "attention/x");
  CHECK(keyAtWord(*source, "%z") == "attention/z");
  CHECK(keyAtWord(*source, "%loop") == "attention/loop");
  CHECK(keyAtWord(*source, "%qk") == "attention/loop/qk");
  CHECK(keyAtWord(*source, "%acc") == "attention/loop/acc");
  CHECK(keyAtWord(*source, "%i =") == "attention/loop/i");
  CHECK(keyAtWord(*source, "%a = arith.addf") == "attention/if.0/a");
  CHECK(keyAtWord(*source, "%a = arith.mulf") == "attention/if.1/a");
}

TEST_CASE("further results") {
  auto source = readText(R"(func.func private @two() -> (f32, f32)
func.func @f() -> f32 {
  %p, %q = func.call @two() : () -> (f32, f32)
  return %q : f32
}
)");
  REQUIRE(source->diagnostics.empty());
  CHECK(keyAtWord(*source, "%p") == "f/p");
  CHECK(keyAtWord(*source, "%q") == "f/p:1");
}

TEST_CASE("numbered and unnamed operations are named by what they are") {
  auto source = readText(loopText);
  std::string first = keyAtWord(*source, "%0 =");
  std::string second = keyAtWord(*source, "%1 =");
  CHECK(first.rfind("attention/arith.addf~", 0) == 0);
  CHECK(second == first + "@2");
  CHECK(keyAtWord(*source, "return").rfind("attention/func.return~", 0) == 0);

  // Another operand, another attribute, another name.
  std::string text = loopText;
  size_t at = text.find("%if#0, %if#1");
  text.replace(at, 12, "%if#1, %if#1");
  CHECK(keyAtWord(*readText(text), "%0 =") != first);
  // Renaming the function keeps the hash.
  std::string renamed = loopText;
  renamed.replace(renamed.find("@attention"), 10, "@mha");
  CHECK(keyAtWord(*readText(renamed), "%0 =") ==
        "mha/" + first.substr(first.find('/') + 1));
}

TEST_CASE("a line inserted above changes no key") {
  auto before = readText(loopText);
  std::string text = loopText;
  text.insert(text.find("  %c0"), "  %new = arith.constant 7 : i32\n"
                                  "  %5 = arith.constant 8 : i32\n");
  auto after = readText(text, before.get());
  REQUIRE(after->diagnostics.empty());
  for (const char *word :
       {"%c0", "%z", "%loop", "%qk", "%sum", "%if", "%a = arith.addf",
        "%a = arith.mulf", "%0 =", "%1 =", "return"})
    CHECK(keyAtWord(*before, word) == keyAtWord(*after, word));
}

TEST_CASE("signs in names are encoded") {
  auto source = readText("func.func @\"a/b.c\"() -> i32 {\n"
                         "  %x.y = arith.constant 1 : i32\n"
                         "  return %x.y : i32\n}\n");
  REQUIRE(source->diagnostics.empty());
  CHECK(keyAtWord(*source, "%x.y") == "a%2Fb%2Ec/x%2Ey");
}

TEST_CASE("functions of nested modules") {
  auto source = readText("module @outer {\n  module @inner {\n"
                         "    func.func @f() { return }\n  }\n"
                         "  func.func @f() { return }\n}\n");
  INFO(codesOf(*source));
  REQUIRE(source->diagnostics.empty());
  CHECK(keyAtWord(*source, "func.func", 0) == "inner/f");
  CHECK(keyAtWord(*source, "func.func", 1) == "f");
}

TEST_CASE("keys are on the locations of the operations handed out") {
  auto source = readText(loopText);
  SourceModule module = buildModule(*source, testContext(), nullptr);
  REQUIRE(module.module);
  int without = 0, operations = 0;
  std::vector<std::string> keys;
  module.module->walk([&](mlir::Operation *op) {
    if (op == module.module->getOperation())
      return;
    ++operations;
    if (primaryKey(op).empty())
      ++without;
    else
      keys.push_back(primaryKey(op).str());
  });
  CHECK(operations == 16);
  CHECK(without == 0);
  std::sort(keys.begin(), keys.end());
  CHECK(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
  auto function = *module.module->getOps<mlir::func::FuncOp>().begin();
  CHECK(keysOf(function.getArgument(0).getLoc()).front() == "attention/x");
}

TEST_CASE("from a key to the text") {
  auto source = readText(loopText);
  auto at = [&](const char *key) {
    auto range = source->nameRangeOf(key);
    return range ? textAt(*source, *range) : std::string("<none>");
  };
  CHECK(at("attention/loop/qk") == "%qk");
  CHECK(at("attention/loop/qk.row_max") == "%qk");
  CHECK(at("attention/loop/qk#1") == "%qk");
  CHECK(at("attention/x") == "%x");
  CHECK(at("nothing/like/it") == "<none>");
  CHECK(textAt(*source, *source->rangeOf("attention/z")) ==
        "%z = arith.constant 0.0 : f32");
}
