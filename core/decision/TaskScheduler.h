//===- TaskScheduler.h - how blocks become tasks ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decisions `merge` and `order` of one kernel: how many neighbouring blocks
// a task does, and in which order tasks go over the grid. By default those that
// the estimate finds fastest for the tiles in force.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TileProblem.h"
#include "core/model/Decision.h"
#include "core/model/Diagnostic.h"
#include <optional>
#include <vector>

namespace tilewright::estimate {
class Estimator;
}

namespace tilewright::decision {

/// "rows", "columns", "blocked=4": the order that goes over strips of `strip`
/// rows of a grid of `rows`.
std::string orderText(int64_t strip, int64_t rows);

/// The value of a pin of kind `buffers` or `merge`; none and TW0221 in `why` if
/// it is no whole number from 1 to `most`.
std::optional<int64_t> pinnedCount(const model::Pin &pin,
                                   const std::string &key, int64_t most,
                                   model::Diagnostic &why);

class TaskScheduler {
public:
  /// What is decided, and which pins were not obeyed, is added to the lists.
  TaskScheduler(const target::Target &target,
                std::vector<model::Decision> &decisions,
                std::vector<model::Diagnostic> &diagnostics)
      : target(target), decisions(decisions), diagnostics(diagnostics) {}

  struct Pins {
    const model::Pin *merge = nullptr, *order = nullptr;
  };
  /// Of the kernel of `problem` under `sizes`, its rows in `parts`.
  TaskSchedule run(const TileProblem &problem, const model::TileSizes &sizes,
                   int64_t parts, const Pins &pins);

  bool mergePinned = false, orderPinned = false; ///< by the last run()

private:
  void decideMerge(const TileProblem &problem, const ResolvedTiles &tiles,
                   estimate::Estimator &estimator, int64_t parts,
                   const model::Pin *pin, TaskSchedule &schedule);
  void decideOrder(const TileProblem &problem, const ResolvedTiles &tiles,
                   estimate::Estimator &estimator, int64_t parts,
                   const model::Pin *pin, TaskSchedule &schedule);
  model::Decision decisionOf(const TileProblem &problem,
                             const char *kind) const;
  void refuse(const TileProblem &problem, const model::Pin &pin,
              const char *code, const std::string &what, std::string hint);

  const target::Target &target;
  std::vector<model::Decision> &decisions;
  std::vector<model::Diagnostic> &diagnostics;
};

} // namespace tilewright::decision
