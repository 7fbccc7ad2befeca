//===- NumberedParts.h - layer0, layer1, … as groups of a graph -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/GraphPart.h"
#include <unordered_map>

namespace tilewright::model {

/// A graph with what belongs to one of many numbered parts of a program
/// (`layer0_q`, `layer0_k`, … `layer99_down`) in a group of its own
/// (a NodeKind::Function with the operation "part"): a hundred equal layers
/// that stand side by side are a hundred things to look at, not thousands.
/// Parts are told by the names in the source, which no decision changes, so
/// that they stay what they are from stage to stage and from pin to pin.
class NumberedParts : public GraphSource {
public:
  /// Levels of fewer nodes stay as they are.
  static constexpr size_t smallestLevel = 200;
  /// Fewer parts than this stay as they are.
  static constexpr size_t fewestParts = 4;
  /// What ids of the groups begin with.
  static constexpr const char *prefix = "part:";

  /// `graph` is looked into as long as this is used.
  explicit NumberedParts(GraphSource &graph);

  size_t nodeCount() const override { return nodes.size(); }
  int32_t parentOf(size_t node) const override { return nodes[node].parent; }
  std::string idOf(size_t node) const override;
  std::string keyOf(size_t node) const override;
  bool isPart(size_t node) const override { return nodes[node].inner < 0; }
  size_t edgeCount() const override { return graph.edgeCount(); }
  Ends endsOf(size_t edge) const override;
  Node node(size_t node) override;
  Edge edge(size_t edge) override { return graph.edge(edge); }

private:
  struct Part {
    std::string name;              ///< "stack/layer0"
    unsigned copy = 0;             ///< the how manieth of this name, from 0
    std::vector<std::string> keys; ///< of what is directly in it
  };
  struct Placed {
    int32_t inner = -1; ///< index in `graph`; -1 of a part
    int32_t part = -1;  ///< which, of a part
    int32_t parent = -1;
  };
  void findParts(const std::vector<uint32_t> &level);

  GraphSource &graph;
  std::vector<Part> parts;
  std::unordered_map<std::string, unsigned> copies; ///< of parts by name
  std::vector<int32_t> partOf; ///< by index in `graph`; -1: in none
  std::vector<Placed> nodes;
  std::vector<int32_t> places; ///< by index in `graph`
};

/// Where numbers end in `key` behind its function, at most `most` of them:
/// "stack/layer12_norm2" has 13 and 19. Signs written as %2E are no numbers.
std::vector<size_t> numberEnds(const std::string &key, size_t most);

} // namespace tilewright::model
