// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whatever is in a file: a diagnostic with a code, in bounded time and memory.
#include "core/frontend/ChunkParser.h"
#include "tests/Stopwatch.h"
#include "tests/core/frontend/ReadText.h"
#include <catch2/catch.hpp>
#include <random>
#include <sys/resource.h>

using namespace tilewright;
using namespace tilewright::frontend;

namespace {

long peakMegabytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

/// Reads and asks everything a front may ask.
std::shared_ptr<const SourceSnapshot> readBounded(const std::string &text,
                                                  double seconds = 5) {
  long before = peakMegabytes();
  testing::Stopwatch watch;
  auto source = readText(text);
  for (int64_t at :
       {int64_t(0), int64_t(text.size() / 2), int64_t(text.size())}) {
    source->hover(at);
    source->definition(at);
    source->keyAt(at);
  }
  source->symbols();
  buildModule(*source, testContext(), nullptr);
  CHECK(watch.seconds() < seconds);
  CHECK(peakMegabytes() - before < 1000);
  for (const model::Diagnostic &diagnostic : source->diagnostics) {
    CHECK(diagnostic.code.size() == 6);
    CHECK_FALSE(diagnostic.message.empty());
    CHECK(diagnostic.message.size() < 5000);
    CHECK(diagnostic.range.begin >= 0);
    CHECK(diagnostic.range.begin <= diagnostic.range.end);
    CHECK(diagnostic.range.end <= int64_t(text.size()) + 1);
    CHECK(diagnostic.uri == "file:///t.mlir");
  }
  return source;
}

std::string repeat(const std::string &text, int n) {
  std::string result;
  result.reserve(text.size() * size_t(n));
  for (int i = 0; i < n; ++i)
    result += text;
  return result;
}

bool hasCode(const SourceSnapshot &source, const std::string &code) {
  return codesOf(source).find(code) != std::string::npos;
}

} // namespace

TEST_CASE("empty and blank texts") {
  CHECK(codesOf(*readBounded("")) == "TW0018");
  CHECK(codesOf(*readBounded("\n\n  // words\n")) == "TW0018");
  auto built = buildModule(*readText(""), testContext(), nullptr);
  REQUIRE(built.diagnostics.size() == 1);
  CHECK(built.diagnostics[0].severity == model::Severity::Error);
}

TEST_CASE("random bytes") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::string text(size_t(random() % 3000) + 1, '\0');
    for (char &c : text)
      c = char(random());
    CHECK(readBounded(text)->hasErrors());
  }
}

TEST_CASE("zero bytes") {
  std::string text("func.func @f() {\0 return }\n", 27);
  CHECK(codesOf(*readBounded(text)) == "TW0003");
  std::string comment("// a\0b\nfunc.func @f() { return }\n", 33);
  CHECK(codesOf(*readBounded(comment)) == "TW0003");
}

TEST_CASE("bytes that are not UTF-8") {
  CHECK(
      hasCode(*readBounded("func.func @f() { \xFF\xFE return }\n"), "TW0004"));
  auto name =
      readBounded("func.func @f() {\n  %\xC3\xA9 = arith.constant 1 : i32\n"
                  "  return\n}\n");
  CHECK(hasCode(*name, "TW0004"));
  // In a comment they harm nobody.
  CHECK(codesOf(*readBounded("// \xFF\nfunc.func @f() { return }\n")) == "");
}

TEST_CASE("byte order mark and line ends") {
  auto source =
      readBounded("\xEF\xBB\xBF"
                  "func.func @f() {\r\n  %x = arith.constant 1 : i32\r\n"
                  "  return\r\n}\r\n");
  CHECK(source->diagnostics.empty());
  CHECK(textAt(*source, *source->nameRangeOf("f/x")) == "%x");
}

TEST_CASE("unknown operations and dialects") {
  CHECK(codesOf(*readBounded("func.func @f() {\n  tww.foo\n  return\n}\n")) ==
        "TW0020");
  CHECK(codesOf(*readBounded(
            "func.func @f() {\n  \"nobody.op\"() : () -> ()\n  return\n}\n")) ==
        "TW0020");
}

TEST_CASE("types and shapes that do not fit") {
  CHECK(codesOf(*readBounded(
            "func.func @f(%a: tensor<4xf32>, %b: tensor<5xf32>) {\n"
            "  %c = arith.addf %a, %b : tensor<4xf32>\n  return\n}\n")) ==
        "TW0001");
  CHECK(codesOf(
            *readBounded("func.func @f(%a: tensor<4xf32>) -> tensor<5xf32> {\n"
                         "  return %a : tensor<4xf32>\n}\n")) == "TW0101");
}

TEST_CASE("attributes of another kind") {
  for (const char *attributes :
       {"%x {axis} :", "%x {axis = \"a\"} :", "%x {axis = [1]} :"})
    CHECK(codesOf(*readBounded(
              std::string(
                  "func.func @f(%x: tensor<4x4xf32>) {\n  %y = tw.softmax ") +
              attributes +
              " (tensor<4x4xf32>) -> tensor<4x4xf32>\n  return\n}\n")) ==
          "TW0112");
  CHECK(codesOf(
            *readBounded("func.func @f(%x: tensor<4x4xf32>) {\n"
                         "  %y = \"tw.softmax\"(%x) {axis} : (tensor<4x4xf32>) "
                         "-> tensor<4x4xf32>\n  return\n}\n")) == "TW0001");
}

TEST_CASE("shapes that overflow") {
  CHECK(codesOf(*readBounded(
            "func.func private @f(tensor<99999999999999999999xf32>)\n")) ==
        "TW0001");
  CHECK(codesOf(
            *readBounded("func.func @f(%a: tensor<4294967296x4294967296xf32>) "
                         "{\n  return\n}\n")) == "TW0102");
  CHECK(codesOf(*readBounded(
            "func.func @f(%a: tensor<0x4294967296x4294967296xf32>) {\n  "
            "return\n}\n")) == "");
}

TEST_CASE("5,000 nested regions") {
  std::string text = "func.func @f(%c: i1) {\n" +
                     repeat("scf.if %c {\n", 5000) + repeat("}\n", 5000) +
                     "return\n}\n" + "func.func @g() { return }\n";
  auto source = readBounded(text, 2);
  CHECK(codesOf(*source) == "TW0007");
  CHECK(source->chunks[1]->complete);
  std::string allowed = "func.func @f(%c: i1) {\n" +
                        repeat("scf.if %c {\n", 500) + repeat("}\n", 500) +
                        "return\n}\n";
  CHECK(readBounded(allowed, 2)->diagnostics.empty());
}

TEST_CASE("100,000 nested brackets") {
  for (const char *bracket : {"(", "[", "<", "{"}) {
    auto source =
        readBounded("func.func @f() {\n" + repeat(bracket, 100000), 2);
    CHECK((hasCode(*source, "TW0008") || hasCode(*source, "TW0007")));
  }
  std::string dense = "func.func @f() {\n  %c = arith.constant dense<" +
                      repeat("[", 100000) + "1" + repeat("]", 100000) +
                      "> : tensor<1xi32>\n  return\n}\n";
  CHECK(codesOf(*readBounded(dense, 2)) == "TW0008");
}

TEST_CASE("aliases that would print gigabytes") {
  std::string text = "!a0 = tuple<i32, i32>\n";
  for (int i = 1; i <= 40; ++i)
    text += "!a" + std::to_string(i) + " = tuple<!a" + std::to_string(i - 1) +
            ", !a" + std::to_string(i - 1) + ">\n";
  text += "func.func private @f(!a40)\nfunc.func private @g(!a3)\n";
  auto source = readBounded(text, 2);
  CHECK(codesOf(*source) == "TW0012");
  CHECK(source->chunks[1]->complete);

  std::string chain = "#a0 = 1 : i32\n";
  for (int i = 1; i <= 50000; ++i)
    chain +=
        "#a" + std::to_string(i) + " = [#a" + std::to_string(i - 1) + "]\n";
  CHECK(codesOf(*readBounded(chain, 5)) == "TW0011");
}

TEST_CASE("a 20 MB line") {
  std::string text = "func.func @f() {\n  %c = arith.constant dense<[" +
                     repeat("1, ", 7000000) + "1]> : tensor<7000001xi32>\n" +
                     "  return\n}\n";
  CHECK(codesOf(*readBounded(text)) == "TW0009");
  // Data in hexadecimal may be long.
  std::string hex = "func.func @f() {\n  %c = arith.constant dense<\"0x" +
                    repeat("00000000", 1000000) +
                    "\"> : tensor<1000000xi32>\n  return\n}\n";
  CHECK(codesOf(*readBounded(hex)) == "");
}

TEST_CASE("long expressions") {
  std::string text =
      "#m = affine_map<(d0) -> (d0" + repeat(" + d0", 100000) + ")>\n";
  CHECK(codesOf(*readBounded(text, 2)) == "TW0010");
}

TEST_CASE("text that upstream's parser does not survive") {
  // A value that a later region defines, then an error.
  CHECK(readBounded("func.func @f(%c: i1) {\n"
                    "  scf.if %c { \"arith.foo\"(%z) : (i32) -> () }\n"
                    "  scf.if %c { %z = arith.constant 1 : i32\n    bogus\n")
            ->hasErrors());
  CHECK(codesOf(*readBounded(
            "func.func @f(%n: index) {\n"
            "  affine.for %i = 0 to 10 iter_args(%q = %c0) -> (f32) {\n"
            "    %c0 = arith.constant 0.0 : f32\n"
            "    affine.yield %c0 : f32\n  }\n  return\n}\n")) == "TW0013");
  CHECK(
      codesOf(*readBounded(
          "func.func @f() {\n  %r = scf.while (%x = %y) : (index) -> index {\n"
          "    %t = arith.constant true\n    scf.condition(%t) %x : index\n"
          "  } do {\n  ^bb0(%y: index):\n    scf.yield %y : index\n  }\n"
          "  return\n}\n")) == "TW0013");
  CHECK(codesOf(*readBounded(
            "\"builtin.module\"() ({}, {\n"
            "  \"func.func\"() {x = @t} : () -> () }) : () -> ()\n")) ==
        "TW0016");
}

TEST_CASE("a grid that does not end as grids do") {
  std::string text = "func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
                     "  %y = scf.forall (%i) in (8) shared_outs(%o = %x) -> "
                     "(tensor<8xf32>) {\n"
                     "    %s = tensor.extract_slice %x[%i] [1] [1] : "
                     "tensor<8xf32> to tensor<1xf32>\n"
                     "    scf.forall.in_parallel {\n"
                     "      tensor.parallel_insert_slice %s into %o[%i] [1] "
                     "[1] : tensor<1xf32> into tensor<8xf32>\n"
                     "    }\n  }\n  return %y : tensor<8xf32>\n}\n";
  CHECK(codesOf(*readBounded(text)) == "");
  text.replace(text.find("    scf.forall.in_parallel {"), 28,
               "    return %s : tensor<1xf32>\n    {");
  CHECK(hasCode(*readBounded(text), "TW0022"));
}

TEST_CASE("attributes that MLIR takes on trust") {
  const std::string aliases =
      "#maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, "
      "affine_map<(i) -> ()>]\n#types = [\"reduction\"]\n#one = "
      "\"reduction\"\n#sum = #vector.kind<add>\n#without = {a = 1}\n"
      "#whole = {indexing_maps = #maps, iterator_types = #types, kind = "
      "#sum}\n";
  auto contract = [&](const std::string &attributes) {
    return codesOf(*readBounded(
        aliases +
        "func.func @f(%t: vector<4xf32>, %f: f32) {\n"
        "  %r = vector.contract " +
        attributes +
        " %t, %t, %f : vector<4xf32>, vector<4xf32> into f32\n  return\n}\n"));
  };
  for (const char *right :
       {"#whole", "{indexing_maps = #maps, iterator_types = #types}",
        "{\"iterator_types\" = [#one], \"indexing_maps\" = #maps}",
        "{indexing_maps = #maps, iterator_types = [\"reduction\"], kind = "
        "#vector.kind<mul>}"})
    CHECK(contract(right) == "");
  for (const char *wrong :
       {"#without", "{}", "{s = [\"\"]}", "{indexing_maps = #maps}",
        "{a = {iterator_types = #types}}",
        "{indexing_maps = #maps, iterator_types}",
        "{indexing_maps = #maps, iterator_types = [1]}",
        "{indexing_maps = #maps, iterator_types = [\"reduction\", #maps]}",
        "{indexing_maps = #maps, iterator_types = "
        "[#vector.iterator_type<reduction>]}",
        "{indexing_maps = #maps, iterator_types = #types, kind = 1}",
        "{indexing_maps = #maps, iterator_types = #types, kind}"})
    CHECK(contract(wrong) == "TW0023");

  auto generic = [&](const std::string &types) {
    return codesOf(*readBounded(
        "func.func @f(%t: tensor<4xf32>) {\n  %r = linalg.generic "
        "{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], "
        "iterator_types = " +
        types +
        "} ins(%t : tensor<4xf32>) outs(%t : tensor<4xf32>) {\n"
        "  ^bb0(%a: f32, %b: f32):\n    linalg.yield %a : f32\n"
        "  } -> tensor<4xf32>\n  return\n}\n"));
  };
  CHECK(generic("[\"parallel\"]") == "");
  for (const char *wrong : {"[1]", "[#linalg.iterator_type<parallel>]", "2"})
    CHECK(generic(wrong) == "TW0023");

  auto outer = [&](const std::string &attributes) {
    return codesOf(*readBounded(
        "func.func @f(%a: vector<4xf32>) {\n  %r = vector.outerproduct %a, "
        "%a " +
        attributes + ": vector<4xf32>, vector<4xf32>\n  return\n}\n"));
  };
  CHECK(outer("") == "");
  CHECK(outer("{kind = #vector.kind<add>} ") == "");
  CHECK(outer("{kind = 1} ") == "TW0101");

  auto bits = [&](const std::string &elements) {
    return codesOf(*readBounded("func.func @f(%f: f32) {\n  %r = arith.addf "
                                "%f, %f {n = array<i1: " +
                                elements +
                                ">, k = 1 : i1} : f32\n"
                                "  arith.addf %f, %f : f32\n"
                                "  return\n}\n"));
  };
  CHECK(bits("true, false") == "");
  CHECK(bits("true, 1") == "TW0023");
  CHECK(bits("-1") == "TW0023");
}

TEST_CASE("loops that use a name again are no error") {
  auto source = readBounded(
      "func.func @f(%n: index, %z: f32) {\n"
      "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
      "  scf.for %i = %c0 to %n step %c1 {\n"
      "    %a = scf.for %j = %c0 to %n step %c1 iter_args(%s = %z) -> f32 {\n"
      "      scf.yield %s : f32\n    }\n  }\n"
      "  scf.for %i = %c0 to %n step %c1 {\n"
      "    %a = scf.for %j = %c0 to %n step %c1 iter_args(%s = %z) -> f32 {\n"
      "      scf.yield %s : f32\n    }\n  }\n  return\n}\n");
  CHECK(codesOf(*source) == "");
}

TEST_CASE("half of every prefix") {
  // What a person types passes through all of these.
  std::string text =
      "#m = affine_map<(d0) -> (d0)>\nfunc.func @f(%x: tensor<4xf32>) -> f32 "
      "{\n"
      "  %c = arith.constant 0 : index\n"
      "  %r = scf.if %b -> (f32) {\n    %e = tensor.extract %x[%c] : "
      "tensor<4xf32>\n"
      "    scf.yield %e : f32\n  } else {\n    %d = arith.constant 1.0 : f32\n"
      "    scf.yield %d : f32\n  }\n  return %r : f32\n}\n";
  for (size_t n = 0; n < text.size(); ++n)
    readText(text.substr(0, n));
  CHECK(codesOf(*readText(text)) == "TW0021");
}

TEST_CASE("100,000 lines") {
  std::string text;
  for (int f = 0; f < 100; ++f) {
    text +=
        "func.func @f" + std::to_string(f) +
        "(%x: tensor<16xf32>) -> tensor<16xf32> {\n  %v0 = arith.addf %x, %x : "
        "tensor<16xf32>\n";
    for (int i = 1; i < 1000; ++i)
      text += "  %v" + std::to_string(i) + " = arith.mulf %v" +
              std::to_string(i - 1) + ", %x : tensor<16xf32>\n";
    text += "  return %v999 : tensor<16xf32>\n}\n";
  }
  auto source = readBounded(text, 30);
  CHECK(source->diagnostics.empty());
  // One changed function: the rest is taken over.
  std::string edited = text;
  edited.replace(edited.rfind("arith.mulf"), 10, "arith.addf");
  testing::Stopwatch watch;
  auto again = readText(edited, source.get());
  double took = watch.milliseconds();
  WARN("re-read after one edit of 100,000 lines: " << took << " ms");
  CHECK(took < 1000);
  int shared = 0;
  for (size_t i = 0; i < source->chunks.size(); ++i)
    shared += source->chunks[i] == again->chunks[i];
  CHECK(shared == 99);
}
