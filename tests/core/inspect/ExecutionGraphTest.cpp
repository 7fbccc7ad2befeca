//===- ExecutionGraphTest.cpp ---------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/inspect/ExecutionGraph.h"
#include "core/dialect/Block/BlockDialect.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;

static constexpr llvm::StringLiteral source = R"(
  block.program @f(%x: memref<128x64xf32>, %y: memref<128x64xf32>)
      attributes {result_count = 1 : i64} {
    %t = block.buffer : memref<128x64xf32> loc(fused<"f/t">["m":1:1])
    block.dispatch @k grid [2, 4] (%x, %t) {access = [
      #block.access<read, (i, j) -> (i * 64, 0), [64, 64]>,
      #block.access<write, (i, j) -> (i * 64, j * 16), [64, 16]>]}
      : memref<128x64xf32>, memref<128x64xf32> loc(fused<"f/t">["m":1:1])
    block.dispatch @l grid [2] (%t, %y) {
      access = [
        #block.access<read, (i) -> (i * 64, 0), [64, 64]>,
        #block.access<write, (i) -> (i * 64, 0), [64, 64]>],
      dependencies = [#block.dependency<0, (i) -> (i, 0),
                                        (i) -> (i + 1, 4)>]}
      : memref<128x64xf32>, memref<128x64xf32> loc(fused<"f/y">["m":2:1])
    block.return
  })";

TEST_CASE("the execution graph keeps dispatches folded") {
  MLIRContext context;
  context.loadDialect<block::BlockDialect>();
  auto module =
      parseSourceString<ModuleOp>(source, ParserConfig(&context, false));
  REQUIRE(module);

  model::Graph graph = inspect::buildExecutionGraph(*module);
  auto index = graph.indexById();
  REQUIRE(index.count("dispatch:f/0"));
  REQUIRE(index.count("dispatch:f/1"));
  const model::Node &first = graph.nodes[index["dispatch:f/0"]];
  CHECK(first.grid == std::vector<model::Expr>{2, 4});
  CHECK(first.keys == std::vector<std::string>{"f/t"});
  REQUIRE(first.metrics.size() == 1);
  CHECK(first.metrics[0].value == 8);
  int orders = 0;
  for (const model::Edge &edge : graph.edges) {
    CHECK(index.count(edge.from));
    CHECK(index.count(edge.to));
    if (edge.kind == model::EdgeKind::Order) {
      ++orders;
      CHECK(edge.from == "dispatch:f/0");
      CHECK(edge.to == "dispatch:f/1");
      CHECK(edge.label == "[g0, all]");
      CHECK(edge.type.shape == std::vector<model::Expr>{128, 64});
    }
  }
  CHECK(orders == 1);

  model::PrintedStage printed = inspect::printExecution(*module);
  CHECK(printed.text == "program @f: 2 dispatches, 10 tasks\n"
                        "  dispatch 0 @k grid [2, 4] tasks 8\n"
                        "    reads arg0[64*g0 +64, 0:64]\n"
                        "    writes t[64*g0 +64, 16*g1 +16]\n"
                        "  dispatch 1 @l grid [2] tasks 2\n"
                        "    reads t[64*g0 +64, 0:64]\n"
                        "    writes result0[64*g0 +64, 0:64]\n"
                        "    waits for dispatch 0 [g0, all]\n");
  REQUIRE(printed.spans.size() == 3);
  const model::TextSpan &span = printed.spans[2];
  CHECK(span.id == "dispatch:f/1");
  CHECK(printed.text.substr(span.range.begin, 12) == "  dispatch 1");
  CHECK(graph.nodes[index["dispatch:f/1"]].range == span.range);
}

TEST_CASE("regions end where the tensor ends") {
  MLIRContext context;
  context.loadDialect<block::BlockDialect>();
  auto module = parseSourceString<ModuleOp>(R"(
  block.program @f(%x: memref<96x100xf32>, %y: memref<96x100xf32>)
      attributes {result_count = 1 : i64} {
    block.dispatch @k grid [3, 4] (%x, %y) {access = [
      #block.access<read, (i, j) -> (i * 32, 0), [32, 128]>,
      #block.access<write, (i, j) -> (i * 32, j * 32), [32, 32]>]}
      : memref<96x100xf32>, memref<96x100xf32>
    block.return
  })",
                                            ParserConfig(&context, false));
  REQUIRE(module);
  CHECK(inspect::printExecution(*module).text ==
        "program @f: 1 dispatches, 12 tasks\n"
        "  dispatch 0 @k grid [3, 4] tasks 12\n"
        "    reads arg0[32*g0 +32, 0:100]\n"
        "    writes result0[32*g0 +32, 32*g1:min(32*g1 + 32, 100)]\n");
}
