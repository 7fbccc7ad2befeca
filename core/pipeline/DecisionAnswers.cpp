//===- DecisionAnswers.cpp - why, how long, and what if -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/DecisionAnswers.h"
#include "core/decision/TileSpace.h"
#include "core/estimate/Estimate.h"
#include "core/model/NearestName.h"
#include "core/model/StableSort.h"
#include "core/pipeline/CompilationImpl.h"
#include <algorithm>
#include <cmath>
#include <set>

namespace tilewright {

namespace {

using decision::TiledScope;

/// `p` of `p.row_max`, and of `p#1`.
std::string wholeOf(const std::string &key) {
  size_t segment = key.rfind('/');
  size_t cut =
      key.find_first_of(".#:", segment == std::string::npos ? 0 : segment + 1);
  return key.substr(0, cut);
}

bool computes(const TiledScope &scope, const std::string &key) {
  if (scope.key == key)
    return true;
  return std::find(scope.keys.begin(), scope.keys.end(), key) !=
         scope.keys.end();
}

/// The kernel that computes `key`: as it is, else the operation it is a part or
/// an operand of, else a part of it. Null if there is none.
const TiledScope *scopeOf(const Compilation::Impl &impl,
                          const std::string &key) {
  for (const TiledScope &scope : impl.scopes)
    if (computes(scope, key))
      return &scope;
  std::string whole = wholeOf(key);
  for (const TiledScope &scope : impl.scopes)
    if (computes(scope, whole))
      return &scope;
  // The last part made of it is the one it ends in.
  const TiledScope *last = nullptr;
  for (const TiledScope &scope : impl.scopes) {
    if (wholeOf(scope.key) == whole)
      last = &scope;
    for (const std::string &each : scope.keys)
      if (wholeOf(each) == whole)
        last = &scope;
  }
  return last;
}

model::Diagnostic noSuchKey(const Compilation::Impl &impl,
                            const std::string &key) {
  model::Diagnostic error;
  error.code = "TW0217";
  error.uri = impl.table.uri;
  error.key = key;
  std::set<std::string> names;
  for (const TiledScope &scope : impl.scopes) {
    names.insert(wholeOf(scope.key));
    for (const std::string &each : scope.keys)
      names.insert(wholeOf(each));
  }
  error.message = "no operation that is computed has the key " + key;
  if (impl.scopes.empty()) {
    error.message += ": nothing was compiled as far as to kernels";
    for (const model::Diagnostic &cause : impl.table.diagnostics)
      if (cause.severity == model::Severity::Error && error.related.size() < 5)
        error.related.push_back(
            {cause.uri, cause.range, cause.message + " [" + cause.code + "]"});
    error.hint = "mend its errors first";
    return error;
  }
  // A name without its function, or a misspelt one.
  std::vector<std::string> all(names.begin(), names.end());
  std::string near;
  for (const std::string &name : all)
    if (name.ends_with("/" + key))
      near = name;
  if (near.empty())
    near = model::nearestName(key, all);
  constexpr size_t mostNames = 12;
  std::string list;
  for (size_t i = 0; i < std::min(all.size(), mostNames); ++i)
    list += (i ? ", " : "") + all[i];
  if (all.size() > mostNames)
    list += " and " + std::to_string(all.size() - mostNames) + " more";
  error.hint = (near.empty() ? "" : "did you mean " + near + "? ") +
               std::string("There are ") + list;
  return error;
}

model::Estimate estimateScope(const TiledScope &scope,
                              const target::Target &target) {
  estimate::Setting setting;
  setting.sizes = scope.sizes;
  setting.parts = scope.parts;
  setting.merge = scope.merge;
  setting.strip = scope.strip;
  model::Estimate estimate =
      estimate::estimateKernel(*scope.problem, setting, target);
  estimate.key = scope.key;
  estimate.keys = scope.keys;
  for (model::BufferRoom &buffer : estimate.buffers)
    buffer.name = decision::shownName(buffer.name, scope.keys);
  for (const std::string &stage : scope.overridden)
    estimate.assumptions.push_back(
        "its IR behind " + stage +
        " is what a person wrote; the figures are those of what stood there");
  return estimate;
}

std::string percent(double share) {
  return std::to_string(int(std::lround(share * 100))) + " %";
}

/// "96 x 3072 with depth 1536, f16".
std::string shapeText(const decision::TileProblem &problem) {
  auto size = [](const decision::Dimension &dimension) {
    return dimension.extent < 0
               ? dimension.name + "=?"
               : dimension.name + "=" + std::to_string(dimension.extent);
  };
  std::string text;
  for (const decision::Dimension &dimension : problem.dims)
    text += (text.empty() ? "" : ", ") + size(dimension);
  return text;
}

std::string valueText(const model::Decision &decision,
                      const nlohmann::json &value) {
  if (decision.kind == "tile" && value.is_object()) {
    try {
      return model::tileText(value.get<model::TileSizes>());
    } catch (const nlohmann::json::exception &) {
    }
  }
  if (decision.kind == "scope" && value.is_object()) {
    std::string text;
    for (const auto &[word, names] : value.items()) {
      text += (text.empty() ? "" : "; ") + word;
      if (names.is_array()) {
        for (const nlohmann::json &name : names)
          text +=
              " " + (name.is_string() ? name.get<std::string>() : name.dump());
      } else {
        text +=
            " " + (names.is_string() ? names.get<std::string>() : names.dump());
      }
    }
    return text;
  }
  return value.dump();
}

const char *originText(model::DecisionOrigin origin) {
  return origin == model::DecisionOrigin::Pinned       ? "pinned"
         : origin == model::DecisionOrigin::Overridden ? "overridden"
         : origin == model::DecisionOrigin::Tuned      ? "tuned"
                                                       : "default";
}

std::string buffersText(const model::Estimate &estimate,
                        const target::Target &target) {
  std::vector<std::string> levels;
  for (const model::BufferRoom &buffer : estimate.buffers)
    if (std::find(levels.begin(), levels.end(), buffer.level) == levels.end())
      levels.push_back(buffer.level);
  std::string text;
  for (const std::string &level : levels) {
    int64_t total = 0;
    std::string list;
    for (const model::BufferRoom &buffer : estimate.buffers)
      if (buffer.level == level) {
        total += buffer.bytes * buffer.copies;
        list +=
            (list.empty() ? "" : ", ") + buffer.name + " " +
            (buffer.copies > 1 ? std::to_string(buffer.copies) + " x " : "") +
            decision::formatBytes(buffer.bytes);
      }
    text += "  " + level + ": " + decision::formatBytes(total) + " of " +
            decision::formatBytes(target.usableBytes(level)) + " (" + list +
            ")\n";
  }
  return text;
}

std::string estimateText(const model::Estimate &estimate,
                         const target::Target &target) {
  std::string text = "estimated: " + model::formatSeconds(estimate.seconds);
  if (estimate.tasks)
    text += "; " + std::to_string(estimate.tasks) +
            (estimate.tasks == 1 ? " task on " : " tasks on ") +
            std::to_string(estimate.cores) +
            (estimate.cores == 1 ? " core, " : " cores, ") +
            std::to_string(estimate.waves) +
            (estimate.waves == 1 ? " wave, cores " : " waves, cores ") +
            percent(estimate.coreUse) + " busy";
  text += "\n";
  if (!estimate.bound.empty()) {
    text += "  bound by " + estimate.bound;
    if (!estimate.boundBy.empty())
      text += ", " + percent(estimate.boundMargin) + " longer than " +
              estimate.boundBy;
    text += ":";
    for (size_t i = 0; i < std::min<size_t>(estimate.engines.size(), 5); ++i)
      text += (i ? ", " : " ") + estimate.engines[i].engine + " " +
              model::formatSeconds(estimate.engines[i].seconds) + " (" +
              percent(estimate.engines[i].share) + ")";
    text += "\n";
  }
  text += "  " + model::formatAmount(estimate.flop, "flop") + ", " +
          model::formatAmount(estimate.globalBytes, "B") +
          " through global memory";
  if (estimate.intensity > 0 && estimate.balance > 0) {
    char ratio[96];
    std::snprintf(ratio, sizeof ratio,
                  ": %.3g flop a byte; from %.3g on the machine computes "
                  "longer than it moves",
                  estimate.intensity, estimate.balance);
    text += ratio;
  }
  text += "\n";
  for (const model::LevelTraffic &traffic : estimate.traffic)
    text += "  " + traffic.from + " -> " + traffic.to + ": " +
            model::formatAmount(traffic.bytes, "B") + "\n";
  text += buffersText(estimate, target);
  for (const std::string &assumption : estimate.assumptions)
    text += "  assumed: " + assumption + "\n";
  return text;
}

std::string decisionText(const model::Decision &decision,
                         const std::string &asked) {
  std::string text = decision.kind;
  if (decision.key != asked)
    text += " of " + decision.key;
  text += " (" + std::string(originText(decision.origin)) +
          "): " + valueText(decision, decision.value) + "\n";
  if (!decision.reason.empty())
    text += "  because " + decision.reason + "\n";
  constexpr size_t mostShown = 6;
  for (size_t i = 0; i < std::min(decision.weighed.size(), mostShown); ++i) {
    const model::Alternative &other = decision.weighed[i];
    text += std::string("  ") + (other.legal ? "weighed: " : "not possible: ") +
            valueText(decision, other.value) +
            (other.reason.empty() ? "" : ": " + other.reason) + "\n";
  }
  if (decision.weighed.size() > mostShown)
    text += "  and " + std::to_string(decision.weighed.size() - mostShown) +
            " more\n";
  return text;
}

} // namespace

std::optional<model::EstimateList> estimateOf(const Compilation &compilation,
                                              const std::string &key,
                                              model::Diagnostic *error) {
  const Compilation::Impl &impl = compilation.impl();
  model::EstimateList list;
  list.documentVersion = impl.table.documentVersion;
  list.generation = impl.table.generation;
  list.target = impl.table.target;
  const TiledScope *wanted = nullptr;
  if (!key.empty() && !(wanted = scopeOf(impl, key))) {
    if (error)
      *error = noSuchKey(impl, key);
    return std::nullopt;
  }
  if (!impl.target)
    return list;
  list.launchSeconds = impl.target->scheduling.launch.value;
  for (const TiledScope &scope : impl.scopes) {
    if (wanted && &scope != wanted)
      continue;
    list.kernels.push_back(estimateScope(scope, *impl.target));
    list.seconds += list.kernels.back().seconds;
  }
  if (!wanted)
    list.seconds += list.launchSeconds;
  return list;
}

std::optional<model::DecisionList> explain(const Compilation &compilation,
                                           const std::string &key,
                                           model::Diagnostic *error) {
  const Compilation::Impl &impl = compilation.impl();
  model::DecisionList list;
  list.documentVersion = impl.table.documentVersion;
  list.generation = impl.table.generation;
  if (key.empty()) {
    list.decisions = impl.decisions;
    return list;
  }
  const TiledScope *scope = scopeOf(impl, key);
  if (!scope) {
    if (error)
      *error = noSuchKey(impl, key);
    return std::nullopt;
  }
  list.key = key;
  list.root = scope->key;
  std::string whole = wholeOf(key), root = wholeOf(scope->key);
  for (const model::Decision &decision : impl.decisions) {
    std::string about = wholeOf(decision.key);
    if (about == whole || about == root || decision.key == scope->key)
      list.decisions.push_back(decision);
  }
  auto rank = [](const model::Decision &decision) {
    static const char *const order[] = {"tile",  "scope", "split_k", "buffers",
                                        "merge", "order", "core"};
    return std::find(std::begin(order), std::end(order), decision.kind) -
           std::begin(order);
  };
  model::stableSort(list.decisions,
                    [&](const model::Decision &a, const model::Decision &b) {
                      return rank(a) < rank(b);
                    });
  model::Estimate estimate = estimateScope(*scope, *impl.target);
  std::string &text = list.explanation;
  text = key;
  if (!computes(*scope, key) || scope->key != key)
    text += " is computed in the kernel of " + scope->key;
  text += ": " + estimate.kind + " over " + shapeText(*scope->problem) +
          " on " + impl.target->name + "\n";
  if (scope->keys.size() > 1) {
    constexpr size_t mostKeys = 10;
    text += "one kernel with";
    size_t shown = 0;
    for (const std::string &each : scope->keys)
      if (each != key && shown++ < mostKeys)
        text += (shown > 1 ? ", " : " ") + each;
    if (shown > mostKeys)
      text += " and " + std::to_string(shown - mostKeys) + " more";
    text += "\n";
  }
  for (const model::Decision &decision : list.decisions)
    text += "\n" + decisionText(decision, key);
  if (impl.target->cores.size() == 1)
    text += "\ncore: " + impl.target->name + " has only one kind of core (" +
            impl.target->cores.front().name +
            "), so that there is nothing to choose\n";
  text += "\n" + estimateText(estimate, *impl.target);
  list.estimates.push_back(std::move(estimate));
  return list;
}

std::optional<model::WhatIf> whatIf(const Compilation &compilation,
                                    const std::string &key, int64_t points,
                                    model::Diagnostic *error) {
  const Compilation::Impl &impl = compilation.impl();
  const TiledScope *scope = scopeOf(impl, key);
  if (!scope) {
    if (error)
      *error = noSuchKey(impl, key);
    return std::nullopt;
  }
  model::WhatIf map = decision::mapTiles(*scope, *impl.target, points);
  map.documentVersion = impl.table.documentVersion;
  map.generation = impl.table.generation;
  map.asked = key;
  return map;
}

} // namespace tilewright
