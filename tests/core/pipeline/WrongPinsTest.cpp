//===- WrongPinsTest.cpp - every wrong pin is told of ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One wrong pin a row, on a machine with caches and on one with a matrix unit:
// it is reported with the figures and, where there are some, the nearest legal
// values; the compilation goes on with the default; the pin stays in the list
// with what became of it.
//
//===----------------------------------------------------------------------===//
#include "core/decision/PinChecks.h"
#include "core/decision/PinsFile.h"
#include "core/pipeline/PinStates.h"
#include "core/pipeline/Session.h"
#include "core/target/TargetRegistry.h"
#include <catch2/catch.hpp>
#include <limits>

using namespace tilewright;
using Json = nlohmann::json;

namespace {

constexpr const char *source =
    R"(func.func @f(%x: tensor<96x1536xf16>, %w: tensor<1536x3072xf16>) -> (tensor<96x3072xf16>, tensor<96x3072xf16>) {
  %h = tw.matmul %x, %w : (tensor<96x1536xf16>, tensor<1536x3072xf16>) -> tensor<96x3072xf16>
  %y = tw.silu %h : (tensor<96x3072xf16>) -> tensor<96x3072xf16>
  %p = tw.softmax %y {axis = -1} : (tensor<96x3072xf16>) -> tensor<96x3072xf16>
  %unused = tw.neg %h : (tensor<96x3072xf16>) -> tensor<96x3072xf16>
  return %y, %p : tensor<96x3072xf16>, tensor<96x3072xf16>
})";

struct Row {
  std::string name, key, kind;
  Json value;
  std::string code;
  std::string says;     ///< part of the message or the hint
  bool nearest = false; ///< with a value that would do
  std::string target = "*";
};

Json tile(const std::string &level, const char *dim, Json size) {
  return {{level, {{dim, std::move(size)}}}};
}

std::vector<Row> rowsFor(const std::string &target) {
  const bool cpu = target == "cpu-generic";
  const std::string outer = cpu ? "cache2" : "L1", inner = cpu ? "reg" : "L0";
  const std::string rows = cpu ? "cache2" : "UB";
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  constexpr int64_t least = std::numeric_limits<int64_t>::min();
  const std::string h = "f/h", p = "f/p";
  std::vector<Row> all = {
      // More than there is, or cut where the machine cannot.
      {"beyond the outer level",
       h,
       "tile",
       {{outer, {{"m", 96}, {"n", 3072}, {"k", 1536}}}},
       "TW0201",
       "iB",
       true},
      {"beyond the inner level",
       h,
       "tile",
       {{inner, {{"m", 96}, {"n", 1024}}}},
       "TW0201",
       "iB",
       true},
      {"rows beyond the level", p, "tile", tile(rows, "d0", 6144), "TW0201",
       "iB", true},
      {"misaligned m", h, "tile", tile(inner, "m", cpu ? 7 : 17), "TW0202",
       cpu ? "6" : "16", true},
      {"misaligned n", h, "tile", tile(inner, "n", 17), "TW0202", "16", true},
      {"levels that do not nest",
       h,
       "tile",
       {{outer, {{"m", 16}, {"n", 16}}}, {inner, {{"m", 32}, {"n", 32}}}},
       "TW0202",
       "16",
       true},
      // Names that are none.
      {"no such dimension", h, "tile", tile(outer, "q", 16), "TW0204",
       "it has m, n, k"},
      {"a dimension in capitals", h, "tile", tile(outer, "M", 16), "TW0204",
       "it has m, n, k"},
      {"a dimension without a name", h, "tile", tile(outer, "", 16), "TW0204",
       "dimension \"\""},
      {"a dimension of another operation", p, "tile", tile(rows, "m", 16),
       "TW0204", "it has d0, d1"},
      {"no such level", h, "tile", tile("L9", "m", 16), "TW0205", "levels are"},
      {"a level without a name", h, "tile", tile("", "m", 16), "TW0205",
       "level \"\""},
      {"no such operation", "f/gone", "tile", tile(outer, "m", 16), "TW0206",
       "no operation has this key"},
      {"a function", "f", "tile", tile(outer, "m", 16), "TW0206",
       "pin of f has no effect: f is a function"},
      {"a scope of a function",
       "f",
       "scope",
       {{"apart", true}},
       "TW0206",
       "f is a function"},
      {"an argument", "f/x", "tile", tile(outer, "m", 16), "TW0206",
       "pin of f/x has no effect: f/x is an argument"},
      {"what nobody needs", "f/unused", "tile", tile(outer, "m", 16), "TW0206",
       "no kernel computes f/unused"},
      {"a glob for nothing", "g*/h", "tile", tile(outer, "m", 16), "TW0206",
       "g*/h"},
      {"no such kind", h, "colour", "blue", "TW0211", "tile"},
      {"a kind in capitals", h, "Tile", tile(outer, "m", 16), "TW0211", "tile"},
      {"no such target", h, "tile", tile(outer, "m", 16), "TW0209",
       "\"nowhere\"", false, "nowhere"},
      {"no key", "", "tile", tile(outer, "m", 16), "TW0210", "empty"},
      {"no kind", h, "", 1, "TW0210", "empty"},
      // Values of another form.
      {"a list", h, "tile", {16, 16, 16}, "TW0203", "[16,16,16]"},
      {"a list for a level",
       h,
       "tile",
       {{outer, {16, 16}}},
       "TW0203",
       "[16,16]"},
      {"a number", h, "tile", 16, "TW0203", "16"},
      {"a text", h, "tile", "L1.m=128", "TW0203", "L1.m=128"},
      {"nothing", h, "tile", nullptr, "TW0203", "null"},
      {"no level", h, "tile", Json::object(), "TW0203", "{}"},
      {"a level without sizes",
       h,
       "tile",
       {{outer, Json::object()}},
       "TW0203",
       "{}"},
      {"two scopes at odds",
       h,
       "scope",
       {{"fuse", {"f/y"}}, {"apart", {"f/y"}}},
       "TW0213",
       "pinned apart"},
      {"a scope that is a number", h, "scope", 3, "TW0212", "3"},
      {"a scope that says nothing", h, "scope", Json::object(), "TW0212", "{}"},
      {"a scope in other words",
       h,
       "scope",
       {{"glue", {"f/y"}}},
       "TW0212",
       "glue"},
      {"a scope with nobody",
       h,
       "scope",
       {{"fuse", {"f/gone"}}},
       "TW0206",
       "correct the key; the pin has no effect"},
      {"a scope with an argument",
       h,
       "scope",
       {{"apart", {"f/w"}}},
       "TW0206",
       "f/w is an argument"},
      {"no parts", h, "split_k", 0, "TW0214", "0"},
      {"parts below none", h, "split_k", -4, "TW0214", "-4"},
      {"parts without end", h, "split_k", most, "TW0214", std::to_string(most)},
      {"parts in words", h, "split_k", "x", "TW0214", "\"x\""},
      {"parts that do not divide k", h, "split_k", 7, "TW0215",
       "6 or 8 would do", true},
      {"more parts than k", h, "split_k", 1537, "TW0215", "1536", true},
      {"parts of what is no sum", "f/y", "split_k", 4, "TW0206", "f/y"},
      {"no copies", h + "#0", "buffers", 0, "TW0221", "1 to 16"},
      {"copies below none", h + "#0", "buffers", -2, "TW0221", "-2"},
      {"copies without end", h + "#0", "buffers", most, "TW0221",
       std::to_string(most)},
      {"too many copies", h + "#0", "buffers", 64, "TW0221", "64"},
      {"copies in words", h + "#0", "buffers", "two", "TW0221", "\"two\""},
      {"half a copy", h + "#1", "buffers", 2.5, "TW0221", "2.5"},
      {"copies of no operand", h + "#9", "buffers", 2, "TW0206", "f/h#9"},
      {"no blocks", h, "merge", 0, "TW0221", "0"},
      {"blocks below none", h, "merge", -1, "TW0221", "-1"},
      {"blocks without end", h, "merge", most, "TW0221", std::to_string(most)},
      {"blocks that divide nothing", h, "merge", 7919, "TW0223", "7919", true},
      {"blocks in words", h, "merge", "4", "TW0221", "\"4\""},
      {"a list of blocks", h, "merge", {4}, "TW0221", "[4]"},
      {"a core of another kind", h, "core", "gpu", cpu ? "TW0205" : "TW0233",
       cpu ? "cores of one kind" : "write cube or vector"},
      {"a core that is a number", h, "core", 1, "TW0233",
       "1 is no kind of core"},
      {"a core without a unit for it", "f/y", "core", "cube",
       cpu ? "TW0205" : "TW0234",
       cpu ? "cores of one kind" : "cube cores multiply matrices"},
      {"an order that is none", h, "order", "spiral", "TW0231", "\"spiral\""},
      {"an order that is a number", h, "order", 5, "TW0231", "5"},
  };
  // Numbers that are no sizes, for every dimension at both levels.
  for (const auto &[name, number] : std::vector<std::pair<std::string, Json>>{
           {"zero", 0},
           {"negative", -16},
           {"the largest number", most},
           {"the smallest number", least},
           {"beyond 64 bits", std::numeric_limits<uint64_t>::max()},
           {"a fraction", 16.5},
           {"a huge fraction", 1e300},
           {"a text", "16"},
           {"null", nullptr},
           {"true", true},
           {"a list", {16}}})
    for (const std::string &level : {outer, inner})
      for (const char *dim : {"m", "n", "k"})
        all.push_back({name + " for " + level + "." + dim, h, "tile",
                       tile(level, dim, number), "TW0203",
                       number.dump().substr(0, 40)});
  all.push_back({"zero rows", p, "tile", tile(rows, "d0", 0), "TW0203", "0"});
  all.push_back({"rows without end", p, "tile", tile(rows, "d0", most),
                 "TW0203", std::to_string(most)});
  return all;
}

std::string pinsText(const std::vector<Row> &rows) {
  Json pins = Json::array();
  for (const Row &row : rows)
    pins.push_back({{"key", row.key},
                    {"target", row.target},
                    {"kind", row.kind},
                    {"value", row.value}});
  return Json{{"schema", "tilewright/pins"}, {"version", 1}, {"pins", pins}}
      .dump();
}

struct Desk {
  std::vector<model::Diagnostic> problems;
  std::shared_ptr<target::TargetRegistry> targets =
      target::TargetRegistry::standard(problems);
  Session session{targets};

  /// As a front does: the text of a pins file, judged and compiled with.
  std::shared_ptr<const Compilation> compile(const std::string &pins,
                                             const std::string &target,
                                             std::vector<model::Pin> &read) {
    CompileRequest request;
    request.uri = "file:///f.mlir";
    request.text = source;
    request.target = target;
    model::Diagnostic problem;
    auto file = decision::PinsFile::parse(pins, problem);
    REQUIRE(file);
    std::vector<std::string> names;
    for (const auto &summary : targets->list(""))
      names.push_back(summary.name);
    request.pinProblems = decision::checkPins(pins, *file, names);
    request.pins = read = file->pins;
    return session.compile(request);
  }
};

bool says(const model::Diagnostic &diagnostic, const std::string &part) {
  return (diagnostic.message + " " + diagnostic.hint).find(part) !=
         std::string::npos;
}

} // namespace

TEST_CASE("every wrong pin is told of, and the compilation goes on") {
  for (const std::string target : {"cpu-generic", "ascend-a3"}) {
    Desk desk;
    std::vector<model::Pin> read;
    auto plain = desk.compile(pinsText({}), target, read);
    REQUIRE(plain->complete());
    const std::string block = plain->print("block")->text;
    std::vector<Row> rows = rowsFor(target);
    CHECK(rows.size() >= 50);
    for (const Row &row : rows) {
      INFO(target << ": " << row.name << ": " << row.value.dump());
      auto compilation = desk.compile(pinsText({row}), target, read);
      REQUIRE(compilation->complete());
      const model::Diagnostic *told = nullptr;
      for (const model::Diagnostic &each : compilation->stages().diagnostics)
        if (each.code == row.code && says(each, row.says))
          told = &each;
      std::string all;
      for (const model::Diagnostic &each : compilation->stages().diagnostics)
        all += each.code + " " + each.message + "\n";
      INFO(all);
      REQUIRE(told);
      CHECK(told->severity <= (row.code == "TW0205"
                                   ? model::Severity::Information
                                   : model::Severity::Warning));
      if (row.nearest)
        CHECK(says(*told, "would do"));
      if (told->code == "TW0201")
        CHECK(says(*told, "usable"));
      if (row.code != "TW0210")
        CHECK(says(*told, row.key));
      // Keys are those of the source, not of a scope.
      CHECK_FALSE(says(*told, "$"));
      // Nothing of it is obeyed, and nothing else changes.
      for (const model::Decision &decision : compilation->decisions())
        if (decision.kind == row.kind && row.kind != "scope")
          CHECK(decision.origin != model::DecisionOrigin::Pinned);
      if (row.kind != "scope")
        CHECK(compilation->print("block")->text == block);
      // It stands in the list with why.
      std::vector<model::PinState> states = pinStates(*compilation, read);
      CHECK(states.size() == read.size());
      for (const model::PinState &state : states) {
        CHECK_FALSE(state.reason.empty());
        CHECK(state.state != "honoured");
        if (row.code == "TW0211")
          CHECK(state.code == "TW0211");
      }
    }
  }
}

TEST_CASE("all wrong pins at once hide none, and none hides a right one") {
  for (const std::string target : {"cpu-generic", "ascend-a3"}) {
    INFO(target);
    Desk desk;
    std::vector<Row> rows = rowsFor(target);
    // Of several for one operation and kind the last one is in force.
    std::vector<Row> distinct;
    for (Row &row : rows)
      if (std::none_of(distinct.begin(), distinct.end(), [&](const Row &other) {
            return other.key == row.key && other.kind == row.kind;
          }))
        distinct.push_back(row);
    distinct.push_back(
        {"a right one", "f/p", "tile",
         tile(target == "cpu-generic" ? "cache2" : "UB", "d0", 2), "", ""});
    // In place of the wrong one for the same operation.
    std::erase_if(distinct, [](const Row &row) {
      return row.key == "f/p" && row.kind == "tile" && !row.code.empty();
    });
    std::vector<model::Pin> read;
    auto compilation = desk.compile(pinsText(distinct), target, read);
    REQUIRE(compilation->complete());
    std::string all;
    for (const model::Diagnostic &each : compilation->stages().diagnostics)
      all += each.code + " " + each.message + "\n";
    INFO(all);
    for (const Row &row : distinct) {
      INFO(row.name);
      if (row.code.empty())
        continue;
      bool told = false;
      for (const model::Diagnostic &each : compilation->stages().diagnostics)
        told |= each.code == row.code && says(each, row.says);
      CHECK(told);
    }
    int honoured = 0;
    for (const model::PinState &state : pinStates(*compilation, read))
      if (state.pin.key == "f/p" && state.pin.kind == "tile")
        honoured += state.state == "honoured";
    CHECK(honoured == 1);
    // Said twice: the earlier of two for one subject does not act.
    auto twice = desk.compile(pinsText({rows[0], rows[1]}), target, read);
    bool told = false;
    for (const model::Diagnostic &each : twice->stages().diagnostics)
      told |= each.code == "TW0208";
    CHECK(told);
  }
}
