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

using decision::Dimension;
using decision::TileProblem;

static double power(double base, int exponent) {
  double result = 1;
  for (; exponent; exponent >>= 1, base *= base)
    if (exponent & 1)
      result *= base;
  return result;
}

double smoothMaximum(std::span<const double> values, int p) {
  double most = 0;
  for (double value : values)
    most = std::max(most, value);
  if (most <= 0)
    return 0;
  double sum = 0;
  for (double value : values)
    if (value > 0)
      sum += power(value / most, p);
  // Mostly one is much longer than the others.
  if (sum < 1 + 1e-5)
    return most * (1 + (sum - 1) / p);
  return most * std::pow(sum, 1.0 / p);
}

double moveSeconds(const target::Move &move, double bytes, double pieceBytes) {
  double seconds = bytes / std::max(move.bytesPerSecond.value, 1.0);
  if (move.pieceSeconds.value > 0 && pieceBytes > 0)
    seconds = std::max(seconds, bytes / pieceBytes * move.pieceSeconds.value);
  return seconds;
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

Home homeOf(const TileProblem &problem, const target::Target &target) {
  constexpr std::string_view memory = target::Target::globalMemory;
  Caches caches = cachesOf(target);
  double bytes = footprint(problem);
  const target::Level *own = target.level(caches.outer);
  double cores =
      own ? double(std::max<int64_t>(1, target.coreCount(own->core))) : 1;
  if (own && bytes <= own->usable.value * cores)
    return {Home::Where::OwnCaches,
            moveRate(target, caches.outer, caches.inner),
            moveRate(target, caches.inner, caches.outer)};
  Home home;
  const target::Level *level = target.sharedCache();
  if (level && own && bytes <= level->usable.value)
    home.where = Home::Where::SharedCache;
  else
    level = target.level(memory);
  std::string_view from = level ? std::string_view(level->name) : memory;
  home.load = moveRate(target, from, caches.outer);
  home.store = moveRate(target, caches.outer, from);
  // All cores are at it at the same time.
  if (level && level->sharedBandwidth.value > 0) {
    home.load = std::min(home.load, level->sharedBandwidth.value / cores);
    home.store = std::min(home.store, level->sharedBandwidth.value / cores);
  }
  return home;
}

double leastMergeGain(const target::Target &target, std::string_view core) {
  const target::CoreKind *kind = target.core(core);
  return kind && kind->pipes.size() > 1 ? 0.02 : 0.1;
}

namespace {

/// The time of a grid under one schedule.
struct Times {
  int64_t tasks = 0, waves = 0;
  double core = 0, global = 0, cache = 0; ///< see Estimate.h
  double moved = 0, missed = 0;           ///< bytes
  double seconds = 0;
};

/// The grid and the sums over it.
class Kernel {
public:
  Kernel(const TileProblem &problem, const target::Target &target)
      : problem(problem), target(target) {
    block = problem.attention ? attentionModel(problem, target)
            : problem.matmul  ? matmulModel(problem, target)
                              : rowsModel(problem, target);
    if (!block)
      return;
    cores = std::max<int64_t>(1, target.coreCount(block->core));
    gain = leastMergeGain(target, block->core);
    once = footprint(problem);
    home = homeOf(problem, target).where;
    shared = target.sharedCache();
    if (const target::Level *memory =
            target.level(target::Target::globalMemory))
      memoryRate = memory->sharedBandwidth.value;
    for (const Dimension &dimension : problem.dims)
      unknown |= dimension.parallel && dimension.extent < 0;
    for (size_t i = 0; i < block->moves.size(); ++i)
      global.push_back(block->moves[i].first == target::Target::globalMemory ||
                       block->moves[i].second == target::Target::globalMemory);
  }

  /// Null where the target cannot compute it.
  const BlockModel *model() const { return block.get(); }

  /// Makes `total` and what else schedules are judged by.
  void use(const decision::ResolvedTiles &given, int64_t wantedParts,
           bool ideal = false) {
    tiles = given;
    block->use(tiles, ideal);
    parts = 1;
    splitDim = SIZE_MAX;
    splitRows(wantedParts);
    count.assign(problem.dims.size(), 1);
    whole.assign(problem.dims.size(), 1);
    for (size_t d = 0; d < problem.dims.size(); ++d) {
      int64_t extent = extentOf(problem.dims[d]);
      whole[d] = d == splitDim ? splitSize
                 : problem.dims[d].parallel
                     ? std::clamp<int64_t>(tiles.outer[d], 1, extent)
                     : extent;
      if (problem.dims[d].parallel)
        count[d] = ceilDiv(extent, whole[d]);
    }
    Sums sums;
    scratch.assign(problem.dims.size(), 0);
    sumBlocks(0, scratch, 1, sums);
    total = sums.total;
    blocks = sums.blocks * parts;
    scale(double(parts));
    longestBlock = sums.longest * block->longest();
  }

  /// Of `total` as it is without a schedule.
  Times timesOf(const Schedule &schedule) const {
    Times times;
    int64_t merge =
        std::clamp<int64_t>(schedule.merge, 1, std::max<int64_t>(1, blocks));
    times.tasks = ceilDiv(blocks, merge);
    times.waves = ceilDiv(times.tasks, cores);
    double steady = total.steady, later = longestBlock;
    for (size_t i = 0; i < global.size(); ++i)
      times.moved += global[i] ? total.bytes[i] : 0;
    if (merge > 1 && schedule.dim >= 0) {
      const Saved &saved = savedAlong(size_t(schedule.dim));
      double further = double(blocks - times.tasks);
      steady -= further * saved.seconds;
      later = std::max(0.0, later - saved.seconds);
      times.moved -= further * saved.bytes;
    }
    double start = target.scheduling.dispatch.value + total.fill;
    double all = steady + double(times.tasks) * start;
    // The last wave waits for its tasks, whether all cores have one or not.
    double task = start + longestBlock + double(merge - 1) * later;
    double idle = double(times.waves * cores - times.tasks) * task;
    times.core = std::clamp((all + idle) / double(cores), task,
                            double(times.waves) * task);
    if (block->onePipe && cores > 1)
      times.core += lateShare * task;
    times.core += target.scheduling.coreStart.value;
    times.missed = times.moved;
    if (block->onePipe ? home != Home::Where::Memory : shared != nullptr)
      times.missed =
          std::min(times.moved, block->onePipe ? once : missedBytes(schedule));
    if (memoryRate > 0 && (!block->onePipe || home == Home::Where::Memory))
      times.global = times.missed / memoryRate;
    if (shared && shared->sharedBandwidth.value > 0 &&
        (!block->onePipe || home == Home::Where::SharedCache))
      times.cache = times.moved / shared->sharedBandwidth.value;
    // A core of one pipe waits for its loads itself (Home).
    if (block->onePipe) {
      times.seconds = std::max({times.core, times.global, times.cache});
      return times;
    }
    double side[] = {times.core, times.global, times.cache};
    times.seconds = smoothMaximum(side, 14);
    return times;
  }

  /// Calls `visit` with every way to put several blocks into a task: along one
  /// dimension, whose number of tiles they divide.
  template <typename Visit> void forEachMerge(Visit visit) const {
    if (unknown || parts > 1)
      return;
    for (size_t d = problem.dims.size(); d-- > 0;)
      for (int64_t low = 1; low * low <= count[d]; ++low) {
        if (count[d] % low)
          continue;
        if (low > 1)
          visit(Schedule{low, int(d), 1});
        if (int64_t high = count[d] / low; high != low && high > 1)
          visit(Schedule{high, int(d), 1});
      }
  }

  /// Cores of one pipe have caches of their own before the shared one.
  bool orderMatters() const {
    return shared && !block->onePipe && problem.matmul &&
           once > shared->usable.value;
  }

  /// Rows and columns of the grid of tasks.
  std::pair<int64_t, int64_t> taskGrid(const Schedule &schedule) const {
    size_t m = problem.dims.size() - 3;
    int64_t rows = count[m], columns = count[m + 1];
    if (schedule.dim == int(m))
      rows = ceilDiv(rows, schedule.merge);
    if (schedule.dim == int(m + 1))
      columns = ceilDiv(columns, schedule.merge);
    return {rows, columns};
  }

  /// Strips worth a look besides row by row.
  template <typename Visit>
  void forEachStrip(const Schedule &schedule, Visit visit) const {
    if (!orderMatters())
      return;
    auto [rows, columns] = taskGrid(schedule);
    int64_t wave = std::min(cores, rows * columns);
    for (int64_t strip = 2; strip <= std::min(rows, wave); ++strip)
      visit(strip);
    if (rows > wave)
      visit(rows);
  }

  /// `schedule` under the strip that reads least from behind the shared cache,
  /// which then takes least. Another order than row by row has to be worth its
  /// words.
  Times inBestOrder(Schedule &schedule) const {
    schedule.strip = 1;
    Times times = timesOf(schedule);
    if (!orderMatters())
      return times;
    double byRow = times.missed, least = byRow;
    Schedule trial = schedule;
    forEachStrip(schedule, [&](int64_t strip) {
      trial.strip = strip;
      double missed = std::min(times.moved, missedBytes(trial));
      if (missed < least) {
        least = missed;
        schedule.strip = strip;
      }
    });
    if (least > byRow * 0.95)
      schedule.strip = 1;
    return schedule.strip == 1 ? times : timesOf(schedule);
  }

  Times best(Schedule &schedule) const {
    schedule = Schedule();
    Times one = inBestOrder(schedule);
    std::vector<std::pair<Schedule, Times>> &trials = tried;
    trials.clear();
    double least = one.seconds;
    forEachMerge([&](Schedule trial) {
      Times times = inBestOrder(trial);
      least = std::min(least, times.seconds);
      trials.emplace_back(trial, times);
    });
    if (least > one.seconds * (1 - gain))
      return one;
    // Of those that take about as long, the one that reads least from behind
    // the shared cache, with the smallest tasks.
    constexpr double alike = 1.01;
    const std::pair<Schedule, Times> *best = nullptr;
    for (const auto &trial : trials)
      if (trial.second.seconds <= least * alike &&
          (!best || std::pair(trial.second.missed, trial.first.merge) <
                        std::pair(best->second.missed, best->first.merge)))
        best = &trial;
    if (!best || best->second.seconds > one.seconds)
      return one;
    schedule = best->first;
    return best->second;
  }

  /// Under whatever schedule, worth its code or not.
  double least() const {
    Schedule schedule;
    double least = inBestOrder(schedule).seconds;
    forEachMerge([&](Schedule trial) {
      least = std::min(least, inBestOrder(trial).seconds);
    });
    return least;
  }

  /// A given number of blocks along whichever dimension is fastest. Numbers
  /// that divide none count as if they did.
  Times given(int64_t merge, int64_t strip, Schedule &schedule) const {
    auto timed = [&](Schedule &trial) {
      if (strip <= 0)
        return inBestOrder(trial);
      trial.strip = strip;
      return timesOf(trial);
    };
    schedule = Schedule{merge, -1, 1};
    bool found = merge == 1;
    Times best;
    if (found)
      best = timed(schedule);
    else
      forEachMerge([&](Schedule trial) {
        if (trial.merge != merge)
          return;
        Times times = timed(trial);
        if (!found || times.seconds < best.seconds) {
          best = times;
          schedule = trial;
          found = true;
        }
      });
    return found ? best : timed(schedule);
  }

  int64_t cores = 1, blocks = 0, parts = 1;
  BlockCost total; ///< of all blocks; `steady` their sum
  double once = 0; ///< bytes of everything

private:
  const TileProblem &problem;
  const target::Target &target;
  std::unique_ptr<BlockModel> block;
  decision::ResolvedTiles tiles;
  const target::Level *shared = nullptr;
  double memoryRate = 0, gain = 0;
  Home::Where home = Home::Where::Memory;
  bool unknown = false;
  std::vector<bool> global; ///< of each move
  size_t splitDim = SIZE_MAX;
  int64_t splitSize = 0;
  double longestBlock = 0;
  std::vector<int64_t> count, whole; ///< by dimension
  mutable std::vector<int64_t> scratch;
  struct Saved {
    double seconds = -1, bytes = 0;
  };
  mutable std::vector<Saved> saved;
  mutable std::vector<std::pair<Schedule, Times>> tried;

  /// The longest dimension that is reduced, as decision::splitInto has it.
  void splitRows(int64_t wanted) {
    saved.assign(problem.dims.size(), Saved());
    if (wanted <= 1)
      return;
    int64_t longest = 1;
    for (size_t d = 0; d < problem.dims.size(); ++d)
      if (!problem.dims[d].parallel && extentOf(problem.dims[d]) > longest) {
        longest = extentOf(problem.dims[d]);
        splitDim = d;
      }
    if (splitDim == SIZE_MAX)
      return;
    parts = std::min(wanted, longest);
    splitSize = ceilDiv(longest, parts);
  }

  struct Sums {
    BlockCost total;
    double longest = 0; ///< `steady` of a block
    int64_t blocks = 0;
  };

  /// Adds up the blocks of the grid from dimension `d` on: whole tiles are all
  /// alike, and so are those of each border.
  void sumBlocks(size_t d, std::vector<int64_t> &sizes, double times,
                 Sums &sums, size_t sharedDim = SIZE_MAX) const {
    if (d == sizes.size()) {
      BlockCost cost = block->of(sizes, sharedDim);
      BlockCost &total = sums.total;
      for (size_t i = 0; i < block->engines.size(); ++i)
        total.seconds[i] += times * cost.seconds[i];
      for (size_t i = 0; i < block->moves.size(); ++i)
        total.bytes[i] += times * cost.bytes[i];
      total.flop += times * cost.flop;
      total.steady += times * cost.steady;
      total.fill = std::max(total.fill, cost.fill);
      sums.longest = std::max(sums.longest, cost.steady);
      sums.blocks += int64_t(times);
      return;
    }
    const Dimension &dimension = problem.dims[d];
    int64_t extent = extentOf(dimension);
    if (!dimension.parallel) {
      sizes[d] = whole[d];
      sumBlocks(d + 1, sizes, times, sums, sharedDim);
      return;
    }
    if (extent / whole[d]) {
      sizes[d] = whole[d];
      sumBlocks(d + 1, sizes, times * double(extent / whole[d]), sums,
                sharedDim);
    }
    if (extent % whole[d]) {
      sizes[d] = extent % whole[d];
      sumBlocks(d + 1, sizes, times, sums, sharedDim);
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

  /// What a further block along `d` in one task does not do again.
  const Saved &savedAlong(size_t d) const {
    Saved &known = saved[d];
    if (known.seconds >= 0)
      return known;
    // Averages over the grid: blocks at its border save less.
    Sums less;
    scratch.assign(problem.dims.size(), 0);
    sumBlocks(0, scratch, 1, less, d);
    double each = 1 / std::max(1.0, double(less.blocks));
    known.seconds =
        std::max(0.0, total.steady / double(parts) - less.total.steady) * each;
    known.bytes = 0;
    for (size_t i = 0; i < global.size(); ++i)
      if (global[i])
        known.bytes +=
            (total.bytes[i] / double(parts) - less.total.bytes[i]) * each;
    return known;
  }

  /// See Estimate.h.
  double missedBytes(const Schedule &schedule) const {
    if (once <= shared->usable.value || !problem.matmul)
      return once;
    size_t m = problem.dims.size() - 3;
    double depth = double(extentOf(problem.dims[m + 2]));
    double left = double(problem.lhsBytes) *
                  double(problem.sharedLhs ? 1 : problem.matmuls);
    double right = double(problem.rhsBytes) *
                   double(problem.sharedLhs ? problem.matmuls : 1);
    double row = double(whole[m]) * depth * left;
    double column = double(whole[m + 1]) * depth * right;
    auto [rows, columns] = taskGrid(schedule);
    int64_t wave = std::min(cores, rows * columns);
    int64_t high = std::clamp<int64_t>(schedule.strip, 1, rows), across;
    if (high * columns < wave) {
      high = ceilDiv(wave, columns);
      across = columns;
    } else {
      across = ceilDiv(wave, high);
    }
    double turns = double(std::max<int64_t>(1, schedule.merge));
    // What a task keeps of one block for the next is not read again.
    bool keeps = schedule.dim >= 0 && schedule.merge > 1 &&
                 savedAlong(size_t(schedule.dim)).bytes > 0;
    bool sharesLeft = keeps && schedule.dim == int(m + 1);
    bool sharesRight = keeps && schedule.dim == int(m);
    double perWave = double(high) * row * (sharesLeft ? 1 : turns) +
                     double(across) * column * (sharesRight ? 1 : turns);
    double batches = 1;
    for (size_t d = 0; d < m; ++d)
      batches *= double(extentOf(problem.dims[d]));
    double waves = std::ceil(batches * double(rows * columns) / double(wave));
    double written = once;
    written -= batches * depth *
               (double(extentOf(problem.dims[m])) * left +
                double(extentOf(problem.dims[m + 1])) * right);
    return std::max(once, waves * perWave + std::max(0.0, written));
  }
};

Times timesOf(Kernel &kernel, const TileProblem &problem,
              const Setting &setting, const target::Target &target,
              Schedule &schedule) {
  kernel.use(decision::resolveTiles(problem, setting.sizes, target),
             setting.parts);
  if (setting.merge > 0)
    return kernel.given(setting.merge, setting.strip, schedule);
  Times times = kernel.best(schedule);
  if (setting.strip > 0) {
    schedule.strip = setting.strip;
    times = kernel.timesOf(schedule);
  }
  return times;
}

} // namespace

struct Estimator::Impl {
  Kernel kernel;
};

Estimator::Estimator(const TileProblem &problem, const target::Target &target)
    : impl(new Impl{Kernel(problem, target)}) {}

Estimator::~Estimator() = default;

bool Estimator::possible() const { return impl->kernel.model(); }

double Estimator::seconds(const decision::ResolvedTiles &tiles,
                          Schedule *schedule, int64_t parts) {
  if (!possible())
    return 0;
  impl->kernel.use(tiles, parts);
  Schedule best;
  Times times = impl->kernel.best(best);
  if (schedule)
    *schedule = best;
  return times.seconds;
}

double Estimator::leastSeconds(const decision::ResolvedTiles &tiles) {
  if (!possible())
    return 0;
  impl->kernel.use(tiles, 1, /*ideal=*/true);
  return impl->kernel.least();
}

std::vector<Estimator::Merged>
Estimator::merges(const decision::ResolvedTiles &tiles, int64_t parts) {
  std::vector<Merged> all;
  if (!possible())
    return all;
  Kernel &kernel = impl->kernel;
  kernel.use(tiles, parts);
  auto add = [&](Schedule schedule) {
    Times times = kernel.inBestOrder(schedule);
    all.push_back({schedule, times.tasks, times.seconds});
  };
  add(Schedule());
  kernel.forEachMerge(add);
  return all;
}

std::vector<Estimator::Ordered>
Estimator::orders(const decision::ResolvedTiles &tiles,
                  const Schedule &schedule, int64_t parts) {
  std::vector<Ordered> all;
  if (!possible())
    return all;
  Kernel &kernel = impl->kernel;
  kernel.use(tiles, parts);
  auto add = [&](int64_t strip) {
    Schedule trial = schedule;
    trial.strip = strip;
    Times times = kernel.timesOf(trial);
    all.push_back({strip, times.seconds, times.missed});
  };
  add(1);
  kernel.forEachStrip(schedule, add);
  return all;
}

Estimator::Ordered Estimator::timeOf(const decision::ResolvedTiles &tiles,
                                     const Schedule &schedule, int64_t parts) {
  if (!possible())
    return {schedule.strip};
  impl->kernel.use(tiles, parts);
  Times times = impl->kernel.timesOf(schedule);
  return {schedule.strip, times.seconds, times.missed};
}

double estimateSeconds(const TileProblem &problem, const Setting &setting,
                       const target::Target &target) {
  Kernel kernel(problem, target);
  Schedule schedule;
  return kernel.model()
             ? timesOf(kernel, problem, setting, target, schedule).seconds
             : 0;
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
  Kernel kernel(problem, target);
  if (!kernel.model()) {
    estimate.assumptions.push_back("target " + target.name +
                                   " computes no such operation");
    return estimate;
  }
  Schedule schedule;
  Times times = timesOf(kernel, problem, setting, target, schedule);
  const BlockModel &model = *kernel.model();
  estimate.seconds = times.seconds;
  estimate.tasks = unknown ? 0 : times.tasks;
  estimate.cores = kernel.cores;
  estimate.waves = times.waves;
  double cores = double(kernel.cores);
  double busy = kernel.total.steady +
                double(times.tasks) *
                    (kernel.total.fill + target.scheduling.dispatch.value);
  // While the grid runs; the start of the cores is no work of theirs.
  double running = times.core - target.scheduling.coreStart.value;
  estimate.coreUse = running > 0 ? std::min(1.0, busy / (cores * running)) : 0;
  estimate.flop = kernel.total.flop;
  estimate.globalBytes = times.moved;
  estimate.intensity = times.moved > 0 ? estimate.flop / times.moved : 0;
  const target::Level *memory = target.level(target::Target::globalMemory);
  if (model.peak && memory && memory->sharedBandwidth.value > 0)
    estimate.balance =
        model.peak->perSecond.value * cores / memory->sharedBandwidth.value;
  for (size_t i = 0; i < model.moves.size(); ++i)
    if (kernel.total.bytes[i] > 0)
      estimate.traffic.push_back(
          {model.moves[i].first, model.moves[i].second, kernel.total.bytes[i]});
  // The longest core works its share of the blocks, rounded up to whole tasks.
  double busiest = double(times.waves) / (double(times.tasks) / cores);
  for (size_t i = 0; i < model.engines.size(); ++i)
    if (kernel.total.seconds[i] > 0)
      estimate.engines.push_back(
          {model.engines[i], kernel.total.seconds[i] / cores * busiest, 0});
  if (times.global > 0)
    estimate.engines.push_back(
        {std::string(target::Target::globalMemory), times.global, 0});
  if (times.cache > 0)
    estimate.engines.push_back({target.sharedCache()->name, times.cache, 0});
  double overhead = target.scheduling.coreStart.value +
                    double(times.waves) *
                        (target.scheduling.dispatch.value + kernel.total.fill);
  if (overhead > 0)
    estimate.engines.push_back({"start and dispatch", overhead, 0});
  for (model::EngineTime &engine : estimate.engines)
    engine.share = times.seconds > 0 ? engine.seconds / times.seconds : 0;
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
    if (model.single == std::vector{use.level, use.name})
      twice = false;
    estimate.buffers.push_back({use.level, use.name, use.bytes, twice ? 2 : 1});
  }
  return estimate;
}

} // namespace tilewright::estimate
