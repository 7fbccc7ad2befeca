//===- GraphPart.cpp - which part of a graph is wanted --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/GraphPart.h"
#include "core/model/NearestName.h"
#include "core/model/NumberedParts.h"
#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

namespace tilewright::model {

GraphSource::~GraphSource() = default;

WholeGraph::WholeGraph(const Graph &graph) : graph(graph) {
  const auto index = graph.indexById();
  parents.assign(graph.nodes.size(), -1);
  for (size_t i = 0; i < graph.nodes.size(); ++i)
    if (auto found = index.find(graph.nodes[i].parent);
        found != index.end() && found->second < i)
      parents[i] = int32_t(found->second);
  for (size_t i = 0; i < graph.edges.size(); ++i) {
    auto from = index.find(graph.edges[i].from),
         to = index.find(graph.edges[i].to);
    if (from == index.end() || to == index.end())
      continue;
    ends.push_back({int32_t(from->second), int32_t(to->second)});
    edges.push_back(uint32_t(i));
  }
}

namespace {

std::string lowered(std::string text) {
  for (char &c : text)
    if (c >= 'A' && c <= 'Z')
      c = char(c - 'A' + 'a');
  return text;
}

class Teller {
public:
  Teller(GraphSource &graph, const GraphPart &part)
      : graph(graph), part(part), count(graph.nodeCount()) {
    parent.resize(count);
    children.assign(count, 0);
    for (size_t i = 0; i < count; ++i)
      if ((parent[i] = graph.parentOf(i)) >= 0)
        ++children[parent[i]];
  }

  std::optional<Graph> run(Diagnostic &error) {
    told.total = int64_t(count);
    if (!part.root.empty() && !findRoot(error))
      return std::nullopt;
    if (!part.find.empty()) {
      search();
      return std::move(told);
    }
    openGroups();
    showNodes();
    tellNodes();
    tellEdges();
    return std::move(told);
  }

private:
  bool isGroup(size_t node) const { return children[node] > 0; }

  bool findRoot(Diagnostic &error) {
    std::vector<std::string> groups;
    for (size_t i = 0; i < count; ++i)
      if (isGroup(i)) {
        groups.push_back(graph.idOf(i));
        if (groups.back() == part.root) {
          root = int32_t(i);
          return true;
        }
      }
    error.code = "TW0618";
    error.message = "there is no group \"" + part.root + "\"";
    std::string nearest = nearestName(part.root, groups);
    error.hint = nearest.empty() ? "name a group by its id in the graph"
                                 : "did you mean " + nearest + "?";
    return false;
  }

  /// Whether a node is the root or in it. Parents come first.
  std::vector<bool> insideRoot() const {
    std::vector<bool> inside(count, root < 0);
    if (root >= 0)
      inside[root] = true;
    for (size_t i = 0; i < count; ++i)
      if (parent[i] >= 0 && inside[parent[i]])
        inside[i] = true;
    return inside;
  }

  //===--------------------------------------------------------------------===//
  // What is open
  //===--------------------------------------------------------------------===//

  void openGroups() {
    open.assign(count, part.atMost == 0);
    choose();
    if (part.atMost != 0)
      openWhatFits();
  }

  /// By id; only the ids of groups are made, unless some name none.
  void choose() {
    closed.assign(count, false);
    std::unordered_set<std::string> toClose(part.closed.begin(),
                                            part.closed.end()),
        toOpen(part.open.begin(), part.open.end());
    auto lookAt = [&](size_t i) {
      std::string id = graph.idOf(i);
      if (toClose.count(id))
        closed[i] = true;
      if (!toOpen.erase(id))
        return;
      for (int32_t at = int32_t(i); at >= 0; at = parent[at])
        open[at] = true;
    };
    if (!toClose.empty() || !toOpen.empty())
      for (size_t i = 0; i < count; ++i)
        if (isGroup(i))
          lookAt(i);
    for (size_t i = 0; i < count && !toOpen.empty(); ++i)
      if (!isGroup(i))
        lookAt(i);
    if (root >= 0) {
      open[root] = true;
      closed[root] = false;
    }
    for (size_t i = 0; i < count; ++i)
      if (closed[i])
        open[i] = false;
  }

  void openWhatFits() {
    // Depth by depth, in order within each.
    std::vector<int32_t> level, below;
    std::vector<std::vector<int32_t>> inside(count);
    for (size_t i = 0; i < count; ++i)
      if (root >= 0 ? int32_t(i) == root : parent[i] < 0)
        level.push_back(int32_t(i));
      else if (parent[i] >= 0 && isGroup(i))
        inside[parent[i]].push_back(int32_t(i));
    int64_t shown = int64_t(level.size());
    // What was chosen shows in any case.
    std::vector<int32_t> chosen = level;
    while (!chosen.empty()) {
      int32_t group = chosen.back();
      chosen.pop_back();
      if (!open[group] || !isGroup(group))
        continue;
      shown += children[group];
      chosen.insert(chosen.end(), inside[group].begin(), inside[group].end());
    }
    bool alone = level.size() == 1;
    while (!level.empty()) {
      below.clear();
      bool next = alone;
      // The first forty of a hundred equal layers open would be no picture.
      int64_t inParts = 0;
      for (int32_t group : level)
        if (!closed[group] && !open[group] && graph.isPart(size_t(group)))
          inParts += children[group];
      const bool partsOpen = shown + inParts <= part.atMost;
      for (int32_t group : level) {
        if (!isGroup(group) || closed[group])
          continue;
        bool may = partsOpen || !graph.isPart(size_t(group));
        if (!open[group] && may &&
            (alone || shown + children[group] <= part.atMost)) {
          open[group] = true;
          shown += children[group];
        }
        if (!open[group])
          continue;
        next = alone && children[group] == 1;
        below.insert(below.end(), inside[group].begin(), inside[group].end());
      }
      alone = next;
      std::swap(level, below);
    }
  }

  /// For every node what shows it: itself or the outermost closed group around
  /// it.
  void showNodes() {
    const std::vector<bool> inside = insideRoot();
    shownBy.assign(count, root);
    hidden.assign(count, 0);
    place.assign(count, -1);
    for (size_t i = 0; i < count; ++i) {
      if (!inside[i])
        continue;
      int32_t up = int32_t(i) == root ? -1 : parent[i];
      if (up >= 0 && (shownBy[up] != up || !open[up])) {
        shownBy[i] = shownBy[up];
        ++hidden[shownBy[i]];
        continue;
      }
      shownBy[i] = int32_t(i);
      place[i] = int64_t(shown.size());
      shown.push_back(int32_t(i));
    }
    told.count = int64_t(shown.size());
  }

  //===--------------------------------------------------------------------===//
  // What is told
  //===--------------------------------------------------------------------===//

  /// The places of the page among so many.
  void turnTo(size_t all) {
    begin = std::min<int64_t>(part.offset, int64_t(all));
    end = part.limit == 0 || part.limit > int64_t(all) - begin
              ? int64_t(all)
              : begin + part.limit;
    told.next = end < int64_t(all) ? end : 0;
  }

  void tell(size_t i) {
    Node node = graph.node(i);
    node.parent = parent[i] >= 0 && int32_t(i) != root ? idOf(parent[i]) : "";
    node.hidden = hidden[i];
    told.nodes.push_back(std::move(node));
  }

  /// Of the nodes of the page it is there already.
  std::string idOf(int32_t i) {
    if (int64_t at = place.empty() ? -1 : place[i] - begin;
        at >= 0 && at < int64_t(told.nodes.size()))
      return told.nodes[at].id;
    return graph.idOf(size_t(i));
  }

  void tellNodes() {
    turnTo(shown.size());
    told.nodes.reserve(size_t(end - begin));
    for (int64_t at = begin; at < end; ++at)
      tell(size_t(shown[at]));
  }

  void tellEdges() {
    auto sameType = [](const TensorType &a, const TensorType &b) {
      return a.dtype == b.dtype && a.level == b.level && a.layout == b.layout &&
             a.shape == b.shape;
    };
    auto isTold = [&](const GraphSource::Ends &ends) {
      int32_t from = shownBy[ends.from], to = shownBy[ends.to];
      if (from < 0 || to < 0 ||
          (from == to && (from != ends.from || to != ends.to)))
        return false;
      int64_t later = std::max(place[from], place[to]);
      return later >= begin && later < end;
    };
    // To grow would move them all again and again.
    size_t count = 0;
    for (size_t e = 0; e < graph.edgeCount(); ++e)
      count += isTold(graph.endsOf(e));
    told.edges.reserve(count);
    std::map<std::tuple<int32_t, int32_t, EdgeKind, int, int>, size_t> merged;
    for (size_t e = 0; e < graph.edgeCount(); ++e) {
      GraphSource::Ends ends = graph.endsOf(e);
      if (!isTold(ends))
        continue;
      int32_t from = shownBy[ends.from], to = shownBy[ends.to];
      Edge edge = graph.edge(e);
      if (from != ends.from)
        edge.fromPort = -1;
      if (to != ends.to)
        edge.toPort = -1;
      if (from != ends.from || to != ends.to) {
        auto [same, isNew] = merged.try_emplace(
            {from, to, edge.kind, edge.fromPort, edge.toPort},
            told.edges.size());
        if (!isNew) {
          Edge &first = told.edges[same->second];
          first.count += edge.count;
          if (!sameType(first.type, edge.type))
            first.type = TensorType();
          if (first.label != edge.label)
            first.label.clear();
          continue;
        }
      }
      edge.from = idOf(from);
      edge.to = idOf(to);
      told.edges.push_back(std::move(edge));
    }
  }

  //===--------------------------------------------------------------------===//
  // What is found
  //===--------------------------------------------------------------------===//

  void search() {
    const std::string wanted = lowered(part.find);
    auto has = [&](const std::string &text) {
      return lowered(text).find(wanted) != std::string::npos;
    };
    const std::vector<bool> inside = insideRoot();
    std::vector<size_t> hits;
    for (size_t i = 0; i < count; ++i) {
      if (!inside[i])
        continue;
      const Node node = graph.node(i);
      if (has(node.id) || has(node.label) || has(node.op) ||
          std::any_of(node.keys.begin(), node.keys.end(), has))
        hits.push_back(i);
    }
    told.count = int64_t(hits.size());
    turnTo(hits.size());
    std::vector<bool> wantedNode(count, false);
    for (int64_t at = begin; at < end; ++at) {
      told.found.push_back(graph.idOf(hits[at]));
      for (int32_t up = int32_t(hits[at]); up >= 0 && !wantedNode[up];
           up = up == root ? -1 : parent[up])
        wantedNode[up] = true;
    }
    hidden.assign(count, 0);
    for (size_t i = 0; i < count; ++i)
      if (wantedNode[i])
        tell(i);
  }

  GraphSource &graph;
  const GraphPart &part;
  const size_t count;
  std::vector<int32_t> parent;
  std::vector<int32_t> children; ///< how many
  int32_t root = -1;
  std::vector<bool> open, closed;
  std::vector<int32_t> shownBy; ///< -1: by nothing
  std::vector<int64_t> hidden;
  std::vector<int32_t> shown;
  std::vector<int64_t> place; ///< in `shown`
  int64_t begin = 0, end = 0;
  Graph told;
};

} // namespace

std::optional<Graph> partOf(GraphSource &graph, const GraphPart &part,
                            Diagnostic &error) {
  if (part.atMost == 0 && !part.root.starts_with(NumberedParts::prefix))
    return Teller(graph, part).run(error);
  NumberedParts parts(graph);
  return Teller(parts, part).run(error);
}

} // namespace tilewright::model
