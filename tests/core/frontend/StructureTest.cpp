//===- StructureTest.cpp - names, folds, selections and calls -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "ReadText.h"
#include "core/frontend/Calls.h"
#include "core/frontend/Folding.h"
#include "core/frontend/Occurrences.h"
#include "core/frontend/Selection.h"
#include "core/frontend/Signature.h"
#include <catch2/catch.hpp>
#include <random>

using namespace tilewright;
using namespace tilewright::frontend;

namespace {

/// Lines (from 0) of the places that mean what stands at the `n`th `word`; `=`
/// behind a definition, `!` behind another write.
std::string linesOf(const std::string &text, const std::string &word,
                    int n = 0) {
  size_t at = text.find(word);
  while (n-- > 0)
    at = text.find(word, at + 1);
  REQUIRE(at != std::string::npos);
  auto source = readText(text);
  std::string lines;
  for (const Occurrence &place :
       occurrencesAt(*source, int64_t(at) + 1).places) {
    CHECK(textAt(*source, place.range) == occurrencesAt(*source, at + 1).name);
    lines += (lines.empty() ? "" : " ") +
             std::to_string(std::count(
                 text.begin(), text.begin() + place.range.begin, '\n')) +
             (place.definition ? "="
              : place.write    ? "!"
                               : "");
  }
  return lines;
}

} // namespace

TEST_CASE("shadowed names are told apart, read or not") {
  // Each region has its own %t; names may come again beside it.
  std::string text = "func.func @f(%p: i1, %n: index) {\n"  // 0
                     "  scf.if %p {\n"                      // 1
                     "    %t = arith.addi %n, %n : index\n" // 2
                     "    \"u.use\"(%t) : (index) -> ()\n"  // 3
                     "  } else {\n"                         // 4
                     "    %t = arith.muli %n, %n : index\n" // 5
                     "    \"u.use\"(%t) : (index) -> ()\n"  // 6
                     "  }\n"                                // 7
                     "  return\n"                           // 8
                     "}\n";
  CHECK(linesOf(text, "%t") == "2= 3");
  CHECK(linesOf(text, "%t", 3) == "5= 6");
  CHECK(linesOf(text, "%n", 2) == "0= 2 2 5 5");
  std::string broken = text;
  broken.replace(broken.rfind("  }\n"), 0, "    %q = arith.addi %t\n");
  CHECK(linesOf(broken, "%t", 4) == "5= 6 7");
  CHECK(linesOf(broken, "%t") == "2= 3");
  // What is defined on the broken line itself has no meaning but its name.
  broken.replace(broken.rfind("  return"), 0,
                 "  \"u.use\"(%q) : (index) -> ()\n");
  CHECK(linesOf(broken, "%q", 1) == "7= 9");
}

TEST_CASE("blocks, aliases and what outs writes") {
  std::string text = "#m = affine_map<(d0) -> (d0)>\n"                     // 0
                     "#n = affine_map<(d0) -> (d0)>\n"                     // 1
                     "func.func @f(%b: memref<4xf32>, %p: i1) {\n"         // 2
                     "  \"u.use\"() {m = #m, n = #n, o = #m} : () -> ()\n" // 3
                     "  linalg.copy ins(%b : memref<4xf32>) "
                     "outs(%b : memref<4xf32>)\n"       // 4
                     "  cf.cond_br %p, ^a, ^b\n"        // 5
                     "^a:\n  cf.br ^b\n^b:\n  return\n" // 6 to 9
                     "}\n"
                     "func.func @g() {\n  cf.br ^a\n^a:\n  return\n}\n";
  CHECK(linesOf(text, "#m") == "0= 3 3");
  CHECK(linesOf(text, "#n", 1) == "1= 3");
  CHECK(linesOf(text, "%b") == "2= 4 4!");
  CHECK(linesOf(text, "^b") == "5 7 8=");
  CHECK(linesOf(text, "^a") == "5 6=");
  CHECK(linesOf(text, "^a", 2) == "12 13=");
}

TEST_CASE("a symbol means what its module says") {
  std::string f = "func.func private @f()\n";
  std::string call = "func.func @c() {\n  call @f() : () -> ()\n  return\n}\n";
  std::string text = "module {\nmodule @a {\n" + f + call + "}\n" + f + call +
                     "module @b {\n" + call + "}\n}\n";
  CHECK(linesOf(text, "@f") == "2= 4");
  CHECK(linesOf(text, "@f", 2) == "8= 10 15");
  auto source = readText(text);
  auto callers = callersOf(*source, int64_t(text.find("@f", text.find("@b"))));
  REQUIRE(callers.size() == 2);
  CHECK(callers[0].callable.name == "c");
  CHECK(callers[0].callable.detail == "func.func");
}

TEST_CASE("selections and folds of any text are sound") {
  const std::string text =
      "// a\n// b\nmodule {\nfunc.func @f(%x: tensor<4x8xf32>) -> "
      "tensor<4x8xf32> {\n  %a = tw.softmax %x\n    {axis = -1} : "
      "(tensor<4x8xf32>) -> tensor<4x8xf32>\n  \"r.r\"() ({\n  ^bb0(%i: "
      "index):\n    \"r.y\"() : () -> ()\n  }) : () -> ()\n  return %a : "
      "tensor<4x8xf32>\n}\n}\n";
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    std::string broken = text;
    for (int edits = int(random() % 4); edits > 0; --edits) {
      size_t at = random() % broken.size();
      if (random() % 2)
        broken.erase(at, random() % 6);
      else
        broken.insert(at, 1, "{}()<>\"\n,^%@"[random() % 12]);
    }
    INFO(broken);
    auto source = readText(broken);
    int64_t size = int64_t(broken.size());
    int64_t before = -1;
    for (const FoldingRange &fold : foldingRanges(*source)) {
      REQUIRE(fold.range.begin > before);
      REQUIRE(fold.range.end <= size);
      REQUIRE(textAt(*source, fold.range).find('\n') != std::string::npos);
      before = fold.range.begin;
    }
    for (int64_t at : {int64_t(0), int64_t(random() % (broken.size() + 1)),
                       size, size + 5, int64_t(-3)}) {
      auto chain = selectionAt(*source, at);
      REQUIRE(!chain.empty());
      CHECK(chain.back() == model::TextRange{0, size});
      for (size_t i = 1; i < chain.size(); ++i) {
        REQUIRE(chain[i].begin <= chain[i - 1].begin);
        REQUIRE(chain[i].end >= chain[i - 1].end);
        REQUIRE(chain[i] != chain[i - 1]);
      }
      occurrencesAt(*source, at);
      signatureAt(*source, at);
      callersOf(*source, at);
      calleesOf(*source, at);
    }
  }
}

TEST_CASE("a block and its region are selected on the way") {
  const std::string text = "func.func @f() {\n  cf.br ^a\n^a:\n  cf.br ^b\n"
                           "^b:\n  return\n}\n";
  auto source = readText(text);
  std::vector<std::string> words;
  for (model::TextRange range :
       selectionAt(*source, int64_t(text.find("cf.br ^b"))))
    words.push_back(textAt(*source, range));
  auto has = [&](const std::string &word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  CHECK(words.front() == "cf.br");
  CHECK(has("cf.br ^b"));
  CHECK(has("^a:\n  cf.br ^b"));
  CHECK(has("cf.br ^a\n^a:\n  cf.br ^b\n^b:\n  return"));
  CHECK(words.back() == text);
}
