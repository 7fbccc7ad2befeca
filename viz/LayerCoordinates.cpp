//===- LayerCoordinates.cpp - x of the vertices of a level ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/LayerCoordinates.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::viz {

void OrderedFit::solve(std::vector<double> &wanted,
                       const std::vector<double> &weight,
                       const std::vector<double> &gap) {
  // With the gaps taken off, the values need only ascend: pool neighbours that
  // do not.
  const uint32_t count = static_cast<uint32_t>(wanted.size());
  shift.resize(count);
  blocks.clear();
  double sum = 0;
  for (uint32_t i = 0; i < count; ++i) {
    if (i > 0)
      sum += gap[i];
    shift[i] = sum;
    Block block{(wanted[i] - sum) * weight[i], weight[i], 1};
    while (!blocks.empty() && blocks.back().sum * block.weight >=
                                  block.sum * blocks.back().weight) {
      block.sum += blocks.back().sum;
      block.weight += blocks.back().weight;
      block.count += blocks.back().count;
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  uint32_t i = 0;
  for (const Block &block : blocks) {
    double value = block.sum / block.weight;
    for (uint32_t k = 0; k < block.count; ++k, ++i)
      wanted[i] = value + shift[i];
  }
}

namespace {

class Placer {
public:
  Placer(const LayerGraph &graph, const std::vector<double> &width,
         uint32_t firstBend, const Spacing &spacing, std::vector<double> &x)
      : graph(graph), width(width), firstBend(firstBend), spacing(spacing),
        x(x) {}

  void pack() {
    x.assign(graph.vertexCount, 0);
    for (const std::vector<uint32_t> &layer : graph.layers) {
      double at = 0;
      for (uint32_t k = 0; k < layer.size(); ++k) {
        if (k > 0)
          at += distance(layer[k - 1], layer[k]);
        x[layer[k]] = at;
      }
      for (uint32_t v : layer)
        x[v] -= at / 2;
    }
  }

  enum Side { Above = 1, Below = 2, Both = 3 };

  void fit(uint32_t layerIndex, int side) {
    const std::vector<uint32_t> &layer = graph.layers[layerIndex];
    const size_t count = layer.size();
    wanted.resize(count);
    weight.resize(count);
    gap.resize(count);
    for (uint32_t k = 0; k < count; ++k) {
      uint32_t v = layer[k];
      double sum = 0, total = 0;
      if (side & Above)
        for (uint32_t i = graph.upStart[v]; i < graph.upStart[v + 1]; ++i) {
          const LayerGraph::Segment &s = graph.segments[graph.up[i]];
          double pull = pullOf(s);
          sum += pull * (x[s.upper] + s.upperOffset - s.lowerOffset);
          total += pull;
        }
      if (side & Below)
        for (uint32_t i = graph.downStart[v]; i < graph.downStart[v + 1]; ++i) {
          const LayerGraph::Segment &s = graph.segments[graph.down[i]];
          double pull = pullOf(s);
          sum += pull * (x[s.lower] + s.lowerOffset - s.upperOffset);
          total += pull;
        }
      if (total == 0) {
        sum = x[v] * 0.05;
        total = 0.05;
      }
      wanted[k] = sum / total;
      weight[k] = total;
      gap[k] = k > 0 ? distance(layer[k - 1], v) : 0;
    }
    solver.solve(wanted, weight, gap);
    for (uint32_t k = 0; k < count; ++k)
      x[layer[k]] = wanted[k];
  }

  /// Runs of vertices that should stand exactly above each other (the bends of
  /// an edge, chains of nodes with nothing else beside) are put on one line
  /// where their neighbours leave room.
  void straighten() {
    std::vector<int64_t> next(graph.vertexCount, -1);
    std::vector<uint8_t> hasBefore(graph.vertexCount, 0);
    std::vector<float> step(graph.vertexCount, 0);
    for (const LayerGraph::Segment &s : graph.segments) {
      bool bends = s.upper >= firstBend && s.lower >= firstBend;
      bool single =
          graph.downStart[s.upper + 1] - graph.downStart[s.upper] == 1 &&
          graph.upStart[s.lower + 1] - graph.upStart[s.lower] == 1;
      if (bends || single) {
        next[s.upper] = s.lower;
        hasBefore[s.lower] = 1;
        step[s.lower] = s.upperOffset - s.lowerOffset;
      }
    }
    std::vector<uint32_t> run;
    std::vector<double> offset;
    for (uint32_t v = 0; v < graph.vertexCount; ++v) {
      if (hasBefore[v] || next[v] < 0)
        continue;
      double low = -infinity, high = infinity, shift = 0, sum = 0;
      run.clear();
      offset.clear();
      auto close = [&] {
        if (run.empty())
          return;
        double line = std::clamp(sum / double(run.size()), low, high);
        for (size_t k = 0; k < run.size(); ++k)
          x[run[k]] = line + offset[k];
        run.clear();
        offset.clear();
        low = -infinity;
        high = infinity;
        sum = 0;
      };
      for (int64_t at = v; at >= 0; at = next[at]) {
        uint32_t here = static_cast<uint32_t>(at);
        if (here != v)
          shift += step[here];
        auto [left, right] = room(here);
        if (std::max(low, left - shift) > std::min(high, right - shift))
          close();
        low = std::max(low, left - shift);
        high = std::min(high, right - shift);
        run.push_back(here);
        offset.push_back(shift);
        sum += x[here] - shift;
      }
      close();
    }
  }

private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  double distance(uint32_t a, uint32_t b) const {
    bool bend = a >= firstBend || b >= firstBend;
    return (width[a] + width[b]) / 2 + (bend ? spacing.edge : spacing.node);
  }
  double pullOf(const LayerGraph::Segment &s) const {
    int bends = (s.upper >= firstBend) + (s.lower >= firstBend);
    return bends == 2 ? 8 : bends == 1 ? 2 : 1;
  }
  /// Where a vertex may be while its neighbours stay. Never empty but for
  /// rounding.
  std::pair<double, double> room(uint32_t v) const {
    const std::vector<uint32_t> &layer = graph.layers[graph.rank[v]];
    uint32_t k = graph.position[v];
    double left =
        k > 0 ? x[layer[k - 1]] + distance(layer[k - 1], v) : -infinity;
    double right = k + 1 < layer.size()
                       ? x[layer[k + 1]] - distance(v, layer[k + 1])
                       : infinity;
    if (left > right)
      left = right = x[v];
    return {left, right};
  }

  const LayerGraph &graph;
  const std::vector<double> &width;
  const uint32_t firstBend;
  const Spacing spacing;
  std::vector<double> &x;
  OrderedFit solver;
  std::vector<double> wanted, weight, gap;
};

} // namespace

bool placeVertices(const LayerGraph &graph, const std::vector<double> &width,
                   uint32_t firstBend, const Spacing &spacing,
                   std::stop_token stop, std::vector<double> &x) {
  Placer placer(graph, width, firstBend, spacing, x);
  placer.pack();
  const uint32_t count = static_cast<uint32_t>(graph.layers.size());
  auto pass = [&](bool down, int side) {
    for (uint32_t k = 0; k < count; ++k) {
      if (k % 512 == 0 && stop.stop_requested())
        return false;
      placer.fit(down ? k : count - 1 - k, side);
    }
    return true;
  };
  for (int round = 0; round < 4; ++round)
    if (!pass(true, Placer::Above) || !pass(false, Placer::Below))
      return false;
  for (int round = 0; round < 4; ++round)
    if (!pass(round % 2 == 0, Placer::Both))
      return false;
  placer.straighten();
  return true;
}

} // namespace tilewright::viz
