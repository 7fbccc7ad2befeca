//===- RenameTest.cpp - a value or function gets another name -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Rename.h"
#include "core/frontend/Dialects.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::frontend;

namespace {

constexpr const char *source =
    R"(func.func private @g(%a: tensor<4xf32>) -> tensor<4xf32> {
  %s = tw.exp %a : (tensor<4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
func.func @f(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %y = tw.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %0 = tw.neg %y : (tensor<4xf32>) -> tensor<4xf32>
  %c = arith.constant 1 : index
  %loop = scf.for %i = %c to %n step %c iter_args(%t = %0) -> tensor<4xf32> {
    %in = tw.add %t, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %in : tensor<4xf32>
  }
  %r = call @g(%loop) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
})";

struct Outcome {
  std::string text;
  std::map<std::string, std::string> keys;
  model::Diagnostic problem;
  bool done = false;
};

/// Renames what the first `at` stands for.
Outcome renamed(const std::string &text, const std::string &at,
                const std::string &name) {
  static auto context = makeContext();
  auto read = readSource(*context, "file:///a.mlir", 1, text, nullptr, nullptr);
  Outcome outcome;
  outcome.text = text;
  size_t offset = text.find(at);
  REQUIRE(offset != std::string::npos);
  auto renaming = rename(*context, *read, int64_t(offset) + 1, name, nullptr,
                         outcome.problem);
  if (!renaming)
    return outcome;
  outcome.done = true;
  outcome.keys = renaming->keys;
  for (auto it = renaming->edits.rbegin(); it != renaming->edits.rend(); ++it)
    outcome.text.replace(size_t(it->begin), size_t(it->end - it->begin),
                         it->text);
  return outcome;
}

int count(const std::string &text, const std::string &what) {
  int found = 0;
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + 1))
    ++found;
  return found;
}

} // namespace

TEST_CASE("a value is renamed wherever it stands, and keys with it") {
  Outcome outcome = renamed(source, "%y = tw.exp", "exped");
  REQUIRE(outcome.done);
  CHECK(count(outcome.text, "%exped") == 3);
  CHECK(count(outcome.text, "%y") == 0);
  CHECK(outcome.keys.at("f/y") == "f/exped");
  // What has no name is called after what it is made of.
  CHECK(std::any_of(outcome.keys.begin(), outcome.keys.end(),
                    [](const auto &pair) {
                      return pair.first.starts_with("f/tw.neg~") &&
                             pair.second.starts_with("f/tw.neg~");
                    }));
  CHECK(renamedKey(outcome.keys, "f/y.row_max") == "f/exped.row_max");
  CHECK(renamedKey(outcome.keys, "f/y#0") == "f/exped#0");
  CHECK(renamedKey(outcome.keys, "f/yy") == "f/yy");
  CHECK(renamedKey(outcome.keys, "g/y") == "g/y");
  // From a use as from the definition, with the sign or without.
  CHECK(renamed(source, "%y : (tensor<4xf32>) -> tensor<4xf32>\n  %c", "%exped")
            .text == outcome.text);
}

TEST_CASE("a name with regions renames the keys in them") {
  Outcome outcome = renamed(source, "%loop = ", "rounds");
  REQUIRE(outcome.done);
  CHECK(outcome.keys.at("f/loop/in") == "f/rounds/in");
  CHECK(outcome.keys.at("f/loop/t") == "f/rounds/t");
  CHECK(outcome.keys.at("f/loop") == "f/rounds");
}

TEST_CASE("a function is renamed with its calls and all keys below it") {
  Outcome outcome = renamed(source, "@g", "helper");
  REQUIRE(outcome.done);
  CHECK(count(outcome.text, "@helper(") == 2);
  CHECK(outcome.keys.at("g") == "helper");
  CHECK(outcome.keys.at("g/s") == "helper/s");
  CHECK_FALSE(outcome.keys.contains("f/y"));
}

TEST_CASE("what is no name, is taken, or is captured is refused") {
  for (const char *name :
       {"", "17", "1a", "a b", "%", "a/b", "a%b", "a\nb", "ä", "#x", "a\"b"}) {
    INFO(name);
    Outcome outcome = renamed(source, "%y = tw.exp", name);
    CHECK_FALSE(outcome.done);
    CHECK(outcome.problem.code == "TW0616");
    CHECK(outcome.text == source);
  }
  CHECK(renamed(source, "@g", "-x").problem.code == "TW0616");
  for (const char *name : {"x", "loop", "c", "n", "in"}) {
    INFO(name);
    CHECK(renamed(source, "%y = tw.exp", name).problem.code == "TW0617");
  }
  CHECK(renamed(source, "@g", "f").problem.code == "TW0617");
  CHECK(renamed(source, "tw.exp", "z").problem.code == "TW0615");
  // Sibling regions may use one name for two values; the inner one would
  // capture a use of the outer.
  std::string two = source;
  two.replace(two.find("%in = tw.add %t, %y"), 19, "%in = tw.add %t, %x");
  CHECK(renamed(two, "%x: tensor", "in").problem.code == "TW0617");
  // A function with errors: not every use is known.
  std::string broken = source;
  broken.replace(broken.find("tw.neg %y"), 9, "tw.neg %%y");
  CHECK(renamed(broken, "%y = tw.exp", "z").problem.code == "TW0617");
  CHECK(renamed(source, "%y = tw.exp", "y").text == source);
}
