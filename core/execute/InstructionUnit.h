//===- InstructionUnit.h - what each instruction does -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/View.h"
#include <span>
#include <vector>

namespace tilewright::execute {

/// Executes single instructions on buffers in memory.
class InstructionUnit {
public:
  /// `operands` are the step's views (checked to lie inside their buffers), the
  /// destination last; `scalars` the values of its scalar operands, or what the
  /// region of a block.generic captures. Throws RunError TW0542 where sizes do
  /// not fit each other.
  void execute(const StepCode &step, std::span<const View> operands,
               std::span<const Scalar> scalars);

private:
  std::span<const View> operands;
  std::span<const Scalar> scalars;
  std::vector<float> matrixA, matrixB, matrixC;

  void move(const StepCode &step);
  void pack(const StepCode &step);
  void fill(const StepCode &step);
  template <typename T> void elementwise(const StepCode &step);
  template <typename T> void reduce(const StepCode &step);
  void select(const StepCode &step);
  void matmul(const StepCode &step);
  void transpose(const StepCode &step);
  void reshape(const StepCode &step);
  void generic(const StepCode &step);
};

/// One element of a view, `offset` elements behind its first.
Scalar loadElement(const View &view, int64_t offset);
void storeElement(const View &view, int64_t offset, Scalar value);

/// Which elements of one operand an instruction reads or writes.
struct OperandAccess {
  int operand = 0; ///< index of the view
  bool write = false;
  /// Sizes of the part that is touched, from the view's first element on: a
  /// matmul reads only the valid steps of its operands.
  std::array<int64_t, maxRank> sizes = {};
};

/// All that `step` touches: reads first, then writes.
std::vector<OperandAccess> accessesOf(const StepCode &step,
                                      std::span<const View> operands,
                                      std::span<const Scalar> scalars);

/// Whether a destination of `step` lies over a source other than where each
/// element is read before it is written itself: a device may then overwrite
/// what it still has to read.
bool overwritesSource(const StepCode &step, std::span<const View> operands);

} // namespace tilewright::execute
