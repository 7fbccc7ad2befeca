//===- TileSearch.cpp - the tiles that are estimated fastest --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/TileSearch.h"
#include "core/decision/Legality.h"
#include "core/decision/TileArithmetic.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace tilewright::decision {

TileSearch::TileSearch(const TileProblem &problem, const target::Target &target,
                       double budget, double alike)
    : problem(problem), target(target), budget(budget), alike(alike),
      estimator(problem, target) {}

void TileSearch::offer(ResolvedTiles tiles) {
  if (!depths.empty())
    setDepths(tiles, depths.front());
  if (!fitsLevels(problem, tiles, target, budget))
    return;
  Offer offer;
  offer.number = offers.size();
  if (depths.size() > 1)
    offer.least = estimator.leastSeconds(tiles);
  offer.tiles = std::move(tiles);
  offers.push_back(std::move(offer));
}

const WeighedTiles *TileSearch::run() {
  // What may be fastest comes first, so that the rest is soon left out.
  std::sort(offers.begin(), offers.end(), [](const Offer &a, const Offer &b) {
    return a.least != b.least ? a.least < b.least : a.number > b.number;
  });
  double least = 0;
  std::vector<size_t> numbers;
  std::vector<WeighedTiles> staying; // of each, the best with one that stays
  for (const Offer &offer : offers) {
    // Rivals are told, too: what is a little slower is still estimated.
    if (!weighed.empty() && offer.least > least * 1.02)
      continue;
    WeighedTiles mine, stays;
    auto weigh = [&](const ResolvedTiles &tiles) {
      TaskSchedule schedule;
      double seconds = estimator.seconds(tiles, &schedule);
      if (mine.tiles.outer.empty() || seconds <= mine.seconds)
        mine = {tiles, schedule, seconds};
      if (tiles.stays[0] + tiles.stays[1] > 0 &&
          (stays.tiles.outer.empty() || seconds <= stays.seconds))
        stays = {tiles, schedule, seconds};
    };
    weigh(offer.tiles);
    ResolvedTiles deeper = offer.tiles;
    for (size_t i = 1; i < depths.size(); ++i) {
      setDepths(deeper, depths[i]);
      if (!isWorthALook(depths[i], deeper, problem))
        continue;
      if (fitsLevels(problem, deeper, target, budget))
        weigh(deeper);
    }
    if (weighed.empty() || mine.seconds < least)
      least = mine.seconds;
    weighed.push_back(std::move(mine));
    staying.push_back(std::move(stays));
    numbers.push_back(offer.number);
  }
  for (size_t i = 1; i < weighed.size(); ++i) {
    bool near = weighed[i].seconds <= least * alike;
    bool bestNear = weighed[best].seconds <= least * alike;
    if (near && (!bestNear || numbers[i] > numbers[best]))
      best = i;
  }
  if (weighed.empty())
    return nullptr;
  // An operand that all tasks read whole stays on chip if that is about as
  // fast: it is loaded in long pieces, and no more often if tasks get more
  // blocks.
  constexpr double about = 1.02;
  if (!staying[best].tiles.outer.empty() &&
      staying[best].seconds <= weighed[best].seconds * about)
    weighed[best] = staying[best];
  return &weighed[best];
}

std::vector<WeighedTiles> TileSearch::rivals(size_t most) const {
  std::vector<const WeighedTiles *> others;
  for (const WeighedTiles &each : weighed)
    if (&each != &weighed[best])
      others.push_back(&each);
  most = std::min(most, others.size());
  std::partial_sort(others.begin(), others.begin() + std::ptrdiff_t(most),
                    others.end(),
                    [](const WeighedTiles *a, const WeighedTiles *b) {
                      return std::tie(a->seconds, b->tiles.outer) <
                             std::tie(b->seconds, a->tiles.outer);
                    });
  std::vector<WeighedTiles> result;
  for (size_t i = 0; i < most; ++i)
    result.push_back(*others[i]);
  return result;
}

model::TileSizes sizesOf(const ResolvedTiles &tiles, const TileProblem &problem,
                         const target::Target &target) {
  model::TileSizes sizes;
  const target::Placement *placement =
      target.placement(placementClass(problem));
  if (!placement)
    return sizes;
  size_t rank = problem.dims.size();
  if (!problem.matmul) {
    const std::string level = placement->tileLevels.empty()
                                  ? placement->result.front().level
                                  : placement->tileLevels.front().name;
    for (size_t d = 0; d < rank; ++d) {
      const Dimension &dimension = problem.dims[d];
      if (problem.attention
              ? dimension.parallel || dimension.sequential
              : dimension.parallel || tiles.outer[d] < extentOf(dimension))
        sizes[level][dimension.name] = tiles.outer[d];
    }
    return sizes;
  }
  bool packed = target.registerBlock.rows > 0;
  bool outermost = true;
  for (const target::TileLevel &level : placement->tileLevels) {
    const target::Level *first =
        level.levels.empty() ? nullptr : target.level(level.levels.front());
    if (first && first->kind == "register") {
      if (packed)
        sizes[level.name] = {{"m", target.blockFor(problem.dtype).rows},
                             {"n", target.blockFor(problem.dtype).columns}};
      continue;
    }
    if (first && first->kind == "cache" && !outermost)
      continue;
    bool innermost = &level == &placement->tileLevels.back() || packed;
    // Whole blocks of the unit, though the last one is not full.
    auto blocks = [&](size_t d) {
      return roundUp(tiles.outer[d], tileGranule(problem, d, target));
    };
    sizes[level.name] = {
        {"m", blocks(rank - 3)},
        {"n", blocks(rank - 2)},
        {"k", innermost ? tiles.inner[rank - 1] : tiles.outer[rank - 1]}};
    for (size_t operand : {0, 1})
      if (outermost && !innermost &&
          tiles.stays[operand] > tiles.outer[rank - 1])
        sizes[level.name]["k#" + std::to_string(operand)] =
            tiles.stays[operand];
    outermost = false;
  }
  return sizes;
}

static std::string percent(double share) {
  char text[16];
  std::snprintf(text, sizeof text, "%.0f%%", share * 100);
  return text;
}

std::string sizesText(const ResolvedTiles &tiles, const TileProblem &problem) {
  std::string text;
  for (size_t d = 0; d < problem.dims.size(); ++d) {
    const Dimension &dimension = problem.dims[d];
    bool told = problem.matmul || problem.attention
                    ? dimension.name == "m" || dimension.name == "n"
                    : dimension.parallel;
    if (told)
      text += (text.empty() ? "" : ", ") + dimension.name + "=" +
              std::to_string(tiles.outer[d]);
  }
  return text;
}

static estimate::Setting settingOf(const WeighedTiles &best,
                                   const TileProblem &problem,
                                   const target::Target &target) {
  return {sizesOf(best.tiles, problem, target)};
}

std::string gridText(const WeighedTiles &best, const TileProblem &problem,
                     const target::Target &target) {
  estimate::Setting setting = settingOf(best, problem, target);
  std::string fill = fillText(problem, setting.sizes, target);
  if (!fill.empty())
    fill = " (" + fill + ")";
  int64_t blocks = taskCount(problem, setting.sizes, target);
  if (!blocks)
    return "as many tasks as the sizes give at run time" + fill;
  model::Estimate estimate = estimate::estimateKernel(problem, setting, target);
  std::string text = std::to_string(blocks);
  if (best.schedule.merge > 1)
    text += " blocks in " + std::to_string(estimate.tasks);
  text += estimate.tasks == 1 ? " task keeps " : " tasks keep ";
  return text + std::to_string(estimate.cores) +
         (estimate.cores == 1 ? " core " : " cores ") +
         percent(estimate.coreUse) + " busy" + fill;
}

std::string boundText(const WeighedTiles &best, const TileProblem &problem,
                      const target::Target &target) {
  model::Estimate estimate = estimate::estimateKernel(
      problem, settingOf(best, problem, target), target);
  if (estimate.bound.empty())
    return "";
  std::string text = "; bound by " + estimate.bound;
  if (!estimate.boundBy.empty())
    text += ", " + std::to_string(std::lround(estimate.boundMargin * 100)) +
            " % longer than " + estimate.boundBy;
  return text;
}

TileChoice choiceOf(const TileSearch &search, const WeighedTiles &best,
                    const TileProblem &problem, const target::Target &target) {
  TileChoice choice;
  choice.sizes = sizesOf(best.tiles, problem, target);
  choice.schedule = best.schedule;
  choice.seconds = best.seconds;
  for (const WeighedTiles &rival : search.rivals(2)) {
    model::Alternative other;
    other.value = sizesOf(rival.tiles, problem, target);
    char text[96];
    std::snprintf(text, sizeof text, "%+.1f%% time",
                  (rival.seconds / best.seconds - 1) * 100);
    other.reason = text;
    if (int64_t blocks =
            taskCount(problem, sizesOf(rival.tiles, problem, target), target))
      other.reason += ": " + std::to_string(blocks / rival.schedule.merge) +
                      (blocks == rival.schedule.merge ? " task" : " tasks");
    other.metrics = {{"seconds", rival.seconds, "s", model::Origin::Estimated}};
    choice.weighed.push_back(std::move(other));
  }
  if (int64_t blocks = taskCount(problem, choice.sizes, target)) {
    model::Estimate estimate = estimate::estimateKernel(
        problem, settingOf(best, problem, target), target);
    choice.metrics.push_back(
        {"tasks", double(blocks), "", model::Origin::Estimated});
    choice.metrics.push_back(
        {"cores busy", estimate.coreUse, "", model::Origin::Estimated});
  }
  std::map<std::string, int64_t> bytes;
  for (const BufferUse &use : bufferUses(problem, choice.sizes, target))
    bytes[use.level] += use.bytes;
  for (const auto &[level, total] : bytes)
    choice.metrics.push_back(
        {level, double(total), "bytes", model::Origin::Estimated});
  choice.metrics.push_back(
      {"seconds", best.seconds, "s", model::Origin::Estimated});
  return choice;
}

} // namespace tilewright::decision
