//===- TiledScope.h - a kernel as its tile decision saw it ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TileProblem.h"
#include <memory>

namespace tilewright::decision {

/// One instance of a scope, with all that is needed to estimate it or to weigh
/// other tiles: kept with the compilation, so that such questions need no IR.
struct TiledScope {
  std::string key;                            ///< of the root
  std::vector<std::string> keys;              ///< of all its operations
  std::shared_ptr<const TileProblem> problem; ///< shared by equal scopes
  model::TileSizes sizes;                     ///< in force
  model::TileSizes defaults;                  ///< that would be without a pin
  int64_t parts = 1;                          ///< of its rows (split_k)
  int64_t merge = 0;                          ///< blocks a task; 0: not decided
  int64_t strip = 0;        ///< order of tasks (TaskSchedule); 0: not decided
  bool mergePinned = false; ///< `merge` holds for other tiles, too
  bool stripPinned = false;
  double budget = 1; ///< share of each level that defaults may use
  /// Passes behind which a person wrote its IR: estimates are not about that.
  std::vector<std::string> overridden;
};

/// `name` of a buffer or tensor of a scope, in which `$i` stands for the key
/// `keys[i]`, as a person reads it: "p.row_max" for "$1.row_max".
std::string shownName(const std::string &name,
                      const std::vector<std::string> &keys);

/// `problem` with its key and names as messages say them.
TileProblem shownProblem(const TileProblem &problem, const std::string &key,
                         const std::vector<std::string> &keys);

} // namespace tilewright::decision
