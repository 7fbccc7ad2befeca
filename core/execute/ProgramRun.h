//===- ProgramRun.h - a compiled program run in this process ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/BufferMemory.h"
#include "core/execute/LoadedObject.h"
#include "core/execute/TaskRuntime.h"
#include "core/model/Trace.h"

namespace tilewright::execute {

/// A loaded program with the memory of its buffers. For runners and tests only:
/// what its kernels do wrong happens to this process.
class ProgramRun {
public:
  /// Links the object and reserves memory. Errors: TW0520, TW0521 (memory).
  static std::variant<ProgramRun, model::Diagnostic>
  load(CompiledProgram program);

  const CompiledProgram &program() const { return *compiled; }
  /// Memory of program buffer `i`; arguments and results are read and written
  /// by the caller.
  void *data(size_t buffer) const { return pointers[buffer]; }

  struct Result {
    std::vector<double> milliseconds; ///< one a repeat, first to last task
    bool cancelled = false;
    int threads = 0;
    model::Trace trace; ///< of the fastest repeat, if asked for
  };
  /// Runs `repeats` times on exactly `threads` workers (0: all processors).
  Result run(int threads, int repeats, bool traced,
             std::function<bool()> cancelled = nullptr) const;

private:
  ProgramRun(std::unique_ptr<CompiledProgram> compiled, LoadedObject object)
      : compiled(std::move(compiled)), object(std::move(object)) {}

  std::unique_ptr<CompiledProgram> compiled;
  LoadedObject object;
  std::vector<BufferMemory> memory;
  std::vector<void *> pointers;
};

} // namespace tilewright::execute
