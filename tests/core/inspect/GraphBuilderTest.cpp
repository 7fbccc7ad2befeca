//===- GraphBuilderTest.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/inspect/GraphBuilder.h"
#include "core/dialect/Block/BlockDialect.h"
#include "mlir/Parser/Parser.h"
#include "tests/Stopwatch.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;
using model::NodeKind;

namespace {
struct Built {
  model::Graph graph;
  std::unordered_map<std::string, size_t> index;

  const model::Node &node(const std::string &id) const {
    INFO(id);
    REQUIRE(index.count(id));
    return graph.nodes[index.at(id)];
  }
  int edges(const std::string &from, const std::string &to) const {
    int count = 0;
    for (const model::Edge &edge : graph.edges)
      count += edge.from == from && edge.to == to;
    return count;
  }
  std::vector<model::Expr> shape(const std::string &from,
                                 const std::string &to) const {
    for (const model::Edge &edge : graph.edges)
      if (edge.from == from && edge.to == to)
        return edge.type.shape;
    return {};
  }
};

/// What is told of a draft is what would be told of all of it written out.
void checkParts(inspect::GraphDraft &draft, const model::Graph &graph) {
  model::WholeGraph whole(graph);
  std::vector<model::GraphPart> parts(1);
  for (int64_t most : {1, 4, 8, 16}) {
    parts.emplace_back().atMost = most;
    parts.emplace_back().limit = most;
    parts.back().offset = most;
  }
  for (const model::Node &node : graph.nodes) {
    parts.emplace_back().closed = {node.id};
    parts.emplace_back().atMost = 1;
    parts.back().open = {node.id};
    parts.emplace_back().find = node.label;
    parts.emplace_back().root = node.id;
  }
  for (const model::GraphPart &part : parts) {
    model::Diagnostic one, other;
    auto drafted = model::partOf(draft, part, one);
    auto written = model::partOf(whole, part, other);
    REQUIRE(drafted.has_value() == written.has_value());
    if (drafted)
      CHECK(nlohmann::json(*drafted) == nlohmann::json(*written));
  }
}

Built build(llvm::StringRef text) {
  MLIRContext context;
  context.loadDialect<block::BlockDialect, func::FuncDialect,
                      linalg::LinalgDialect, tensor::TensorDialect,
                      scf::SCFDialect, arith::ArithDialect>();
  auto module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context, false));
  REQUIRE(module);
  Built built{inspect::buildGraph(*module), {}};
  built.index = built.graph.indexById();
  CHECK(built.index.size() == built.graph.nodes.size()); // ids are unique
  for (const model::Edge &edge : built.graph.edges) {
    CHECK(built.index.count(edge.from));
    CHECK(built.index.count(edge.to));
  }
  for (const model::Node &node : built.graph.nodes)
    if (!node.parent.empty())
      CHECK(built.index.count(node.parent));
  if (built.graph.nodes.size() < 100) {
    inspect::GraphDraft draft = inspect::draftGraph(*module);
    checkParts(draft, built.graph);
  }
  return built;
}
} // namespace

TEST_CASE("a tensor graph has a node for each operation, named by its key") {
  Built g = build(R"(
    func.func @f(%x: tensor<4x8xf32> loc(fused<"f/x">["m":1:1]), %n: index) -> tensor<4x8xf32> {
      %c = arith.constant 1 : index
      %k = arith.addi %n, %c : index
      %e = tensor.empty() : tensor<4x8xf32>
      %y = linalg.exp ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32> loc(fused<"f/y">["m":2:1])
      return %y : tensor<4x8xf32>
    })");
  CHECK(g.graph.nodes.size() == 4); // function, input, exp, output
  CHECK(g.node("input:f/x").kind == NodeKind::Input);
  CHECK(g.node("f/y").op == "linalg.exp");
  CHECK(g.node("f/y").parent == "function:f");
  CHECK(g.edges("input:f/x", "f/y") == 1);
  CHECK(g.edges("f/y", "output:f/0") == 1);
}

TEST_CASE("grids, loops and scopes are groups; edges look through slices") {
  Built g = build(R"(
    func.func private @s(%x: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {tile.scope} {
      %e = tensor.empty() : tensor<64x64xf32>
      %r = scf.forall (%i, %j) = (0, 0) to (64, 64) step (16, 32) shared_outs(%o = %e) -> (tensor<64x64xf32>) {
        %t = tensor.extract_slice %x[%i, %j] [16, 32] [1, 1] : tensor<64x64xf32> to tensor<16x32xf32>
        %m = tile.move %t to "UB" : tensor<16x32xf32> -> tensor<16x32xf32> loc(fused<"$0">["m":1:1])
        %d = tensor.extract_slice %o[%i, %j] [16, 32] [1, 1] : tensor<64x64xf32> to tensor<16x32xf32>
        %y = linalg.exp ins(%m : tensor<16x32xf32>) outs(%d : tensor<16x32xf32>) -> tensor<16x32xf32> loc(fused<"$0">["m":1:1])
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %y into %o[%i, %j] [16, 32] [1, 1] : tensor<16x32xf32> into tensor<64x64xf32>
        }
      } loc(fused<"$0">["m":1:1])
      return %r : tensor<64x64xf32>
    }
    func.func @f(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
      %u = func.call @s(%x) {tile.bindings = ["f/u"]} : (tensor<64x64xf32>) -> tensor<64x64xf32> loc(fused<"f/u">["m":1:1])
      %v = func.call @s(%u) {tile.bindings = ["f/v"]} : (tensor<64x64xf32>) -> tensor<64x64xf32> loc(fused<"f/v">["m":2:1])
      return %v : tensor<64x64xf32>
    })");
  // The scope stands in its caller, once a call, with that call's keys.
  CHECK_FALSE(g.index.count("function:s"));
  CHECK(g.node("scope:f/u").kind == NodeKind::Scope);
  CHECK(g.node("scope:f/v").kind == NodeKind::Scope);
  CHECK(g.node("f/u").keys == std::vector<std::string>{"f/u"});
  CHECK(g.node("f/v").keys == std::vector<std::string>{"f/v"});
  CHECK(g.node("grid:f/u").grid == std::vector<model::Expr>{4, 2});
  CHECK(g.node("grid:f/u").parent == "scope:f/u");
  CHECK(g.node("f/u").parent == "grid:f/u");
  CHECK(g.node("f/u~tile.move").kind == NodeKind::Move);
  CHECK(g.node("f/u~tile.move").results[0].level == "UB");
  CHECK(g.node("f/u~tile.move").label == "arg0"); // what it brings
  CHECK(g.edges("input:f/arg0", "f/u~tile.move") == 1);
  CHECK(g.edges("f/u~tile.move", "f/u") == 1);
  CHECK(g.edges("f/u", "f/v~tile.move") == 1);
  CHECK(g.edges("f/v", "output:f/0") == 1);
  // What the input gives, not the tile that is taken of it.
  CHECK(g.shape("input:f/arg0", "f/u~tile.move") ==
        std::vector<model::Expr>{64, 64});
  CHECK(g.shape("f/u~tile.move", "f/u") == std::vector<model::Expr>{16, 32});
}

TEST_CASE("a kernel's instructions are linked by the buffers they share") {
  Built g = build(R"(
    block.kernel @k(%a: memref<16xf32>, %b: memref<16xf32>, %i: index) attributes {core = "vector", grid_rank = 1 : i64} {
      %u = block.alloc at 0 : memref<16xf32, #block.level<"UB">>
      block.move %a to %u on "MTE2" : memref<16xf32> to memref<16xf32, #block.level<"UB">> loc(fused<"f/y">["m":1:1])
      block.set_event "MTE2" to "V" id 0 loc(fused<"f/y">["m":1:1])
      block.wait_event "MTE2" to "V" id 0 loc(fused<"f/y">["m":1:1])
      block.unary <exp> %u into %u on "V" : memref<16xf32, #block.level<"UB">> into memref<16xf32, #block.level<"UB">> loc(fused<"f/y">["m":1:1])
      block.move %u to %b on "MTE3" : memref<16xf32, #block.level<"UB">> to memref<16xf32> loc(fused<"f/y">["m":1:1])
      block.return
    }
    block.program @f(%x: memref<16xf32> loc(fused<"f/x">["m":1:1]), %y: memref<16xf32> loc(fused<"f/y">["m":1:1])) attributes {result_count = 1 : i64} {
      block.dispatch @k grid [3] (%x, %y) {access = [#block.access<read, (i) -> (0), [16]>, #block.access<write, (i) -> (0), [16]>]} : memref<16xf32>, memref<16xf32> loc(fused<"f/y">["m":1:1])
      block.return
    } loc(fused<"f">["m":1:1]))");
  CHECK(g.node("kernel:k").kind == NodeKind::Kernel);
  CHECK(g.node("f/y").op == "block.unary");
  CHECK(g.edges("f/y~block.move", "f/y") == 1);
  CHECK(g.edges("f/y", "f/y~block.move@2") == 1);
  CHECK(g.edges("input:k/x", "f/y~block.move") == 1);
  CHECK(g.node("output:k/y").kind == NodeKind::Output);
  CHECK(g.edges("f/y~block.move@2", "output:k/y") == 1);
  CHECK_FALSE(g.index.count("input:k/y"));
  CHECK_FALSE(g.index.count("output:k/x"));
  // The event leads from what is done before the set to what waits for it.
  int events = 0;
  for (const model::Edge &edge : g.graph.edges)
    events += edge.kind == model::EdgeKind::Event;
  CHECK(events == 1);
  CHECK(g.edges("f/y~block.move", "f/y~block.set_event") == 1);
  CHECK(g.edges("f/y~block.set_event", "f/y~block.wait_event") == 1);
  CHECK(g.edges("f/y~block.wait_event", "f/y") == 1);
  const model::Node *dispatch = nullptr;
  for (const model::Node &node : g.graph.nodes)
    if (node.kind == NodeKind::Dispatch)
      dispatch = &node;
  REQUIRE(dispatch);
  CHECK(dispatch->grid == std::vector<model::Expr>{3});
  CHECK(g.edges("input:f/x", dispatch->id) == 1);
  CHECK(g.edges(dispatch->id, "output:f/y") == 1);
}

TEST_CASE("pipes that wait for several, and barriers, stand between") {
  Built g = build(R"(
    block.kernel @k(%a: memref<16xf32>, %b: memref<16xf32>) attributes {core = "vector", grid_rank = 0 : i64} {
      %u = block.alloc at 0 : memref<16xf32, #block.level<"UB">>
      block.set_event "V" to "MTE2" id 0 loc(fused<"f/free">["m":1:1])
      block.wait_event "V" to "MTE2" id 0 loc(fused<"f/free">["m":1:1])
      block.move %a to %u on "MTE2" : memref<16xf32> to memref<16xf32, #block.level<"UB">> loc(fused<"f/in">["m":1:1])
      block.barrier loc(fused<"f/all">["m":1:1])
      block.unary <exp> %u into %u on "V" : memref<16xf32, #block.level<"UB">> into memref<16xf32, #block.level<"UB">> loc(fused<"f/y">["m":1:1])
      block.unary <neg> %u into %u on "V" : memref<16xf32, #block.level<"UB">> into memref<16xf32, #block.level<"UB">> loc(fused<"f/z">["m":1:1])
      block.return
    })");
  // What is set before anything was done says that the room is free.
  CHECK(g.edges("f/free~block.wait_event", "f/in~block.move") == 1);
  CHECK(g.edges("f/in~block.move", "f/all~block.barrier") == 1);
  CHECK(g.edges("f/all~block.barrier", "f/y") == 1);
  CHECK(g.edges("f/all~block.barrier", "f/z") == 0);
}

TEST_CASE("what a kernel updates in place comes in and goes out") {
  Built g = build(R"(
    block.kernel @k(%a: memref<16xf32>) attributes {core = "vector", grid_rank = 0 : i64} {
      %u = block.alloc at 0 : memref<16xf32, #block.level<"UB">>
      block.move %a to %u on "MTE2" : memref<16xf32> to memref<16xf32, #block.level<"UB">> loc(fused<"f/y">["m":1:1])
      block.move %u to %a on "MTE3" : memref<16xf32, #block.level<"UB">> to memref<16xf32> loc(fused<"f/y">["m":1:1])
      block.return
    })");
  CHECK(g.edges("input:k/arg0", "f/y~block.move") == 1);
  CHECK(g.edges("f/y~block.move@2", "output:k/arg0") == 1);
}

TEST_CASE("a graph of 100,000 operations is linear work") {
  auto textOf = [](int n) {
    std::string text = "func.func @f(%v0: tensor<4xf32>) -> tensor<4xf32> {\n";
    for (int i = 0; i < n; ++i)
      text += "%v" + std::to_string(i + 1) + " = arith.addf %v" +
              std::to_string(i) + ", %v0 : tensor<4xf32> loc(fused<\"f/v" +
              std::to_string(i + 1) + "\">[\"m\":1:1])\n";
    return text + "return %v" + std::to_string(n) + " : tensor<4xf32>\n}";
  };
  MLIRContext context;
  context.loadDialect<func::FuncDialect, arith::ArithDialect>();
  auto module = parseSourceString<ModuleOp>(textOf(100000),
                                            ParserConfig(&context, false));
  REQUIRE(module);
  testing::Stopwatch watch;
  model::Graph graph = inspect::buildGraph(*module);
  CHECK(graph.nodes.size() == 100003);
  CHECK(graph.edges.size() == 200001);
  CHECK(watch.seconds() < 10); // quadratic would take minutes
}
