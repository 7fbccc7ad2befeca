//===- LayerOrder.cpp - order within the ranks of a level -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/LayerOrder.h"
#include <algorithm>
#include <numeric>

namespace tilewright::viz {

namespace {

void groupBy(uint32_t vertices,
             const std::vector<LayerGraph::Segment> &segments, bool upper,
             std::vector<uint32_t> &start, std::vector<uint32_t> &list) {
  auto end = [&](uint32_t s) {
    return upper ? segments[s].upper : segments[s].lower;
  };
  auto offset = [&](uint32_t s) {
    return upper ? segments[s].upperOffset : segments[s].lowerOffset;
  };
  start.assign(vertices + 1, 0);
  list.resize(segments.size());
  for (uint32_t s = 0; s < segments.size(); ++s)
    ++start[end(s) + 1];
  for (uint32_t v = 0; v < vertices; ++v)
    start[v + 1] += start[v];
  std::vector<uint32_t> fill(start.begin(), start.end() - 1);
  for (uint32_t s = 0; s < segments.size(); ++s)
    list[fill[end(s)]++] = s;
  for (uint32_t v = 0; v < vertices; ++v)
    std::sort(list.begin() + start[v], list.begin() + start[v + 1],
              [&](uint32_t a, uint32_t b) {
                return std::pair(offset(a), a) < std::pair(offset(b), b);
              });
}

/// Counts inversions of a stream of places.
class FenwickTree {
public:
  void reset(size_t size) {
    sums.assign(size + 1, 0);
    total = 0;
  }
  void add(uint32_t place) {
    ++total;
    for (size_t i = place + 1; i < sums.size(); i += i & -i)
      ++sums[i];
  }
  int64_t above(uint32_t place) const {
    int64_t upTo = 0;
    for (size_t i = place + 1; i > 0; i -= i & -i)
      upTo += sums[i];
    return total - upTo;
  }

private:
  std::vector<int32_t> sums;
  int64_t total = 0;
};

/// Crossing counter that keeps its memory between calls.
class Crossings {
public:
  explicit Crossings(const LayerGraph &graph)
      : graph(graph), place(graph.segments.size(), 0) {}

  int64_t all() {
    int64_t sum = 0;
    for (uint32_t layer = 0; layer + 1 < graph.layers.size(); ++layer)
      sum += below(layer);
    return sum;
  }

private:
  /// Between `layer` and the next. Segments that leave a vertex at one offset
  /// spread out from one point and do not cross each other.
  int64_t below(uint32_t layer) {
    uint32_t places = 0;
    for (uint32_t v : graph.layers[layer + 1])
      for (uint32_t i = graph.upStart[v]; i < graph.upStart[v + 1]; ++i) {
        bool apart = i == graph.upStart[v] ||
                     graph.segments[graph.up[i]].lowerOffset !=
                         graph.segments[graph.up[i - 1]].lowerOffset;
        places += apart;
        place[graph.up[i]] = places - 1;
      }
    if (places < 2)
      return 0;
    tree.reset(places);
    int64_t sum = 0;
    for (uint32_t v : graph.layers[layer])
      for (uint32_t i = graph.downStart[v]; i < graph.downStart[v + 1];) {
        uint32_t last = i;
        float offset = graph.segments[graph.down[i]].upperOffset;
        while (last < graph.downStart[v + 1] &&
               graph.segments[graph.down[last]].upperOffset == offset)
          sum += tree.above(place[graph.down[last++]]);
        for (; i < last; ++i)
          tree.add(place[graph.down[i]]);
      }
    return sum;
  }

  const LayerGraph &graph;
  std::vector<uint32_t> place;
  FenwickTree tree;
};

/// One layer sorted by the mean place of its neighbours on one side. Vertices
/// without any stay near where they are.
class Sweep {
public:
  explicit Sweep(LayerGraph &graph)
      : graph(graph), place(graph.segments.size(), 0) {}

  void layer(uint32_t target, bool fromAbove) {
    const std::vector<uint32_t> &fixed =
        graph.layers[fromAbove ? target - 1 : target + 1];
    const auto &fixedStart = fromAbove ? graph.downStart : graph.upStart;
    const auto &fixedList = fromAbove ? graph.down : graph.up;
    uint32_t next = 0;
    for (uint32_t v : fixed) {
      // Every end has its own place, so that wide boxes and wide fans pull
      // where their edges are.
      if (fixedStart[v] == fixedStart[v + 1])
        ++next;
      for (uint32_t i = fixedStart[v]; i < fixedStart[v + 1]; ++i)
        place[fixedList[i]] = next++;
    }
    std::vector<uint32_t> &layer = graph.layers[target];
    const auto &start = fromAbove ? graph.upStart : graph.downStart;
    const auto &list = fromAbove ? graph.up : graph.down;
    keys.resize(layer.size());
    double scale = layer.empty() ? 1 : double(next) / double(layer.size());
    for (uint32_t k = 0; k < layer.size(); ++k) {
      uint32_t v = layer[k];
      double key = (k + 0.5) * scale;
      if (start[v] < start[v + 1]) {
        double sum = 0;
        for (uint32_t i = start[v]; i < start[v + 1]; ++i)
          sum += place[list[i]];
        key = sum / (start[v + 1] - start[v]);
      }
      keys[k] = {key, k, v};
    }
    // Equal ones stay in their order.
    std::sort(keys.begin(), keys.end(), [](const Key &a, const Key &b) {
      return a.key != b.key ? a.key < b.key : a.position < b.position;
    });
    for (uint32_t k = 0; k < layer.size(); ++k) {
      layer[k] = keys[k].vertex;
      graph.position[layer[k]] = k;
    }
  }

private:
  struct Key {
    double key;
    uint32_t position, vertex;
  };
  LayerGraph &graph;
  std::vector<uint32_t> place;
  std::vector<Key> keys;
};

/// Crossings of the segments of two neighbours as they stand (`a` left of `b`)
/// and exchanged, towards one side.
std::pair<int64_t, int64_t> pairCrossings(const LayerGraph &graph, uint32_t a,
                                          uint32_t b, bool above) {
  const auto &start = above ? graph.upStart : graph.downStart;
  const auto &list = above ? graph.up : graph.down;
  int64_t kept = 0, exchanged = 0;
  auto end = [&](uint32_t s) {
    const LayerGraph::Segment &segment = graph.segments[s];
    return std::pair(graph.position[above ? segment.upper : segment.lower],
                     above ? segment.upperOffset : segment.lowerOffset);
  };
  for (uint32_t i = start[a]; i < start[a + 1]; ++i)
    for (uint32_t k = start[b]; k < start[b + 1]; ++k) {
      auto p = end(list[i]), q = end(list[k]);
      kept += p > q;
      exchanged += p < q;
    }
  return {kept, exchanged};
}

bool exchangeNeighbours(LayerGraph &graph, std::stop_token stop) {
  bool any = false;
  for (std::vector<uint32_t> &layer : graph.layers) {
    if (stop.stop_requested())
      return false;
    for (uint32_t k = 0; k + 1 < layer.size(); ++k) {
      auto up = pairCrossings(graph, layer[k], layer[k + 1], true);
      auto down = pairCrossings(graph, layer[k], layer[k + 1], false);
      if (up.second + down.second < up.first + down.first) {
        std::swap(layer[k], layer[k + 1]);
        graph.position[layer[k]] = k;
        graph.position[layer[k + 1]] = k + 1;
        any = true;
      }
    }
  }
  return any;
}

} // namespace

void LayerGraph::link() {
  groupBy(vertexCount, segments, true, downStart, down);
  groupBy(vertexCount, segments, false, upStart, up);
}

void LayerGraph::updatePositions(uint32_t layer) {
  for (uint32_t k = 0; k < layers[layer].size(); ++k)
    position[layers[layer][k]] = k;
}

int64_t countCrossings(const LayerGraph &graph) {
  return Crossings(graph).all();
}

int64_t reduceCrossings(LayerGraph &graph, int maxSweeps, bool keepOrder,
                        std::stop_token stop) {
  Crossings counter(graph);
  Sweep sweep(graph);
  const uint32_t count = static_cast<uint32_t>(graph.layers.size());
  const auto first = graph.layers;
  const int64_t before = counter.all();
  auto best = graph.layers;
  int64_t fewest = before;
  int stalled = 0;
  for (int round = 0; round < maxSweeps && fewest > 0 && stalled < 4; ++round) {
    bool down = round % 2 == 0;
    for (uint32_t k = 1; k < count; ++k) {
      if (k % 256 == 0 && stop.stop_requested())
        return -1;
      sweep.layer(down ? k : count - 1 - k, down);
    }
    if (stop.stop_requested())
      return -1;
    int64_t now = counter.all();
    // A gain below half a percent counts as a stall.
    stalled = now < fewest - fewest / 200 ? 0 : stalled + 1;
    if (now < fewest) {
      fewest = now;
      best = graph.layers;
    }
  }
  graph.layers = std::move(best);
  for (uint32_t k = 0; k < count; ++k)
    graph.updatePositions(k);

  constexpr size_t smallEnough = 6000; // segments
  if (fewest > 0 && graph.segments.size() <= smallEnough) {
    for (int round = 0; round < 8; ++round)
      if (!exchangeNeighbours(graph, stop))
        break;
    if (stop.stop_requested())
      return -1;
    fewest = counter.all();
  }

  if (keepOrder && fewest > before - (before + 3) / 4) {
    graph.layers = first;
    for (uint32_t k = 0; k < count; ++k)
      graph.updatePositions(k);
    return before;
  }
  return fewest;
}

} // namespace tilewright::viz
