//===- Graph.h - any stage as nodes and edges -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "core/model/Expr.h"
#include "core/model/Origin.h"
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <vector>

namespace tilewright::model {

/// A tensor, tile or buffer as it crosses an edge.
struct TensorType {
  std::string dtype;       ///< "f32", "bf16", "i1", …; empty for non-tensors
  std::vector<Expr> shape; ///< elements; empty for a scalar
  std::string level;       ///< memory level ("UB"); empty where not decided
  std::string layout;      ///< "row_major", "packed<n,32>", …; may be empty
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TensorType, dtype, shape, level,
                                                layout)

/// What a node is. Groups (scope, kernel, loop, function) have children.
enum class NodeKind {
  Operation,
  Input,
  Output,
  Constant,
  Function, ///< group
  Scope,    ///< group: operations fused into one kernel family
  Loop,     ///< group: sequential tiles
  Grid,     ///< group: parallel tiles, kept folded
  Kernel,   ///< group: one core's program
  Buffer,
  Move,
  Sync,
  Dispatch, ///< one kernel over a grid; stands for many tasks
  Task
};
NLOHMANN_JSON_SERIALIZE_ENUM(NodeKind, {{NodeKind::Operation, "operation"},
                                        {NodeKind::Input, "input"},
                                        {NodeKind::Output, "output"},
                                        {NodeKind::Constant, "constant"},
                                        {NodeKind::Function, "function"},
                                        {NodeKind::Scope, "scope"},
                                        {NodeKind::Loop, "loop"},
                                        {NodeKind::Grid, "grid"},
                                        {NodeKind::Kernel, "kernel"},
                                        {NodeKind::Buffer, "buffer"},
                                        {NodeKind::Move, "move"},
                                        {NodeKind::Sync, "sync"},
                                        {NodeKind::Dispatch, "dispatch"},
                                        {NodeKind::Task, "task"}})

/// A node. `id` is unique in the graph and stable from pass to pass while the
/// node means the same thing (made from keys, never from positions).
struct Node {
  std::string id;
  NodeKind kind = NodeKind::Operation;
  std::string op;     ///< operation name, "tw.matmul"; kernel or buffer name
  std::string label;  ///< short text for a person, "qk"
  std::string parent; ///< id of the enclosing group; empty at top
  std::vector<std::string> keys; ///< tensor-graph operations it came from
  std::vector<Expr> grid;        ///< instances it stands for; empty = one
  std::vector<TensorType> results;
  /// Attributes in display order: [["axis", "-1"], …].
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<Metric> metrics;
  TextRange range; ///< in the stage's printed text; empty if none
  /// Of a group that is closed in this part of a graph: how many nodes there
  /// are inside, at all depths.
  int64_t hidden = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Node, id, kind, op, label,
                                                parent, keys, grid, results,
                                                attributes, metrics, range,
                                                hidden)

enum class EdgeKind { Data, Order, Event };
NLOHMANN_JSON_SERIALIZE_ENUM(EdgeKind, {{EdgeKind::Data, "data"},
                                        {EdgeKind::Order, "order"},
                                        {EdgeKind::Event, "event"}})

/// Result `fromPort` of `from` is operand `toPort` of `to`. The port of a group
/// that is closed in this part of a graph is -1. Where `count` edges became one
/// since an end of theirs is closed, `type` and `label` are those of all of
/// them, or empty.
struct Edge {
  std::string from;
  int fromPort = 0;
  std::string to;
  int toPort = 0;
  EdgeKind kind = EdgeKind::Data;
  std::string label;
  TensorType type;
  int64_t count = 1;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Edge, from, fromPort, to,
                                                toPort, kind, label, type,
                                                count)

/// One stage (or one pass of it) as a graph. Nodes are in source order, a
/// group before its children. Grids stay folded: a 6144-cubed matmul is one
/// node with a grid, never a million nodes. It may be a part only
/// (GraphPart.h).
struct Graph {
  static constexpr const char *schema = "tilewright/graph";
  static constexpr int version = 1;

  std::string stage; ///< tensor, tile, block, execution
  std::string pass;  ///< snapshot it shows, "tile/expand-tiles"
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  int64_t total = 0; ///< nodes there are with all groups open
  int64_t count = 0; ///< nodes of the part asked for, over all its pages
  int64_t next = 0;  ///< offset of the page after this one; 0: none
  /// Ids of the nodes in which a text was found, of those in `nodes`; the
  /// others are the groups around them.
  std::vector<std::string> found;

  /// id -> index in `nodes`.
  std::unordered_map<std::string, size_t> indexById() const;
};
void to_json(nlohmann::json &json, const Graph &graph);
void from_json(const nlohmann::json &json, Graph &graph);

} // namespace tilewright::model
