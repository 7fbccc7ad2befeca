//===- LiveModules.cpp - modules that are asked for soon ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/LiveModules.h"

namespace tilewright {

void LiveModules::follow(const std::vector<Kept> &made,
                         const std::vector<Snapshot> &snapshots,
                         const FormedProgram *formed) {
  std::set<Kept> candidates(made.begin(), made.end());
  candidates.merge(live);
  std::set<Kept> stays;
  int64_t operations = 0;
  auto keep = [&](const Kept &module) {
    if (!candidates.count(module) || stays.count(module) ||
        operations + module->operations() > mostOperations)
      return;
    operations += module->operations();
    stays.insert(module);
  };
  auto keepAll = [&](const Snapshot &snapshot) {
    keep(snapshot.program);
    keep(snapshot.joined);
    for (const Snapshot::Scope &scope : snapshot.scopes)
      keep(scope.result->steps[scope.step].module);
  };
  if (formed)
    keep(formed->program);
  // The last of each stage is what a stage's name means.
  for (size_t i = snapshots.size(); i-- > 0;)
    if (i + 1 == snapshots.size() ||
        snapshots[i].stage != snapshots[i + 1].stage)
      keepAll(snapshots[i]);
  for (size_t i = snapshots.size(); i-- > 0;)
    keepAll(snapshots[i]);

  live = std::move(stays);
  std::vector<Kept> leave, gone;
  while (!candidates.empty()) {
    Kept module = std::move(candidates.extract(candidates.begin()).value());
    if (live.count(module))
      continue;
    // Of what nobody else has this is the last owner.
    (module.use_count() == 1 ? gone : leave).push_back(std::move(module));
  }
  settler.add(leave);
  settler.drop(std::move(gone));
}

} // namespace tilewright
