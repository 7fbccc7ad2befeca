//===- BlockInterpreter.h - runs the Block graph as it stands ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "mlir/IR/BuiltinOps.h"
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace tilewright::execute {

struct BlockCode;

/// A program argument: element type and shape as the program declares them.
struct ArgumentType {
  std::string dtype;
  std::vector<int64_t> shape; ///< elements; always static
  int64_t bytes = 0;
};

/// Executes a block.program: every task on byte-addressed memories of the
/// target's size, one set a core; the tasks of one dispatch in parallel. Meant
/// to check what is compiled for any target, so it trusts nothing: reads
/// outside a buffer and buffers without an address are errors, and on-chip
/// memory never written reads as NaN.
///
/// In program order, which is fast; or interleaved: the pipes of a core then
/// work through their queues at the same time, as far as events let them
/// (InterleavedCore), each task under another schedule: some take one pipe as
/// far ahead as possible, some as late, some go at random.
class BlockInterpreter {
public:
  struct Options {
    /// Bytes of each on-chip level by its name in the target ("UB").
    std::map<std::string, int64_t> levelBytes;
    int threads = 0; ///< 0: as many as the machine has
    bool interleaved = false;
    uint64_t seed = 0; ///< of the schedules; equal seeds give equal runs
    /// Task t runs under schedule number firstSchedule + t, so that further
    /// runs can go on where one ended.
    uint64_t firstSchedule = 0;
    /// Asked between tasks, from any thread; true ends the run.
    std::function<bool()> cancelled;
  };

  /// Reads the program named `program` (the only one if empty) and its kernels.
  /// The module is not needed afterwards.
  static std::variant<BlockInterpreter, model::Diagnostic>
  create(mlir::ModuleOp module, llvm::StringRef program, Options options);

  /// Changes Options::firstSchedule for the runs that follow.
  void startAtSchedule(uint64_t number) { options.firstSchedule = number; }

  std::vector<ArgumentType> inputs() const;
  std::vector<ArgumentType> results() const;

  /// Runs once. Sizes in bytes must be those of inputs() and results(). Errors:
  /// TW0541 (outside a buffer), TW0542 (sizes that do not fit), TW0543 (wrong
  /// arguments), TW0544 (cancelled), and interleaved TW0545 to TW0549; the one
  /// of the first task in program order is returned.
  std::optional<model::Diagnostic>
  run(std::span<const std::span<const std::byte>> inputs,
      std::span<const std::span<std::byte>> results) const;

private:
  std::shared_ptr<const BlockCode> code;
  Options options;

  ArgumentType argumentType(size_t i) const;
};

} // namespace tilewright::execute
