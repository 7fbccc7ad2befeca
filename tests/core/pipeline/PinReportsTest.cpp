//===- PinReportsTest.cpp - pins that do not act are told -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/DecisionKinds.h"
#include "core/pipeline/Session.h"
#include "core/target/TargetRegistry.h"
#include <catch2/catch.hpp>

using namespace tilewright;

static const char *const text =
    R"(func.func @f(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>)
    -> tensor<64x64xf32> {
  %y = tw.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = tw.softmax %y {axis = -1} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %p : tensor<64x64xf32>
}
)";

/// What is said about `pins`, with the line it stands on (from 1; 0: none).
static std::vector<std::pair<model::Diagnostic, int>>
reportsOf(std::vector<model::Pin> pins) {
  std::vector<model::Diagnostic> problems;
  Session session(target::TargetRegistry::standard(problems));
  CompileRequest request;
  request.uri = "file:///pins.mlir";
  request.text = text;
  request.target = "cpu-generic";
  request.pins = std::move(pins);
  auto compilation = session.compile(request);
  REQUIRE(compilation);
  CHECK(compilation->complete());
  std::vector<std::pair<model::Diagnostic, int>> reports;
  for (const model::Diagnostic &report : compilation->stages().diagnostics) {
    CHECK(report.uri == request.uri);
    int line = 0;
    if (report.range.end > report.range.begin) {
      line = 1;
      for (char c : request.text.substr(0, size_t(report.range.begin)))
        line += c == '\n';
    }
    reports.emplace_back(report, line);
  }
  return reports;
}

TEST_CASE("pins of kinds that nothing obeys are told on their lines") {
  for (const decision::DecisionKind &kind : decision::decisionKinds()) {
    if (!kind.obeyedBy.empty())
      continue;
    std::string name(kind.name);
    auto reports = reportsOf({{"f/y", "*", name, 2, "", {}},
                              {"f/p.row_max", "*", name, 2, "", {}},
                              {"*/y#1", "cpu-*", name, 2, "", {}},
                              {"f/y", "ascend-a3", name, 2, "", {}},
                              {"f/gone", "*", name, 2, "", {}}});
    INFO(name);
    REQUIRE(reports.size() == 4);
    CHECK(reports[0].first.code == "TW0207");
    CHECK(reports[0].second == 3);
    CHECK(reports[1].first.code == "TW0207");
    CHECK(reports[1].second == 4);
    CHECK(reports[2].first.code == "TW0207");
    CHECK(reports[2].second == 3);
    // The function it was in.
    CHECK(reports[3].first.code == "TW0206");
    CHECK(reports[3].second == 1);
  }
}

TEST_CASE("tile pins that are not obeyed are told on their lines") {
  auto reports =
      reportsOf({{"f/y", "*", "tile", {{"UB", {{"m", 8}}}}, "", {}},
                 {"f/p", "*", "tile", 3, "", {}},
                 {"*/gone", "*", "tile", {{"cache2", {{"m", 8}}}}, "", {}}});
  REQUIRE(reports.size() == 3);
  for (const auto &[report, line] : reports) {
    INFO(report.message);
    if (report.code == "TW0205")
      CHECK(line == 3);
    else if (report.code == "TW0203")
      CHECK(line == 4);
    else
      CHECK(report.code == "TW0206");
  }
}

TEST_CASE("what a scope's passes say is told again where it is reused") {
  std::vector<model::Diagnostic> problems;
  Session session(target::TargetRegistry::standard(problems));
  CompileRequest request;
  request.text =
      R"(func.func @f(%x: tensor<512x1024xf16>, %w: tensor<1024x512xf16>)
    -> tensor<512x512xf16> {
  %y = tw.matmul %x, %w : (tensor<512x1024xf16>, tensor<1024x512xf16>) -> tensor<512x512xf16>
  return %y : tensor<512x512xf16>
}
)";
  request.target = "ascend-a3";
  // Tiles that fill L0 leave no room for this many copies.
  request.pins = {{"f/y",
                   "*",
                   "tile",
                   {{"L0", {{"m", 128}, {"n", 256}, {"k", 64}}}},
                   "",
                   {}},
                  {"f/y", "*", "buffers", 16, "", {}}};
  int64_t compiled = 0;
  for (const char *uri : {"file:///one.mlir", "file:///two.mlir"}) {
    request.uri = uri;
    auto compilation = session.compile(request);
    REQUIRE(compilation);
    REQUIRE(compilation->complete());
    int told = 0;
    for (const model::Diagnostic &report : compilation->stages().diagnostics) {
      INFO(report.code << " " << report.message);
      CHECK(report.uri == uri);
      told += report.code == "TW0220";
      if (report.code == "TW0220")
        CHECK(request.text.substr(size_t(report.range.begin), 2) == "%y");
    }
    CHECK(told == 1);
    if (compiled == 0)
      compiled = session.statistics().scopesCompiled;
  }
  CHECK(session.statistics().scopesCompiled == compiled);
}
