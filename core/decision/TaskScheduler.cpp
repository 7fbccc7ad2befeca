//===- TaskScheduler.cpp - how blocks become tasks ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/TaskScheduler.h"
#include "core/decision/TileArithmetic.h"
#include "core/estimate/Estimate.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

namespace tilewright::decision {

std::string orderText(int64_t strip, int64_t rows) {
  return strip <= 1      ? "rows"
         : strip >= rows ? "columns"
                         : "blocked=" + std::to_string(strip);
}

std::optional<int64_t> pinnedCount(const model::Pin &pin,
                                   const std::string &key, int64_t most,
                                   model::Diagnostic &why) {
  if (pin.value.is_number_integer() && pin.value >= 1 && pin.value <= most)
    return pin.value.get<int64_t>();
  why.code = "TW0221";
  why.severity = model::Severity::Warning;
  why.key = key;
  why.message = "pin of " + pin.key +
                " is not obeyed, the default is used: " + pin.kind +
                " is a whole number from 1 to " + std::to_string(most) +
                ", not " + pin.value.dump();
  return std::nullopt;
}

namespace {

/// Tiles along each dimension of the grid; empty if one is not known.
std::vector<int64_t> gridOf(const TileProblem &problem,
                            const ResolvedTiles &tiles) {
  std::vector<int64_t> grid;
  for (size_t d = 0; d < problem.dims.size(); ++d) {
    if (!problem.dims[d].parallel)
      continue;
    if (problem.dims[d].extent < 0)
      return {};
    grid.push_back(
        ceilDiv(problem.dims[d].extent, std::max<int64_t>(1, tiles.outer[d])));
  }
  return grid;
}

std::string shapeText(const std::vector<int64_t> &grid) {
  std::string text;
  for (int64_t size : grid)
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

std::string microseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f us", seconds * 1e6);
  return text;
}

/// The strip that an order's name means; none if it is no name.
std::optional<int64_t> stripOf(const nlohmann::json &value, int64_t rows) {
  if (!value.is_string())
    return std::nullopt;
  std::string text = value.get<std::string>();
  if (text == "rows")
    return 1;
  if (text == "columns")
    return std::max<int64_t>(rows, 1);
  constexpr std::string_view word = "blocked=";
  if (!text.starts_with(word))
    return std::nullopt;
  int64_t strip = 0;
  const char *end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data() + word.size(), end, strip);
  if (error != std::errc() || at != end || strip < 1)
    return std::nullopt;
  return strip;
}

} // namespace

model::Decision TaskScheduler::decisionOf(const TileProblem &problem,
                                          const char *kind) const {
  model::Decision decision;
  decision.key = problem.key;
  decision.target = target.name;
  decision.kind = kind;
  return decision;
}

void TaskScheduler::refuse(const TileProblem &problem, const model::Pin &pin,
                           const char *code, const std::string &what,
                           std::string hint) {
  model::Diagnostic why;
  why.code = code;
  why.severity = model::Severity::Warning;
  why.key = problem.key;
  why.message = pin.kind + " pin of " + problem.key +
                " is not obeyed, the default is used: " + what;
  why.hint = std::move(hint);
  diagnostics.push_back(std::move(why));
}

TaskSchedule TaskScheduler::run(const TileProblem &problem,
                                const model::TileSizes &sizes, int64_t parts,
                                const Pins &pins) {
  mergePinned = orderPinned = false;
  TaskSchedule schedule;
  estimate::Estimator estimator(problem, target);
  ResolvedTiles tiles = resolveTiles(problem, sizes, target);
  if (!estimator.possible())
    return schedule;
  decideMerge(problem, tiles, estimator, parts, pins.merge, schedule);
  decideOrder(problem, tiles, estimator, parts, pins.order, schedule);
  return schedule;
}

void TaskScheduler::decideMerge(const TileProblem &problem,
                                const ResolvedTiles &tiles,
                                estimate::Estimator &estimator, int64_t parts,
                                const model::Pin *pin, TaskSchedule &schedule) {
  estimator.seconds(tiles, &schedule, parts);
  std::optional<int64_t> asked;
  if (pin) {
    model::Diagnostic why;
    asked = pinnedCount(*pin, problem.key, int64_t(1) << 30, why);
    if (!asked)
      diagnostics.push_back(std::move(why));
  }
  std::vector<int64_t> grid = gridOf(problem, tiles);
  if (grid.empty() || parts > 1) {
    if (asked && *asked > 1)
      refuse(problem, *pin, "TW0223",
             grid.empty() ? "its grid is only known at run time"
                          : "its rows are cut into parts (split_k)",
             "");
    return;
  }
  using Merged = estimate::Estimator::Merged;
  std::vector<Merged> all = estimator.merges(tiles);
  const Merged one = all.front();
  const Merged *chosen = nullptr;
  for (const Merged &each : all)
    if (each.schedule.merge == schedule.merge &&
        each.schedule.dim == schedule.dim)
      chosen = &each;
  bool refused = false;
  if (asked) {
    const Merged *wanted = nullptr;
    for (const Merged &each : all)
      if (each.schedule.merge == *asked &&
          (!wanted || each.seconds < wanted->seconds))
        wanted = &each;
    if (wanted) {
      chosen = wanted;
      mergePinned = true;
    } else {
      refused = true;
      int64_t below = 1, above = 0;
      for (const Merged &each : all)
        if (each.schedule.merge < *asked)
          below = std::max(below, each.schedule.merge);
        else if (!above || each.schedule.merge < above)
          above = each.schedule.merge;
      refuse(problem, *pin, "TW0223",
             "no dimension of the grid " + shapeText(grid) +
                 " is a multiple of " + std::to_string(*asked),
             std::to_string(below) +
                 (above ? " or " + std::to_string(above) : "") + " would do");
    }
  }
  schedule = chosen->schedule;
  model::Decision decision = decisionOf(problem, "merge");
  decision.value = schedule.merge;
  std::string text = mergePinned ? "pinned: " : "";
  if (mergePinned)
    decision.origin = model::DecisionOrigin::Pinned;
  const target::Placement *placement =
      target.placement(placementClass(problem));
  std::string cores =
      std::to_string(std::max<int64_t>(1, target.coreCount(placement->core)));
  if (schedule.merge > 1) {
    const target::CoreKind *kind = target.core(placement->core);
    text += std::to_string(schedule.merge) + " blocks a task along " +
            problem.dims[size_t(schedule.dim)].name + ": " +
            std::to_string(chosen->tasks) + " tasks for " + cores + " cores, " +
            microseconds(chosen->seconds) + " instead of " +
            microseconds(one.seconds);
    if (kind && kind->pipes.size() > 1)
      text += "; pipes overlap from block to block, and loads that are the "
              "same for all are done once";
  } else {
    text += "one block a task: " + std::to_string(one.tasks) +
            (one.tasks == 1 ? " task for " : " tasks for ") + cores + " cores";
    if (!mergePinned && all.size() > 1) {
      char gain[64];
      std::snprintf(gain, sizeof gain,
                    "; no number of blocks gains %.0f %% of ",
                    estimate::leastMergeGain(target, placement->core) * 100);
      text += gain + microseconds(one.seconds);
    }
  }
  decision.reason = text;
  std::vector<Merged> others = all;
  std::sort(others.begin(), others.end(), [](const Merged &a, const Merged &b) {
    return std::tuple(a.seconds, a.schedule.merge, a.schedule.dim) <
           std::tuple(b.seconds, b.schedule.merge, b.schedule.dim);
  });
  std::vector<int64_t> told = {schedule.merge};
  for (const Merged &other : others) {
    if (std::count(told.begin(), told.end(), other.schedule.merge) ||
        decision.weighed.size() >= 3)
      continue;
    told.push_back(other.schedule.merge);
    model::Alternative alternative;
    alternative.value = other.schedule.merge;
    alternative.reason = std::to_string(other.tasks) +
                         (other.tasks == 1 ? " task, " : " tasks, ") +
                         microseconds(other.seconds);
    alternative.metrics = {
        {"seconds", other.seconds, "s", model::Origin::Estimated}};
    decision.weighed.push_back(std::move(alternative));
  }
  if (refused) {
    model::Alternative other;
    other.value = *asked;
    other.legal = false;
    other.reason =
        "pinned, but divides no dimension of the grid " + shapeText(grid);
    decision.weighed.insert(decision.weighed.begin(), other);
  }
  decision.metrics = {
      {"seconds", chosen->seconds, "s", model::Origin::Estimated},
      {"tasks", double(chosen->tasks), "", model::Origin::Estimated}};
  decisions.push_back(std::move(decision));
}

void TaskScheduler::decideOrder(const TileProblem &problem,
                                const ResolvedTiles &tiles,
                                estimate::Estimator &estimator, int64_t parts,
                                const model::Pin *pin, TaskSchedule &schedule) {
  std::vector<int64_t> grid = gridOf(problem, tiles);
  std::vector<int64_t> tasks = grid;
  for (int d = 0, at = 0; d <= schedule.dim; ++d) {
    if (d == schedule.dim && !tasks.empty())
      tasks[size_t(at)] = ceilDiv(tasks[size_t(at)], schedule.merge);
    at += problem.dims[size_t(d)].parallel;
  }
  bool plain = parts > 1 || tasks.size() < 2 || tasks[tasks.size() - 2] == 1 ||
               tasks.back() == 1;
  if (plain) {
    schedule.strip = 1;
    if (pin && !stripOf(pin->value, 1))
      refuse(problem, *pin, "TW0231",
             pin->value.dump().substr(0, 80) + " is no order",
             "write rows, columns or blocked=4");
    else if (pin)
      refuse(problem, *pin, "TW0232",
             grid.empty() ? "its grid is only known at run time"
             : parts > 1  ? "its rows are cut into parts (split_k)"
                          : "its tasks, " + shapeText(tasks) +
                               ", are one row or one column",
             "smaller tiles or fewer blocks a task (merge) make a grid");
    return;
  }
  int64_t rows = tasks[tasks.size() - 2], columns = tasks.back();
  using Ordered = estimate::Estimator::Ordered;
  std::vector<Ordered> all = estimator.orders(tiles, schedule);
  auto timed = [&](int64_t strip) -> Ordered {
    for (const Ordered &each : all)
      if (each.strip == strip)
        return each;
    Ordered plain = all.front();
    if (all.size() == 1) // the order changes nothing
      return {strip, plain.seconds, plain.missed};
    TaskSchedule trial = schedule;
    trial.strip = strip;
    return estimator.timeOf(tiles, trial);
  };
  const Ordered byRow = all.front();
  int64_t byDefault = schedule.strip;
  if (pin) {
    std::optional<int64_t> strip = stripOf(pin->value, rows);
    if (!strip) {
      refuse(problem, *pin, "TW0231",
             pin->value.dump().substr(0, 80) + " is no order",
             "write rows, columns or blocked=4");
    } else if (*strip > rows) {
      refuse(problem, *pin, "TW0232",
             "its tasks, " + shapeText(tasks) + ", have no " +
                 std::to_string(*strip) + " rows",
             "blocked=" + std::to_string(std::max<int64_t>(2, rows / 2)) +
                 " or columns would do");
    } else {
      schedule.strip = *strip;
      orderPinned = true;
    }
  }
  Ordered chosen = timed(schedule.strip);
  model::Decision decision = decisionOf(problem, "order");
  decision.value = orderText(schedule.strip, rows);
  std::string text = orderPinned ? "pinned: " : "";
  if (orderPinned)
    decision.origin = model::DecisionOrigin::Pinned;
  const target::Level *cache = target.sharedCache();
  if (schedule.strip <= 1)
    text += "row by row";
  else if (schedule.strip >= rows)
    text += "column by column";
  else
    text += "strips of " + std::to_string(schedule.strip) +
            " rows, column by column in each";
  text += " over " + shapeText(tasks) + " tasks";
  if (all.size() > 1) {
    auto bytes = [](double value) { return formatBytes(int64_t(value)); };
    text += ": " + bytes(chosen.missed) + " come from behind " + cache->name;
    if (schedule.strip > 1)
      text += " instead of " + bytes(byRow.missed) + " row by row, " +
              microseconds(chosen.seconds) + " instead of " +
              microseconds(byRow.seconds);
    text += "; tasks that run side by side share what they read";
  } else if (cache) {
    text += ": operands and result fit " + cache->name +
            ", so that any order reads each byte once";
  } else {
    text += ": " + target.name +
            " has no cache that all cores share, so that any order reads as "
            "much";
  }
  decision.reason = text;
  std::sort(all.begin(), all.end(), [](const Ordered &a, const Ordered &b) {
    return std::pair(a.seconds, a.strip) < std::pair(b.seconds, b.strip);
  });
  if (orderPinned && byDefault != schedule.strip)
    all.insert(all.begin(), timed(byDefault));
  if (std::none_of(all.begin(), all.end(),
                   [](const Ordered &each) { return each.strip != 1; }))
    all.push_back(timed(rows));
  std::vector<int64_t> told = {schedule.strip};
  for (const Ordered &other : all) {
    if (std::count(told.begin(), told.end(), other.strip) ||
        decision.weighed.size() >= 3)
      continue;
    told.push_back(other.strip);
    model::Alternative alternative;
    alternative.value = orderText(other.strip, rows);
    alternative.reason = microseconds(other.seconds);
    if (orderPinned && other.strip == byDefault)
      alternative.reason = "the default: " + alternative.reason;
    alternative.metrics = {
        {"seconds", other.seconds, "s", model::Origin::Estimated}};
    decision.weighed.push_back(std::move(alternative));
  }
  decision.metrics = {
      {"seconds", chosen.seconds, "s", model::Origin::Estimated},
      {"tasks", double(rows * columns), "", model::Origin::Estimated}};
  decisions.push_back(std::move(decision));
}

} // namespace tilewright::decision
