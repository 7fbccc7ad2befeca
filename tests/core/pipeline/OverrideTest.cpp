//===- OverrideTest.cpp - stages that a person wrote ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Json.h"
#include "core/pipeline/DecisionAnswers.h"
#include "core/pipeline/OverrideEdit.h"
#include "core/target/TargetRegistry.h"
#include <array>
#include <catch2/catch.hpp>
#include <random>

using namespace tilewright;

namespace {

constexpr const char *source =
    R"(func.func @f(%x: tensor<64x96xf32>, %w: tensor<96x128xf32>, %v: tensor<128x32xf32>) -> tensor<64x32xf32> {
  %h = tw.matmul %x, %w : (tensor<64x96xf32>, tensor<96x128xf32>) -> tensor<64x128xf32>
  %y = tw.silu %h : (tensor<64x128xf32>) -> tensor<64x128xf32>
  %z = tw.matmul %y, %v : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
  return %z : tensor<64x32xf32>
})";

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// One source under work, as a front has it.
struct Desk {
  std::vector<model::Diagnostic> problems;
  Session session{target::TargetRegistry::standard(problems)};
  CompileRequest request;
  std::shared_ptr<const Compilation> compilation;
  model::Diagnostic problem;

  explicit Desk(const std::string &text = source,
                const std::string &target = "cpu-generic") {
    request.uri = "file:///f.mlir";
    request.text = text;
    request.target = target;
    compile();
  }
  void compile() {
    ++request.documentVersion;
    compilation = session.compile(request);
  }
  std::string shown(const std::string &stage) {
    auto printed = compilation->print(stage);
    REQUIRE(printed);
    return printed->text;
  }
  /// Hands in an edited stage; false if it is refused.
  bool edit(const std::string &stage, const std::string &text) {
    auto made = editStage(*compilation, stage, text, "file:///edit", problem);
    if (!made)
      return false;
    for (model::Override &override : made->written) {
      std::erase_if(request.overrides, [&](const model::Override &old) {
        return old.name == override.name;
      });
      // As it comes from its file.
      auto read = nlohmann::json(override).get<model::Override>();
      read.name = override.name;
      request.overrides.push_back(read);
    }
    for (const std::string &name : made->removed)
      std::erase_if(request.overrides, [&](const model::Override &old) {
        return old.name == name;
      });
    compile();
    return true;
  }
  bool edit(const std::string &stage, const std::string &from,
            const std::string &to) {
    return edit(stage, replaced(shown(stage), from, to));
  }
  model::OverrideState only() {
    auto states = overrideStates(*compilation);
    REQUIRE(states.size() == 1);
    return states.front();
  }
  const model::Diagnostic *said(const std::string &code) {
    for (const model::Diagnostic &each : compilation->stages().diagnostics)
      if (each.code == code)
        return &each;
    return nullptr;
  }
};

} // namespace

TEST_CASE("what is written stands behind its pass and goes through the rest") {
  // Whole program, scope functions, scopes one by one, kernels.
  const std::array<std::array<std::string, 3>, 4> edits = {{
      {"tensor/decompose-composites", "tw.neg %h", "tw.abs %h"},
      {"tile/choose-tiles", "tw.neg %h", "tw.abs %h"},
      {"tile/place-tiles", "tw.neg %h_1", "tw.abs %h_1"},
      {"block/outline-kernels", "<neg>", "<abs>"},
  }};
  for (const auto &[stage, from, to] : edits) {
    INFO(stage);
    Desk desk;
    std::string before = desk.shown("block");
    std::string again = desk.compilation->resolve(stage);
    CHECK(again == stage);
    REQUIRE(desk.edit(stage, from, to));
    CHECK(desk.compilation->complete());
    CHECK(desk.only().state == "in force");
    CHECK(desk.only().drift.empty());
    CHECK(desk.only().edit.find("\n+") != std::string::npos);
    CHECK(desk.shown("block").find("<abs>") != std::string::npos);
    CHECK(before.find("<abs>") == std::string::npos);
    for (const model::PassRecord &pass : desk.compilation->stages().passes)
      CHECK(pass.overrides.size() == (pass.name() == stage ? 1u : 0u));
    // Every operation has a key, and they are the source's.
    auto printed = desk.compilation->print("block");
    for (const model::TextSpan &span : printed->spans)
      for (const std::string &key : span.keys)
        CHECK((key == "f" || key.starts_with("f/")));
    // As it was, it is gone.
    std::string base = replaced(desk.shown(stage), to, from);
    REQUIRE(desk.edit(stage, base));
    CHECK(desk.request.overrides.empty());
    CHECK(desk.shown("block") == before);
  }
}

TEST_CASE("a scope compiled with an override is another than without") {
  Desk desk;
  std::string before = desk.shown("block");
  REQUIRE(desk.edit("tile/place-tiles", "tw.neg %h_1", "tw.abs %h_1"));
  std::string with = desk.shown("block");
  auto kept = desk.request.overrides;
  desk.request.overrides.clear();
  desk.compile();
  CHECK(desk.shown("block") == before);
  desk.request.overrides = kept;
  desk.compile();
  CHECK(desk.shown("block") == with);
  CHECK(desk.only().state == "in force"); // from the cache
}

TEST_CASE("an override stays until what it stands for changes") {
  Desk desk;
  REQUIRE(desk.edit("tile/place-tiles", "tw.neg %h_1", "tw.abs %h_1"));
  SECTION("names, lines and other scopes do not count") {
    desk.request.text = "// a line\n" + replaced(source, "tw.matmul %y, %v",
                                                 "tw.matmul  %y, %v");
    desk.request.text = replaced(desk.request.text, "%w: ", "%weights: ");
    desk.request.text = replaced(desk.request.text, "%x, %w ", "%x, %weights ");
    desk.request.text =
        replaced(desk.request.text, "  return %z",
                 "  %o = tw.exp %z : (tensor<64x32xf32>) -> tensor<64x32xf32>\n"
                 "  return %o");
    desk.compile();
    CHECK(desk.only().state == "in force");
    CHECK(desk.shown("block").find("<abs>") != std::string::npos);
  }
  SECTION("a change under it is a conflict with both sides, and no loss") {
    desk.request.text = replaced(source, "tw.silu", "tw.gelu");
    desk.compile();
    CHECK(desk.compilation->complete());
    model::OverrideState state = desk.only();
    CHECK(state.state == "conflicting");
    CHECK(state.code == "TW0240");
    CHECK(state.edit.find("tw.abs") != std::string::npos);
    CHECK(state.drift.find("tw.erf") != std::string::npos);
    const model::Diagnostic *said = desk.said("TW0240");
    REQUIRE(said);
    CHECK(said->severity == model::Severity::Warning);
    CHECK(said->range.end > said->range.begin);
    auto applied = reapply(*desk.compilation, desk.request.overrides[0],
                           /*asIs=*/false, desk.problem);
    CHECK_FALSE(applied);
    CHECK(desk.problem.code == "TW0240");
    // Changed back, it is in force again.
    desk.request.text = source;
    desk.compile();
    CHECK(desk.only().state == "in force");
  }
  SECTION("taken as it is") {
    desk.request.text = replaced(source, "tw.silu", "tw.gelu");
    desk.compile();
    auto applied = reapply(*desk.compilation, desk.request.overrides[0],
                           /*asIs=*/true, desk.problem);
    REQUIRE(applied);
    desk.request.overrides = {*applied};
    desk.compile();
    CHECK(desk.only().state == "in force");
    CHECK(desk.shown("block").find("<abs>") != std::string::npos);
  }
  SECTION("changes of other lines are put together") {
    desk.request.text = replaced(
        source, "  %z = tw.matmul %y",
        "  %q = tw.exp %y : (tensor<64x128xf32>) -> tensor<64x128xf32>\n"
        "  %z = tw.matmul %q");
    desk.compile();
    REQUIRE(desk.only().state == "conflicting");
    auto applied = reapply(*desk.compilation, desk.request.overrides[0],
                           /*asIs=*/false, desk.problem);
    REQUIRE(applied);
    desk.request.overrides = {*applied};
    desk.compile();
    CHECK(desk.only().state == "in force");
    std::string shown = desk.shown("tile/place-tiles");
    CHECK(shown.find("tw.abs") != std::string::npos);
    CHECK(shown.find("%q = tw.exp") != std::string::npos);
  }
  SECTION("a part of another name is found by what it is") {
    for (size_t at; (at = desk.request.text.find("%h")) != std::string::npos;)
      desk.request.text.replace(at, 2, "%other");
    desk.compile();
    CHECK(desk.compilation->complete());
    CHECK(desk.only().state == "stale");
    CHECK(desk.only().likelyPart == "f.other");
    CHECK(desk.said("TW0241"));
    auto applied = reapply(*desk.compilation, desk.request.overrides[0],
                           /*asIs=*/false, desk.problem);
    REQUIRE(applied);
    CHECK(applied->text.find("%other_1") != std::string::npos);
    CHECK(applied->text.find("@f.other(") != std::string::npos);
    desk.request.overrides = {*applied};
    desk.compile();
    CHECK(desk.only().state == "in force");
    CHECK(desk.shown("block").find("<abs>") != std::string::npos);
  }
  SECTION("for another target it waits") {
    desk.request.target = "ascend-a3";
    desk.compile();
    CHECK(desk.only().state == "elsewhere");
    CHECK(desk.compilation->complete());
  }
  SECTION("while the source is wrong it waits") {
    desk.request.text = replaced(source, "tw.silu", "tw.slu");
    desk.compile();
    CHECK_FALSE(desk.compilation->complete());
    CHECK(desk.only().state == "not reached");
  }
}

TEST_CASE("one in force is edited, not stacked") {
  Desk desk;
  REQUIRE(desk.edit("tile/place-tiles", "tw.neg %h_1", "tw.abs %h_1"));
  std::string base = desk.request.overrides[0].base;
  REQUIRE(desk.edit("tile/place-tiles", "tw.abs %h_1", "tw.exp %h_1"));
  REQUIRE(desk.request.overrides.size() == 1);
  CHECK(desk.request.overrides[0].base == base);
  CHECK(desk.only().state == "in force");
  CHECK_FALSE(desk.edit("tile/place-tiles", desk.shown("tile/place-tiles")));
  CHECK(desk.problem.code == "TW0251");
  // A text of one part alone does as well.
  std::string text = desk.request.overrides[0].text;
  REQUIRE(desk.edit("tile/place-tiles",
                    replaced(text, "tw.exp %h_1", "tw.abs %h_1")));
  CHECK(desk.shown("tile").find("tw.abs %h_1") != std::string::npos);
}

TEST_CASE("decisions and estimates say that the IR is a person's") {
  Desk desk;
  REQUIRE(desk.edit("tile/place-tiles", "tw.neg %h_1", "tw.abs %h_1"));
  int overridden = 0;
  for (const model::Decision &decision : desk.compilation->decisions()) {
    bool before = decision.kind == "tile" || decision.kind == "scope";
    bool here = decision.key == "f/h" || decision.key == "f/y";
    CHECK((decision.origin == model::DecisionOrigin::Overridden) ==
          (before && here));
    overridden += before && here;
  }
  CHECK(overridden >= 1);
  auto list = estimateOf(*desk.compilation, "");
  REQUIRE(list);
  for (const model::Estimate &kernel : list->kernels)
    CHECK(kernel.assumptions.empty() == (kernel.key != "f/h"));
}

TEST_CASE("a text that is wrong is refused with its line, the rest goes on") {
  struct Row {
    const char *from, *to, *code, *says;
  };
  const Row rows[] = {
      {"tw.neg", "tw.nge", "TW0020", ""},
      {"tw.neg %h_1", "tw.neg %nothing", "TW0021", ""},
      {"scf.forall.in_parallel {", "scf.forall.in_parallel", "", ""},
      {"%y.one = tw.full {value = 1.000000e+00}", "%y.one = tw.full {}", "",
       ""},
      {"tile.scope}", "}", "TW0245", "line 1 "},
      {"@f.h(%x: tensor<64x96xf32>, %w", "@f.h(%xx: tensor<64x95xf32>, %w", "",
       ""},
      {"%y.one = tw.full {value = 1.000000e+00} : ()",
       "%y.one = arith.constant dense_resource<__elided__> : tensor<f32> //",
       "TW0244", "line "},
  };
  for (const Row &row : rows) {
    INFO(row.to);
    Desk desk;
    std::string before = desk.shown("block");
    std::string text =
        replaced(desk.shown("tile/place-tiles"), row.from, row.to);
    if (desk.edit("tile/place-tiles", text)) {
      CHECK(desk.compilation->complete());
      CHECK(desk.shown("block") == before);
      model::OverrideState state = desk.only();
      CHECK(state.state == "refused");
      if (*row.code)
        CHECK(state.code == row.code);
      CHECK(state.reason.find(row.says) != std::string::npos);
      CHECK(desk.said(state.code));
      continue;
    }
    if (*row.code)
      CHECK(desk.problem.code == row.code);
    CHECK(desk.problem.uri == "file:///edit");
    CHECK(desk.problem.range.end > desk.problem.range.begin);
    // The same out of a file somebody wrote to.
    Desk other;
    REQUIRE(other.edit("tile/place-tiles", "tw.neg %h_1", "tw.abs %h_1"));
    other.request.overrides[0].text = replaced(
        replaced(other.request.overrides[0].text, "tw.abs %h_1", "tw.neg %h_1"),
        row.from, row.to);
    other.compile();
    CHECK(other.compilation->complete());
    CHECK(other.shown("block") == before);
    CHECK(other.only().state == "refused");
    CHECK(other.only().reason.find("line ") != std::string::npos);
  }
}

TEST_CASE("a pass that fails with an override is passed without it") {
  Desk desk;
  std::string before = desk.shown("block");
  REQUIRE(desk.edit("tile/place-tiles", "step (64, 32)", "step (64, 0)"));
  CHECK(desk.compilation->complete());
  CHECK(desk.shown("block") == before);
  CHECK(desk.only().state == "refused");
  CHECK(desk.only().code == "TW0247");
  CHECK(desk.said("TW0247"));
}

TEST_CASE("what cannot be edited is refused with what can") {
  Desk desk;
  auto refused = [&](const std::string &stage, const std::string &text) {
    CHECK_FALSE(desk.edit(stage, text));
    CHECK_FALSE(desk.problem.hint.empty());
    return desk.problem.code;
  };
  CHECK(refused("tensor/source", source) == "TW0246");
  CHECK(refused("execution", "module {}") == "TW0246");
  CHECK(refused("block", replaced(desk.shown("block"), "result_count = 1",
                                  "result_count = 2")) == "TW0246");
  CHECK(refused("tile", "func.func @g() {\n  return\n}\n") == "TW0241");
  CHECK(refused("tiles", "") == "TW0610");
}

TEST_CASE("data that is not shown is put back") {
  std::string rows = "[";
  for (int row = 0; row < 96; ++row) {
    rows += row ? ", [" : "[";
    for (int column = 0; column < 128; ++column)
      rows += (column ? ", " : "") +
              std::to_string((row * 128 + column) % 977) + ".5";
    rows += "]";
  }
  std::string text =
      replaced(replaced(source, ", %w: tensor<96x128xf32>", ""), "  %h =",
               "  %w = arith.constant dense<" + rows +
                   "]> : tensor<96x128xf32>\n  %h =");
  Desk desk(text);
  REQUIRE(desk.compilation->complete());
  const std::string stage = "tensor/decompose-composites";
  REQUIRE(desk.shown(stage).find("dense_resource<__elided__>") !=
          std::string::npos);
  auto constantOf = [&] {
    auto map = desk.shown("block");
    return map.find("dense_resource<__elided__>") != std::string::npos;
  };
  CHECK(constantOf());
  REQUIRE(desk.edit(stage, "tw.neg %h", "tw.abs %h"));
  CHECK(desk.only().state == "in force");
  CHECK(desk.compilation->complete());
  // The fingerprint covers the data: another number is another base.
  desk.request.text = replaced(text, " 500.5", " 501.5");
  desk.compile();
  CHECK(desk.only().state == "conflicting");
  desk.request.text = text;
  desk.compile();
  CHECK(desk.only().state == "in force");
  // Gone, or of another type.
  std::string shown = desk.shown(stage);
  CHECK(desk.edit(stage,
                  replaced(replaced(shown,
                                    "%w = arith.constant "
                                    "dense_resource<__elided__> : "
                                    "tensor<96x128xf32>",
                                    "%other = tw.full {value = 1.0} : () -> "
                                    "tensor<96x128xf32>"),
                           "%x, %w ", "%x, %other ")));
  CHECK(desk.only().state == "refused");
  CHECK(desk.only().code == "TW0244");
  CHECK(desk.only().reason.find("%w") != std::string::npos);
}

TEST_CASE("no change of single bytes brings the session down") {
  Desk desk;
  REQUIRE(desk.edit("tile/place-tiles", "tw.neg %h_1", "tw.abs %h_1"));
  const std::string text = desk.request.overrides[0].text;
  std::mt19937 random(7);
  const std::string signs = "{}()<>[]%@#\"=:,-0 x\n";
  int refused = 0;
  for (int i = 0; i < 150; ++i) {
    std::string mutated = text;
    for (int edits = 1 + int(random() % 3); edits > 0; --edits) {
      size_t at = random() % mutated.size();
      if (random() % 3 == 0)
        mutated.erase(at, 1 + random() % 8);
      else if (random() % 2)
        mutated[at] = signs[random() % signs.size()];
      else
        mutated.insert(at, mutated.substr(random() % mutated.size(), 12));
    }
    desk.request.overrides[0].text = mutated;
    desk.compile();
    INFO(mutated);
    CHECK(desk.compilation->complete());
    refused += desk.only().state == "refused";
  }
  CHECK(refused > 75);
}
