//===- CompiledProgram.h - a program as code and plain data -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a runner needs to run a block.program: no MLIR in it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/IndexMap.h"
#include "core/model/Diagnostic.h"
#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilewright::execute {

/// A buffer in global memory.
struct ProgramBuffer {
  enum class Kind { Argument, Result, Temporary, Constant };
  Kind kind = Kind::Temporary;
  std::string dtype;
  std::vector<int64_t> shape; ///< elements, row-major
  int64_t bytes = 0;
  int64_t constantOffset = 0; ///< in CompiledProgram::constants
};
NLOHMANN_JSON_SERIALIZE_ENUM(ProgramBuffer::Kind,
                             {{ProgramBuffer::Kind::Argument, "argument"},
                              {ProgramBuffer::Kind::Result, "result"},
                              {ProgramBuffer::Kind::Temporary, "temporary"},
                              {ProgramBuffer::Kind::Constant, "constant"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramBuffer, kind, dtype,
                                                shape, bytes, constantOffset)

/// Where a kernel argument starts.
struct BufferReference {
  int64_t buffer = 0;
  int64_t byteOffset = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(BufferReference, buffer,
                                                byteOffset)

/// The task at grid point g waits for the tasks p of dispatch `producer` with
/// lower(g)[d] <= p[d] < upper(g)[d], clipped to the producer's grid.
struct ProgramDependency {
  int64_t producer = 0;
  IndexMap lower, upper;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramDependency, producer,
                                                lower, upper)

/// Grids have at most this many dimensions.
inline constexpr size_t maxGridRank = 16;

struct ProgramDispatch {
  std::string kernel; ///< symbol in the object
  std::string name;   ///< for people
  std::vector<std::string> keys;
  std::vector<int64_t> grid;
  std::vector<BufferReference> buffers;
  std::vector<ProgramDependency> dependencies;
  int64_t scratchBytes = 0; ///< memory one task of it needs, 64-byte aligned
  /// Reads nothing that changes from run to run, and what it writes stays: the
  /// first of several runs does it for all.
  bool once = false;
  /// Rows of the grid that tasks go over column by column (GridOrder.h).
  int64_t strip = 1;

  /// Number of tasks.
  int64_t tasks() const {
    int64_t count = 1;
    for (int64_t size : grid)
      count *= size;
    return count;
  }
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ProgramDispatch, kernel, name,
                                                keys, grid, buffers,
                                                dependencies, scratchBytes,
                                                once, strip)

/// A kernel's entry point: `buffers` are its arguments in order, `grid` the
/// coordinates of the task, `scratch` at least scratchBytes, 64-byte aligned.
using KernelFunction = void (*)(void *const *buffers, const int64_t *grid,
                                void *scratch);

struct CompiledProgram {
  static constexpr const char *schema = "tilewright/program";
  static constexpr int version = 1;

  std::string name;
  std::string target;
  std::vector<ProgramBuffer> buffers; ///< arguments, results, then the others
  std::vector<ProgramDispatch> dispatches;
  std::vector<std::byte> constants;
  std::vector<std::byte> object; ///< an ELF object with the kernels
  bool matrixTiles = false;      ///< they use the tile registers of AMX

  int64_t tasks() const;

  /// One file: a JSON header, then constants and object as they are.
  std::optional<model::Diagnostic> write(const std::string &path) const;
  /// Reads what write() wrote; checks every index and size, so that running the
  /// result touches nothing outside its buffers but for what the code does.
  static std::variant<CompiledProgram, model::Diagnostic>
  read(const std::string &path);

  /// What is inconsistent; empty if nothing is.
  std::string inconsistency() const;
};

} // namespace tilewright::execute
