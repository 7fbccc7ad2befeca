//===- PinEditTest.cpp - changes to pins files keep the rest --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/PinEdit.h"
#include "core/decision/PinsFile.h"
#include <catch2/catch.hpp>
#include <random>

using namespace tilewright;
using namespace tilewright::decision;

static nlohmann::json words(const char *kind,
                            const std::vector<std::string> &words) {
  model::Diagnostic problem;
  auto value = readPinWords(kind, words, problem);
  INFO(problem.message);
  REQUIRE(value);
  return *value;
}

static std::string refusal(const char *kind,
                           const std::vector<std::string> &words) {
  model::Diagnostic problem;
  CHECK_FALSE(readPinWords(kind, words, problem));
  return problem.code + " " + problem.message + " | " + problem.hint;
}

static model::Pin pin(std::string key, std::string kind, nlohmann::json value,
                      std::string target = "*", std::string note = "") {
  model::Pin made;
  made.key = std::move(key);
  made.kind = std::move(kind);
  made.value = std::move(value);
  made.target = std::move(target);
  made.note = std::move(note);
  return made;
}

static std::string with(const std::string &text, const model::Pin &added) {
  model::Diagnostic problem;
  auto changed = withPin(text, added, problem);
  INFO(problem.message);
  REQUIRE(changed);
  auto read = PinsFile::parse(*changed, problem);
  INFO(*changed);
  REQUIRE(read);
  const model::Pin *found = nullptr;
  for (const model::Pin &each : read->pins)
    if (each.key == added.key && each.target == added.target &&
        each.kind == added.kind)
      found = &each;
  REQUIRE(found);
  CHECK(found->value == added.value);
  if (!added.note.empty())
    CHECK(found->note == added.note);
  return *changed;
}

static std::string without(const std::string &text, const char *key,
                           const char *target, const char *kind,
                           int64_t count) {
  model::Diagnostic problem;
  int64_t removed = -1;
  auto changed = withoutPins(text, key, target, kind, removed, problem);
  REQUIRE(changed);
  CHECK(removed == count);
  INFO(*changed);
  CHECK(PinsFile::parse(*changed, problem));
  return *changed;
}

TEST_CASE("words of a command line become values") {
  CHECK(words("tile", {"L1.m=128", "L1.n=256", "L0.k=64"}) ==
        nlohmann::json::parse(
            R"({"L1": {"m": 128, "n": 256}, "L0": {"k": 64}})"));
  CHECK(words("buffers", {"2"}) == 2);
  CHECK(words("scope", {"fuse=f/a,f/b"}) ==
        nlohmann::json::parse(R"({"fuse": ["f/a", "f/b"]})"));
  CHECK(words("scope", {"apart"}) == nlohmann::json{{"apart", true}});
  CHECK(words("core", {"cube"}) == "cube");
  CHECK(words("tile", {R"({"UB": {"d0": 8}})"})["UB"]["d0"] == 8);
}

TEST_CASE("words that are no value are refused with what would be one") {
  CHECK(refusal("tiel", {"L1.m=1"}) ==
        "TW0211 there is no kind of pin \"tiel\" | did you mean tile? The "
        "kinds are " +
            std::string("buffers, core, merge, order, scope, split_k, tile"));
  for (const char *word :
       {"L1.m", "L1m=3", "=", ".m=3", "L1.=3", "L1.m=", "L1.m=x", "L1.m=1.5",
        "L1.m=0", "L1.m=-5", "L1.m=99999999999999999999", "{", "[1"}) {
    CAPTURE(word);
    CHECK(refusal("tile", {word}).substr(0, 7) == "TW0224 ");
  }
  CHECK(
      refusal("tile", {"L1.m=8", "L1.m=16"}).find("given twice, as 8 and 16") !=
      std::string::npos);
  for (const char *word : {"x", "0", "-1", "", "1.5", "9223372036854775808"})
    CHECK(refusal("buffers", {word}).substr(0, 7) == "TW0224 ");
  CHECK(refusal("scope", {"fuse"}).substr(0, 7) == "TW0224 ");
  CHECK(refusal("scope", {"fuse=,"}).substr(0, 7) == "TW0224 ");
  CHECK(refusal("merge", {"2", "3"}).substr(0, 7) == "TW0224 ");
  CHECK(refusal("merge", {}).substr(0, 7) == "TW0224 ");
}

TEST_CASE("a first pin makes a file as it would be written whole") {
  PinsFile file;
  file.set(pin("f/y", "tile", {{"L1", {{"m", 128}}}}));
  CHECK(with("", pin("f/y", "tile", {{"L1", {{"m", 128}}}})) == file.str());
  CHECK(with(" \n", pin("f/y", "tile", {{"L1", {{"m", 128}}}})) == file.str());
}

TEST_CASE("comments, unknown fields, order and layout survive") {
  const std::string text = R"({
  // Found on the machine in the corner.
  "schema": "tilewright/pins", "version": 1,
  "team": {"name": "kernels"},
  "pins": [
    /* the heart */
    {"key": "f/b", "kind": "tile", "value": {"L1": {"m": 64}}, "who": "me"}, // tight
    {
      "key": "f/d",
      "kind": "buffers",
      "value": 2 // not 3: "UB" is full
    }
  ]
}
)";
  std::string changed = with(text, pin("f/b", "tile", {{"L1", {{"m", 128}}}}));
  std::string expected = text;
  size_t at = expected.find(R"({"L1": {"m": 64}})");
  expected.replace(at, 17,
                   "{\n        \"L1\": {\n          \"m\": 128\n        "
                   "}\n      }");
  CHECK(changed == expected);

  changed = with(text, pin("f/d", "buffers", 4, "*", "why not"));
  expected = text;
  expected.replace(expected.find("2 // not 3"), 1,
                   "4,\n      \"note\": \"why not\"");
  CHECK(changed == expected);

  // New ones stand where they sort.
  for (const char *key : {"f/a", "f/c", "f/e"}) {
    changed = with(text, pin(key, "merge", 8));
    for (const char *kept :
         {"// Found on", "/* the heart */", "// tight", "\"who\": \"me\"",
          "// not 3", "\"team\": {\"name\": \"kernels\"}"}) {
      CAPTURE(key, kept);
      CHECK(changed.find(kept) != std::string::npos);
    }
    model::Diagnostic problem;
    auto read = PinsFile::parse(changed, problem);
    REQUIRE(read->pins.size() == 3);
    CHECK(std::is_sorted(read->pins.begin(), read->pins.end(),
                         [](const model::Pin &a, const model::Pin &b) {
                           return a.key < b.key;
                         }));
    // And go again without a trace of their own.
    std::string back = without(changed, key, "", "", 1);
    for (const char *kept : {"// Found on", "/* the heart */", "// tight",
                             "\"who\": \"me\"", "// not 3"})
      CHECK(back.find(kept) != std::string::npos);
    CHECK(PinsFile::parse(back, problem)->pins.size() == 2);
  }
}

TEST_CASE("a byte order mark stays in front") {
  const std::string mark = "\xEF\xBB\xBF";
  const std::string text =
      mark + "{\"schema\": \"tilewright/pins\", \"version\": 1,\r\n"
             " \"pins\": [\r\n ]}\r\n";
  std::string one = with(text, pin("f/a", "merge", 2));
  CHECK(one.starts_with(mark + "{\"schema\""));
  std::string two = with(one, pin("f/b", "merge", 4));
  model::Diagnostic problem;
  auto read = PinsFile::parse(two, problem);
  REQUIRE(read);
  CHECK(read->pins.size() == 2);
  int64_t removed = 0;
  auto none = withoutPins(two, "f/a", "", "", removed, problem);
  REQUIRE(none);
  CHECK(removed == 1);
  CHECK(none->starts_with(mark + "{\"schema\""));
  CHECK(PinsFile::parse(*none, problem));
}

TEST_CASE("pins are taken away by key, target and kind") {
  std::string text;
  text = with(text, pin("f/y", "tile", {{"L1", {{"m", 1}}}}));
  std::string one = text;
  text = with(text, pin("f/y", "tile", {{"L1", {{"m", 2}}}}, "ascend-a3"));
  std::string two = text;
  text = with(text, pin("f/y", "buffers", 2));
  text = with(text, pin("layer*/y", "buffers", 3));
  CHECK(without(text, "f/y", "", "", 3).find("layer*/y") != std::string::npos);
  without(text, "f/y", "ascend-a3", "", 1);
  without(text, "f/y", "", "tile", 2);
  without(text, "layer3/y", "", "", 0); // a glob is compared, not matched
  CHECK(without(two, "f/y", "ascend-a3", "tile", 1) == one);
  std::string none = without(one, "f/y", "", "", 1);
  model::Diagnostic problem;
  CHECK(PinsFile::parse(none, problem)->pins.empty());
  with(none, pin("f/y", "tile", {{"L1", {{"m", 1}}}}));
}

TEST_CASE("what is no pins file is left alone") {
  model::Diagnostic problem;
  int64_t removed = 0;
  for (const char *text : {"[1]", "{", "{\"schema\": \"other\"}",
                           "{\"schema\": \"tilewright/pins\", "
                           "\"pins\": 3}"}) {
    CHECK_FALSE(withPin(text, pin("f/y", "merge", 1), problem));
    CHECK(problem.code == "TW0210");
    CHECK_FALSE(withoutPins(text, "f/y", "", "", removed, problem));
  }
  with("{\"schema\": \"tilewright/pins\"}", pin("f/y", "merge", 1));
  with("{\"schema\": \"tilewright/pins\", \"pins\": [ /* none yet */ ]}",
       pin("f/y", "merge", 1));
  with("{\"schema\": \"tilewright/pins\", \"pins\": [1, {\"key\": 3}]}",
       pin("f/y", "merge", 1));
}

TEST_CASE("random edits agree with editing the list itself") {
  std::mt19937 random(20240501);
  auto below = [&](int n) { return int(random() % unsigned(n)); };
  for (int run = 0; run < 60; ++run) {
    std::string text;
    PinsFile model;
    for (int step = 0; step < 12; ++step) {
      std::string key = "f/" + std::string(1, char('a' + below(4)));
      std::string target = below(2) ? "*" : "cpu";
      std::string kind = below(2) ? "merge" : "buffers";
      model::Diagnostic problem;
      if (below(3)) {
        model::Pin made =
            pin(key, kind, 1 + below(9), target, below(2) ? "note" : "");
        auto changed = withPin(text, made, problem);
        REQUIRE(changed);
        text = *changed;
        // A note stays where a new pin has none.
        if (made.note.empty())
          for (const model::Pin &old : model.pins)
            if (old.key == key && old.target == target && old.kind == kind)
              made.note = old.note;
        model.set(made);
      } else if (!text.empty()) {
        int64_t removed = 0;
        auto changed = withoutPins(text, key, target, kind, removed, problem);
        REQUIRE(changed);
        text = *changed;
        CHECK((removed == 1) == model.remove(key, target, kind));
      }
      if (text.empty())
        continue;
      auto read = PinsFile::parse(text, problem);
      INFO(text);
      REQUIRE(read);
      CHECK(read->str() == model.str());
    }
  }
}
