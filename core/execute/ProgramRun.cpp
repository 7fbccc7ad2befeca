//===- ProgramRun.cpp - a compiled program run in this process ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/ProgramRun.h"
#include <algorithm>

namespace tilewright::execute {

std::variant<ProgramRun, model::Diagnostic>
ProgramRun::load(CompiledProgram program) {
  auto compiled = std::make_unique<CompiledProgram>(std::move(program));
  auto loaded = LoadedObject::load(*compiled);
  if (auto *diagnostic = std::get_if<model::Diagnostic>(&loaded))
    return std::move(*diagnostic);
  ProgramRun run(std::move(compiled),
                 std::move(std::get<LoadedObject>(loaded)));
  for (const ProgramBuffer &buffer : run.compiled->buffers) {
    if (buffer.kind == ProgramBuffer::Kind::Constant) {
      run.memory.emplace_back();
      run.pointers.push_back(run.compiled->constants.data() +
                             buffer.constantOffset);
      continue;
    }
    run.memory.emplace_back(buffer.bytes);
    run.pointers.push_back(run.memory.back().data());
    if (!run.pointers.back()) {
      model::Diagnostic diagnostic;
      diagnostic.code = "TW0521";
      diagnostic.message = "a buffer of " + std::to_string(buffer.bytes) +
                           " bytes cannot be had from the system";
      return diagnostic;
    }
  }
  return run;
}

ProgramRun::Result ProgramRun::run(int threads, int repeats, bool traced,
                                   std::function<bool()> cancelled) const {
  Result result;
  TaskRuntime::Options options;
  options.threads = threads;
  options.record = traced;
  options.cancelled = std::move(cancelled);
  TaskRuntime runtime(*compiled, object.kernels(), options);
  result.threads = runtime.threads();
  std::vector<TaskRecord> fastest;
  double best = 0;
  for (int i = 0; i < repeats && !result.cancelled; ++i) {
    result.cancelled = !runtime.run(pointers);
    if (result.cancelled)
      break;
    double took = double(runtime.nanoseconds()) / 1e6;
    // Copied between the repeats, outside what is timed.
    if (traced && (i == 0 || took < best))
      fastest = runtime.records();
    best = i == 0 ? took : std::min(best, took);
    result.milliseconds.push_back(took);
  }
  if (traced)
    result.trace = runtime.traceOf(fastest);
  return result;
}

} // namespace tilewright::execute
