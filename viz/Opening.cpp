//===- Opening.cpp - how much of a graph is shown at first ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/Opening.h"

#include "viz/Hierarchy.h"
#include <algorithm>
#include <utility>

namespace tilewright::viz {

namespace {

/// What all attempts to find out what fits may cost: one for a node laid out,
/// one for ten nodes of the graph, which is folded each time.
constexpr size_t mostTried = 50000;
/// No node is drawn smaller; more than the frame holds of these need no
/// attempt.
constexpr double leastNodeArea = 72.0 * 30.0;

class Opener {
public:
  Opener(const model::Graph &graph, const Frame &frame,
         const TextMeasurer &measurer,
         const std::map<std::string, bool> &chosen, LayoutOptions options,
         const Positions *previous, std::stop_token stop)
      : graph(graph), frame(frame), measurer(measurer), chosen(chosen),
        options(options), previous(previous), stop(std::move(stop)),
        tree(graph), open(graph.nodes.size(), false),
        fixed(graph.nodes.size(), false) {
    if (frame.height > 0)
      this->options.aspect = std::clamp(frame.width / frame.height, 0.5, 3.0);
  }

  std::optional<Opening> run() {
    firstChoice();
    Opening best;
    if (!attempt(best))
      return std::nullopt;
    best.whole = fits(best.scene);
    if (best.whole && !openWhatFits(best))
      return std::nullopt;
    return best;
  }

private:
  /// What a person chose, and what is alone at its level.
  void firstChoice() {
    std::vector<uint32_t> roots;
    children.resize(graph.nodes.size());
    for (uint32_t i : tree.order)
      if (tree.parent[i] < 0)
        roots.push_back(i);
      else
        children[tree.parent[i]].push_back(i);
    for (uint32_t i = 0; i < graph.nodes.size(); ++i)
      if (auto found = chosen.find(graph.nodes[i].id); found != chosen.end()) {
        open[i] = found->second;
        fixed[i] = true;
      }
    for (const std::vector<uint32_t> *level = &roots; level->size() == 1;) {
      uint32_t only = level->front();
      if (!tree.isGroup(only) || (fixed[only] && !open[only]))
        break;
      open[only] = true;
      level = &children[only];
    }
    breadthFirst = tree.order;
    std::sort(
        breadthFirst.begin(), breadthFirst.end(), [&](uint32_t a, uint32_t b) {
          return std::pair(tree.depth[a], a) < std::pair(tree.depth[b], b);
        });
  }

  bool isShown(uint32_t node) const {
    for (int32_t up = tree.parent[node]; up >= 0; up = tree.parent[up])
      if (!open[up])
        return false;
    return true;
  }

  /// False if `stop` was requested.
  bool attempt(Opening &into) {
    into.collapsed.clear();
    for (uint32_t i = 0; i < graph.nodes.size(); ++i)
      if (tree.isGroup(i) && !open[i])
        into.collapsed.insert(graph.nodes[i].id);
    into.visible = fold(graph, into.collapsed);
    tried += into.visible.nodes.size() + graph.nodes.size() / 10;
    auto scene = layOut(graph, into.visible, measurer, options, previous, stop);
    if (!scene)
      return false;
    into.scene = std::move(*scene);
    return true;
  }

  bool fits(const Scene &scene) const {
    return scene.bounds.width <= frame.width &&
           scene.bounds.height <= frame.height;
  }

  /// A group and the groups that are all there is inside it.
  std::vector<uint32_t> chainFrom(uint32_t group) const {
    std::vector<uint32_t> chain{group};
    for (uint32_t at = group; children[at].size() == 1;) {
      at = children[at].front();
      if (!tree.isGroup(at) || fixed[at])
        break;
      chain.push_back(at);
    }
    return chain;
  }

  bool openWhatFits(Opening &best) {
    size_t mostVisible = size_t(frame.width * frame.height / leastNodeArea) + 1;
    for (uint32_t group : breadthFirst) {
      if (!tree.isGroup(group) || open[group] || fixed[group] ||
          !isShown(group))
        continue;
      std::vector<uint32_t> chain = chainFrom(group);
      size_t visible =
          best.visible.nodes.size() + children[chain.back()].size();
      if (visible > mostVisible)
        continue;
      if (tried + visible + graph.nodes.size() / 10 > mostTried)
        break;
      for (uint32_t one : chain)
        open[one] = true;
      Opening next;
      if (!attempt(next))
        return false;
      if (fits(next.scene)) {
        next.whole = true;
        best = std::move(next);
        continue;
      }
      for (uint32_t one : chain)
        open[one] = false;
    }
    return true;
  }

  const model::Graph &graph;
  const Frame frame;
  const TextMeasurer &measurer;
  const std::map<std::string, bool> &chosen;
  LayoutOptions options;
  const Positions *previous;
  const std::stop_token stop;
  const Hierarchy tree;
  std::vector<std::vector<uint32_t>> children;
  std::vector<uint32_t> breadthFirst;
  std::vector<bool> open;  ///< in the attempt at hand
  std::vector<bool> fixed; ///< by a person
  size_t tried = 0;
};

} // namespace

std::optional<Opening>
openReadably(const model::Graph &graph, const Frame &frame,
             const TextMeasurer &measurer,
             const std::map<std::string, bool> &chosen, LayoutOptions options,
             const Positions *previous, std::stop_token stop) {
  return Opener(graph, frame, measurer, chosen, options, previous,
                std::move(stop))
      .run();
}

} // namespace tilewright::viz
