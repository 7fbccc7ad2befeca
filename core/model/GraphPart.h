//===- GraphPart.h - which part of a graph is wanted ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Graph.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::model {

/// What of a graph is to be told. A stage of a large program has tens of
/// thousands of nodes, which nobody looks at together; with groups closed there
/// are hundreds, and what is not told need not be made.
struct GraphPart {
  /// Groups open from the outside in while at most so many nodes are told; 0:
  /// all are open. A group that is alone at its level says nothing closed and
  /// opens whatever is in it. What belongs to many numbered parts is in a group
  /// each (NumberedParts.h), if this is not 0 or `root` is such a group; these
  /// open only where all of a depth can.
  int64_t atMost = 0;
  /// Ids of nodes that are to be seen and of groups that are to be open, with
  /// all that is around them; of groups that are to be closed, whatever else is
  /// said. Ids that name nothing are passed over.
  std::vector<std::string> open, closed;
  /// Only what is in this group, which is told first and is open. Edges from
  /// and to the outside begin and end at it. Empty: everything.
  std::string root;
  /// Only nodes in whose id, label, operation or keys this is found, small and
  /// capital letters alike, with the groups around them and without edges.
  /// Nothing is closed then. Empty: no matter.
  std::string find;
  /// Of what the above leaves, the nodes from `offset` on, at most `limit` (0:
  /// all). An edge comes with the later of its ends. Of what is found, groups
  /// around it do not count.
  int64_t offset = 0, limit = 0;

  bool operator==(const GraphPart &) const = default;
  bool isWhole() const { return *this == GraphPart(); }
};

/// A graph that can be told in part: what is where is known, what is written on
/// it is made only for what is told.
class GraphSource {
public:
  virtual ~GraphSource();

  struct Ends {
    int32_t from = 0, to = 0; ///< indices of nodes
  };

  virtual size_t nodeCount() const = 0;
  /// Index of the group around a node, which is less than `node`; -1 at the
  /// top.
  virtual int32_t parentOf(size_t node) const = 0;
  virtual std::string idOf(size_t node) const = 0;
  /// The first key of a node as the source has it; empty if there is none.
  virtual std::string keyOf(size_t node) const = 0;
  /// True for the group of a numbered part.
  virtual bool isPart(size_t) const { return false; }
  virtual size_t edgeCount() const = 0;
  virtual Ends endsOf(size_t edge) const = 0;
  /// Without `parent`.
  virtual Node node(size_t node) = 0;
  /// Without `from` and `to`.
  virtual Edge edge(size_t edge) = 0;
};

/// The part of `graph`, with `stage` and `pass` empty. Empty and `error` set
/// (TW0618) if there is no group `part.root`. Linear in the graph; texts are
/// made only for what is told, but for a search.
std::optional<Graph> partOf(GraphSource &graph, const GraphPart &part,
                            Diagnostic &error);

/// A graph that is there.
class WholeGraph : public GraphSource {
public:
  /// Any graph is accepted: a node whose parent is unknown or comes after it is
  /// at the top; an edge whose ends are unknown is left out. `graph` is looked
  /// into as long as this is used.
  explicit WholeGraph(const Graph &graph);

  size_t nodeCount() const override { return graph.nodes.size(); }
  int32_t parentOf(size_t node) const override { return parents[node]; }
  std::string idOf(size_t node) const override { return graph.nodes[node].id; }
  std::string keyOf(size_t node) const override {
    const std::vector<std::string> &keys = graph.nodes[node].keys;
    return keys.empty() ? std::string() : keys.front();
  }
  size_t edgeCount() const override { return ends.size(); }
  Ends endsOf(size_t edge) const override { return ends[edge]; }
  Node node(size_t node) override { return graph.nodes[node]; }
  Edge edge(size_t edge) override { return graph.edges[edges[edge]]; }

private:
  const Graph &graph;
  std::vector<int32_t> parents;
  std::vector<Ends> ends;
  std::vector<uint32_t> edges; ///< whose ends these are
};

} // namespace tilewright::model
