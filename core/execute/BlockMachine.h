//===- BlockMachine.h - one core that runs block code -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/BlockCode.h"
#include <array>
#include <functional>
#include <span>

namespace tilewright::execute {

/// A part of a buffer: `base` is the buffer, `limit` its bytes. Offset and
/// strides are in elements.
struct View {
  std::byte *base = nullptr;
  int64_t limit = 0;
  int64_t offset = 0;
  Element element = Element::F32;
  int rank = 0;
  std::array<int64_t, maxRank> sizes = {};
  std::array<int64_t, maxRank> strides = {};

  std::byte *at(int64_t element) const {
    return base + (offset + element) * bytesOf(this->element);
  }
  int64_t count() const {
    int64_t n = 1;
    for (int d = 0; d < rank; ++d)
      n *= sizes[size_t(d)];
    return n;
  }
  std::span<const int64_t> shape() const {
    return {sizes.data(), size_t(rank)};
  }

  /// The whole of a row-major buffer.
  static View whole(std::byte *base, Element element,
                    std::span<const int64_t> shape);
};

/// A core: one byte array for each on-chip level, and the registers of the
/// routine it runs. Errors are thrown as RunError and name the instruction.
class BlockMachine {
public:
  explicit BlockMachine(const BlockCode &code) : code(code) {}

  /// Runs a kernel for one grid point. Its on-chip buffers start as NaN (all
  /// bits set), so that a value never written does not look like a number.
  void runKernel(const RoutineCode &kernel, std::span<const View> buffers,
                 std::span<const int64_t> grid);

  /// Runs a program. `dispatch` is called for every block.dispatch with its
  /// kernel, buffers and grid sizes.
  using Dispatch = std::function<void(const StepCode &, const RoutineCode &,
                                      std::vector<View>, std::vector<int64_t>)>;
  void runProgram(const RoutineCode &program, std::span<const View> arguments,
                  Dispatch dispatch);

private:
  const BlockCode &code;
  std::vector<std::vector<std::byte>> levels;
  std::vector<std::vector<std::byte>> globals; ///< block.buffer
  std::vector<View> views;
  std::vector<Scalar> scalars;
  Dispatch dispatch;
  std::vector<float> matrixA, matrixB, matrixC;

  void enter(const RoutineCode &routine, std::span<const View> buffers);
  void runBody(const RoutineCode &routine, int body);
  void runStep(const RoutineCode &routine, const StepCode &step);
  void runFor(const RoutineCode &routine, const StepCode &step);
  void runIf(const RoutineCode &routine, const StepCode &step);
  void copy(const std::vector<std::pair<int, int>> &scalarPairs,
            const std::vector<std::pair<int, int>> &viewPairs);
  int64_t value(const IndexOperand &operand) const;

  void subview(const StepCode &step);
  void reshapeView(const StepCode &step);
  void alloc(const StepCode &step);
  void loadStore(const StepCode &step);
  void affine(const StepCode &step);

  const View &operand(const StepCode &step, size_t i) const;
  View broadcast(const StepCode &step, const View &source,
                 const View &dest) const;
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

} // namespace tilewright::execute
