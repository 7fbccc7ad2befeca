//===- PipeOrder.h - what happens before what -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/check/KernelTrace.h"
#include <functional>

namespace tilewright::check {

/// The order that queues and events enforce between the entries of a trace. A
/// pipe works through its queue in order; a set happens once all before it in
/// its pipe is done; the n-th wait for an event waits for its n-th set; all
/// pipes pass a barrier together. Kept as vector clocks, so that asking is
/// O(1) and computing O(entries x pipes).
class PipeOrder {
public:
  /// `without` says which entries to leave out (may be empty).
  explicit PipeOrder(
      const KernelTrace &trace,
      const std::function<bool(const TraceEntry &)> &without = nullptr);

  /// Whether entry `a` is always done when `b` starts.
  bool before(int a, int b) const {
    return clocks[size_t(b) * pipes + size_t(pipeOf(a))] >= sequence[size_t(a)];
  }

  struct Problem {
    enum Kind {
      SetTwice, ///< `entry` may set what `other` set and nobody waited for
      NeverSet, ///< `entry` waits for what nobody sets (any more)
      LeftSet,  ///< nobody waits for what `entry` sets
      Deadlock  ///< `entry` waits for `other`, which waits …
    } kind;
    int entry;
    int other = -1;
  };
  /// A deadlock is as many entries as pipes are on the circle.
  const std::vector<Problem> &problems() const { return found; }
  bool completes() const { return complete; }

private:
  const KernelTrace &trace;
  size_t pipes;
  std::vector<int> sequence; ///< place in the pipe's queue, from 1
  std::vector<int> clocks;   ///< at the entry's start, `pipes` each
  std::vector<Problem> found;
  bool complete = true;

  int pipeOf(int entry) const { return trace.entries[size_t(entry)].pipe; }
};

} // namespace tilewright::check
