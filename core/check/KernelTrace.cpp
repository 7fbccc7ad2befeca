//===- KernelTrace.cpp - what a kernel queues on its pipes ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/check/KernelTrace.h"
#include "core/execute/RunError.h"
#include <algorithm>

namespace tilewright::check {
namespace {

using namespace execute;

/// Ends a trace that got too long.
struct TooLong {};

class Recorder : public InstructionSink {
public:
  Recorder(const BlockCode &code, const RoutineCode &kernel,
           const TraceOptions &options, KernelTrace &trace)
      : options(options), trace(trace) {
    numbers.assign(code.pipes.size(), -1);
    trace.pipes = kernel.pipes;
    for (size_t i = 0; i < kernel.pipes.size(); ++i)
      numbers[size_t(kernel.pipes[i])] = int(i);
    trace.spaces = int(code.levels.size()) + 1;
    // Instructions on no pipe yet run one after the other.
    if (trace.pipes.empty())
      trace.pipes = {-1};
  }

  void instruction(const StepCode &step, std::span<const View> operands,
                   std::span<const Scalar> scalars) override {
    TraceEntry entry = make(step, TraceEntry::Instruction);
    for (const OperandAccess &access : accessesOf(step, operands, scalars)) {
      View view = operands[size_t(access.operand)];
      view.sizes = access.sizes;
      touch(view, access.write);
    }
    if (overwritesSource(step, operands))
      trace.overwriting.push_back(int(trace.entries.size()));
    push(entry);
  }

  void event(const StepCode &step) override {
    if (step.step == Step::Barrier) {
      for (size_t pipe = 0; pipe < trace.pipes.size(); ++pipe) {
        TraceEntry entry = make(step, TraceEntry::Barrier);
        entry.pipe = int(pipe);
        entry.barrier = barriers;
        push(entry);
      }
      ++barriers;
      return;
    }
    TraceEntry entry = make(
        step, step.step == Step::SetEvent ? TraceEntry::Set : TraceEntry::Wait);
    entry.event = step.event;
    push(entry);
  }

  Scalar load(const StepCode &step, const View &view) override {
    trace.loads = true;
    TraceEntry entry = make(step, TraceEntry::Instruction);
    touch(view, false);
    push(entry);
    Scalar value;
    value.i = options.loaded == 2 ? int64_t(loads++ % 2) : options.loaded;
    if (isFloat(step.element))
      value.f = double(value.i);
    return value;
  }

  void branch(const StepCode &step, bool first) override {
    trace.branches.insert({&step, first});
  }

  bool enterTurn(const StepCode &, int64_t turn, int64_t turns) override {
    int64_t kept = options.turns;
    if (kept > turns / 2)
      return true;
    int64_t skipped = (turns - 2 * kept) / 12 * 12;
    return turn < kept || turn >= kept + skipped;
  }

private:
  const TraceOptions &options;
  KernelTrace &trace;
  std::vector<int> numbers; ///< in BlockCode::pipes -> in the trace's
  int barriers = 0;
  int64_t loads = 0;

  TraceEntry make(const StepCode &step, TraceEntry::Kind kind) {
    TraceEntry entry;
    entry.kind = kind;
    entry.step = &step;
    entry.pipe = step.pipe < 0 ? 0 : numbers[size_t(step.pipe)];
    entry.firstTouch = int(trace.touches.size());
    return entry;
  }

  void push(TraceEntry entry) {
    entry.endTouch = int(trace.touches.size());
    trace.entries.push_back(entry);
    if (trace.entries.size() >= options.maxEntries ||
        trace.touches.size() >= options.maxTouches)
      throw TooLong();
  }

  void touch(const View &view, bool write) {
    int space = view.level < 0 ? trace.spaces - 1 : view.level;
    forEachByteRange(view, [&](int64_t begin, int64_t end) {
      trace.touches.push_back({begin, end, space, view.buffer, write});
    });
  }
};

} // namespace

KernelTrace traceKernel(const BlockCode &code, const RoutineCode &kernel,
                        const TraceOptions &options) {
  KernelTrace trace;
  std::vector<View> buffers;
  for (int i = 0; i < kernel.buffers; ++i) {
    size_t at = size_t(i);
    View view = View::whole(nullptr, kernel.elements[at], options.shapes[at]);
    // Arguments are far apart, so that none runs into another.
    int64_t place = options.aliases.empty() ? i : options.aliases[at];
    view.address = (place + 1) << 44;
    buffers.push_back(view);
  }
  Recorder recorder(code, kernel, options, trace);
  try {
    BlockMachine(code).traceKernel(kernel, buffers, options.point, recorder);
  } catch (RunError &error) {
    trace.error = std::move(error.diagnostic);
  } catch (TooLong &) {
    trace.cut = true;
  }
  return trace;
}

} // namespace tilewright::check
