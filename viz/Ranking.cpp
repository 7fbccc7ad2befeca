//===- Ranking.cpp - a rank for every node of a level ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/Ranking.h"
#include <algorithm>

namespace tilewright::viz {

namespace {

/// Edges by one of their ends.
struct Adjacency {
  std::vector<uint32_t> start;
  std::vector<uint32_t> edge;

  template <typename EndOf>
  Adjacency(size_t nodes, size_t edges, EndOf endOf)
      : start(nodes + 1, 0), edge(edges) {
    for (uint32_t e = 0; e < edges; ++e)
      ++start[endOf(e) + 1];
    for (size_t i = 0; i < nodes; ++i)
      start[i + 1] += start[i];
    std::vector<uint32_t> fill(start.begin(), start.end() - 1);
    for (uint32_t e = 0; e < edges; ++e)
      edge[fill[endOf(e)]++] = e;
  }
};

} // namespace

Ranking rankNodes(const std::vector<LevelNode> &nodes,
                  const std::vector<LevelEdge> &edges) {
  using Pin = LevelNode::Pin;
  const uint32_t count = static_cast<uint32_t>(nodes.size());
  Ranking result;
  result.rank.assign(count, 0);
  result.reversed.assign(edges.size(), 0);
  result.isolated.assign(count, 1);
  result.walk.assign(count, 0);
  for (const LevelEdge &edge : edges)
    if (edge.from != edge.to)
      result.isolated[edge.from] = result.isolated[edge.to] = 0;
  bool hasFirst = false, hasLast = false;
  for (uint32_t i = 0; i < count; ++i)
    if (nodes[i].pin != Pin::None) {
      result.isolated[i] = 0;
      (nodes[i].pin == Pin::First ? hasFirst : hasLast) = true;
    }

  // Ports stay where they are; everything else that points back on the
  // depth-first walk is turned around.
  auto pinned = [&](uint32_t i) { return nodes[i].pin != Pin::None; };
  auto isReal = [&](const LevelEdge &edge) { return edge.from != edge.to; };
  for (size_t e = 0; e < edges.size(); ++e)
    if (isReal(edges[e]) && (nodes[edges[e].to].pin == Pin::First ||
                             nodes[edges[e].from].pin == Pin::Last))
      result.reversed[e] = 1;
  auto upper = [&](uint32_t e) {
    return result.reversed[e] ? edges[e].to : edges[e].from;
  };
  auto lower = [&](uint32_t e) {
    return result.reversed[e] ? edges[e].from : edges[e].to;
  };

  uint32_t walked = 0;
  {
    Adjacency out(count, edges.size(), upper);
    std::vector<uint32_t> indegree(count, 0), strong(count, 0);
    for (uint32_t e = 0; e < edges.size(); ++e)
      if (isReal(edges[e])) {
        ++indegree[lower(e)];
        strong[lower(e)] += !edges[e].weak;
      }
    std::vector<uint8_t> state(count, 0); // 1 on the way, 2 done
    std::vector<std::pair<uint32_t, uint32_t>> stack;
    auto walk = [&](uint32_t root) {
      stack.push_back({root, out.start[root]});
      state[root] = 1;
      result.walk[root] = walked++;
      while (!stack.empty()) {
        auto &[node, next] = stack.back();
        if (next == out.start[node + 1]) {
          state[node] = 2;
          stack.pop_back();
          continue;
        }
        uint32_t e = out.edge[next++];
        if (!isReal(edges[e]))
          continue;
        uint32_t to = lower(e);
        if (state[to] == 1) {
          result.reversed[e] ^= 1;
        } else if (state[to] == 0) {
          state[to] = 1;
          result.walk[to] = walked++;
          stack.push_back({to, out.start[to]});
        }
      }
    };
    for (uint32_t i = 0; i < count; ++i)
      if (state[i] == 0 && indegree[i] == 0)
        walk(i);
    // In a cycle the walk begins where only weak edges come in, so that it is
    // these that point back.
    for (uint32_t i = 0; i < count; ++i)
      if (state[i] == 0 && strong[i] == 0)
        walk(i);
    for (uint32_t i = 0; i < count; ++i)
      if (state[i] == 0)
        walk(i);
  }

  Adjacency out(count, edges.size(), upper);
  Adjacency in(count, edges.size(), lower);
  std::vector<uint32_t> order;
  order.reserve(count);
  std::vector<uint32_t> waiting(count, 0);
  for (uint32_t e = 0; e < edges.size(); ++e)
    if (isReal(edges[e]))
      ++waiting[lower(e)];
  for (uint32_t i = 0; i < count; ++i)
    if (waiting[i] == 0)
      order.push_back(i);
  const uint32_t base = hasFirst ? 1 : 0;
  for (size_t k = 0; k < order.size(); ++k) {
    uint32_t node = order[k];
    if (!pinned(node))
      result.rank[node] = std::max(result.rank[node], base);
    for (uint32_t s = out.start[node]; s < out.start[node + 1]; ++s) {
      uint32_t e = out.edge[s];
      if (!isReal(edges[e]))
        continue;
      uint32_t to = lower(e);
      result.rank[to] = std::max(result.rank[to], result.rank[node] + 1);
      if (--waiting[to] == 0)
        order.push_back(to);
    }
  }

  // Slack: a node moves towards the side where it has more edges. What has no
  // predecessor (weights, constants) comes down to its first use.
  auto degree = [&](const Adjacency &ends, uint32_t node) {
    return ends.start[node + 1] - ends.start[node];
  };
  for (int round = 0; round < 2; ++round) {
    for (size_t k = order.size(); k-- > 0;) {
      uint32_t node = order[k];
      if (pinned(node) || degree(out, node) == 0)
        continue;
      bool down = degree(out, node) > degree(in, node);
      if (!down)
        continue;
      uint32_t limit = std::numeric_limits<uint32_t>::max();
      for (uint32_t s = out.start[node]; s < out.start[node + 1]; ++s)
        if (uint32_t e = out.edge[s];
            isReal(edges[e]) && nodes[lower(e)].pin != Pin::Last)
          limit = std::min(limit, result.rank[lower(e)]);
      if (limit != std::numeric_limits<uint32_t>::max() && limit > 0)
        result.rank[node] = std::max(result.rank[node], limit - 1);
    }
    for (uint32_t node : order) {
      if (pinned(node) || degree(in, node) < degree(out, node) ||
          degree(in, node) == 0)
        continue;
      uint32_t least = base;
      for (uint32_t s = in.start[node]; s < in.start[node + 1]; ++s)
        if (uint32_t e = in.edge[s]; isReal(edges[e]))
          least = std::max(least, result.rank[upper(e)] + 1);
      result.rank[node] = std::min(result.rank[node], least);
    }
  }

  // Ranks that came out empty are closed up; the last is for ports alone.
  uint32_t deepest = 0;
  for (uint32_t i = 0; i < count; ++i)
    if (!result.isolated[i] && nodes[i].pin != Pin::Last)
      deepest = std::max(deepest, result.rank[i]);
  std::vector<uint32_t> number(deepest + 1, 0);
  for (uint32_t i = 0; i < count; ++i)
    if (!result.isolated[i] && nodes[i].pin != Pin::Last)
      number[result.rank[i]] = 1;
  if (hasFirst)
    number[0] = 1;
  uint32_t used = 0;
  for (uint32_t &n : number) {
    uint32_t here = used;
    used += n;
    n = here;
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (result.isolated[i])
      result.rank[i] = 0;
    else if (nodes[i].pin == Pin::Last)
      result.rank[i] = used;
    else
      result.rank[i] = number[result.rank[i]];
  }
  result.rankCount = used + (hasLast ? 1 : 0);
  return result;
}

} // namespace tilewright::viz
