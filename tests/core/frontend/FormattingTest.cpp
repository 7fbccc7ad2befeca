//===- FormattingTest.cpp - laid out anew, a text means the same ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/Formatting.h"
#include "ReadText.h"
#include "core/frontend/SourceLexer.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

using namespace tilewright;
using namespace tilewright::frontend;

namespace {

std::string applied(const std::string &text,
                    const std::vector<TextEdit> &edits) {
  std::string result;
  int64_t at = 0;
  for (const TextEdit &edit : edits) {
    REQUIRE(edit.begin >= at);
    REQUIRE(edit.end >= edit.begin);
    result += text.substr(size_t(at), size_t(edit.begin - at)) + edit.text;
    at = edit.end;
  }
  return result + text.substr(size_t(at));
}

std::string formatted(const std::string &text, FormatOptions options = {}) {
  auto source = readText(text);
  return applied(text, formattingEdits(*source, options));
}

/// All that is no blank, comments included: tokens with what parts them.
std::string wordsOf(const std::string &text) {
  std::string words;
  SourceLexer lexer(text);
  uint32_t at = 0;
  for (Token token = lexer.next(); true; token = lexer.next()) {
    // In the gap there are comments only, or a byte order mark.
    for (; at < token.begin; ++at)
      if (!isspace(uint8_t(text[at])))
        words += text[at];
    if (token.kind == TokenKind::End)
      return words;
    words += '\n' + std::string(lexer.textOf(token)) + '\n';
    at = token.end;
  }
}

/// The operations without their places; empty if it cannot be parsed.
std::string meaningOf(const std::string &text) {
  mlir::MLIRContext &context = testContext();
  mlir::ScopedDiagnosticHandler quiet(
      &context, [](mlir::Diagnostic &) { return mlir::success(); });
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      text, mlir::ParserConfig(&context, /*verifyAfterParse=*/false));
  if (!module)
    return {};
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  module->print(
      stream,
      mlir::OpPrintingFlags().printGenericOpForm().elideLargeResourceString(
          64));
  return printed;
}

void checkText(const std::string &text, int64_t &understood) {
  std::string after = formatted(text);
  CHECK(wordsOf(after) == wordsOf(text));
  CHECK(formatted(after) == after);
  std::string meaning = meaningOf(text);
  CHECK(meaningOf(after) == meaning);
  understood += !meaning.empty();
}

} // namespace

TEST_CASE("formatting keeps the meaning and the comments of every text") {
  int64_t files = 0, understood = 0;
  for (const char *folder : {"/resources/examples", "/tests/lit"})
    for (const auto &entry : std::filesystem::recursive_directory_iterator(
             std::string(TILEWRIGHT_SOURCE_DIR) + folder)) {
      if (entry.path().extension() != ".mlir")
        continue;
      INFO(entry.path());
      std::ifstream stream(entry.path());
      std::stringstream text;
      text << stream.rdbuf();
      std::string all = text.str();
      ++files;
      // Files of several texts.
      for (size_t at = 0; at < all.size();) {
        size_t end = std::min(all.find("// -----\n", at), all.size());
        checkText(all.substr(at, end - at), understood);
        at = end + 9;
      }
    }
  CHECK(files > 50);
  CHECK(understood > 50);
}

TEST_CASE("examples are laid out already") {
  for (const auto &entry : std::filesystem::directory_iterator(
           std::string(TILEWRIGHT_SOURCE_DIR) + "/resources/examples")) {
    if (entry.path().extension() != ".mlir")
      continue;
    INFO(entry.path());
    std::ifstream stream(entry.path());
    std::stringstream text;
    text << stream.rdbuf();
    CHECK(formatted(text.str()) == text.str());
  }
}

TEST_CASE("blanks that mean something stay") {
  // The operation and its attribute are of no dialect that is known, so that
  // the function cannot be read, and its lines stay.
  const std::string text =
      "#m = affine_map<(d0,  d1)[s0]->(d0 , d1)>\n"
      "#s = affine_set<(d0) : (d0  >=  0, 5-d0>=0)>\n"
      "func.func @f(%x: tensor<4x8xf32>,%n: index) -> index {\n"
      "    %a:2 = \"t.two\"(%x){  k = #t.kept<a ,  b>,s=\"a ,  b\"} : "
      "(tensor<4x8xf32>) -> (index,index)\n"
      "    affine.if #s(%n) {\n"
      "    %c = arith.cmpi   slt, %a#1, %n : index }\n"
      "    return %a#0 : index\n"
      "}\n";
  CHECK(formatted(text) ==
        "#m = affine_map<(d0,  d1)[s0]->(d0 , d1)>\n"
        "#s = affine_set<(d0) : (d0  >=  0, 5-d0>=0)>\n"
        "func.func @f(%x: tensor<4x8xf32>, %n: index) -> index {\n"
        "  %a:2 = \"t.two\"(%x) { k = #t.kept<a ,  b>, s = \"a ,  b\"} : "
        "(tensor<4x8xf32>) -> (index, index)\n"
        "  affine.if #s(%n) {\n"
        "    %c = arith.cmpi slt, %a#1, %n : index }\n"
        "  return %a#0 : index\n"
        "}\n");
}

TEST_CASE("regions, blocks, modules and resources") {
  const std::string text = "module @m {\n"
                           "func.func @f(%p: i1, %n: index) -> index {\n"
                           "cf.cond_br %p,^a,^b(%n : index)\n"
                           "^a:\n"
                           "cf.br ^b(%n:index)\n"
                           "      ^b(%r: index): // the end\n"
                           "%k = scf.if %p ->(index) { scf.yield %r : index } "
                           "else { scf.yield %n : index }\n"
                           "return %k : index\n"
                           "}\n"
                           "\n\n\n"
                           "  }\n"
                           "{-#\n  dialect_resources: {\n    builtin: {  }\n"
                           "  }\n#-}\n";
  CHECK(formatted(text) ==
        "module @m {\n"
        "  func.func @f(%p: i1, %n: index) -> index {\n"
        "    cf.cond_br %p, ^a, ^b(%n : index)\n"
        "  ^a:\n"
        "    cf.br ^b(%n:index)\n"
        "  ^b(%r: index): // the end\n"
        "    %k = scf.if %p -> (index) {\n"
        "      scf.yield %r : index\n"
        "    } else {\n"
        "      scf.yield %n : index\n"
        "    }\n"
        "    return %k : index\n"
        "  }\n"
        "\n"
        "}\n"
        "{-#\n  dialect_resources: {\n    builtin: {  }\n  }\n#-}\n");
}

TEST_CASE("mutilated texts keep every word, and formatting comes to an end") {
  const std::string text =
      "#m = affine_map<(d0) -> (d0)> // kept\n"
      "func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {\n"
      "  // one\n  %a = tw.softmax %x {axis = -1} : (tensor<4x8xf32>) -> "
      "tensor<4x8xf32>\n"
      "  %b = scf.for %i = %l to %u step %s iter_args(%c = %a) -> "
      "(tensor<4x8xf32>) {\n    scf.yield %c : tensor<4x8xf32>\n  }\n"
      "  return %a : tensor<4x8xf32>\n}\nfunc.func private @g()\n";
  std::mt19937 random(7);
  const std::string pieces[] = {"{",  "}",        "(", ")", "\"", "\n",
                                "//", "<",        ">", ",", "=",  "->",
                                "\r", "\xC3\xA9", "%", "  "};
  for (int round = 0; round < 400; ++round) {
    std::string broken = text;
    for (int edits = int(random() % 4) + 1; edits > 0; --edits) {
      size_t at = random() % broken.size();
      if (random() % 2)
        broken.erase(at, random() % 6);
      else
        broken.insert(at, pieces[random() % std::size(pieces)]);
    }
    INFO(broken);
    std::string after = formatted(broken);
    REQUIRE(wordsOf(after) == wordsOf(broken));
    REQUIRE(formatted(after) == after);
  }
}

TEST_CASE("a range gets the edits of the whole that touch its lines") {
  const std::string text =
      "func.func @f(%x: tensor<4xf32>,\n   %y: index) -> index {\n"
      "%a   = arith.addi %y,%y : index\n\n\n      %b = arith.muli %a ,\n"
      "        %y : index\n   // kept\n return   %b : index }\n"
      "func.func @g(){\nreturn\n}\n";
  auto source = readText(text);
  auto all = formattingEdits(*source, {});
  REQUIRE(all.size() > 8);
  for (int64_t begin = 0; begin < int64_t(text.size()); begin += 5)
    for (int64_t end = begin; end <= int64_t(text.size()); end += 9) {
      int64_t first = begin == 0 ? -1 : int64_t(text.rfind('\n', begin - 1));
      int64_t last = int64_t(std::min(text.find('\n', end), text.size()));
      std::vector<std::pair<int64_t, std::string>> expected, found;
      for (const TextEdit &edit : all)
        if (edit.begin <= last && edit.end >= std::max<int64_t>(first, 0))
          expected.push_back({edit.begin, edit.text});
      for (const TextEdit &edit :
           formattingEdits(*source, {}, model::TextRange{begin, end}))
        found.push_back({edit.begin, edit.text});
      CHECK(found == expected);
    }
}
