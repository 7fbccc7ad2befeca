//===- LiveModules.h - modules that are asked for soon ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/pipeline/FormedProgram.h"
#include "core/pipeline/Settler.h"
#include "core/pipeline/Snapshot.h"
#include <set>

namespace tilewright {

/// Leaves the modules of the last compilation as they are, since that is the
/// one whose stages are looked at and which the next one begins from, and
/// reading bytecode takes several times as long as cloning. What a newer
/// compilation no longer has, and what goes beyond a number of operations, is
/// settled.
class LiveModules {
public:
  /// 400,000 operations take some 130 MB.
  explicit LiveModules(Settler &settler, int64_t mostOperations = 400'000)
      : settler(settler), mostOperations(mostOperations) {}

  /// After a compilation: `made` is all it kept, `snapshots` what it shows,
  /// `formed` (null: nothing) what the next one may begin with.
  void follow(const std::vector<Kept> &made,
              const std::vector<Snapshot> &snapshots,
              const FormedProgram *formed);

private:
  Settler &settler;
  int64_t mostOperations;
  std::set<Kept> live;
};

} // namespace tilewright
