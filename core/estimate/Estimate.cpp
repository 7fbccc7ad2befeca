//===- Estimate.cpp - what a kernel costs, in closed form -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/estimate/Estimate.h"
#include "core/estimate/BlockCost.h"
#include "core/model/StableSort.h"
#include <algorithm>
#include <cmath>

namespace tilewright::estimate {

using decision::TileProblem;

double smoothMaximum(std::span<const double> values, double p) {
  double most = 0;
  for (double value : values)
    most = std::max(most, value);
  if (most <= 0)
    return 0;
  double sum = 0;
  for (double value : values)
    if (value > 0)
      sum += std::pow(value / most, p);
  return most * std::pow(sum, 1 / p);
}

double moveRate(const target::Target &target, std::string_view from,
                std::string_view to, double otherwise) {
  const target::Move *move = target.move(from, to);
  return move ? std::max(move->bytesPerSecond.value, 1.0) : otherwise;
}

double elementsAlong(const std::vector<bool> &along,
                     std::span<const int64_t> sizes) {
  double elements = 1;
  for (size_t d = 0; d < along.size() && d < sizes.size(); ++d)
    if (along[d])
      elements *= double(sizes[d]);
  return elements;
}

Caches cachesOf(const target::Target &target) {
  Caches caches;
  for (const target::Level &level : target.levels)
    if (level.kind == "cache" && !level.core.empty()) {
      if (caches.outer.empty())
        caches.outer = level.name;
      caches.inner = level.name;
    }
  return caches;
}

double footprint(const TileProblem &problem) {
  std::vector<int64_t> extents;
  for (const decision::Dimension &dimension : problem.dims)
    extents.push_back(extentOf(dimension));
  double bytes = 0;
  bool written = false;
  for (const TileProblem::Tensor &tensor : problem.tensors) {
    bytes += elementsAlong(tensor.along, extents) * double(tensor.elementBytes);
    written |= tensor.written;
  }
  if (problem.matmul && extents.size() >= 3) {
    double batches = 1;
    for (size_t d = 0; d + 3 < extents.size(); ++d)
      batches *= double(extents[d]);
    double m = double(extents[extents.size() - 3]),
           n = double(extents[extents.size() - 2]),
           k = double(extents[extents.size() - 1]);
    double lhs = problem.sharedLhs ? 1 : double(problem.matmuls);
    double rhs = problem.sharedLhs ? double(problem.matmuls) : 1;
    bytes += batches * k *
             (m * double(problem.lhsBytes) * lhs +
              n * double(problem.rhsBytes) * rhs);
    if (!written)
      bytes += batches * m * n * double(problem.resultBytes * problem.matmuls);
  }
  return bytes;
}

bool fitsCaches(const TileProblem &problem, const target::Target &target) {
  const target::Level *level = target.level(cachesOf(target).outer);
  return level &&
         footprint(problem) <=
             level->usable.value *
                 double(std::max<int64_t>(1, target.coreCount(level->core)));
}

namespace {

/// The grid and the sums over it.
class Kernel {
public:
  Kernel(const TileProblem &problem, const Setting &setting,
         const target::Target &target)
      : problem(problem), setting(setting), target(target) {}

  /// Null where the target cannot compute it.
  const BlockModel *model() const { return block.get(); }

  bool run() {
    block = problem.attention ? attentionModel(problem, setting.sizes, target)
            : problem.matmul  ? matmulModel(problem, setting.sizes, target)
                              : rowsModel(problem, setting.sizes, target);
    if (!block)
      return false;
    cores = std::max<int64_t>(1, target.coreCount(block->core));
    tiles = decision::resolveTiles(problem, setting.sizes, target);
    splitRows();
    std::vector<int64_t> sizes(problem.dims.size());
    sumBlocks(0, sizes, 1);
    blocks *= parts;
    scale(double(parts));
    schedule();
    shared();
    return true;
  }

  int64_t cores = 1, tasks = 0, waves = 0, parts = 1;
  double seconds = 0;
  double coreSeconds = 0, globalSeconds = 0, cacheSeconds = 0;
  double missed = 0, moved = 0;
  BlockCost total; ///< of all blocks; `steady` their sum

private:
  const TileProblem &problem;
  const Setting &setting;
  const target::Target &target;
  std::unique_ptr<BlockModel> block;
  decision::ResolvedTiles tiles;
  size_t splitDim = SIZE_MAX;
  int64_t splitSize = 0;
  int64_t blocks = 0;
  double longestBlock = 0;

  /// The longest dimension that is reduced, as decision::splitInto has it.
  void splitRows() {
    if (setting.parts <= 1)
      return;
    int64_t longest = 1;
    for (size_t d = 0; d < problem.dims.size(); ++d)
      if (!problem.dims[d].parallel && extentOf(problem.dims[d]) > longest) {
        longest = extentOf(problem.dims[d]);
        splitDim = d;
      }
    if (splitDim == SIZE_MAX)
      return;
    parts = std::min(setting.parts, longest);
    splitSize = ceilDiv(longest, parts);
  }

  /// Adds up the blocks of the grid from dimension `d` on: whole tiles are all
  /// alike, and so are those of each border.
  void sumBlocks(size_t d, std::vector<int64_t> &sizes, double count) {
    if (d == sizes.size()) {
      BlockCost cost = block->of(sizes);
      for (size_t i = 0; i < maxEngines; ++i)
        total.seconds[i] += count * cost.seconds[i];
      for (size_t i = 0; i < maxMoves; ++i)
        total.bytes[i] += count * cost.bytes[i];
      total.flop += count * cost.flop;
      total.steady += count * cost.steady;
      total.fill = std::max(total.fill, cost.fill);
      longestBlock = std::max(longestBlock, cost.steady);
      blocks += int64_t(count);
      return;
    }
    const decision::Dimension &dimension = problem.dims[d];
    int64_t extent = extentOf(dimension);
    if (!dimension.parallel) {
      sizes[d] = d == splitDim ? splitSize : extent;
      sumBlocks(d + 1, sizes, count);
      return;
    }
    int64_t tile = std::clamp<int64_t>(tiles.outer[d], 1, extent);
    if (extent / tile) {
      sizes[d] = tile;
      sumBlocks(d + 1, sizes, count * double(extent / tile));
    }
    if (extent % tile) {
      sizes[d] = extent % tile;
      sumBlocks(d + 1, sizes, count);
    }
  }

  void scale(double by) {
    if (by == 1)
      return;
    for (double &each : total.seconds)
      each *= by;
    for (double &each : total.bytes)
      each *= by;
    total.flop *= by;
    total.steady *= by;
  }

  void schedule() {
    int64_t merge = setting.merge;
    if (merge <= 0)
      merge = block->onePipe ? 1 : std::max<int64_t>(1, blocks / cores);
    merge = std::min(merge, std::max<int64_t>(1, blocks));
    tasks = ceilDiv(blocks, merge);
    waves = ceilDiv(tasks, cores);
    double start = target.scheduling.dispatch.value + total.fill;
    double all = total.steady + double(tasks) * start;
    // The last wave waits for its tasks, whether all cores have one or not.
    double task = start + double(merge) * longestBlock;
    double idle = double(waves * cores - tasks) * task;
    coreSeconds =
        std::clamp((all + idle) / double(cores), task, double(waves) * task);
    coreSeconds += target.scheduling.coreStart.value;
  }

  void shared() {
    for (size_t i = 0; i < block->moves.size(); ++i)
      if (block->moves[i].first == target::Target::globalMemory ||
          block->moves[i].second == target::Target::globalMemory)
        moved += total.bytes[i];
    missed = moved;
    const target::Level *cache = target.sharedCache();
    if (cache)
      missed = std::min(moved, missedBytes(*cache));
    else if (block->onePipe && fitsCaches(problem, target))
      missed = std::min(moved, footprint(problem));
    const target::Level *memory = target.level(target::Target::globalMemory);
    if (memory && memory->sharedBandwidth.value > 0)
      globalSeconds = missed / memory->sharedBandwidth.value;
    if (cache && cache->sharedBandwidth.value > 0)
      cacheSeconds = moved / cache->sharedBandwidth.value;
    double side[] = {coreSeconds, globalSeconds, cacheSeconds};
    seconds = smoothMaximum(side, 14);
  }

  /// See Estimate.h.
  double missedBytes(const target::Level &cache) const {
    double once = footprint(problem);
    if (once <= cache.usable.value || !problem.matmul)
      return once;
    size_t m = problem.dims.size() - 3;
    auto count = [&](size_t d) {
      return ceilDiv(extentOf(problem.dims[d]),
                     std::max<int64_t>(1, tiles.outer[d]));
    };
    int64_t rowTiles = count(m), columnTiles = count(m + 1);
    double depth = double(extentOf(problem.dims[m + 2]));
    double row = double(tiles.outer[m]) * depth * double(problem.lhsBytes) *
                 double(problem.sharedLhs ? 1 : problem.matmuls);
    double column = double(tiles.outer[m + 1]) * depth *
                    double(problem.rhsBytes) *
                    double(problem.sharedLhs ? problem.matmuls : 1);
    int64_t wave = std::min(cores, rowTiles * columnTiles);
    double perWave = 0;
    if (setting.order == Order::Rows) {
      perWave = double(ceilDiv(wave, columnTiles)) * row +
                double(std::min(wave, columnTiles)) * column;
    } else {
      for (int64_t rows = 1; rows <= std::min(wave, rowTiles); ++rows) {
        int64_t columns = ceilDiv(wave, rows);
        if (columns > columnTiles)
          continue;
        double bytes = double(rows) * row + double(columns) * column;
        perWave = perWave == 0 ? bytes : std::min(perWave, bytes);
      }
    }
    double batches = 1;
    for (size_t d = 0; d < m; ++d)
      batches *= double(extentOf(problem.dims[d]));
    double grid = batches * double(rowTiles * columnTiles);
    double written = once;
    written -=
        batches * depth *
        (double(extentOf(problem.dims[m])) * double(problem.lhsBytes) *
             double(problem.sharedLhs ? 1 : problem.matmuls) +
         double(extentOf(problem.dims[m + 1])) * double(problem.rhsBytes) *
             double(problem.sharedLhs ? problem.matmuls : 1));
    return std::max(once, std::ceil(grid / double(wave)) * perWave +
                              std::max(0.0, written));
  }
};

} // namespace

double estimateSeconds(const TileProblem &problem, const Setting &setting,
                       const target::Target &target) {
  Kernel kernel(problem, setting, target);
  return kernel.run() ? kernel.seconds : 0;
}

model::Estimate estimateKernel(const TileProblem &problem,
                               const Setting &setting,
                               const target::Target &target) {
  model::Estimate estimate;
  estimate.key = problem.key;
  estimate.kind = problem.attention ? "attention"
                  : problem.matmul  ? "matmul"
                                    : "rows";
  bool unknown = false;
  for (const decision::Dimension &dimension : problem.dims)
    if (dimension.extent < 0) {
      unknown |= dimension.parallel;
      estimate.assumptions.push_back(dimension.name +
                                     " is known at run time "
                                     "only; " +
                                     std::to_string(assumedExtent) +
                                     " are assumed");
    }
  Kernel kernel(problem, setting, target);
  if (!kernel.run()) {
    estimate.assumptions.push_back("target " + target.name +
                                   " computes no such operation");
    return estimate;
  }
  const BlockModel &model = *kernel.model();
  estimate.seconds = kernel.seconds;
  estimate.tasks = unknown ? 0 : kernel.tasks;
  estimate.cores = kernel.cores;
  estimate.waves = kernel.waves;
  double cores = double(kernel.cores);
  double busy = kernel.total.steady +
                double(kernel.tasks) *
                    (kernel.total.fill + target.scheduling.dispatch.value);
  // While the grid runs; the start of the cores is no work of theirs.
  double running = kernel.coreSeconds - target.scheduling.coreStart.value;
  estimate.coreUse = running > 0 ? std::min(1.0, busy / (cores * running)) : 0;
  estimate.flop = kernel.total.flop;
  estimate.globalBytes = kernel.moved;
  estimate.intensity = kernel.moved > 0 ? estimate.flop / kernel.moved : 0;
  const target::Level *memory = target.level(target::Target::globalMemory);
  if (model.peak && memory && memory->sharedBandwidth.value > 0)
    estimate.balance =
        model.peak->perSecond.value * cores / memory->sharedBandwidth.value;
  for (size_t i = 0; i < model.moves.size(); ++i)
    if (kernel.total.bytes[i] > 0)
      estimate.traffic.push_back(
          {model.moves[i].first, model.moves[i].second, kernel.total.bytes[i]});
  // The longest core works its share of the blocks, rounded up to whole tasks.
  double busiest = double(kernel.waves) / (double(kernel.tasks) / cores);
  for (size_t i = 0; i < model.engines.size(); ++i)
    if (kernel.total.seconds[i] > 0)
      estimate.engines.push_back(
          {model.engines[i], kernel.total.seconds[i] / cores * busiest, 0});
  if (kernel.globalSeconds > 0)
    estimate.engines.push_back(
        {std::string(target::Target::globalMemory), kernel.globalSeconds, 0});
  if (kernel.cacheSeconds > 0)
    estimate.engines.push_back(
        {target.sharedCache()->name, kernel.cacheSeconds, 0});
  double overhead = target.scheduling.coreStart.value +
                    double(kernel.waves) *
                        (target.scheduling.dispatch.value + kernel.total.fill);
  if (overhead > 0)
    estimate.engines.push_back({"start and dispatch", overhead, 0});
  for (model::EngineTime &engine : estimate.engines)
    engine.share = kernel.seconds > 0 ? engine.seconds / kernel.seconds : 0;
  model::stableSort(estimate.engines,
                    [](const model::EngineTime &a, const model::EngineTime &b) {
                      return a.seconds > b.seconds;
                    });
  if (!estimate.engines.empty())
    estimate.bound = estimate.engines[0].engine;
  if (estimate.engines.size() > 1 && estimate.engines[1].seconds > 0) {
    estimate.boundBy = estimate.engines[1].engine;
    estimate.boundMargin =
        estimate.engines[0].seconds / estimate.engines[1].seconds - 1;
  }
  const target::Placement *placement =
      target.placement(decision::placementClass(problem));
  std::string sums = problem.matmul && placement && !placement->result.empty()
                         ? placement->result.front().level
                         : "";
  for (const decision::BufferUse &use :
       decision::bufferUses(problem, setting.sizes, target)) {
    bool twice = !sums.empty() && use.level == sums ? model.accumulatorsDoubled
                                                    : model.doubled;
    estimate.buffers.push_back({use.level, use.name, use.bytes, twice ? 2 : 1});
  }
  return estimate;
}

} // namespace tilewright::estimate
