//===- ResplitTest.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/SourceChunks.h"
#include "core/frontend/TextChange.h"
#include "tests/core/frontend/ReadText.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <sstream>

using namespace tilewright;
using namespace tilewright::frontend;

namespace {

/// All of a layout, to compare.
std::string described(const SourceLayout &layout) {
  std::ostringstream out;
  auto range = [](model::TextRange r) {
    return "[" + std::to_string(r.begin) + "," + std::to_string(r.end) + ")";
  };
  for (const AliasSpan &alias : layout.aliases) {
    out << "alias " << alias.name << range(alias.range)
        << range(alias.nameRange) << alias.tokens << " " << alias.writtenOut
        << " " << alias.blocked;
    for (size_t use : alias.uses)
      out << " " << use;
    out << "\n";
  }
  for (const ModuleSpan &module : layout.modules)
    out << "module " << module.name << range(module.header)
        << range(module.nameRange) << module.parent << " " << module.end << " "
        << module.closed << "\n";
  for (const ChunkSpan &chunk : layout.chunks) {
    out << "chunk " << range(chunk.range) << chunk.module << " " << chunk.tokens
        << " " << chunk.blocked << chunk.unbalanced;
    for (size_t use : chunk.aliases)
      out << " " << use;
    out << "\n";
  }
  out << "metadata " << range(layout.metadata) << "\n";
  std::vector<std::string> said;
  for (const model::Diagnostic &diagnostic : layout.diagnostics)
    said.push_back(diagnostic.code + range(diagnostic.range) +
                   diagnostic.message);
  std::sort(said.begin(), said.end());
  for (const std::string &each : said)
    out << each << "\n";
  return out.str();
}

bool anyBlocked(const SourceLayout &layout) {
  for (const AliasSpan &alias : layout.aliases)
    if (alias.blocked)
      return true;
  return false;
}

const char *const texts[] = {
    R"(#m = affine_map<(d0) -> (d0)>
!t = tensor<4xf32>
func.func @a(%x: !t) -> !t {
  %y = "x.y"(%x) {m = #m, s = "a { b"} : (!t) -> !t
  return %y : !t
}
// words { between
func.func private @b(!t) -> !t
func.func @c(%x: !t) -> !t {
  %0 = scf.if %c -> !t {
    scf.yield %x : !t
  } else {
    scf.yield %x : !t
  }
  return %0 : !t
}
#n = affine_map<(d0, d1) -> (d0 + d1 * 2)>
func.func @d() { return } func.func @e() { return }
func.func @f() {
  return
}
)",
    R"(module @m attributes {a.b = #x} {
  func.func @a() { return }
  module {
    func.func @b() {
      return
    }
    func.func @b2() {
      return
    }
  }
  func.func @c() {
    "a.b"() {v = dense_resource<r> : tensor<4xf32>} : () -> ()
    return
  }
  func.func @d() {
    return
  }
} loc("here")
#x = 1 : i32
{-# dialect_resources: { builtin: { r: "0x0400000000" } } #-}
)",
    "func.func @a() {\n  scf.if %c {\n  return\n}\n\nfunc.func @b() {\n"
    "  return\n}\n%0 = \"x.y\"() : () -> i32\n\"a.b\"(%0) : (i32) -> ()\n"};

const std::string pieces[] = {"{",
                              "}",
                              "(",
                              ")",
                              "\n",
                              "x",
                              "%y",
                              "#m",
                              "!t",
                              "\"",
                              "//",
                              " ",
                              "7",
                              "func.func",
                              "func.func @z() {\n  return\n}\n",
                              "module {",
                              "#k = 1 : i32\n",
                              "<",
                              ">",
                              std::string("\0x", 2),
                              "é",
                              "loc(\"q\")",
                              "\nfunc.func @w(",
                              "return\n"};

/// `text` with some of it gone, something put in, or both.
template <typename Below> std::string edited(std::string text, Below &below) {
  size_t begin = below(text.size() + 1);
  size_t end = std::min(text.size(), begin + (below(2) ? below(12) : 0));
  text.replace(begin, end - begin,
               below(4) ? pieces[below(std::size(pieces))] : std::string());
  return text;
}

} // namespace

TEST_CASE("the smallest change between two texts") {
  auto change = changeBetween("abcdef", "abXYef");
  CHECK(change.begin == 2);
  CHECK(change.end == 4);
  change = changeBetween("aaaa", "aaaaa");
  CHECK(change.end - change.begin == 0);
  change = changeBetween("same", "same");
  CHECK(change.begin == 4);
  CHECK(change.end == 4);
  std::string large(100000, 'q'), other = large;
  other.insert(50000, "new");
  other[50003] = 'z';
  change = changeBetween(large, other);
  CHECK(change.begin == 50000);
  CHECK(change.end == 50001);
  CHECK(changeBetween(other, large).end == 50004);
}

TEST_CASE("a text that was edited is cut as if it were new") {
  std::mt19937_64 random(5);
  auto below = [&](size_t n) { return size_t(random() % n); };
  int parts = 0, total = 0;
  for (int round = 0; round < 400; ++round) {
    std::string text = texts[below(std::size(texts))];
    if (below(2))
      text += texts[below(std::size(texts))];
    SourceLayout layout = splitSource(text);
    // A session of edits, each layout made of the one before where it can be.
    for (int edit = 0; edit < 12; ++edit) {
      std::string next = edited(text, below);
      SourceLayout wanted = splitSource(next);
      ++total;
      if (!anyBlocked(layout))
        if (auto part = resplitSource(layout, text, next)) {
          ++parts;
          INFO("before:\n" << text << "\nafter:\n" << next);
          REQUIRE(described(part->layout) == described(wanted));
          // What is taken over is the same text.
          for (size_t i = 0; i < part->first; ++i)
            REQUIRE(layout.chunks[i].range.end == wanted.chunks[i].range.end);
          REQUIRE(layout.chunks.size() - part->oldEnd ==
                  wanted.chunks.size() - part->newEnd);
          for (size_t i = part->oldEnd; i < layout.chunks.size(); ++i) {
            auto was = layout.chunks[i].range;
            auto is = wanted.chunks[i - part->oldEnd + part->newEnd].range;
            REQUIRE(
                text.substr(size_t(was.begin), size_t(was.end - was.begin)) ==
                next.substr(size_t(is.begin), size_t(is.end - is.begin)));
          }
        }
      text = std::move(next);
      layout = std::move(wanted);
    }
  }
  CHECK(parts * 4 > total);
}

TEST_CASE(
    "what is wrong with a text that was edited is what is wrong with it") {
  std::mt19937_64 random(9);
  auto below = [&](size_t n) { return size_t(random() % n); };
  auto told = [](const SourceSnapshot &source) {
    std::vector<std::string> lines;
    for (const model::Diagnostic &each : source.diagnostics)
      lines.push_back(std::to_string(each.range.begin) + " " + each.code + " " +
                      each.message);
    std::sort(lines.begin(), lines.end());
    return lines;
  };
  const std::string uri = "file:///t.mlir";
  for (int round = 0; round < 60; ++round) {
    std::string text = texts[below(std::size(texts))];
    auto read = readSource(testContext(), uri, 1, text, nullptr, nullptr);
    for (int edit = 0; edit < 12; ++edit) {
      std::string next = edited(text, below);
      INFO("before:\n" << text << "\nafter:\n" << next);
      read =
          readSource(testContext(), uri, edit + 2, next, read.get(), nullptr);
      auto anew =
          readSource(testContext(), uri, edit + 2, next, nullptr, nullptr);
      REQUIRE(told(*read) == told(*anew));
      text = std::move(next);
    }
  }
}

TEST_CASE("an edit within a function touches that function only") {
  std::string text, name;
  for (int i = 0; i < 100; ++i)
    text += "func.func @f" + std::to_string(i) + "() {\n  return\n}\n";
  SourceLayout layout = splitSource(text);
  std::string next = text;
  next.insert(next.find("return", next.find("@f50")),
              "\"x.y\"() : () -> ()\n  ");
  auto part = resplitSource(layout, text, next);
  REQUIRE(part);
  CHECK(part->first == 50);
  CHECK(part->oldEnd == 51);
  CHECK(part->newEnd == 51);
  // A bracket that is not closed ends where the next function begins.
  next = text;
  next.insert(next.find("return", next.find("@f50")), "scf.if %c {\n");
  part = resplitSource(layout, text, next);
  REQUIRE(part);
  CHECK(part->oldEnd == 51);
  CHECK(part->layout.chunks[50].unbalanced);
  REQUIRE(part->layout.diagnostics.size() == 1);
  // And is no longer told when it is closed again.
  auto mended = resplitSource(part->layout, next, text);
  REQUIRE(mended);
  CHECK(mended->layout.diagnostics.empty());
}
