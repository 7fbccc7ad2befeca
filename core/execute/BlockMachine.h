//===- BlockMachine.h - one core that runs block code -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/InstructionUnit.h"
#include <functional>

namespace tilewright::execute {

/// Where a kernel's instructions go when they are not executed on the spot: the
/// queues of the pipes, or a record. Called in program order.
class InstructionSink {
public:
  virtual ~InstructionSink() = default;
  /// An instruction with its operands as they are now, as
  /// InstructionUnit::execute takes them.
  virtual void instruction(const StepCode &step, std::span<const View> operands,
                           std::span<const Scalar> scalars) = 0;
  /// A set_event, wait_event or barrier.
  virtual void event(const StepCode &step) = 0;
  /// A memref.load of the only element of `view`.
  virtual Scalar load(const StepCode &step, const View &view) = 0;
  /// A branch takes its first side, or the other.
  virtual void branch(const StepCode &step, bool first) {
    (void)step, (void)first;
  }
  /// Asked before each turn `turn` of `turns` of a loop; false leaves it out.
  virtual bool enterTurn(const StepCode &loop, int64_t turn, int64_t turns) {
    (void)loop, (void)turn, (void)turns;
    return true;
  }
};

/// A core: one byte array for each on-chip level, and the registers of the
/// routine it runs. Errors are thrown as RunError and name the instruction.
class BlockMachine {
public:
  explicit BlockMachine(const BlockCode &code) : code(code) {}

  /// Runs a kernel for one grid point. Its on-chip buffers start as NaN (all
  /// bits set), so that a value never written does not look like a number.
  /// With `sink`, instructions and events go there and nothing is executed
  /// here; memory stays valid until the next run.
  void runKernel(const RoutineCode &kernel, std::span<const View> buffers,
                 std::span<const int64_t> grid,
                 InstructionSink *sink = nullptr);

  /// As runKernel with a sink, but without memory: views have addresses and no
  /// bytes. `buffers` may have none either.
  void traceKernel(const RoutineCode &kernel, std::span<const View> buffers,
                   std::span<const int64_t> grid, InstructionSink &sink);

  /// Runs a program. `dispatch` is called for every block.dispatch with its
  /// kernel, buffers and grid sizes.
  using Dispatch = std::function<void(const StepCode &, const RoutineCode &,
                                      std::vector<View>, std::vector<int64_t>)>;
  void runProgram(const RoutineCode &program, std::span<const View> arguments,
                  Dispatch dispatch);

private:
  const BlockCode &code;
  InstructionUnit unit;
  std::vector<std::vector<std::byte>> levels;
  std::vector<std::vector<std::byte>> globals; ///< block.buffer
  std::vector<View> views;
  std::vector<Scalar> scalars;
  Dispatch dispatch;
  InstructionSink *sink = nullptr;
  bool hasMemory = true;
  int allocated = 0; ///< buffers made by the kernel that runs
  std::vector<View> operandViews;
  std::vector<Scalar> operandScalars;

  void enter(const RoutineCode &routine, std::span<const View> buffers);
  void startKernel(const RoutineCode &kernel, std::span<const View> buffers,
                   std::span<const int64_t> grid);
  void runBody(const RoutineCode &routine, int body);
  void runStep(const RoutineCode &routine, const StepCode &step);
  void runFor(const RoutineCode &routine, const StepCode &step);
  void runIf(const RoutineCode &routine, const StepCode &step);
  void copy(const std::vector<std::pair<int, int>> &scalarPairs,
            const std::vector<std::pair<int, int>> &viewPairs);
  int64_t value(const IndexOperand &operand) const;
  const View &operand(const StepCode &step, size_t i) const;

  void instruction(const StepCode &step);
  void subview(const StepCode &step);
  void reshapeView(const StepCode &step);
  void alloc(const StepCode &step);
  void loadStore(const StepCode &step);
  void affine(const StepCode &step);
};

} // namespace tilewright::execute
