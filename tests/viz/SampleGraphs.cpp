//===- SampleGraphs.cpp - graphs to draw and to test with -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tests/viz/SampleGraphs.h"
#include <algorithm>
#include <random>

namespace tilewright::samples {

using model::Edge;
using model::EdgeKind;
using model::Expr;
using model::Graph;
using model::Node;
using model::NodeKind;
using model::TensorType;

namespace {

TensorType tensor(std::vector<Expr> shape, std::string dtype = "f32",
                  std::string level = "") {
  TensorType type;
  type.dtype = std::move(dtype);
  type.shape = std::move(shape);
  type.level = std::move(level);
  return type;
}

class Maker {
public:
  Graph graph;

  Node &node(std::string id, NodeKind kind, std::string op, std::string label,
             std::string parent = "") {
    Node node;
    node.id = std::move(id);
    node.kind = kind;
    node.op = std::move(op);
    node.label = std::move(label);
    node.parent = std::move(parent);
    node.keys = {"swiglu_ffn/" + node.label};
    graph.nodes.push_back(std::move(node));
    return graph.nodes.back();
  }
  void edge(std::string from, std::string to, TensorType type = {},
            EdgeKind kind = EdgeKind::Data, int fromPort = 0, int toPort = 0) {
    Edge edge;
    edge.from = std::move(from);
    edge.to = std::move(to);
    edge.type = std::move(type);
    edge.kind = kind;
    edge.fromPort = fromPort;
    edge.toPort = toPort;
    graph.edges.push_back(std::move(edge));
  }
};

} // namespace

Graph tensorFfn() {
  Maker m;
  m.graph.stage = "tensor";
  m.graph.pass = "tensor/dce";
  TensorType x = tensor({128, 4096}), wide = tensor({4096, 1408}),
             inner = tensor({128, 1408}), down = tensor({1408, 4096});
  m.node("x", NodeKind::Input, "", "x");
  m.node("w_gate", NodeKind::Input, "", "w_gate");
  m.node("w_up", NodeKind::Input, "", "w_up");
  m.node("w_down", NodeKind::Input, "", "w_down");
  m.node("gate", NodeKind::Operation, "tw.matmul", "gate");
  m.node("up", NodeKind::Operation, "tw.matmul", "up");
  m.node("act", NodeKind::Operation, "tw.silu", "act");
  m.node("hidden", NodeKind::Operation, "tw.mul", "hidden");
  m.node("y", NodeKind::Operation, "tw.matmul", "y");
  m.node("result", NodeKind::Output, "", "result");
  m.edge("x", "gate", x);
  m.edge("w_gate", "gate", wide, EdgeKind::Data, 0, 1);
  m.edge("x", "up", x);
  m.edge("w_up", "up", wide, EdgeKind::Data, 0, 1);
  m.edge("gate", "act", inner);
  m.edge("act", "hidden", inner);
  m.edge("up", "hidden", inner, EdgeKind::Data, 0, 1);
  m.edge("hidden", "y", inner);
  m.edge("w_down", "y", down, EdgeKind::Data, 0, 1);
  m.edge("y", "result", x);
  return m.graph;
}

Graph tileFfn() {
  Maker m;
  m.graph.stage = "tile";
  m.graph.pass = "tile/place-tiles";
  TensorType x = tensor({128, 4096}), wide = tensor({4096, 1408}),
             inner = tensor({128, 1408}), down = tensor({1408, 4096});
  m.node("fn", NodeKind::Function, "func.func", "swiglu_ffn");
  for (const char *name : {"x", "w_gate", "w_up", "w_down"})
    m.node(name, NodeKind::Input, "", name, "fn");
  auto matmul = [&](std::string name, std::string lhs, std::string rhs,
                    TensorType lhsType, TensorType rhsType,
                    std::vector<Expr> grid, bool fused) {
    std::string scope = "scope:" + name, gridId = name + "/grid",
                loop = name + "/loop";
    m.node(scope, NodeKind::Scope, "scope", name, "fn");
    m.node(gridId, NodeKind::Grid, "scf.forall", name, scope).grid = grid;
    m.node(name + ".zero", NodeKind::Constant, "tw.full", "zero", gridId)
        .attributes = {{"value", "0"}};
    m.node(loop, NodeKind::Loop, "scf.for", "k", gridId).attributes = {
        {"step", "256"}};
    m.node(name + ".a", NodeKind::Move, "tile.move", "a tile", loop);
    m.node(name + ".b", NodeKind::Move, "tile.move", "b tile", loop)
        .attributes = {{"layout", "packed"}};
    m.node(name + ".mm", NodeKind::Operation, "tw.matmul", name, loop);
    TensorType a = tensor({128, 256}, "f32", "L1"),
               b = tensor({256, 128}, "f32", "L1"),
               c = tensor({128, 128}, "f32", "UB");
    m.edge(lhs, name + ".a", lhsType);
    m.edge(rhs, name + ".b", rhsType);
    m.edge(name + ".a", name + ".mm", a);
    m.edge(name + ".b", name + ".mm", b);
    m.edge(name + ".zero", name + ".mm", c);
    std::string last = name + ".mm";
    if (fused) {
      m.node("act", NodeKind::Operation, "tw.silu", "act", gridId);
      m.node("up.t", NodeKind::Move, "tile.move", "up tile", gridId);
      m.node("hidden", NodeKind::Operation, "tw.mul", "hidden", gridId);
      m.edge(last, "act", c);
      m.edge("up.store", "up.t", inner);
      m.edge("act", "hidden", c);
      m.edge("up.t", "hidden", c);
      last = "hidden";
    }
    m.node(name + ".store", NodeKind::Move, "tile.move", "store", gridId);
    m.edge(last, name + ".store", c);
  };
  matmul("up", "x", "w_up", x, wide, {1, 11}, false);
  matmul("gate", "x", "w_gate", x, wide, {1, 11}, true);
  matmul("y", "gate.store", "w_down", inner, down, {1, 32}, false);
  m.node("result", NodeKind::Output, "", "result", "fn");
  m.edge("y.store", "result", x);
  return m.graph;
}

Graph blockKernel() {
  Maker m;
  m.graph.stage = "block";
  m.graph.pass = "block/insert-sync";
  m.node("kernel:gate", NodeKind::Kernel, "block.kernel", "gate");
  auto in = [&](std::string id, NodeKind kind, std::string op,
                std::string label) -> Node & {
    return m.node(id, kind, op, label, "kernel:gate");
  };
  in("buf:a", NodeKind::Buffer, "L1", "a").attributes = {{"offset", "0"}};
  in("buf:b", NodeKind::Buffer, "L1", "b").attributes = {{"offset", "65536"}};
  in("buf:c", NodeKind::Buffer, "L0C", "c").attributes = {{"offset", "0"}};
  in("la", NodeKind::Move, "block.copy", "load a").attributes = {
      {"pipe", "MTE2"}};
  in("lb", NodeKind::Move, "block.copy", "load b").attributes = {
      {"pipe", "MTE2"}};
  in("set", NodeKind::Sync, "block.set", "event 0");
  in("mm", NodeKind::Operation, "block.matmul", "gate").attributes = {
      {"pipe", "M"}};
  in("silu", NodeKind::Operation, "block.silu", "\u6fc0\u6d3b act")
      .attributes = {{"pipe", "V"}};
  in("st", NodeKind::Move, "block.copy", "store").attributes = {
      {"pipe", "MTE3"}};
  TensorType a = tensor({128, 256}, "bf16", "L1"),
             c = tensor({128, 128}, "f32", "L0C");
  m.edge("la", "buf:a", a);
  m.edge("lb", "buf:b", a);
  m.edge("buf:a", "mm", a);
  m.edge("buf:b", "mm", a);
  m.edge("mm", "buf:c", c);
  m.edge("buf:c", "silu", c);
  m.edge("silu", "st", c);
  m.edge("la", "lb", {}, EdgeKind::Order);
  m.edge("lb", "set", {}, EdgeKind::Event);
  m.edge("set", "mm", {}, EdgeKind::Event);
  m.edge("st", "la", {}, EdgeKind::Order);
  m.node("dispatch:gate", NodeKind::Dispatch, "block.dispatch", "gate").grid = {
      Expr(48), Expr(24)};
  m.node("dispatch:down", NodeKind::Dispatch, "block.dispatch", "down").grid = {
      Expr(48), Expr::symbol("x.0")};
  m.edge("dispatch:gate", "dispatch:down", tensor({Expr::symbol("x.0"), 1408}));
  return m.graph;
}

Graph random(uint32_t count, uint32_t seed, bool groups) {
  static constexpr const char *ops[] = {
      "tw.matmul",  "tw.add",      "tw.mul",  "tw.silu",
      "tw.softmax", "tw.rms_norm", "tw.cast", "tw.reshape"};
  Maker m;
  m.graph.stage = "tensor";
  m.graph.pass = "tensor/random";
  std::mt19937 generator(seed);
  auto below = [&](uint32_t n) { return generator() % std::max(1u, n); };
  m.graph.nodes.reserve(count);
  std::vector<std::string> open; // groups around the current node
  std::vector<std::string> ids;
  uint32_t groupCount = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (groups) {
      if (!open.empty() && below(12) == 0)
        open.pop_back();
      if (open.size() < 3 && below(10) == 0) {
        std::string id = "g" + std::to_string(groupCount++);
        NodeKind kind = below(2) ? NodeKind::Scope : NodeKind::Loop;
        m.node(id, kind, kind == NodeKind::Scope ? "scope" : "scf.for", id,
               open.empty() ? "" : open.back());
        open.push_back(id);
      }
    }
    std::string id = "n" + std::to_string(i);
    m.node(id, i < 4 ? NodeKind::Input : NodeKind::Operation,
           i < 4 ? "" : ops[below(8)], "v" + std::to_string(i),
           open.empty() ? "" : open.back());
    ids.push_back(id);
    if (i < 4)
      continue;
    uint32_t inputs = 1 + (below(3) == 0) + (below(20) == 0);
    for (uint32_t k = 0; k < inputs; ++k) {
      uint32_t reach = below(70) == 0 ? i : 12;
      uint32_t from = i - 1 - below(std::min(reach, i));
      m.edge(ids[from], id, tensor({int64_t(64) << below(4), 256}));
    }
  }
  return m.graph;
}

} // namespace tilewright::samples
