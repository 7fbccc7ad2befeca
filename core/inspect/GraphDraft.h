//===- GraphDraft.h - a stage's graph before it is written out --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"
#include "core/inspect/ShownTypes.h"
#include "core/model/GraphPart.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallString.h"

namespace tilewright::inspect {

/// A node by what it stands for: which text it gets is told from that.
struct DraftNode {
  enum class What : uint8_t {
    Function, ///< a function, program or kernel
    Argument, ///< `number` of the function `op`
    Returned, ///< operand `number` of what `op`, a function, returns
    Group,    ///< a grid, a loop, or the call of a scope
    Leaf
  };
  What what = What::Leaf;
  model::NodeKind kind = model::NodeKind::Operation;
  mlir::Operation *op = nullptr;
  /// What relative keys are there; null outside of scopes.
  mlir::ArrayAttr instance;
  int32_t parent = -1;
  unsigned number = 0;
  /// The how manieth node its id would be the same for, from 0.
  unsigned copy = 0;
  /// The node whose name a move has; -1: none.
  int32_t behind = -1;
};

struct DraftEdge {
  int32_t from = 0, to = 0;
  int fromPort = 0, toPort = 0;
  model::EdgeKind kind = model::EdgeKind::Data;
  mlir::Type type;                 ///< of what flows; null: nothing does
  mlir::Value value;               ///< that flows; may be null
  mlir::Operation *wait = nullptr; ///< for the event this is
};

/// What a dispatch does with its buffer `i`; both, where nothing says it.
block::AccessMode accessMode(block::DispatchOp dispatch, size_t i);
/// The buffers an instruction or a dispatch writes, in the order in which they
/// follow its results as ports.
llvm::SmallVector<mlir::Value> writtenBuffers(mlir::Operation *op);

/// The operations of a stage and what flows between them, with nothing written
/// out: a node is some words and no text, so that a graph of which a hundred
/// nodes are told costs little more than a walk through the operations. Those
/// must stay as they are as long as this is used.
class GraphDraft : public model::GraphSource {
public:
  /// Adds a node; its `copy` is set here.
  int32_t add(DraftNode node);
  void add(DraftEdge edge) { edges.push_back(edge); }
  /// Names the arguments of functions; where it gives nothing, they are
  /// numbered.
  void nameArgument(mlir::Operation *function, unsigned number,
                    std::string name);

  size_t nodeCount() const override { return nodes.size(); }
  int32_t parentOf(size_t node) const override { return nodes[node].parent; }
  std::string idOf(size_t node) const override;
  std::string keyOf(size_t node) const override;
  size_t edgeCount() const override { return edges.size(); }
  Ends endsOf(size_t edge) const override {
    return {edges[edge].from, edges[edge].to};
  }
  model::Node node(size_t node) override;
  model::Edge edge(size_t edge) override;

private:
  llvm::SmallString<128> baseIdOf(const DraftNode &node) const;
  llvm::StringRef primaryKeyOf(mlir::Operation *op) const;
  std::string argumentName(const DraftNode &node) const;
  std::string labelOf(const DraftNode &node) const;
  model::TensorType tensorType(mlir::Type type, mlir::Value value = {});
  void addAttributes(model::Node &node, mlir::Operation *op);
  void addResults(model::Node &node, mlir::Operation *op);

  std::vector<DraftNode> nodes;
  std::vector<DraftEdge> edges;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, std::string>
      argumentNames;
  llvm::DenseMap<uint64_t, unsigned> copies; ///< by the hash of the id
  /// Operations of one kernel share a few locations, each with the keys of
  /// hundreds of instances.
  mutable llvm::DenseMap<mlir::Location, llvm::StringRef> primaryKeys;
  ShownTypes shown;
};

} // namespace tilewright::inspect
