//===- LevelLayout.cpp - layered layout of one level of nesting -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/LevelLayout.h"
#include "viz/LayerCoordinates.h"
#include "viz/LayerOrder.h"
#include "viz/Ranking.h"
#include <algorithm>
#include <cmath>
#include <tuple>

namespace tilewright::viz {

namespace {

class LevelBuilder {
public:
  LevelBuilder(const std::vector<LevelNode> &nodes,
               const std::vector<LevelEdge> &edges,
               const LayoutOptions &options, std::stop_token stop,
               LevelResult &result)
      : nodes(nodes), edges(edges), options(options), stop(std::move(stop)),
        result(result) {}

  bool run() {
    ranking = rankNodes(nodes, edges);
    if (stop.stop_requested())
      return false;
    chooseRoutes();
    buildLayers();
    orderLayers();
    result.crossings = reduceCrossings(graph, options.maxSweeps, hinted, stop);
    if (result.crossings < 0)
      return false;
    std::vector<double> width(graph.vertexCount, 0);
    for (size_t i = 0; i < nodes.size(); ++i)
      width[i] = nodes[i].width;
    const uint32_t firstBend = static_cast<uint32_t>(nodes.size());
    if (!placeVertices(graph, width, firstBend,
                       {options.nodeGap, options.edgeGap}, stop, x))
      return false;
    result.x.assign(x.begin(), x.begin() + nodes.size());
    result.bends.assign(x.begin() + nodes.size(), x.end());
    result.rank = ranking.rank;
    measure();
    placePorts();
    placeRanks();
    placeChannels();
    placeIsolated();
    return true;
  }

private:
  uint32_t upper(uint32_t e) const {
    return ranking.reversed[e] ? edges[e].to : edges[e].from;
  }
  uint32_t lower(uint32_t e) const {
    return ranking.reversed[e] ? edges[e].from : edges[e].to;
  }
  double upperOffset(uint32_t e) const {
    return ranking.reversed[e] ? edges[e].toOffset : edges[e].fromOffset;
  }
  double lowerOffset(uint32_t e) const {
    return ranking.reversed[e] ? edges[e].fromOffset : edges[e].toOffset;
  }
  uint32_t spanOf(uint32_t e) const {
    return ranking.rank[lower(e)] - ranking.rank[upper(e)];
  }

  /// Which edges are drawn through. Bends are bounded, so that the work stays
  /// linear in the graph and not in ranks times edges.
  void chooseRoutes() {
    using Kind = LevelRoute::Kind;
    result.routes.assign(edges.size(), {});
    const uint32_t maxSpan =
        static_cast<uint32_t>(std::max(1, options.maxSpan));
    std::vector<uint64_t> bendsOfSpan(maxSpan + 1, 0);
    for (uint32_t e = 0; e < edges.size(); ++e) {
      LevelRoute &route = result.routes[e];
      route.reversed = ranking.reversed[e];
      if (edges[e].from == edges[e].to)
        route.kind = Kind::Loop;
      else if (spanOf(e) <= maxSpan)
        bendsOfSpan[spanOf(e)] += spanOf(e) - 1;
    }
    const uint64_t budget = 3 * (nodes.size() + edges.size()) + 2000;
    uint64_t bends = 0;
    uint32_t allowed = 1;
    for (uint32_t span = 2; span <= maxSpan; ++span) {
      bends += bendsOfSpan[span];
      if (bends > budget)
        break;
      allowed = span;
    }
    std::vector<uint32_t> longEdges;
    for (uint32_t e = 0; e < edges.size(); ++e)
      if (result.routes[e].kind != Kind::Loop && spanOf(e) > allowed)
        longEdges.push_back(e);
    bool few = longEdges.size() <=
               static_cast<size_t>(std::max(0, options.maxSideChannels));
    for (uint32_t e : longEdges)
      result.routes[e].kind = few ? Kind::Channel : Kind::Stub;
  }

  void buildLayers() {
    graph.rank = ranking.rank;
    uint32_t next = static_cast<uint32_t>(nodes.size());
    for (uint32_t e = 0; e < edges.size(); ++e) {
      LevelRoute &route = result.routes[e];
      if (route.kind != LevelRoute::Kind::Through)
        continue;
      route.firstBend = next - static_cast<uint32_t>(nodes.size());
      route.bendCount = spanOf(e) - 1;
      uint32_t above = upper(e);
      float offset = static_cast<float>(upperOffset(e));
      for (uint32_t r = ranking.rank[above] + 1; r < ranking.rank[lower(e)];
           ++r) {
        graph.rank.push_back(r);
        graph.segments.push_back({above, next, offset, 0});
        above = next++;
        offset = 0;
      }
      graph.segments.push_back(
          {above, lower(e), offset, static_cast<float>(lowerOffset(e))});
    }
    graph.vertexCount = next;
    graph.link();
  }

  /// The order to start from: where things were, else the depth-first walk,
  /// which keeps what belongs together side by side.
  void orderLayers() {
    const uint32_t count = static_cast<uint32_t>(nodes.size());
    std::vector<double> key(graph.vertexCount, 0);
    size_t known = 0, real = 0;
    for (uint32_t i = 0; i < count; ++i) {
      if (ranking.isolated[i])
        continue;
      ++real;
      known += !std::isnan(nodes[i].hint);
    }
    hinted = real > 0 && known * 2 >= real;
    if (!hinted) {
      for (uint32_t i = 0; i < count; ++i)
        key[i] = ranking.walk[i];
    } else {
      // What is new goes beside its neighbours.
      std::vector<double> sum(count, 0);
      std::vector<uint32_t> seen(count, 0);
      for (uint32_t e = 0; e < edges.size(); ++e) {
        auto lend = [&](uint32_t from, uint32_t to) {
          if (std::isnan(nodes[to].hint) && !std::isnan(nodes[from].hint)) {
            sum[to] += nodes[from].hint;
            ++seen[to];
          }
        };
        lend(edges[e].from, edges[e].to);
        lend(edges[e].to, edges[e].from);
      }
      for (uint32_t i = 0; i < count; ++i)
        key[i] = !std::isnan(nodes[i].hint) ? nodes[i].hint
                 : seen[i]                  ? sum[i] / seen[i]
                                            : 0;
    }
    for (uint32_t e = 0; e < edges.size(); ++e) {
      const LevelRoute &route = result.routes[e];
      double from = key[upper(e)] + upperOffset(e);
      double to = key[lower(e)] + lowerOffset(e);
      for (uint32_t k = 0; k < route.bendCount; ++k)
        key[count + route.firstBend + k] =
            hinted ? from + (to - from) * (k + 1) / (route.bendCount + 1)
                   : key[lower(e)];
    }
    graph.layers.assign(ranking.rankCount, {});
    graph.position.assign(graph.vertexCount, 0);
    for (uint32_t v = 0; v < graph.vertexCount; ++v)
      if (v >= count || !ranking.isolated[v])
        graph.layers[graph.rank[v]].push_back(v);
    for (uint32_t r = 0; r < graph.layers.size(); ++r) {
      std::sort(graph.layers[r].begin(), graph.layers[r].end(),
                [&](uint32_t a, uint32_t b) {
                  return std::pair(key[a], a) < std::pair(key[b], b);
                });
      graph.updatePositions(r);
    }
  }

  void measure() {
    left = std::numeric_limits<double>::infinity();
    right = -left;
    for (uint32_t i = 0; i < nodes.size(); ++i)
      if (!ranking.isolated[i]) {
        left = std::min(left, x[i] - nodes[i].width / 2);
        right = std::max(right, x[i] + nodes[i].width / 2);
      }
    for (double bend : result.bends) {
      left = std::min(left, bend);
      right = std::max(right, bend);
    }
    if (left > right)
      left = right = 0;
    for (uint32_t e = 0; e < edges.size(); ++e)
      if (result.routes[e].kind == LevelRoute::Kind::Loop)
        right = std::max(right, x[edges[e].from] +
                                    nodes[edges[e].from].width / 2 + 16);
  }

  /// Where edges touch the borders of plain nodes. One that has its other end
  /// within the node's width goes straight up; others enter near the middle,
  /// side by side in the order they come in.
  void placePorts() {
    struct End {
      double wanted;
      double other;
      uint32_t edge;
      int port;
    };
    for (bool top : {true, false}) {
      std::vector<uint32_t> start(nodes.size() + 1, 0);
      auto nodeOf = [&](uint32_t e) { return top ? lower(e) : upper(e); };
      auto drawn = [&](uint32_t e) {
        return result.routes[e].kind != LevelRoute::Kind::Loop;
      };
      for (uint32_t e = 0; e < edges.size(); ++e)
        if (drawn(e))
          ++start[nodeOf(e) + 1];
      for (size_t i = 0; i < nodes.size(); ++i)
        start[i + 1] += start[i];
      std::vector<uint32_t> fill(start.begin(), start.end() - 1);
      std::vector<End> ends(start.back());
      for (uint32_t e = 0; e < edges.size(); ++e) {
        if (!drawn(e))
          continue;
        const LevelRoute &route = result.routes[e];
        double other;
        if (route.kind == LevelRoute::Kind::Through && route.bendCount > 0)
          other = result.bends[top ? route.firstBend + route.bendCount - 1
                                   : route.firstBend];
        else if (route.kind == LevelRoute::Kind::Channel)
          other = sideOf(e) ? right : left;
        else
          other =
              top ? x[upper(e)] + upperOffset(e) : x[lower(e)] + lowerOffset(e);
        // What leaves a node at its lower side leaves by result, and order
        // beside data.
        bool isResult = !top && !result.routes[e].reversed;
        ends[fill[nodeOf(e)]++] = {
            0, other, e, isResult ? edges[e].fromPort * 2 + edges[e].weak : -3};
      }
      OrderedFit solver;
      std::vector<double> wanted, weight, gap;
      for (uint32_t i = 0; i < nodes.size(); ++i) {
        auto first = ends.begin() + start[i],
             last = ends.begin() + start[i + 1];
        if (first == last)
          continue;
        auto set = [&](const End &end, double at) {
          (top ? result.routes[end.edge].endX
               : result.routes[end.edge].startX) = at;
        };
        if (nodes[i].isBox) {
          for (auto it = first; it != last; ++it)
            set(*it,
                x[i] + (top ? lowerOffset(it->edge) : upperOffset(it->edge)));
          continue;
        }
        if (nodes[i].pin != LevelNode::Pin::None) {
          for (auto it = first; it != last; ++it)
            set(*it, x[i]);
          continue;
        }
        // Ends that share a place: the edges of one result.
        if (!top) {
          std::sort(first, last, [](const End &a, const End &b) {
            return std::pair(a.port, a.edge) < std::pair(b.port, b.edge);
          });
          for (auto it = first; it != last;) {
            auto stopAt = it;
            double sum = 0;
            while (stopAt != last && stopAt->port == it->port)
              sum += (stopAt++)->other;
            double mean = sum / double(stopAt - it);
            for (; it != stopAt; ++it)
              it->wanted = mean;
          }
        } else {
          for (auto it = first; it != last; ++it)
            it->wanted = it->other;
        }
        std::sort(first, last, [](const End &a, const End &b) {
          return std::tuple(a.wanted, a.port, a.edge) <
                 std::tuple(b.wanted, b.port, b.edge);
        });
        wanted.clear();
        weight.clear();
        std::vector<uint32_t> placeOf;
        const double inner = std::max(0.0, nodes[i].width / 2 - 14);
        for (auto it = first; it != last; ++it) {
          bool shared = !top && it != first && it->port == (it - 1)->port;
          if (!shared) {
            // Results leave from the middle; operands may come straight down.
            double away = it->wanted - x[i];
            double at = 0;
            if (top)
              at = std::abs(away) <= inner
                       ? away
                       : std::clamp(away * 0.1, -inner * 0.5, inner * 0.5);
            wanted.push_back(at);
            weight.push_back(1);
          }
          placeOf.push_back(static_cast<uint32_t>(wanted.size() - 1));
        }
        double apart =
            wanted.size() > 1
                ? std::min(14.0, 2 * inner / double(wanted.size() - 1))
                : 0;
        gap.assign(wanted.size(), apart);
        solver.solve(wanted, weight, gap);
        // Moved back onto the border as a whole.
        double low = wanted.front(), high = wanted.back();
        double shift = low < -inner   ? -inner - low
                       : high > inner ? inner - high
                                      : 0;
        for (auto it = first; it != last; ++it)
          set(*it, x[i] + std::clamp(wanted[placeOf[it - first]] + shift,
                                     -inner, inner));
      }
    }
  }

  /// Heights of the ranks, and of the gaps between them: more where edges go
  /// far to the side, so that they do not all lie flat.
  void placeRanks() {
    const uint32_t count = ranking.rankCount;
    result.rankTop.assign(count, 0);
    result.rankBottom.assign(count, 0);
    std::vector<double> height(count, 0);
    std::vector<uint8_t> first(count, 0), last(count, 0);
    for (uint32_t i = 0; i < nodes.size(); ++i)
      if (!ranking.isolated[i]) {
        uint32_t r = ranking.rank[i];
        height[r] = std::max(height[r], nodes[i].height);
        first[r] |= nodes[i].pin == LevelNode::Pin::First;
        last[r] |= nodes[i].pin == LevelNode::Pin::Last;
      }
    std::vector<double> farthest(count, 0);
    auto reach = [&](uint32_t r, double from, double to) {
      farthest[r] = std::max(farthest[r], std::abs(from - to));
    };
    channelsInGap.assign(count + 1, 0);
    for (uint32_t e = 0; e < edges.size(); ++e) {
      const LevelRoute &route = result.routes[e];
      uint32_t r = ranking.rank[upper(e)];
      if (route.kind == LevelRoute::Kind::Channel) {
        ++channelsInGap[r];
        ++channelsInGap[ranking.rank[lower(e)] - 1];
      }
      if (route.kind != LevelRoute::Kind::Through)
        continue;
      double at = route.startX;
      for (uint32_t k = 0; k < route.bendCount; ++k) {
        reach(r + k, at, result.bends[route.firstBend + k]);
        at = result.bends[route.firstBend + k];
      }
      reach(r + route.bendCount, at, route.endX);
    }
    double y = 0;
    for (uint32_t r = 0; r < count; ++r) {
      result.rankTop[r] = y;
      result.rankBottom[r] = y + height[r];
      double gap = options.rankGap;
      if (first[r])
        gap = boxHeader + options.groupPadding;
      else if (r + 1 < count && last[r + 1])
        gap = options.rankGap * 0.7;
      gap += std::min(80.0, std::max(0.0, farthest[r] - 200) * 0.035);
      gap += 8.0 * channelsInGap[r];
      y = result.rankBottom[r] + gap;
    }
    result.height = count ? result.rankBottom[count - 1] : 0;
    result.y.assign(nodes.size(), 0);
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      if (ranking.isolated[i])
        continue;
      uint32_t r = ranking.rank[i];
      double spare = height[r] - nodes[i].height;
      // Beside a tall box nodes keep to the top, where the eye comes from.
      result.y[i] =
          result.rankTop[r] + (nodes[i].pin == LevelNode::Pin::Last ? spare
                               : height[r] > 150                    ? 0
                                                 : spare / 2);
    }
  }

  /// True: the right side.
  bool sideOf(uint32_t e) const {
    return x[upper(e)] + x[lower(e)] >= left + right;
  }

  void placeChannels() {
    std::vector<uint32_t> channels;
    for (uint32_t e = 0; e < edges.size(); ++e)
      if (result.routes[e].kind == LevelRoute::Kind::Channel)
        channels.push_back(e);
    std::sort(channels.begin(), channels.end(), [&](uint32_t a, uint32_t b) {
      uint32_t spanA = spanOf(a), spanB = spanOf(b);
      return spanA != spanB ? spanA < spanB : a < b;
    });
    // Short ones inside, so that lanes do not cross; each lane is re-used
    // where it is free.
    struct Taken {
      uint32_t first, last;
    };
    std::vector<std::vector<Taken>> lanes[2];
    std::vector<uint32_t> usedInGap(channelsInGap.size(), 0);
    double outer[2] = {left, right};
    for (uint32_t e : channels) {
      bool toRight = sideOf(e);
      uint32_t first = ranking.rank[upper(e)], last = ranking.rank[lower(e)];
      auto &side = lanes[toRight];
      size_t lane = 0;
      for (; lane < side.size(); ++lane) {
        bool free = true;
        for (const Taken &taken : side[lane])
          free &= taken.last < first || last < taken.first;
        if (free)
          break;
      }
      if (lane == side.size())
        side.emplace_back();
      side[lane].push_back({first, last});
      LevelRoute &route = result.routes[e];
      double away = 22 + options.edgeGap * double(lane);
      route.laneX = toRight ? right + away : left - away;
      route.laneTop = result.rankBottom[first] + 12 + 8.0 * usedInGap[first]++;
      route.laneBottom =
          result.rankTop[last] - 16 - 8.0 * usedInGap[last - 1]++;
      outer[toRight] = toRight ? std::max(outer[1], route.laneX + 6)
                               : std::min(outer[0], route.laneX - 6);
    }
    result.left = outer[0];
    result.right = outer[1];
  }

  /// Nodes without edges: in rows below the rest, about as wide as it is or as
  /// a square of them.
  void placeIsolated() {
    double area = 0, widest = 0;
    std::vector<uint32_t> alone;
    for (uint32_t i = 0; i < nodes.size(); ++i)
      if (ranking.isolated[i]) {
        alone.push_back(i);
        area += (nodes[i].width + options.nodeGap) *
                (nodes[i].height + options.nodeGap);
        widest = std::max(widest, nodes[i].width);
      }
    if (alone.empty())
      return;
    bool hasPorts = false;
    for (const LevelNode &node : nodes)
      hasPorts |= node.pin == LevelNode::Pin::Last;
    if (hasPorts) {
      placeBeside(alone, std::max(std::sqrt(area * options.aspect), widest));
      return;
    }
    double limit = std::max(
        {result.right - result.left, std::sqrt(area * options.aspect), widest});
    double start = result.left, at = start, rowHeight = 0;
    double y = result.height > 0 ? result.height + options.rankGap : 0;
    double farRight = start;
    for (uint32_t i : alone) {
      if (at > start && at + nodes[i].width > start + limit) {
        y += rowHeight + options.nodeGap;
        at = start;
        rowHeight = 0;
      }
      result.x[i] = at + nodes[i].width / 2;
      result.y[i] = y;
      at += nodes[i].width + options.nodeGap;
      farRight = std::max(farRight, at - options.nodeGap);
      rowHeight = std::max(rowHeight, nodes[i].height);
    }
    result.height = y + rowHeight;
    result.right = std::max(result.right, farRight);
  }

  /// Below would be in the way of the edges to the ports at the bottom.
  void placeBeside(const std::vector<uint32_t> &alone, double limit) {
    const double start = result.right + options.nodeGap;
    double at = start, rowHeight = 0;
    double y = boxHeader + options.groupPadding;
    for (uint32_t i : alone) {
      if (at > start && at + nodes[i].width > start + limit) {
        y += rowHeight + options.nodeGap;
        at = start;
        rowHeight = 0;
      }
      result.x[i] = at + nodes[i].width / 2;
      result.y[i] = y;
      at += nodes[i].width + options.nodeGap;
      result.right = std::max(result.right, at - options.nodeGap);
      rowHeight = std::max(rowHeight, nodes[i].height);
    }
    result.height =
        std::max(result.height, y + rowHeight + options.groupPadding);
    for (uint32_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].pin == LevelNode::Pin::Last)
        result.y[i] = result.height;
  }

  const std::vector<LevelNode> &nodes;
  const std::vector<LevelEdge> &edges;
  const LayoutOptions &options;
  const std::stop_token stop;
  LevelResult &result;
  Ranking ranking;
  LayerGraph graph;
  std::vector<double> x;
  std::vector<uint32_t> channelsInGap; ///< between a rank and the next
  bool hinted = false;
  double left = 0, right = 0;
};

} // namespace

bool layOutLevel(const std::vector<LevelNode> &nodes,
                 const std::vector<LevelEdge> &edges,
                 const LayoutOptions &options, std::stop_token stop,
                 LevelResult &result) {
  return LevelBuilder(nodes, edges, options, std::move(stop), result).run();
}

} // namespace tilewright::viz
