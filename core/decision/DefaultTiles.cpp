//===- DefaultTiles.cpp - tile sizes without being asked ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/DefaultTiles.h"
#include "core/decision/AttentionTiles.h"
#include "core/decision/Legality.h"
#include "core/decision/TileArithmetic.h"
#include <algorithm>
#include <cstdio>

namespace tilewright::decision {
namespace {

std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f%%", share * 100);
  return text;
}

/// Share of the cores that work, over the time the grid takes.
double busyShare(int64_t tasks, int64_t cores) {
  return double(tasks) / double(ceilDiv(tasks, cores) * cores);
}

void addMetrics(TileChoice &choice, const TileProblem &problem,
                const target::Target &target, int64_t cores) {
  int64_t tasks = taskCount(problem, choice.sizes, target);
  if (tasks > 0) {
    choice.metrics.push_back(
        {"tasks", double(tasks), "", model::Origin::Estimated});
    choice.metrics.push_back(
        {"cores busy", busyShare(tasks, cores), "", model::Origin::Estimated});
  }
  std::map<std::string, int64_t> bytes;
  for (const BufferUse &use : bufferUses(problem, choice.sizes, target))
    bytes[use.level] += use.bytes;
  for (const auto &[level, total] : bytes)
    choice.metrics.push_back(
        {level, double(total), "bytes", model::Origin::Estimated});
}

/// One point of the matmul's search.
struct Candidate {
  int64_t m = 0, n = 0, k = 0, outerK = 0;
  int64_t tasks = 0;
  double seconds = 0; ///< of the whole grid, estimated
};

class MatmulSearch {
public:
  MatmulSearch(const TileProblem &problem, const target::Target &target,
               double budget)
      : problem(problem), target(target), budget(budget),
        placement(*target.placement("matmul")) {
    const std::vector<Dimension> &dims = problem.dims;
    for (size_t d = 0; d + 3 < dims.size(); ++d)
      batches *= extentOf(dims[d]);
    m = extentOf(dims[dims.size() - 3]);
    n = extentOf(dims[dims.size() - 2]);
    k = extentOf(dims[dims.size() - 1]);
    cores = std::max<int64_t>(1, target.coreCount(placement.core));
    packed = target.registerBlock.rows > 0;
    if (const target::ComputeRate *rate =
            target.rate("matmul", problem.dtype)) {
      flopRate = rate->perSecond.value;
      granule = rate->granule;
    }
    if (packed)
      granule = {target.registerBlock.rows, target.registerBlock.columns, 1};
    std::vector<target::Stop> path = target.operandPath("matmul", 0);
    if (path.size() > 1)
      if (const target::Move *move = target.move(path[0].level, path[1].level))
        loadRate = memoryRate = move->bytesPerSecond.value;
    // Operands that a cache holds come from there.
    if (path.size() > 1 && target.isCache(path[1].level) &&
        m * k * problem.lhsBytes + k * n * problem.rhsBytes <=
            target.usableBytes(path[1].level))
      for (const target::Move &move : target.moves)
        if (move.from == path[1].level && target.isCache(move.to))
          loadRate = std::max(loadRate, move.bytesPerSecond.value);
  }

  TileChoice run() {
    if (readsInPlace(problem, target))
      return streamed();
    // The unit's natural block: what keeps the micro-kernel or the cube fed.
    int64_t maxM = packed ? 480 : 256, maxN = packed ? 1024 : 256;
    std::vector<Candidate> legal;
    for (int64_t tm :
         stepsUpTo(std::min(maxM, roundUp(m, granule[0])), granule[0]))
      for (int64_t tn :
           stepsUpTo(std::min(maxN, roundUp(n, granule[1])), granule[1])) {
        Candidate candidate = depthFor(tm, tn);
        // Blocks of the unit they are; what is left to ask is room.
        if (candidate.k &&
            fitsLevels(problem, sizesOf(candidate), target, budget)) {
          estimate(candidate);
          legal.push_back(candidate);
        }
      }
    TileChoice choice;
    if (legal.empty()) {
      Candidate smallest = depthFor(granule[0], granule[1]);
      smallest.k = smallest.k ? smallest.k : std::min(k, granule[2]);
      smallest.outerK = std::max(smallest.outerK, smallest.k);
      choice.sizes = sizesOf(smallest);
      choice.reason = "the smallest tiles there are; none fits";
      return choice;
    }
    auto better = [](const Candidate &a, const Candidate &b) {
      if (a.seconds != b.seconds)
        return a.seconds < b.seconds;
      return std::pair(a.m, a.n) > std::pair(b.m, b.n);
    };
    std::nth_element(legal.begin(), legal.begin(), legal.end(), better);
    const Candidate best = legal.front();
    choice.sizes = sizesOf(best);
    choice.reason =
        "m=" + std::to_string(best.m) + ", n=" + std::to_string(best.n) + ": " +
        std::to_string(best.tasks) + " tasks keep " + std::to_string(cores) +
        " cores " + percent(busyShare(best.tasks, cores)) + " busy (" +
        fillText(problem, choice.sizes, target) +
        "); k=" + std::to_string(best.k) +
        (packed ? ": a panel of it stays in the first cache"
                : ": leaves room to double-buffer both operands");
    // The nearest rivals: other blocks that were almost as good.
    size_t rivals = std::min<size_t>(3, legal.size());
    std::partial_sort(legal.begin(), legal.begin() + rivals, legal.end(),
                      better);
    for (size_t i = 1; i < rivals; ++i) {
      const Candidate &rival = legal[i];
      model::Alternative alternative;
      alternative.value = sizesOf(rival);
      char text[96];
      std::snprintf(text, sizeof text,
                    "%+.1f%% time: %lld tasks, %s of the cores busy",
                    (rival.seconds / best.seconds - 1) * 100,
                    static_cast<long long>(rival.tasks),
                    percent(busyShare(rival.tasks, cores)).c_str());
      alternative.reason = text;
      alternative.metrics = {
          {"seconds", rival.seconds, "s", model::Origin::Estimated}};
      choice.weighed.push_back(std::move(alternative));
    }
    addMetrics(choice, problem, target, cores);
    choice.metrics.push_back(
        {"seconds", best.seconds, "s", model::Origin::Estimated});
    return choice;
  }

private:
  /// Few rows or one column: the time is that of reading the large operand, so
  /// its parts are as long as they can be, a few for each core, and the depth
  /// is not cut.
  TileChoice streamed() {
    constexpr int64_t leastColumns = 512, leastRows = 64;
    bool column = n == 1;
    int64_t along = column ? m : n, least = column ? leastRows : leastColumns;
    int64_t parts = std::clamp<int64_t>(along / least, 1, 4 * cores);
    int64_t size = std::min(along, roundUp(ceilDiv(along, parts), 16));
    Candidate candidate{column ? size : m, column ? 1 : size, k, k};
    TileChoice choice;
    choice.sizes = sizesOf(candidate);
    int64_t tasks = batches * ceilDiv(along, size);
    choice.reason =
        std::string(column ? "m=" : "n=") + std::to_string(size) + ": " +
        std::to_string(tasks) + " tasks keep " + std::to_string(cores) +
        " cores " + percent(busyShare(tasks, cores)) +
        " busy; operands are read where they lie, as each element is used " +
        (column ? "once" : "at most " + std::to_string(m) + " times");
    addMetrics(choice, problem, target, cores);
    return choice;
  }

  static std::vector<int64_t> stepsUpTo(int64_t limit, int64_t step) {
    std::vector<int64_t> steps;
    // Finer than a 32nd of the limit decides nothing.
    int64_t stride = step * std::max<int64_t>(1, limit / step / 32);
    for (int64_t size = step; size <= limit; size += stride)
      steps.push_back(size);
    if (steps.empty())
      steps.push_back(step);
    return steps;
  }

  /// Depth of the innermost tile and of the one outside it.
  Candidate depthFor(int64_t tm, int64_t tn) const {
    Candidate candidate{tm, tn};
    if (packed) {
      // Even parts near 256: deep enough to amortise the accumulators' way to
      // memory and back, shallow enough for a panel to stay in the first cache.
      constexpr int64_t depth = 256;
      int64_t parts = std::max<int64_t>(1, (k + depth / 2) / depth);
      candidate.k = k <= depth + depth / 2
                        ? k
                        : std::min(k, roundUp(ceilDiv(k, parts), 8));
      candidate.outerK = candidate.k;
      return candidate;
    }
    // Half of each operand level: the other half is for the next tile.
    auto fits = [&](size_t operand, int64_t along, int64_t bytes,
                    size_t stop) -> int64_t {
      std::vector<target::Stop> path = target.operandPath("matmul", operand);
      if (stop >= path.size())
        return k;
      int64_t usable =
          int64_t(double(target.usableBytes(path[stop].level)) * budget) / 2;
      // Both operands share a level that is on both paths.
      std::vector<target::Stop> other =
          target.operandPath("matmul", 1 - operand);
      if (stop < other.size() && other[stop].level == path[stop].level)
        usable /= 2;
      if (problem.sharedLhs != (operand == 0))
        usable /= problem.matmuls;
      return usable / (along * bytes);
    };
    size_t last = target.operandPath("matmul", 0).size() - 1;
    int64_t inner = std::min(fits(0, tm, problem.lhsBytes, last),
                             fits(1, tn, problem.rhsBytes, last));
    // A power of two: it divides what is outside it.
    int64_t limit = std::min(inner, roundUp(k, granule[2]));
    candidate.k = limit >= granule[2] ? granule[2] : 0;
    while (candidate.k && candidate.k * 2 <= limit && candidate.k < 64)
      candidate.k *= 2;
    candidate.outerK = candidate.k;
    if (last > 1 && candidate.k) {
      int64_t outer = std::min(fits(0, tm, problem.lhsBytes, 1),
                               fits(1, tn, problem.rhsBytes, 1));
      int64_t times = std::clamp<int64_t>(outer / candidate.k, 1, 4);
      candidate.outerK = std::min(candidate.k * times, roundUp(k, candidate.k));
    }
    return candidate;
  }

  model::TileSizes sizesOf(const Candidate &candidate) const {
    model::TileSizes sizes;
    bool outermost = true;
    for (const target::TileLevel &level : placement.tileLevels) {
      const target::Level *first =
          level.levels.empty() ? nullptr : target.level(level.levels.front());
      if (first && first->kind == "register") {
        if (packed)
          sizes[level.name] = {{"m", target.registerBlock.rows},
                               {"n", target.registerBlock.columns}};
        continue;
      }
      bool cacheInside = first && first->kind == "cache" && !outermost;
      if (cacheInside)
        continue;
      bool innermost = &level == &placement.tileLevels.back() || packed;
      sizes[level.name] = {{"m", candidate.m},
                           {"n", candidate.n},
                           {"k", innermost ? candidate.k : candidate.outerK}};
      outermost = false;
    }
    return sizes;
  }

  void estimate(Candidate &candidate) const {
    candidate.tasks =
        batches * ceilDiv(m, candidate.m) * ceilDiv(n, candidate.n);
    int64_t lhsCopies = problem.sharedLhs ? 1 : problem.matmuls;
    int64_t rhsCopies = problem.sharedLhs ? problem.matmuls : 1;
    double compute = 2.0 * double(problem.matmuls) * double(candidate.m) *
                     double(candidate.n) * double(k) / std::max(flopRate, 1.0);
    double load = double(k) *
                  double(candidate.m * problem.lhsBytes * lhsCopies +
                         candidate.n * problem.rhsBytes * rhsCopies) /
                  std::max(loadRate, 1.0);
    // One pipe does one thing after the other; else they overlap.
    bool onePipe = target.core(placement.core) &&
                   target.core(placement.core)->pipes.size() == 1;
    double task = (onePipe ? compute + load : std::max(compute, load)) +
                  target.scheduling.dispatch.value;
    if (sharesLines(candidate))
      task += double(candidate.m) * 2 * lineBytes / std::max(memoryRate, 1.0);
    double waves = double(ceilDiv(candidate.tasks, cores));
    candidate.seconds = task * waves;
    // Few tasks a core leave nothing to even out when one is late: half a task
    // of the last wave, give or take, is waited for.
    candidate.seconds *= 1.0 + 0.35 * double(cores) / double(candidate.tasks);
  }

  /// Whether two tasks write into one line of a cache: where columns are parted
  /// and rows do not begin at lines, it goes back and forth between their
  /// cores.
  bool sharesLines(const Candidate &candidate) const {
    return !placement.result.empty() &&
           target.isCache(placement.result.front().level) && candidate.n < n &&
           n * problem.resultBytes % lineBytes;
  }

  static constexpr int64_t lineBytes = 64;
  const TileProblem &problem;
  const target::Target &target;
  double budget;
  const target::Placement &placement;
  int64_t batches = 1, m = 1, n = 1, k = 1, cores = 1;
  bool packed = false;
  double flopRate = 1, loadRate = 1, memoryRate = 1;
  std::array<int64_t, 3> granule = {1, 1, 1};
};

TileChoice elementwiseTiles(const TileProblem &problem,
                            const target::Target &target, double budget) {
  const target::Placement &placement = *target.placement("elementwise");
  int64_t cores = std::max<int64_t>(1, target.coreCount(placement.core));
  const std::string levelName = placement.tileLevels.empty()
                                    ? placement.result.front().level
                                    : placement.tileLevels.front().name;
  const std::string &memory = placement.result.front().level;
  int64_t usable = int64_t(double(target.usableBytes(memory)) * budget);
  // Caches are shared with what streams through; a memory is ours.
  int64_t limit = target.isCache(memory)
                      ? std::min<int64_t>(usable / 2, 256 * 1024)
                  // Half, where pipes can work on the next tile meanwhile.
                  : target.core(placement.core) &&
                          target.core(placement.core)->pipes.size() > 1
                      ? usable / 2
                      : usable;

  size_t rank = problem.dims.size();
  std::vector<int64_t> tile(rank, 1);
  auto sizes = [&] {
    model::TileSizes result;
    for (size_t d = 0; d < rank; ++d)
      if (problem.dims[d].parallel || tile[d] < extentOf(problem.dims[d]))
        result[levelName][problem.dims[d].name] = tile[d];
    return result;
  };
  auto bytes = [&] {
    int64_t total = 0;
    for (const BufferUse &use : bufferUses(problem, sizes(), target))
      total += use.bytes;
    return total;
  };
  for (size_t d = 0; d < rank; ++d)
    if (!problem.dims[d].parallel)
      tile[d] = extentOf(problem.dims[d]);
  // A row that does not fit is gone through in pieces, as long as fit: halved
  // from the outermost dimension in.
  bool cutsRows = false;
  bool mayCut = problem.sequentialRows &&
                (!target.isCache(memory) || problem.computesRows);
  // Rather than to take single elements out of what lies side by side.
  constexpr int64_t together = 64;
  for (size_t d = rank; mayCut && d-- > 0 && problem.dims[d].parallel;) {
    tile[d] = std::min(extentOf(problem.dims[d]), together);
    if (tile[d] < extentOf(problem.dims[d]))
      break;
  }
  if (mayCut)
    for (size_t d = 0; d < rank; ++d)
      while (!problem.dims[d].parallel && tile[d] > 1 && bytes() > limit) {
        tile[d] = (tile[d] + 1) / 2;
        // Whole vectors, but for the last piece.
        if (tile[d] > 64)
          tile[d] = tile[d] / 64 * 64;
        cutsRows = true;
      }
  // Grow from the innermost free dimension, so that tiles are long and thin;
  // not beyond what leaves each core a few tasks, unless tasks get tiny.
  constexpr int64_t smallBytes = 32 * 1024;
  for (size_t d = rank; d-- > 0;) {
    if (!problem.dims[d].parallel)
      continue;
    int64_t extent = extentOf(problem.dims[d]);
    while (tile[d] < extent) {
      int64_t before = tile[d];
      tile[d] = std::min(extent, tile[d] * 2);
      int64_t count = taskCount(problem, sizes(), target);
      bool tooFew = count && count < 4 * cores && bytes() > smallBytes;
      if (bytes() > limit || tooFew) {
        tile[d] = before;
        break;
      }
    }
    if (tile[d] < extent)
      break;
  }
  TileChoice choice;
  choice.sizes = sizes();
  int64_t count = taskCount(problem, choice.sizes, target);
  std::string text;
  for (size_t d = 0; d < rank; ++d)
    if (problem.dims[d].parallel)
      text += (text.empty() ? "" : ", ") + problem.dims[d].name + "=" +
              std::to_string(tile[d]);
  if (text.empty())
    text = "one task: every element depends on all";
  if (cutsRows) {
    text += "; a row does not fit and is gone through in pieces of";
    for (size_t d = 0; d < rank; ++d)
      if (!problem.dims[d].parallel)
        text += " " + problem.dims[d].name + "=" + std::to_string(tile[d]);
  }
  if (count > 0)
    choice.reason = text + ": " + std::to_string(count) + " tasks keep " +
                    std::to_string(cores) + " cores " +
                    percent(busyShare(count, cores)) + " busy";
  else
    choice.reason = text + ": as many tasks as the sizes give at run time";
  choice.reason += " (" + fillText(problem, choice.sizes, target) + ")";
  addMetrics(choice, problem, target, cores);
  return choice;
}

} // namespace

TileChoice defaultTiles(const TileProblem &problem,
                        const target::Target &target, double budget) {
  if (problem.attention && target.placement("matmul") &&
      target.placement("elementwise"))
    return attentionTiles(problem, target, budget);
  if (problem.matmul && target.placement("matmul"))
    return MatmulSearch(problem, target, budget).run();
  if (!problem.matmul && target.placement("elementwise"))
    return elementwiseTiles(problem, target, budget);
  TileChoice choice;
  choice.reason = "target " + target.name + " places nothing";
  return choice;
}

} // namespace tilewright::decision
