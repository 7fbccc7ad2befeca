//===- LikeliestKey.cpp - where an orphaned pin may belong ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/LikeliestKey.h"
#include "core/decision/DecisionKinds.h"
#include "core/decision/Legality.h"
#include "core/model/NearestName.h"
#include <algorithm>
#include <set>

namespace tilewright {

size_t partOf(const std::string &key) {
  size_t segment = key.rfind('/');
  return key.find_first_of(".#",
                           segment == std::string::npos ? 0 : segment + 1);
}

std::string likeliestKey(const Compilation::Impl &impl,
                         const decision::PinsFile &file,
                         const model::Pin &pin) {
  // What could be meant: what has such a decision, or could have.
  std::vector<std::string> candidates;
  std::set<std::string> seen;
  auto add = [&](const std::string &key) {
    // A part stands for its whole, as the source calls it.
    std::string whole = key.substr(0, partOf(key));
    if (seen.insert(whole).second)
      candidates.push_back(whole);
  };
  for (const decision::TiledScope &scope : impl.scopes)
    add(scope.key);
  std::string function = pin.key.substr(0, pin.key.find('/'));
  // A long name of a function would make any two of its operations alike.
  size_t cut = pin.key.rfind('/') + 1;
  std::vector<std::string> beside;
  for (const std::string &candidate : candidates)
    if (cut && candidate.rfind('/') + 1 == cut &&
        candidate.starts_with(pin.key.substr(0, cut)))
      beside.push_back(candidate.substr(cut));
  std::string name = pin.key.substr(cut);
  std::string near = model::nearestName(name, beside);
  // Something was put behind it, or taken away there.
  auto extends = [&](const std::string &other) {
    return name.starts_with(other) || other.starts_with(name);
  };
  if (near.empty() && !name.empty() &&
      std::count_if(beside.begin(), beside.end(), extends) == 1)
    near = *std::find_if(beside.begin(), beside.end(), extends);
  if (!near.empty())
    return pin.key.substr(0, cut) + near;
  if (beside.empty())
    near = model::nearestName(pin.key, candidates);
  if (!near.empty())
    return near;
  if (pin.kind != "tile")
    return "";
  model::Diagnostic ignored;
  std::optional<model::TileSizes> wanted =
      decision::readTileSizes(pin.value, ignored);
  if (!wanted)
    return "";
  std::string only;
  for (const decision::TiledScope &scope : impl.scopes) {
    if (scope.key.substr(0, scope.key.find('/')) != function ||
        file.find(scope.key, impl.table.target, "tile"))
      continue;
    model::TileSizes sizes = scope.sizes;
    for (const auto &[level, dims] : *wanted)
      for (const auto &[dim, size] : dims)
        sizes[level][dim] = size;
    if (!decision::isLegal(*scope.problem, sizes, *impl.target, ignored))
      continue;
    std::string whole = scope.key.substr(0, partOf(scope.key));
    if (!only.empty() && only != whole)
      return "";
    only = whole;
  }
  return only;
}

void nameLikeliestKeys(Compilation::Impl &impl,
                       const std::vector<model::Pin> &pins) {
  decision::PinsFile file;
  file.pins = pins;
  for (const model::Pin &pin : pins)
    for (model::Diagnostic &diagnostic : impl.table.diagnostics) {
      if (diagnostic.code != "TW0206" || diagnostic.key != pin.key ||
          diagnostic.hint.find(decision::removeOrRename) != 0)
        continue;
      std::string likely = likeliestKey(impl, file, pin);
      if (!likely.empty())
        diagnostic.hint =
            "remove the pin, or rename it: its operation is probably called " +
            likely + " now";
    }
}

} // namespace tilewright
