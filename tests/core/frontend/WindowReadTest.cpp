// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A few lines parsed alone tell what the whole function tells.
#include "core/frontend/WindowRead.h"
#include "tests/core/frontend/ReadText.h"
#include <catch2/catch.hpp>
#include <random>

using namespace tilewright;
using namespace tilewright::frontend;

namespace {

using Lines = std::vector<std::string>;

std::string joined(const Lines &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

/// A function with loops, calls, operations without names and such of several
/// results and lines.
Lines function(std::mt19937 &random, int operations) {
  Lines lines = {
      "func.func @f(%a: i32, %b: i32, %m: memref<64xi32>, %c: i1) "
      "-> i32 {",
      "  %c0 = arith.constant 0 : index", "  %c8 = arith.constant 8 : index",
      "  %c1 = arith.constant 1 : index", "  %v0 = arith.addi %a, %b : i32"};
  for (int i = 1; i < operations; ++i) {
    std::string now = "%v" + std::to_string(i);
    std::string last = "%v" + std::to_string(i - 1);
    std::string older = "%v" + std::to_string(random() % unsigned(i));
    switch (random() % 10) {
    case 0:
      for (const std::string &line :
           {"  " + now + " = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = " +
                last + ") -> (i32) {",
            std::string("    %l = memref.load %m[%i] : memref<64xi32>"),
            std::string("    %t = arith.addi %s, %l : i32"),
            "    %u = arith.subi %t, " + older + " : i32",
            std::string("    %w = arith.muli %u, %t : i32"),
            std::string("    scf.yield %w : i32"), std::string("  }")})
        lines.push_back(line);
      break;
    case 1:
      lines.push_back("  memref.store " + last + ", %m[%c0] : memref<64xi32>");
      lines.push_back("  " + now + " = arith.constant 1234 : i32");
      break;
    case 2:
      lines.push_back("  " + now + ", " + now + "_p = arith.addui_extended " +
                      last + ", " + older + " : i32, i1");
      break;
    case 3:
      lines.push_back("  " + now + " = func.call @f(" + last + ", " + older +
                      ",");
      lines.push_back(
          "    %m, %c) : (i32, i32, memref<64xi32>, i1) -> i32 // a call");
      break;
    case 4:
      lines.push_back("  " + now + " = arith.select %c, " + last + ", " +
                      older + " {k = \"a = %b\"} : i32");
      break;
    default:
      lines.push_back("  " + now + " = arith." +
                      (random() % 2 ? "addi " : "muli ") + last + ", " + older +
                      " : i32");
    }
  }
  lines.push_back("  return %v" + std::to_string(operations - 1) + " : i32");
  lines.push_back("}");
  return lines;
}

std::string told(const model::Diagnostic &diagnostic) {
  std::string text =
      diagnostic.code + " " + std::to_string(diagnostic.range.begin) + "-" +
      std::to_string(diagnostic.range.end) + " " + diagnostic.message + " (" +
      diagnostic.hint + ") " + diagnostic.key;
  for (const model::RelatedInformation &related : diagnostic.related)
    text += "\n  " + std::to_string(related.range.begin) + "-" +
            std::to_string(related.range.end) + " " + related.message;
  return text;
}

Lines diagnosticsOf(const ParsedChunk &chunk) {
  Lines all;
  for (const model::Diagnostic &diagnostic : chunk.diagnostics)
    all.push_back(told(diagnostic));
  return all;
}

std::string place(ChunkRange range) {
  return std::to_string(range.begin) + "-" + std::to_string(range.end) + " ";
}

/// Everything in the tables, as text.
Lines contents(const ParsedChunk &chunk) {
  Lines all;
  for (const ParsedOperation &op : chunk.operations)
    all.push_back("op " + place(op.range) + place(op.nameRange) +
                  chunk.names[op.name] + " " + op.symbol + " " + op.key);
  for (const ParsedValue &value : chunk.values) {
    all.push_back("value " + place(value.definition) +
                  std::to_string(value.operation) + " " +
                  std::to_string(value.firstResult) + " " + value.key);
    for (uint32_t r = 0; r < value.count; ++r)
      all.back() += " " + chunk.typeOf(value, r);
  }
  for (const ParsedReference &reference : chunk.references)
    all.push_back("use " + place(reference.range) +
                  place(chunk.values[reference.value].definition));
  for (const ParsedSymbol &symbol : chunk.symbols)
    all.push_back("symbol " + place(symbol.range) + symbol.name);
  for (const ParsedCall &call : chunk.calls)
    all.push_back("call " + place(call.range) + call.callee + " " + call.type +
                  " " + call.key);
  for (uint32_t definition : chunk.definitions)
    all.push_back("defines " + std::to_string(definition));
  all.push_back(chunk.complete ? "complete" : "wrong");
  return all;
}

/// What an edit makes of one line.
std::string edited(const std::string &line, std::mt19937 &random) {
  auto swapped = [&](const char *from, const char *to) {
    std::string text = line;
    size_t at = text.find(from);
    return at == std::string::npos ? text : text.replace(at, strlen(from), to);
  };
  switch (random() % 12) {
  case 0:
    return swapped("addi", "subi");
  case 1:
    return swapped(": i32", ": i37");
  case 2:
    return swapped("addi", "addq");
  case 3:
    return swapped(", %v", ", %");
  case 4:
    return line.substr(0, line.size() / 2);
  case 5:
    return swapped("1234", "77");
  case 6:
    return swapped("%v1, ", "%v0, ");
  case 7:
    return line + " ";
  case 8:
    return swapped("%v", "%w");
  case 9:
    return swapped(" = ", "  =  ");
  case 10:
    return swapped(": i32", "");
  default: {
    std::string text = line;
    if (!text.empty())
      text.erase(random() % text.size(), 1);
    return text;
  }
  }
}

} // namespace

TEST_CASE("lines read alone tell what the whole function does") {
  SourceLimits limits;
  limits.windowedBytes = 0;
  std::mt19937 random(7);
  int alone = 0, wrong = 0, mended = 0;
  for (int round = 0; round < 12; ++round) {
    Lines lines = function(random, 60);
    ChunkParser parser(testContext(), "t", limits);
    ChunkInput input;
    input.text = joined(lines);
    std::shared_ptr<const ParsedChunk> before = parser.read(input, nullptr);
    REQUIRE(before->complete);
    REQUIRE(before->diagnostics.empty());
    for (int edit = 0; edit < 120; ++edit) {
      Lines other = lines;
      size_t at = 1 + random() % (lines.size() - 2);
      other[at] = edited(lines[at], random);
      input.text = joined(other);
      INFO("line " << at << ": " << lines[at] << " -> " << other[at]);
      auto whole = parser.read(input, nullptr);
      auto window =
          readWindow(testContext(), "t", limits, input, before, nullptr);
      if (window) {
        ++alone;
        CHECK(window->text == input.text);
        CHECK(diagnosticsOf(*window) == diagnosticsOf(*whole));
        CHECK(window->complete == whole->complete);
        if (whole->complete) {
          CHECK(contents(*window) == contents(*whole));
        } else {
          ++wrong;
          CHECK(window->right == before);
          // And back again, from the last right text.
          ChunkInput undone;
          undone.text = joined(lines);
          auto again =
              readWindow(testContext(), "t", limits, undone, window, nullptr);
          if (again) {
            ++mended;
            CHECK(contents(*again) == contents(*before));
          }
        }
      }
      // Every other edit of a right text stays.
      if (whole->complete && edit % 2) {
        lines = other;
        before = window ? window : whole;
      }
    }
  }
  INFO(alone << " alone, " << wrong << " of them wrong, " << mended
             << " mended");
  CHECK(alone > 300);
  CHECK(wrong > 50);
  CHECK(mended == wrong);
}

TEST_CASE("a long function is read by lines, and says the same as anew") {
  std::mt19937 random(3);
  Lines lines = function(random, 400);
  SourceLimits limits;
  limits.windowedBytes = 0;
  std::string uri = "file:///t.mlir";
  auto first = readSource(testContext(), uri, 1, joined(lines), nullptr,
                          nullptr, limits);
  REQUIRE(first->diagnostics.empty());
  size_t at = 0;
  while (lines[at].find("= arith.addi %v") == std::string::npos)
    ++at;
  const std::string right = lines[at];
  lines[at].replace(lines[at].size() - 1, 1, "7"); // i37
  auto broken = readSource(testContext(), uri, 2, joined(lines), first.get(),
                           nullptr, limits);
  auto anew = readSource(testContext(), uri, 2, joined(lines), nullptr, nullptr,
                         limits);
  REQUIRE(broken->diagnostics.size() == anew->diagnostics.size());
  for (size_t i = 0; i < anew->diagnostics.size(); ++i)
    CHECK(told(broken->diagnostics[i]) == told(anew->diagnostics[i]));
  CHECK(broken->chunks[0]->right == first->chunks[0]);
  lines[at] = right;
  auto mended = readSource(testContext(), uri, 3, joined(lines), broken.get(),
                           nullptr, limits);
  CHECK(mended->diagnostics.empty());
  CHECK(contents(*mended->chunks[0]) == contents(*first->chunks[0]));
  CHECK(!mended->chunks[0]->right);
}
