//===- CompletionTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Completion.h"
#include "ReadText.h"
#include <algorithm>
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::frontend;

namespace {

/// Of a text in which `|` marks the place.
struct Asked {
  Completion completion;
  std::string word; ///< that is replaced
  std::string labels;
};

Asked ask(std::string text) {
  size_t at = text.find('|');
  REQUIRE(at != std::string::npos);
  text.erase(at, 1);
  auto source = readText(text);
  Asked asked{completeAt(*source, int64_t(at)), "", ""};
  asked.word = textAt(*source, asked.completion.range);
  for (const CompletionItem &item : asked.completion.items)
    asked.labels += (asked.labels.empty() ? "" : " ") + item.label;
  return asked;
}

const std::string head =
    "func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> "
    "tensor<4x6xf32> {\n"
    "  %h = tw.matmul %x, %w : (tensor<4x8xf32>, tensor<8x6xf32>) -> "
    "tensor<4x6xf32>\n";
const std::string tail = "\n  return %h : tensor<4x6xf32>\n}\n"
                         "func.func @other(%z: tensor<4xf32>) -> "
                         "tensor<4xf32> {\n  return %z : tensor<4xf32>\n}\n";

bool has(const Asked &asked, const std::string &label) {
  return std::any_of(
      asked.completion.items.begin(), asked.completion.items.end(),
      [&](const CompletionItem &item) { return item.label == label; });
}

} // namespace

TEST_CASE("operations are proposed where a statement begins") {
  Asked asked = ask(head + "  %y = tw.so|" + tail);
  CHECK(asked.word == "tw.so");
  REQUIRE(asked.labels == "tw.softmax");
  CHECK(asked.completion.items[0].kind == "operation");
  CHECK(asked.completion.items[0].documentation.find("softmax") !=
        std::string::npos);
  CHECK(has(ask(head + "  %y = |" + tail), "tw.matmul"));
  CHECK(has(ask(head + "  %y = |" + tail), "arith.addf"));
  CHECK(has(ask(head + "  re|" + tail), "return"));
  CHECK(has(ask(head + "  %a, %b = tw.|" + tail), "tw.add"));
  CHECK(has(ask("fu|"), "func.func"));
  CHECK(ask(head + "  %y = tw.nothing_like_it|" + tail).labels.empty());
  // Not among operands, and not in what names the results.
  CHECK(ask(head + "  %y = tw.silu tw.|" + tail).labels.empty());
}

TEST_CASE("values are those defined above in the same function") {
  Asked asked = ask(head + "  %y = tw.silu %|" + tail);
  CHECK(asked.word == "%");
  CHECK(asked.labels == "%x %w %h");
  for (const CompletionItem &item : asked.completion.items) {
    INFO(item.label);
    CHECK(item.kind == "value");
    CHECK(item.detail.find("tensor<") != std::string::npos);
  }
  CHECK(ask(head + "  %y = tw.silu %h|" + tail).labels == "%h");
  // Whatever is wrong further down, or not yet written.
  CHECK(ask(head + "  %y = tw.add %x, %|\n  %broken = tw.\n" + tail).labels ==
        "%x %w %h");
  CHECK(ask(head + tail + "func.func @last(%q: tensor<4xf32>) {\n  %|")
            .labels.find("%h") == std::string::npos);
}

TEST_CASE("values of a closed region are not proposed") {
  const std::string text =
      "func.func @f(%c: i1, %x: tensor<4xf32>) {\n"
      "  scf.if %c {\n    %inside = tw.exp %x : (tensor<4xf32>) -> "
      "tensor<4xf32>\n";
  CHECK(has(ask(text + "    %y = tw.exp %|\n  }\n  return\n}\n"), "%inside"));
  CHECK_FALSE(
      has(ask(text + "  }\n  %y = tw.exp %|\n  return\n}\n"), "%inside"));
}

TEST_CASE("types follow colons, attributes stand in braces") {
  CHECK(ask(head + "  %y = tw.silu %h : (t|" + tail).labels == "tensor tuple");
  CHECK(ask(head + "  %y = tw.silu %h : (tensor<4x6xb|" + tail).labels ==
        "bf16");
  CHECK(ask(head + "  %y = tw.silu %h : (tensor<4x6xb|" + tail).word == "b");
  CHECK(ask(head + "  %y = tw.silu %h : (tensor<?xf|" + tail).labels ==
        "f32 f16 f64 f8E4M3FN f8E5M2");
  CHECK(has(ask("func.func @g(%a: |"), "tensor"));
  CHECK(has(ask("func.func @g(%a: tensor<4xf32>,\n     %b: |"), "tensor"));
  Asked attribute = ask(head + "  %y = tw.softmax %h {ax|" + tail);
  REQUIRE(attribute.labels == "axis");
  CHECK(attribute.completion.items[0].insert == "axis = $0");
  CHECK(has(ask(head + "  %y = tw.reduce %h {kind = sum, |" + tail), "axes"));
  // Values of attributes are not guessed.
  CHECK(ask(head + "  %y = tw.softmax %h {axis = |" + tail).labels.empty());
}

TEST_CASE("functions and aliases by their signs") {
  CHECK(ask(head + "  %y = func.call @|" + tail).labels == "@f @other");
  CHECK(ask(head + "  %y = func.call @o|" + tail).labels == "@other");
  CHECK(ask("!t = tensor<4xf32>\nfunc.func @g(%a: |").labels.ends_with(" !t"));
  CHECK(ask("!t = tensor<4xf32>\n!u = i1\nfunc.func @g(%a: !|")
            .labels.starts_with("!t !u "));
  CHECK(ask("!t = tensor<4xf32>\nfunc.func @g(%a: !t|")
            .completion.items[0]
            .detail.find("tensor<4xf32>") != std::string::npos);
}

TEST_CASE("nothing is proposed in comments and strings") {
  for (const char *line :
       {"  // tw.|", "  %y = tw.silu %h // %|", "  %y = \"tw.|",
        "  %y = tw.silu %h {note = \"tw.|\"}"}) {
    INFO(line);
    CHECK(ask(head + line + tail).labels.empty());
  }
}

TEST_CASE("every place of a text can be asked about") {
  const std::string text = "!t = tensor<4xf32>\n" + head +
                           "  %y = tw.softmax %h {axis = -1} : "
                           "(tensor<4x6xf32>) -> tensor<4x6xf32> // so\n  \"a" +
                           tail + "\xF0\x9F\x98\x80 }}}>>>)))";
  auto source = readText(text);
  for (int64_t at = -2; at <= int64_t(text.size()) + 2; ++at) {
    Completion completion = completeAt(*source, at);
    CHECK(completion.range.begin <= completion.range.end);
    CHECK(completion.range.end <= int64_t(text.size()));
  }
  CHECK(completeAt(*readText(""), 0).range == model::TextRange{0, 0});
}

TEST_CASE("attributes have their values") {
  CHECK(ask(head + "  %y = tw.reduce %h {kind = |" + tail).labels ==
        "sum mean max min prod");
  CHECK(
      ask(head + "  %y = tw.reduce %h {axes = [0], kind = m|" + tail).labels ==
      "mean max min");
  CHECK(ask(head + "  %y = tw.reduce %h {kind = sum, axes = m|" + tail)
            .labels.empty());
  Asked kind = ask(head + "  %y = tw.reduce %h {ki|" + tail);
  REQUIRE(kind.labels == "kind");
  CHECK(kind.completion.items[0].insert ==
        "kind = ${1|sum,mean,max,min,prod|}");
  CHECK(kind.completion.items[0].documentation == "what a reduction computes");
  Asked unit = ask(head + "  %y = tw.matmul %x, %w {transpose_r|" + tail);
  REQUIRE(unit.labels == "transpose_rhs");
  CHECK(unit.completion.items[0].insert == "transpose_rhs");
  // Some stand before the operands.
  CHECK(ask(head + "  %y = arith.cmpi s|" + tail).labels == "slt sle sgt sge");
  CHECK(ask(head + "  %y = arith.cmpi slt, %x, s|" + tail).labels.empty());
}

TEST_CASE("operations come with places to fill in, colons with types") {
  Asked asked = ask(head + "  %y = tw.softma|" + tail);
  REQUIRE(asked.labels == "tw.softmax");
  CHECK(asked.completion.items[0].insert ==
        "tw.softmax ${1:%input} : (${2:types}) -> ${3:type}$0");
  asked = ask(head + "  tw.compar|" + tail);
  REQUIRE(asked.labels == "tw.compare");
  CHECK(asked.completion.items[0].insert ==
        "%${1:name} = tw.compare ${2:%lhs}, ${3:%rhs} {predicate = "
        "${4|eq,ne,lt,le,gt,ge|}} : (${5:types}) -> ${6:type}$0");
  asked = ask(head + "  %y = tw.matmul %x, %w : |" + tail);
  REQUIRE(!asked.completion.items.empty());
  CHECK(asked.completion.items[0].label ==
        "(tensor<4x8xf32>, tensor<8x6xf32>) -> ");
  // Not of what has no type yet.
  asked = ask(head + "  %y = tw.matmul %x, %none : |" + tail);
  CHECK(asked.completion.items[0].label == "f32");
}

TEST_CASE("types and attributes of dialects are proposed by their signs") {
  CHECK(has(ask("func.func @g(%a: !|"), "!llvm.ptr"));
  Asked pointer = ask(head + "  %y = \"a.b\"(%h) : (!llvm.p|" + tail);
  CHECK(pointer.labels == "!llvm.ptr");
  CHECK(pointer.word == "!llvm.p");
  CHECK(pointer.completion.items[0].kind == "type");
  Asked kind = ask(head + "  %y = tw.softmax %h {note = #tile.l|" + tail);
  CHECK(kind.labels == "#tile.layout");
  CHECK(kind.completion.items[0].kind == "attribute");
  CHECK(has(ask(head + "  %y = arith.addf %h, %h {note = #arith.|" + tail),
            "#arith.fastmath"));
  // A type has no place where an attribute is written, nor the other way round.
  CHECK_FALSE(has(ask("func.func @g(%a: #|"), "!llvm.ptr"));
}

TEST_CASE("types of upstream dialects stand where types do") {
  for (const char *name : {"memref", "vector", "tensor", "index", "none"}) {
    INFO(name);
    CHECK(has(ask(head + "  %y = arith.addf %h, %h : |" + tail), name));
    CHECK(has(ask(head + "  %y = arith.addf %h, %h : " +
                  std::string(name).substr(0, 2) + "|" + tail),
              name));
  }
  Asked made = ask(head + "  %y = memref.alloc() : mem|" + tail);
  REQUIRE(made.labels == "memref");
  CHECK(made.completion.items[0].insert == "memref<${1:128x256}x${2:f32}>");
  // An element is none of those.
  CHECK_FALSE(
      has(ask(head + "  %y = tw.silu %h : (tensor<4x|" + tail), "tensor"));
}

TEST_CASE("what is enumerated is proposed in every dialect, once") {
  CHECK(ask(head + "  %y = arith.addf %h, %h fastmath<n|" + tail).labels ==
        "none nnan ninf nsz");
  CHECK(ask(head + "  %y = arith.addi %h, %h overflow<|" + tail).labels ==
        "none nsw nuw");
  CHECK(ask(head + "  block.unary s|" + tail).labels.starts_with("sqrt"));
  CHECK(ask(head + "  %y = tw.reduce %h {kind = sum, k|" + tail)
            .labels.find("kind") == std::string::npos);
  CHECK(has(ask(head + "  %y = tw.reduce %h {axes = [0], k|" + tail), "kind"));
}
