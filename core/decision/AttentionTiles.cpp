//===- AttentionTiles.cpp - tile sizes of an attention --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/AttentionTiles.h"
#include "core/decision/Legality.h"
#include "core/decision/TileArithmetic.h"
#include <algorithm>
#include <cmath>

namespace tilewright::decision {
namespace {

int64_t extentOf(const TileProblem &problem, std::string_view name) {
  const Dimension *dimension = problem.dim(name);
  return dimension ? decision::extentOf(*dimension) : 1;
}

struct Candidate {
  int64_t m = 0, n = 0;
  int64_t tasks = 0;
  double seconds = 0; ///< of the whole grid, estimated
};

class AttentionSearch {
public:
  AttentionSearch(const TileProblem &problem, const target::Target &target,
                  double budget)
      : problem(problem), target(target), budget(budget),
        placement(*target.placement("elementwise")) {
    for (const Dimension &dimension : problem.dims)
      if (dimension.name.front() == 'b')
        batches *= decision::extentOf(dimension);
    m = extentOf(problem, "m");
    n = extentOf(problem, "n");
    depth = extentOf(problem, "d") + extentOf(problem, "v");
    value = extentOf(problem, "v");
    cores = std::max<int64_t>(1, target.coreCount(placement.core));
    rows = std::max<int64_t>(1, target.registerBlock.rows);
    columns = std::max<int64_t>(1, target.registerBlock.columns);
    auto perSecond = [&](const char *op) {
      const target::ComputeRate *rate = target.rate(op, "f32");
      return rate ? std::max(rate->perSecond.value, 1.0) : 1.0;
    };
    flopRate = perSecond("matmul");
    expRate = perSecond("transcendental");
    elementRate = perSecond("elementwise");
  }

  TileChoice run() {
    std::vector<Candidate> legal;
    // Rows: the queries in 1, 2, 3 … equal parts, or, where they do not part
    // equally, in whole blocks of the unit.
    int64_t last = 0;
    for (int64_t parts = 1; parts <= 64; ++parts) {
      int64_t tile = m % parts == 0
                         ? m / parts
                         : std::min(m, roundUp(ceilDiv(m, parts), rows));
      if (tile == last)
        continue;
      last = tile;
      for (int64_t keys = columns;; keys *= 2) {
        Candidate candidate{tile, std::min(keys, n)};
        if (fitsLevels(problem, sizesOf(candidate), target, budget)) {
          estimate(candidate);
          legal.push_back(candidate);
        }
        // The weights are read 12 rows at a time; rows further apart than
        // this would meet in the same places of the first cache.
        if (keys >= n || keys >= 512)
          break;
      }
    }
    TileChoice choice;
    if (legal.empty()) {
      choice.sizes = sizesOf({std::min(m, rows), std::min(n, columns)});
      choice.reason = "the smallest tiles there are; none fits";
      return choice;
    }
    auto better = [](const Candidate &a, const Candidate &b) {
      if (a.seconds != b.seconds)
        return a.seconds < b.seconds;
      return std::pair(a.m, a.n) > std::pair(b.m, b.n);
    };
    size_t shown = std::min<size_t>(3, legal.size());
    std::partial_sort(legal.begin(), legal.begin() + shown, legal.end(),
                      better);
    const Candidate &best = legal.front();
    choice.sizes = sizesOf(best);
    int64_t steps = ceilDiv(n, best.n);
    choice.reason =
        "m=" + std::to_string(best.m) + ", n=" + std::to_string(best.n) + ": " +
        std::to_string(best.tasks) + " tasks for " + std::to_string(cores) +
        " cores, " + std::to_string(steps) + (steps == 1 ? " step" : " steps") +
        " over the keys each; scores, weights and result of a step stay on "
        "chip (" +
        fillText(problem, choice.sizes, target) + ")";
    if (std::optional<double> skipped =
            skippedSteps(problem, choice.sizes, target)) {
      choice.reason += "; skips " + percent(*skipped) +
                       " of the steps, whose keys the mask hides";
      choice.metrics.push_back(
          {"skipped steps", *skipped, "share", model::Origin::Estimated});
    }
    for (size_t i = 1; i < shown; ++i) {
      model::Alternative rival;
      rival.value = sizesOf(legal[i]);
      rival.reason = "estimated " + slower(legal[i], best);
      choice.weighed.push_back(std::move(rival));
    }
    choice.metrics.push_back(
        {"tasks", double(best.tasks), "", model::Origin::Estimated});
    for (const BufferUse &use : bufferUses(problem, choice.sizes, target))
      choice.metrics.push_back({use.level + " " + use.name, double(use.bytes),
                                "bytes", model::Origin::Estimated});
    return choice;
  }

private:
  model::TileSizes sizesOf(const Candidate &candidate) const {
    const std::string level = placement.tileLevels.empty()
                                  ? placement.result.front().level
                                  : placement.tileLevels.front().name;
    model::TileSizes sizes;
    sizes[level]["m"] = candidate.m;
    sizes[level]["n"] = candidate.n;
    for (const Dimension &dimension : problem.dims)
      if (dimension.name.front() == 'b')
        sizes[level][dimension.name] = 1;
    return sizes;
  }

  void estimate(Candidate &candidate) const {
    int64_t tiles = ceilDiv(m, candidate.m), all = ceilDiv(n, candidate.n);
    candidate.tasks = batches * tiles;
    StepCount taken{tiles * all, all};
    if (problem.visibleKeys && all > 1)
      taken = countSteps(*problem.visibleKeys, m, candidate.m, n, candidate.n);
    double tile = double(roundUp(candidate.m, rows));
    auto task = [&](double steps) {
      return taskSeconds(candidate, tile, steps, steps / double(all));
    };
    // The longest task may be what all wait for.
    candidate.seconds = std::max(task(double(taken.total) / double(tiles)) *
                                     double(ceilDiv(candidate.tasks, cores)),
                                 task(double(taken.most)));
    // Few tasks a core leave nothing to even out when one is late.
    candidate.seconds *= 1.0 + 0.15 * double(cores) / double(candidate.tasks);
  }

  /// Of a task of `tile` rows that takes `steps` over the keys, a `share` of
  /// them all.
  double taskSeconds(const Candidate &candidate, double tile, double steps,
                     double share) const {
    double keys = steps * double(roundUp(candidate.n, columns));
    double compute = 2.0 * tile * keys * double(depth) / flopRate;
    // A score goes through its exponential and about two passes: mask and
    // maximum, then sum. What is done once for a row of a step waits for itself
    // and takes as long as about 100 elements.
    double softmax = tile * keys * (1.0 / expRate + 2.0 / elementRate) +
                     tile * steps * 100.0 / elementRate;
    // Every task packs its keys and values, every step rescales the result.
    double packing = share * double(n) * double(depth) * 2.0 / elementRate;
    double rescale = steps * tile * double(value) / elementRate;
    return compute + softmax + packing + rescale +
           target.scheduling.dispatch.value;
  }

  static std::string percent(double share) {
    return std::to_string(std::lround(100 * share)) + " %";
  }

  static std::string slower(const Candidate &rival, const Candidate &best) {
    int percent = int(std::lround(100 * (rival.seconds / best.seconds - 1)));
    return std::to_string(percent) + " % slower";
  }

  const TileProblem &problem;
  const target::Target &target;
  double budget;
  const target::Placement &placement;
  int64_t batches = 1, m = 1, n = 1, depth = 1, value = 1, cores = 1;
  int64_t rows = 1, columns = 1;
  double flopRate = 1, expRate = 1, elementRate = 1;
};

} // namespace

std::optional<double> skippedSteps(const TileProblem &problem,
                                   const model::TileSizes &sizes,
                                   const target::Target &target) {
  if (!problem.visibleKeys)
    return std::nullopt;
  ResolvedTiles tiles = resolveTiles(problem, sizes, target);
  int64_t m = 1, n = 1, rowTile = 1, keyTile = 1;
  for (size_t d = 0; d < problem.dims.size(); ++d) {
    if (problem.dims[d].extent < 0)
      continue;
    if (problem.dims[d].name == "m") {
      m = problem.dims[d].extent;
      rowTile = std::max<int64_t>(1, tiles.outer[d]);
    } else if (problem.dims[d].name == "n") {
      n = problem.dims[d].extent;
      keyTile = std::max<int64_t>(1, tiles.outer[d]);
    }
  }
  int64_t all = ceilDiv(m, rowTile) * ceilDiv(n, keyTile);
  if (keyTile >= n || all == 0) // one step, not a loop
    return 0;
  return 1 -
         double(
             countSteps(*problem.visibleKeys, m, rowTile, n, keyTile).total) /
             double(all);
}

TileChoice attentionTiles(const TileProblem &problem,
                          const target::Target &target, double budget) {
  return AttentionSearch(problem, target, budget).run();
}

} // namespace tilewright::decision
