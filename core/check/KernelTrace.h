//===- KernelTrace.h - what a kernel queues on its pipes --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/BlockMachine.h"
#include "core/model/Diagnostic.h"
#include <optional>
#include <set>

namespace tilewright::check {

/// One entry of a pipe's queue. A barrier is one entry on every pipe.
struct TraceEntry {
  enum Kind : uint8_t { Instruction, Set, Wait, Barrier } kind = Instruction;
  const execute::StepCode *step = nullptr; ///< which operation it is
  int pipe = 0;                            ///< number in KernelTrace::pipes
  int event = -1;   ///< number in RoutineCode::events, of a Set or Wait
  int barrier = -1; ///< which barrier of the run, counted from 0
  int firstTouch = 0, endTouch = 0; ///< in KernelTrace::touches
};

/// Bytes [begin, end) of a memory that an instruction reads or writes.
struct Touch {
  int64_t begin = 0, end = 0;
  int space = 0;  ///< level in BlockCode::levels; their number: global memory
  int buffer = 0; ///< View::buffer
  bool write = false;
};

/// Everything one task queues, in program order.
struct KernelTrace {
  std::vector<TraceEntry> entries;
  std::vector<Touch> touches; ///< of each entry: reads first, then writes
  std::vector<int> pipes;     ///< in BlockCode::pipes
  int spaces = 0;             ///< number of memories, global memory the last
  /// Instructions whose destination lies over a source other than element on
  /// element, so that they may overwrite what they still have to read.
  std::vector<int> overwriting;
  /// The sides that branches took.
  std::set<std::pair<const execute::StepCode *, bool>> branches;
  bool cut = false;   ///< there would be more than the options allow
  bool loads = false; ///< control may depend on what memory.load reads
  /// An access outside a buffer or sizes that do not fit; the trace ends there.
  std::optional<model::Diagnostic> error;

  std::span<const Touch> touchesOf(const TraceEntry &entry) const {
    return {touches.data() + entry.firstTouch,
            size_t(entry.endTouch - entry.firstTouch)};
  }
};

struct TraceOptions {
  std::vector<int64_t> point; ///< grid coordinates
  /// For each buffer argument: the first argument that is the same buffer.
  std::vector<int> aliases;
  std::vector<std::vector<int64_t>> shapes; ///< of the arguments, all static
  int loaded = 0; ///< what memref.load gives: 0, 1, or 2: 0 and 1 in turn
  /// A loop of more than twice as many turns keeps its first and last ones; a
  /// multiple of 12 is left out, so that buffers and events that rotate by 2, 3
  /// or 4 go on where they were.
  int64_t turns = 1 << 20;
  /// No more are recorded; KernelTrace::cut says so.
  size_t maxEntries = 1 << 14, maxTouches = 1 << 20;
};

KernelTrace traceKernel(const execute::BlockCode &code,
                        const execute::RoutineCode &kernel,
                        const TraceOptions &options);

} // namespace tilewright::check
