// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/core/frontend/ReadText.h"
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

using namespace tilewright;
using namespace tilewright::frontend;

static const char *const twoFunctions = R"(!t = tensor<4x8xf32>
func.func @callee(%x: !t) -> !t {
  %y = arith.addf %x, %x : !t
  return %y : !t
}

func.func @caller(%p: !t) -> !t {
  %r = func.call @callee(%p) : (!t) -> !t
  return %r : !t
}
)";

static int64_t find(const SourceSnapshot &source, const char *word, int n = 0) {
  size_t at = source.text.find(word);
  while (n-- > 0)
    at = source.text.find(word, at + 1);
  REQUIRE(at != std::string::npos);
  return int64_t(at);
}

TEST_CASE("definition of values, functions and aliases") {
  auto source = readText(twoFunctions);
  REQUIRE(source->diagnostics.empty());
  auto ranges = source->definition(find(*source, "%x", 1));
  REQUIRE(ranges.size() == 1);
  CHECK(ranges[0].begin == find(*source, "%x"));
  ranges = source->definition(find(*source, "@callee", 1) + 3);
  REQUIRE(ranges.size() == 1);
  CHECK(ranges[0].begin == find(*source, "@callee"));
  ranges = source->definition(find(*source, "!t", 3) + 1);
  REQUIRE(ranges.size() == 1);
  CHECK(ranges[0] == model::TextRange{0, 2});
  CHECK(source->references(find(*source, "%x")).size() == 3);
  CHECK(source->references(find(*source, "@callee")).size() == 2);
  CHECK(source->definition(5000).empty());
  CHECK(source->definition(-1).empty());
}

TEST_CASE("hover names types, key and what the operation does") {
  auto source = readText(twoFunctions);
  auto hover = source->hover(find(*source, "%y"));
  REQUIRE(hover);
  CHECK(hover->markdown.find("%y: tensor<4x8xf32>") != std::string::npos);
  CHECK(hover->markdown.find("`callee/y`") != std::string::npos);
  CHECK(textAt(*source, hover->range) == "%y");
  hover = source->hover(find(*source, "arith.addf") + 2);
  REQUIRE(hover);
  CHECK(textAt(*source, hover->range) == "arith.addf");
  // From the operation's definition.
  CHECK(hover->markdown.find("Floating point addition") != std::string::npos);
  // For people, not for people who write dialects.
  CHECK(hover->markdown.find("Traits:") == std::string::npos);
  CHECK(hover->markdown.find("operation ::=") == std::string::npos);
  CHECK_FALSE(source->hover(find(*source, "\n\n") + 1));
  hover = source->hover(find(*source, "!t", 2));
  REQUIRE(hover);
  CHECK(hover->markdown.find("!t = tensor<4x8xf32>") != std::string::npos);
}

TEST_CASE("symbols nest as the text does") {
  auto symbols = readText(twoFunctions)->symbols();
  REQUIRE(symbols.size() == 2);
  CHECK(symbols[0].name == "callee");
  CHECK(symbols[0].kind == "function");
  REQUIRE(symbols[0].children.size() == 2);
  CHECK(symbols[0].children[0].name == "%x");
  CHECK(symbols[0].children[0].kind == "argument");
  CHECK(symbols[0].children[1].name == "%y");
  CHECK(symbols[0].children[1].detail == "arith.addf : tensor<4x8xf32>");
}

TEST_CASE("edits re-read only what changed") {
  SourceContext context;
  SourceDocument document("file:///d.mlir", 1, twoFunctions);
  auto first = document.read(context, nullptr);
  CHECK(document.read(context, nullptr) == first);
  int64_t at = find(*first, "addf");
  REQUIRE_FALSE(document.edit(2, {{at, at + 4, "mulf"}}));
  auto second = document.read(context, nullptr);
  CHECK(second->version == 2);
  CHECK(second->diagnostics.empty());
  CHECK(second->chunks[0] != first->chunks[0]);
  CHECK(second->chunks[1] == first->chunks[1]);
  // A line above moves everything and re-reads nothing.
  REQUIRE_FALSE(document.edit(3, {{0, 0, "// new\n"}}));
  auto third = document.read(context, nullptr);
  CHECK(third->chunks == second->chunks);
  CHECK(third->keyAt(find(*third, "%y"))->range.begin == find(*third, "%y"));
  // An alias is part of what was read.
  at = find(*third, "8xf32");
  REQUIRE_FALSE(document.edit(4, {{at, at + 1, "9"}}));
  auto fourth = document.read(context, nullptr);
  CHECK(fourth->chunks[0] != third->chunks[0]);
  CHECK(fourth->hover(find(*fourth, "%y"))->markdown.find("4x9") !=
        std::string::npos);
}

TEST_CASE("an edit out of range is refused as a whole") {
  SourceDocument document("file:///d.mlir", 1, "abc");
  auto error = document.edit(2, {{0, 1, "x"}, {2, 9, ""}});
  REQUIRE(error);
  CHECK(error->code == "TW0017");
  CHECK(*document.text() == "abc");
  CHECK(document.version() == 1);
  REQUIRE_FALSE(document.edit(2, {{0, 1, "xy"}, {3, 4, "z"}}));
  CHECK(*document.text() == "xybz");
}

TEST_CASE("several errors of one function are all reported") {
  auto source = readText(R"(func.func @f(%x: f32) -> f32 {
  %a = arith.adf %x, %x : f32
  %b = arith.addf %x %x : f32
  %c = arith.addf %x, %x : f33
  %d = arith.mulf %a, %x : f32
  %e = arith.mulf %x, %nope : f32
  return %e : f32
}
)");
  CHECK(codesOf(*source) == "TW0020 TW0001 TW0001 TW0021");
  CHECK(textAt(*source, source->diagnostics[0].range) == "arith.adf");
  CHECK(source->diagnostics[0].hint == "did you mean 'arith.addf'?");
  CHECK(textAt(*source, source->diagnostics[3].range) == "%nope");
  // What does parse is known all the same.
  CHECK(source->hover(find(*source, "%d")));
  CHECK(keyAtWord(*source, "%d") == "f/d");
  CHECK(source->symbols().size() >= 1);
}

TEST_CASE("several type errors of one function are all reported") {
  auto source = readText(R"(func.func @f(%x: tensor<4xf32>, %i: i32) -> f32 {
  %a = tensor.extract %x[] : tensor<4xf32>
  %b = "arith.addf"(%i, %i) : (i32, i32) -> i32
  return %a : f32
}
)");
  CHECK(codesOf(*source) == "TW0101 TW0101");
  CHECK(source->diagnostics[0].key == "f/a");
  CHECK(textAt(*source, source->diagnostics[1].range) == "\"arith.addf\"");
  CHECK_FALSE(buildModule(*source, testContext(), nullptr).module);
}

TEST_CASE("errors between functions") {
  auto source =
      readText("func.func @a() { return }\nfunc.func @a() { return }\n"
               "func.func @c() {\n  func.call @gone() : () -> ()\n"
               "  return\n}\n");
  CHECK(codesOf(*source) == "TW0014 TW0113");
}

TEST_CASE("a broken function leaves the others alone") {
  std::string text = twoFunctions;
  text.replace(text.find("return %y"), 9, "retrun %y");
  auto source = readText(text);
  CHECK(codesOf(*source).rfind("TW0020", 0) == 0);
  CHECK(source->chunks[1]->complete);
  CHECK(source->hover(find(*source, "%r")));
}

TEST_CASE("reading can be cancelled") {
  std::atomic<bool> cancel = true;
  SourceContext context;
  SourceDocument document("file:///d.mlir", 1, twoFunctions);
  CHECK(document.read(context, &cancel)->cancelled);
  cancel = false;
  CHECK_FALSE(document.read(context, &cancel)->cancelled);
}

TEST_CASE("a text sent again under the same version is read again") {
  SourceContext context;
  SourceDocument document("file:///t.mlir", 1, twoFunctions);
  CHECK(document.read(context, nullptr)->text == twoFunctions);
  document.replace(1, "func.func private @other()\n");
  auto source = document.read(context, nullptr);
  CHECK(source->text == "func.func private @other()\n");
  REQUIRE(source->symbols().size() == 1);
  CHECK(document.read(context, nullptr) == source);
  REQUIRE_FALSE(document.edit(1, {{18, 24, "@again"}}));
  CHECK(document.read(context, nullptr)->symbols().at(0).name == "again");
}

/// A function of `lines` additions, each of the one before.
static std::string longFunction(int lines) {
  std::string text = "func.func @long(%v0: f32) -> f32 {\n";
  for (int i = 1; i <= lines; ++i)
    text += "  %v" + std::to_string(i) + " = arith.addf %v" +
            std::to_string(i - 1) + ", %v0 : f32\n";
  return text + "  return %v" + std::to_string(lines) + " : f32\n}\n";
}

TEST_CASE("a cancelled glance does not wait for another's first reading") {
  SourceContext context;
  SourceDocument document("file:///d.mlir", 1, longFunction(60000));
  std::atomic<bool> begun = false, done = false;
  std::thread other([&] {
    begun = true;
    document.glance(context, nullptr);
    done = true;
  });
  while (!begun)
    std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  std::atomic<bool> cancel = true;
  CHECK(document.glance(context, &cancel)->cancelled);
  CHECK_FALSE(done);
  other.join();
}

TEST_CASE("a glance at a large function shows what was known, in its place") {
  SourceContext context;
  SourceDocument document("file:///d.mlir", 1,
                          longFunction(5000) + twoFunctions);
  auto first = document.glance(context, nullptr);
  CHECK(first == document.read(context, nullptr));
  int64_t at = find(*first, "  %v2 =");
  REQUIRE_FALSE(document.edit(2, {{at, at, "  %half = arith.\n"}}));
  auto glanced = document.glance(context, nullptr);
  CHECK(glanced->version == 2);
  CHECK(glanced->text == *document.text());
  CHECK(glanced->chunks[0]->moved);
  CHECK(glanced->chunks[1] == first->chunks[1]);
  CHECK(document.glance(context, nullptr) == glanced);
  for (const char *word : {"%v1 =", "%v4000 =", "%r ="}) {
    INFO(word);
    int64_t now = find(*glanced, word);
    auto hover = glanced->hover(now);
    REQUIRE(hover);
    CHECK(hover->range.begin == now);
    CHECK(hover->markdown == first->hover(find(*first, word))->markdown);
    CHECK(glanced->keyAt(now)->keys == first->keyAt(find(*first, word))->keys);
  }
  int64_t use = find(*glanced, "%v3999, %v0");
  CHECK(glanced->definition(use).front().begin == find(*glanced, "%v3999 ="));
  // A name typed on is the one it was.
  at = find(*glanced, "%v4500 =") + 2;
  REQUIRE_FALSE(document.edit(3, {{at, at, "x"}}));
  glanced = document.glance(context, nullptr);
  CHECK(glanced->definition(find(*glanced, "%v4500, %v0")).front().begin ==
        at - 2);
  // Once it is read it is as read.
  auto read = document.read(context, nullptr);
  CHECK(read->hasErrors());
  CHECK_FALSE(read->chunks[0]->moved);
  CHECK(document.glance(context, nullptr) == read);
}

TEST_CASE("a glance at a small function reads it") {
  SourceContext context;
  SourceDocument document("file:///d.mlir", 1,
                          longFunction(20000) + twoFunctions);
  auto first = document.read(context, nullptr);
  int64_t at = find(*first, "addf %x");
  REQUIRE_FALSE(document.edit(2, {{at, at + 4, "subf"}}));
  auto glanced = document.glance(context, nullptr);
  CHECK_FALSE(glanced->chunks[0]->moved);
  CHECK(glanced->hover(find(*glanced, "subf"))->markdown.find("arith.subf") !=
        std::string::npos);
  CHECK(document.read(context, nullptr) == glanced);
}

TEST_CASE("several who want a text wait for one reading") {
  SourceContext context;
  SourceDocument document("file:///d.mlir", 1, longFunction(20000));
  std::vector<std::shared_ptr<const SourceSnapshot>> got(4);
  std::vector<std::thread> threads;
  for (auto &each : got)
    threads.emplace_back([&] { each = document.read(context, nullptr); });
  // One who does not want it any more need not wait.
  std::atomic<bool> cancel = true;
  CHECK(document.read(context, &cancel)->cancelled);
  for (std::thread &thread : threads)
    thread.join();
  for (auto &each : got)
    CHECK(each == got.front());
}

TEST_CASE("what was read before an edit broke it off is not read again") {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    std::string function = longFunction(1000);
    text +=
        function.replace(function.find("@long"), 5, "@f" + std::to_string(i));
  }
  SourceContext context;
  SourceDocument document("file:///d.mlir", 1, text);
  std::shared_ptr<const SourceSnapshot> got;
  std::thread reader([&] { got = document.read(context, nullptr); });
  for (int version = 2; version < 30; ++version) {
    REQUIRE_FALSE(document.edit(version, {{0, 0, "// more\n"}}));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  reader.join();
  auto last = document.read(context, nullptr);
  CHECK(last->version == 29);
  CHECK_FALSE(last->cancelled);
  CHECK(last->diagnostics.empty());
  for (const auto &chunk : last->chunks)
    CHECK(chunk);
  CHECK(document.read(context, nullptr) == last);
}
