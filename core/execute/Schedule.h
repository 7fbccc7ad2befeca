//===- Schedule.h - which pipe goes on next ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace tilewright::execute {

/// How the pipes of a core take turns. Equal schedules give equal runs.
struct Schedule {
  enum Kind : uint8_t {
    Program, ///< everything at once where it stands: the fast way
    Random,  ///< any pipe that can go on
    Ahead,   ///< pipe number seed (modulo their number) as far as it can; the
             ///< others only what it waits for
    Late,    ///< pipe number seed only when nobody else can go on
    Priority ///< the first in a random order of the pipes that can go on; the
             ///< order changes a few times, at random
  } kind = Program;
  uint64_t seed = 0;

  /// Number `index` of an endless list that begins with one pipe after the
  /// other as far ahead and as late as it can, for up to 8 pipes, mixed with
  /// random ones.
  static Schedule number(uint64_t index, uint64_t seed) {
    Schedule schedule;
    schedule.seed = index / 4;
    switch (index % 4) {
    case 0:
      schedule.kind = Ahead;
      break;
    case 1:
      schedule.kind = Priority;
      break;
    case 2:
      schedule.kind = Late;
      break;
    default:
      schedule.kind = Random;
    }
    if (schedule.kind == Random || schedule.kind == Priority ||
        schedule.seed >= 8)
      schedule.seed = index * 0x9e3779b97f4a7c15u ^ seed;
    return schedule;
  }
};

} // namespace tilewright::execute
