//===- SplitReduction.cpp - long rows cut up for many cores ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/SplitReduction.h"
#include <algorithm>

namespace tilewright::decision {

/// Whole vectors, but for the last part.
constexpr int64_t granule = 64;

std::optional<Split> splitInto(const TileProblem &problem, int64_t parts) {
  if (!problem.sequentialRows)
    return std::nullopt;
  Split split;
  int64_t extent = 1;
  for (size_t d = 0; d < problem.dims.size(); ++d) {
    const Dimension &dimension = problem.dims[d];
    if (dimension.extent < 0)
      return std::nullopt;
    if (!dimension.parallel && dimension.extent > extent)
      split.dim = d, extent = dimension.extent;
  }
  if (extent < 2)
    return std::nullopt;
  parts = std::clamp<int64_t>(parts, 1, extent);
  split.part = (extent + parts - 1) / parts;
  if (split.part > granule)
    split.part = (split.part + granule - 1) / granule * granule;
  split.count = (extent + split.part - 1) / split.part;
  return split;
}

SplitChoice defaultSplit(const TileProblem &problem,
                         const model::TileSizes &sizes,
                         const target::Target &target) {
  SplitChoice choice;
  const target::Placement *placement =
      target.placement(placementClass(problem));
  int64_t tasks = taskCount(problem, sizes, target);
  if (!placement || tasks < 1 || !splitInto(problem, 2))
    return choice;
  int64_t cores = std::max<int64_t>(1, target.coreCount(placement->core));
  int64_t bytes = 4;
  for (const Dimension &dimension : problem.dims)
    bytes *= std::max<int64_t>(1, dimension.extent);
  constexpr int64_t leastBytes = 128 * 1024;
  int64_t parts = std::min(cores / tasks, bytes / tasks / leastBytes);
  if (parts < 2)
    return choice;
  choice.count = splitInto(problem, parts)->count;
  choice.reason =
      std::to_string(tasks) + (tasks == 1 ? " tile keeps " : " tiles keep ") +
      std::to_string(tasks) + " of " + std::to_string(cores) +
      " cores busy; in " + std::to_string(choice.count) + " parts of " +
      formatBytes(bytes / tasks / choice.count) + " each, " +
      std::to_string(tasks * choice.count) + " tasks do";
  return choice;
}

std::string nearestParts(int64_t wanted,
                         const std::function<bool(int64_t)> &isPossible) {
  int64_t below = wanted - 1, above = wanted + 1;
  while (below > 1 && !isPossible(below))
    --below;
  while (above <= mostParts && !isPossible(above))
    ++above;
  return std::to_string(below) +
         (above <= mostParts ? " or " + std::to_string(above) : "") +
         " would do";
}

std::optional<int64_t> readSplit(const TileProblem &problem,
                                 const nlohmann::json &value,
                                 model::Diagnostic &why) {
  why.key = problem.key;
  why.severity = model::Severity::Warning;
  if (!value.is_number_integer() || value.get<double>() < 1 ||
      value.get<double>() > double(mostParts)) {
    why.code = "TW0214";
    why.message = "split_k is " + value.dump().substr(0, 40) +
                  "; a number of parts from 1 to 65536 is meant";
    return std::nullopt;
  }
  int64_t parts = value.get<int64_t>();
  if (parts == 1)
    return parts;
  std::optional<Split> split = splitInto(problem, parts);
  if (!split) {
    why.code = "TW0215";
    why.message = problem.key + " has no rows of known length that are "
                                "reduced in one pass";
    return std::nullopt;
  }
  const Dimension &dimension = problem.dims[split->dim];
  if (parts > dimension.extent) {
    why.code = "TW0215";
    why.message = dimension.name + " has " + std::to_string(dimension.extent) +
                  " elements, too few for " + std::to_string(parts) + " parts";
    why.hint = nearestParts(parts, [&](int64_t count) {
      return splitInto(problem, count)->count == count;
    });
    return std::nullopt;
  }
  if (split->count != parts) {
    why.code = "TW0215";
    why.message =
        "parts are of whole vectors of " + std::to_string(granule) + ", and " +
        dimension.name + " of " + std::to_string(dimension.extent) +
        " elements has " + std::to_string(split->count) + " of " +
        std::to_string(split->part) + ", not " + std::to_string(parts);
    why.hint = nearestParts(parts, [&](int64_t count) {
      return splitInto(problem, count)->count == count;
    });
    return std::nullopt;
  }
  return split->count;
}

} // namespace tilewright::decision
