//===- Legality.cpp - may tiles of these sizes be used --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/Legality.h"
#include <algorithm>
#include <cstdlib>
#include <map>

namespace tilewright::decision {

/// Larger sizes are taken for mistakes, and their products keep within 64 bits.
static constexpr double maxTileSize = 1e9;

/// A name from a file, as it can stand in a message.
static std::string inMessage(const std::string &name) {
  return name.empty() ? "\"\"" : name.substr(0, 80);
}

std::optional<model::TileSizes> readTileSizes(const nlohmann::json &value,
                                              model::Diagnostic &problem) {
  auto refuse = [&](std::string what) {
    problem.code = "TW0203";
    problem.message = "tile pin " + what;
    problem.hint = "write {\"LEVEL\": {\"m\": 128, \"n\": 256}}";
    return std::nullopt;
  };
  if (!value.is_object())
    return refuse("is no object: " + value.dump().substr(0, 80));
  model::TileSizes sizes;
  if (value.empty())
    return refuse("names no size: {}");
  for (const auto &[level, dims] : value.items()) {
    if (!dims.is_object() || dims.empty())
      return refuse("has no sizes for level " + inMessage(level) + ": " +
                    dims.dump().substr(0, 80));
    for (const auto &[dim, size] : dims.items()) {
      if (!size.is_number_integer() || size.get<double>() < 1 ||
          size.get<double>() > maxTileSize)
        return refuse(level + "." + dim + " = " + size.dump().substr(0, 40) +
                      " is no size; a whole number from 1 to " +
                      std::to_string(int64_t(maxTileSize)) + " is");
      sizes[level][dim] = size.get<int64_t>();
    }
  }
  return sizes;
}

bool fitsLevels(const TileProblem &problem, const model::TileSizes &sizes,
                const target::Target &target, double budget) {
  return fitsLevels(problem, resolveTiles(problem, sizes, target), target,
                    budget);
}

bool fitsLevels(const TileProblem &problem, const ResolvedTiles &tiles,
                const target::Target &target, double budget) {
  std::vector<BufferUse> uses = bufferUses(problem, tiles, target);
  for (size_t i = 0; i < uses.size(); ++i) {
    int64_t total = 0;
    for (const BufferUse &use : uses)
      if (use.level == uses[i].level)
        total += use.bytes;
    if (double(total) > double(target.usableBytes(uses[i].level)) * budget)
      return false;
  }
  return true;
}

/// Sum of the uses of each level, as a message where one is too much.
static std::optional<std::string> overfull(const std::vector<BufferUse> &uses,
                                           const target::Target &target,
                                           double budget) {
  std::vector<std::string> levels;
  for (const BufferUse &use : uses)
    if (std::find(levels.begin(), levels.end(), use.level) == levels.end())
      levels.push_back(use.level);
  for (const std::string &level : levels) {
    int64_t total = 0;
    std::string list;
    for (const BufferUse &use : uses)
      if (use.level == level) {
        total += use.bytes;
        list += (list.empty() ? "" : ", ") + use.name + " " +
                formatBytes(use.bytes);
      }
    int64_t usable = int64_t(double(target.usableBytes(level)) * budget);
    if (total > usable)
      return level + " needs " + formatBytes(total) + " of " +
             formatBytes(usable) + " usable: " + list;
  }
  return std::nullopt;
}

/// The multiples that sizes of a matmul have to be of, by dimension.
static std::map<std::string, int64_t> granuleOf(const TileProblem &problem,
                                                const target::Target &target) {
  std::map<std::string, int64_t> granule;
  if (!problem.matmul)
    return granule;
  if (const target::ComputeRate *rate = target.rate("matmul", problem.dtype))
    granule = {{"m", rate->granule[0]},
               {"n", rate->granule[1]},
               {"k", rate->granule[2]}};
  if (target.registerBlock.rows && !readsInPlace(problem, target)) {
    granule["m"] = target.blockFor(problem.dtype).rows;
    granule["n"] = target.blockFor(problem.dtype).columns;
  }
  return granule;
}

/// Whether an operand may have the depth `sizes[level][dim]` of its own.
static bool isLegalDepth(const TileProblem &problem,
                         const model::TileSizes &sizes,
                         const std::string &level, const std::string &dim,
                         const target::Target &target, model::Diagnostic &why) {
  int64_t size = sizes.at(level).at(dim);
  auto refuse = [&](const char *code, std::string what, std::string hint) {
    why.code = code;
    why.severity = model::Severity::Warning;
    why.key = problem.key;
    why.message = level + "." + dim + "=" + std::to_string(size) + what;
    why.hint = std::move(hint);
    return false;
  };
  const target::Placement *placement = target.placement("matmul");
  size_t operand = *depthOperand(dim);
  const std::string &outermost = placement->tileLevels.front().name;
  if (level != outermost || target.registerBlock.rows > 0 ||
      target.operandPath("matmul", operand).size() <= 2)
    return refuse("TW0204",
                  ": on " + target.name +
                      " an operand has no depth of its own at " + level,
                  "leave " + dim + " out");
  int64_t extent = problem.dims.back().extent;
  int64_t step = resolveTiles(problem, sizes, target).outer.back();
  if (size < step || (size % step && (extent < 0 || size < extent)))
    return refuse("TW0202",
                  " is neither all of k nor a multiple of the step " +
                      outermost + ".k=" + std::to_string(step),
                  outermost + "." + dim + "=" +
                      std::to_string(std::max<int64_t>(1, size / step) * step) +
                      (extent > 0 ? " or " + std::to_string(extent) : "") +
                      " would do");
  const auto &dims = sizes.at(level);
  auto other = dims.find(operand ? "k#0" : "k#1");
  if (other != dims.end() && other->second > step && size > step)
    return refuse("TW0202",
                  " and " + other->first + "=" + std::to_string(other->second) +
                      ": one operand stays while the other one passes",
                  "leave one of them out, or make the step " + outermost +
                      ".k larger");
  return true;
}

/// As isLegal(), with advice only where it names no size.
static bool isLegalAsIs(const TileProblem &problem,
                        const model::TileSizes &sizes,
                        const target::Target &target, model::Diagnostic &why,
                        double budget) {
  auto refuse = [&](const char *code, std::string message,
                    std::string hint = {}) {
    why.code = code;
    why.severity = model::Severity::Warning;
    why.message = std::move(message);
    why.hint = std::move(hint);
    why.key = problem.key;
    return false;
  };
  const target::Placement *placement =
      target.placement(placementClass(problem));
  if (!placement)
    return refuse("TW0205", "target " + target.name + " does not compute " +
                                std::string(placementClass(problem)));
  for (const auto &[level, dims] : sizes) {
    const target::TileLevel *named =
        target.tileLevel(placementClass(problem), level);
    if (!named) {
      std::string known;
      for (const target::TileLevel &tileLevel : placement->tileLevels)
        known += (known.empty() ? "" : ", ") + tileLevel.name;
      refuse("TW0205", "level " + inMessage(level) + " is not applicable on " +
                           target.name + "; its levels are " + known);
      why.severity = model::Severity::Information;
      return false;
    }
    for (const auto &[dim, size] : dims) {
      const Dimension *dimension = problem.dim(dim);
      if (problem.matmul && depthOperand(dim)) {
        if (!isLegalDepth(problem, sizes, level, dim, target, why))
          return false;
        continue;
      }
      if (!dimension) {
        std::string known;
        for (const Dimension &each : problem.dims)
          known += (known.empty() ? "" : ", ") + each.name;
        return refuse("TW0204", problem.key + " has no dimension " +
                                    inMessage(dim) + "; it has " + known);
      }
      bool sequential = dimension->sequential || (problem.matmul && dim == "k");
      if (!dimension->parallel && !sequential && !problem.sequentialRows &&
          size < dimension->extent)
        return refuse("TW0204",
                      dim + "=" + std::to_string(size) + " cuts " + dim +
                          ", which every tile needs whole (" +
                          std::to_string(dimension->extent) + " elements)",
                      "leave " + dim + " out");
      if (dim.front() == 'b' && (problem.matmul || problem.attention) &&
          size != 1)
        return refuse("TW0204", dim + "=" + std::to_string(size) +
                                    ": a task computes one matrix of a batch");
    }
  }
  if (problem.matmul) {
    // One accumulator a task: all levels above the registers agree on m and n.
    for (const char *dim : {"m", "n"}) {
      int64_t seen = 0;
      std::string seenAt;
      for (const target::TileLevel &level : placement->tileLevels) {
        const target::Level *first =
            level.levels.empty() ? nullptr : target.level(level.levels.front());
        auto atLevel = sizes.find(level.name);
        if (atLevel == sizes.end() || (first && first->kind == "register"))
          continue;
        auto size = atLevel->second.find(dim);
        if (size == atLevel->second.end())
          continue;
        if (seen && seen != size->second)
          return refuse("TW0202", level.name + "." + dim + "=" +
                                      std::to_string(size->second) + " and " +
                                      seenAt + "." + dim + "=" +
                                      std::to_string(seen) +
                                      " differ; a task has one accumulator");
        seen = size->second;
        seenAt = level.name;
      }
    }
    // Blocks of the unit or of the micro-kernel; only a border may be less.
    std::map<std::string, int64_t> granule = granuleOf(problem, target);
    for (const auto &[level, dims] : sizes)
      for (const auto &[dim, size] : dims) {
        auto multiple = granule.find(dim);
        if (multiple == granule.end() || multiple->second <= 1 ||
            size % multiple->second == 0)
          continue;
        const Dimension *dimension = problem.dim(dim);
        if (dimension->extent > 0 && size >= dimension->extent)
          continue;
        return refuse("TW0202", level + "." + dim + "=" + std::to_string(size) +
                                    " is no multiple of " +
                                    std::to_string(multiple->second) +
                                    ", the block " + target.name +
                                    " computes at a time");
      }
  }
  if (auto message =
          overfull(bufferUses(problem, sizes, target), target, budget))
    return refuse("TW0201", *message);
  return true;
}

/// The sizes to change in `pinned`, and to what, so that the pin is accepted:
/// as few and by as little as is found, "L0.n=256 would do"; empty if none is.
static std::string legalNeighbour(const TileProblem &problem,
                                  const model::TileSizes &pinned,
                                  const CompletePin &complete,
                                  const target::Target &target, double budget) {
  std::map<std::string, int64_t> granule = granuleOf(problem, target);
  auto rounded = [&](const std::string &dim, int64_t size, bool up) {
    auto multiple = granule.find(dim);
    if (multiple == granule.end() || multiple->second <= 1)
      return std::max<int64_t>(size, 1);
    int64_t blocks = size / multiple->second;
    if (up && size % multiple->second)
      ++blocks;
    return std::max<int64_t>(blocks, 1) * multiple->second;
  };
  auto isAccepted = [&](const model::TileSizes &sizes) {
    model::Diagnostic unused;
    return isLegalAsIs(problem, complete(sizes), target, unused, budget);
  };
  // Everywhere the pin names it: levels agree on most dimensions.
  auto with = [](model::TileSizes sizes, const std::string &dim, int64_t size) {
    for (auto &[level, dims] : sizes)
      if (auto it = dims.find(dim); it != dims.end())
        it->second = size;
    return sizes;
  };
  auto textOf = [&](const model::TileSizes &sizes) {
    std::string text;
    for (const auto &[level, dims] : sizes)
      for (const auto &[dim, size] : dims)
        if (size != pinned.at(level).at(dim))
          text += (text.empty() ? "" : ", ") + level + "." + dim + "=" +
                  std::to_string(size);
    return text;
  };

  // n before m before k: rows of the result stay long.
  std::map<std::string, std::vector<int64_t>, std::greater<>> sizesOf;
  for (const auto &[level, dims] : pinned)
    for (const auto &[dim, size] : dims)
      sizesOf[dim].push_back(size);
  // One dimension, by as little as can be: the next multiples and what another
  // level has, the nearest first, then the most of it that is accepted.
  for (const auto &[dim, sizes] : sizesOf) {
    auto accepted = [&, &dim = dim](int64_t size) {
      model::TileSizes changed = with(pinned, dim, size);
      return changed != pinned && isAccepted(changed);
    };
    int64_t most = *std::max_element(sizes.begin(), sizes.end());
    auto distance = [&, &sizes = sizes](int64_t candidate) {
      int64_t all = 0;
      for (int64_t size : sizes)
        all += std::abs(candidate - size);
      return all;
    };
    // Of those as near as each other the larger comes first.
    std::multimap<int64_t, int64_t> candidates;
    for (bool up : {true, false})
      for (int64_t size : sizes)
        candidates.emplace(distance(rounded(dim, size, up)),
                           rounded(dim, size, up));
    for (auto [away, candidate] : candidates)
      if (accepted(candidate))
        return textOf(with(pinned, dim, candidate)) + " would do";
    int64_t refused = most;
    for (int64_t half = most / 2; half >= 1; refused = half, half /= 2) {
      int64_t fits = rounded(dim, half, /*up=*/false);
      if (!accepted(fits))
        continue;
      // What needs too much room at one size does so at every larger one; where
      // that does not hold, what is named is accepted all the same.
      while (true) {
        int64_t middle = rounded(dim, fits + (refused - fits) / 2, false);
        if (middle <= fits)
          middle = rounded(dim, fits + 1, true);
        if (middle >= refused)
          break;
        (accepted(middle) ? fits : refused) = middle;
      }
      return textOf(with(pinned, dim, fits)) + " would do";
    }
  }
  // Several: the largest is halved again and again.
  model::TileSizes changed = pinned;
  for (int step = 0; step < 200; ++step) {
    std::string largest;
    int64_t size = 0;
    for (const auto &[dim, sizes] : sizesOf) {
      int64_t now = 0;
      for (const auto &[level, dims] : changed)
        if (auto it = dims.find(dim); it != dims.end())
          now = std::max(now, it->second);
      if (now > size && rounded(dim, now / 2, false) < now) {
        largest = dim;
        size = now;
      }
    }
    if (largest.empty())
      return {};
    changed = with(changed, largest, rounded(largest, size / 2, false));
    if (isAccepted(changed))
      return textOf(changed) + " would do";
  }
  return {};
}

bool isLegalPin(const TileProblem &problem, const model::TileSizes &pinned,
                const CompletePin &complete, const target::Target &target,
                model::Diagnostic &why, double budget) {
  if (isLegalAsIs(problem, complete(pinned), target, why, budget))
    return true;
  if (why.hint.empty())
    why.hint = legalNeighbour(problem, pinned, complete, target, budget);
  return false;
}

bool isLegal(const TileProblem &problem, const model::TileSizes &sizes,
             const target::Target &target, model::Diagnostic &why,
             double budget) {
  return isLegalPin(
      problem, sizes, [](const model::TileSizes &all) { return all; }, target,
      why, budget);
}

} // namespace tilewright::decision
