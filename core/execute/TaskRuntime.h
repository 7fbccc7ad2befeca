//===- TaskRuntime.h - runs a program's tasks as inputs get ready -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/CompiledProgram.h"
#include "core/model/Trace.h"
#include <functional>
#include <memory>
#include <span>

namespace tilewright::execute {

/// When and where one task ran. Times are nanoseconds from the run's start.
struct TaskRecord {
  int32_t dispatch = 0;
  int32_t worker = 0;
  int64_t task = 0; ///< row-major number in the dispatch's grid
  int64_t begin = 0, end = 0;
  int64_t waitedFor = -1; ///< the task (numbered over all dispatches) that was
                          ///< the last it waited for; -1: it never waited
};

/// Runs the tasks of a program on a fixed number of workers. There is no
/// barrier: a task starts when the tasks its dependencies name are done,
/// whatever else of their dispatches still runs. Memory is a few words a task;
/// what a task waits for is worked out when a worker first looks at it.
///
/// Results depend on nothing but the inputs: no two tasks write the same place
/// without a dependency.
class TaskRuntime {
public:
  struct Options {
    int threads = 0; ///< workers, exactly; 0: as many as the machine has
    bool record = false;
    /// Asked between tasks, from any worker; true ends the run early.
    std::function<bool()> cancelled;
  };

  /// `kernels[i]` is the entry point of dispatch i. `program` must outlive
  /// this.
  TaskRuntime(const CompiledProgram &program,
              std::vector<KernelFunction> kernels, Options options);
  ~TaskRuntime();
  TaskRuntime(const TaskRuntime &) = delete;
  TaskRuntime &operator=(const TaskRuntime &) = delete;

  /// One run. `buffers[i]` is the memory of program buffer i, 64-byte aligned
  /// for speed. False if it was cancelled. Dispatches that are done once are
  /// done by the first run that ends; later ones find what these wrote, so
  /// weights, and the memory of temporary buffers, stay the same.
  bool run(std::span<void *const> buffers);

  int threads() const;
  /// Of the last run: its time from first to last task, in nanoseconds, and, if
  /// asked for, its tasks in order of begin.
  int64_t nanoseconds() const;
  std::vector<TaskRecord> records() const;
  /// The last run as a trace: a track a worker, an event a task. Flows are all
  /// dependencies of programs with up to `allFlows` of them, else the one that
  /// each task waited for last.
  model::Trace trace(int64_t allFlows = 20000) const {
    return traceOf(records(), allFlows);
  }
  /// The same of an earlier run, from its records().
  model::Trace traceOf(const std::vector<TaskRecord> &records,
                       int64_t allFlows = 20000) const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tilewright::execute
