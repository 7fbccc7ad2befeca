// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/frontend/SourceChunks.h"
#include <catch2/catch.hpp>

using namespace tilewright::frontend;

static std::string slice(const std::string &text,
                         tilewright::model::TextRange r) {
  return text.substr(size_t(r.begin), size_t(r.end - r.begin));
}

TEST_CASE("functions and aliases are told apart") {
  std::string text =
      "#m = affine_map<(d0) -> (d0)>\n"
      "!t = tensor<4xf32>\n"
      "// words\n"
      "func.func @a(%x: !t)\n    -> !t\n    attributes {k = 1 : i32} {\n"
      "  return %x : !t\n}\n"
      "func.func private @b(!t)\n"
      "func.func @c() { return } func.func @d() { return }\n";
  SourceLayout layout = splitSource(text);
  CHECK(layout.diagnostics.empty());
  REQUIRE(layout.aliases.size() == 2);
  CHECK(layout.aliases[0].name == "#m");
  CHECK(slice(text, layout.aliases[1].range) == "!t = tensor<4xf32>");
  REQUIRE(layout.chunks.size() == 4);
  CHECK(slice(text, layout.chunks[1].range) == "func.func private @b(!t)");
  CHECK(slice(text, layout.chunks[3].range) == "func.func @d() { return }");
  CHECK(layout.chunks[0].aliases == std::vector<size_t>{1});
  CHECK(layout.chunks[2].aliases.empty());
}

TEST_CASE("modules are entered") {
  std::string text = "module @m attributes {a.b = #x} {\n"
                     "  func.func @a() { return }\n"
                     "  module {\n    func.func @b() { return }\n  }\n"
                     "  func.func @c() { return }\n"
                     "} loc(\"here\")\n#x = 1 : i32\n";
  SourceLayout layout = splitSource(text);
  CHECK(layout.diagnostics.empty());
  REQUIRE(layout.modules.size() == 2);
  CHECK(layout.modules[0].name == "m");
  CHECK(layout.modules[1].parent == 0);
  REQUIRE(layout.chunks.size() == 3);
  CHECK(layout.chunks[0].module == 0);
  CHECK(layout.chunks[1].module == 1);
  CHECK(layout.chunks[2].module == 0);
  // The header's alias comes with every chunk inside.
  CHECK(layout.chunks[1].aliases == std::vector<size_t>{0});
}

TEST_CASE("an unclosed function does not take the next with it") {
  std::string text = "func.func @a() {\n  scf.if %c {\n  return\n}\n"
                     "func.func @b() {\n  return\n}\n";
  SourceLayout layout = splitSource(text);
  REQUIRE(layout.chunks.size() == 2);
  CHECK(layout.chunks[0].unbalanced);
  CHECK_FALSE(layout.chunks[1].unbalanced);
  REQUIRE(layout.diagnostics.size() == 1);
  CHECK(layout.diagnostics[0].code == "TW0006");
  CHECK(slice(text, layout.diagnostics[0].range) == "{");
}

TEST_CASE("an unclosed alias takes nothing with it") {
  for (std::string next : {"func.func @f() {\n  return\n}\n",
                           "#other = dense<1> : tensor<2xi32>\n"}) {
    std::string text = "#open = dense<[1, 2 : tensor<2xi32>\n" + next;
    SourceLayout layout = splitSource(text);
    REQUIRE(layout.diagnostics.size() == 1);
    CHECK(layout.diagnostics[0].code == "TW0006");
    CHECK(layout.diagnostics[0].range.begin == int64_t(text.find('[')));
    REQUIRE(!layout.aliases.empty());
    CHECK(layout.aliases[0].range.end <= int64_t(text.find('\n')));
    CHECK(layout.chunks.size() + layout.aliases.size() == 2);
  }
}

TEST_CASE("a bracket that closes nothing is reported where it stands") {
  std::string text =
      "func.func @a() {\n  return\n}\n}\nfunc.func @b() { return }\n";
  SourceLayout layout = splitSource(text);
  REQUIRE(layout.diagnostics.size() == 1);
  CHECK(layout.diagnostics[0].code == "TW0006");
  CHECK(layout.diagnostics[0].range.begin == int64_t(text.rfind("}\nfunc")));
}

TEST_CASE("aliases that stand on others") {
  std::string text = "!a0 = i32\n!a1 = tuple<!a0, !a0>\n!a2 = tuple<!a1>\n"
                     "func.func private @f(!a2)\n";
  SourceLayout layout = splitSource(text);
  REQUIRE(layout.chunks.size() == 1);
  CHECK(aliasClosure(layout, layout.chunks[0].aliases) ==
        std::vector<size_t>{0, 1, 2});
  SourceLayout self = splitSource("#a = #b\n#b = #a\n");
  REQUIRE(self.diagnostics.size() == 1);
  CHECK(self.diagnostics[0].code == "TW0011");
  CHECK(self.aliases[0].blocked);
  CHECK(self.aliases[1].blocked);
}

TEST_CASE("an alias twice") {
  SourceLayout layout = splitSource("#a = 1 : i32\n#a = 2 : i32\n");
  REQUIRE(layout.diagnostics.size() == 1);
  CHECK(layout.diagnostics[0].code == "TW0019");
}

TEST_CASE("less-than signs are no brackets") {
  SourceLayout layout =
      splitSource("#s = affine_set<(d0) : (d0 >= 0, -d0 + 9 >= 0)>\n"
                  "func.func @f(%a: i32) -> (i32) { return %a : i32 }\n"
                  "func.func @g() { return }\n");
  CHECK(layout.diagnostics.empty());
  CHECK(layout.chunks.size() == 2);
}
