//===- BlockCode.h - kernels and programs as compact data -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the block interpreter runs: the Block graph with names and types looked
// up once. Knows no MLIR; BlockDecoder makes it.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/ElementLoops.h"
#include "core/execute/IndexMap.h"
#include "core/execute/ScalarCode.h"
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::execute {

inline constexpr int maxRank = 8;
/// The pipe of memref.load and memref.store.
inline constexpr const char *scalarPipe = "S";

enum class Step : uint8_t {
  Scalar,
  AffineApply,
  AffineMin,
  AffineMax,
  Dim,
  Subview,
  Reshaped,
  CopyView,
  Load,
  Store,
  Alloc,
  For,
  If,
  Move,
  Fill,
  Unary,
  Binary,
  Cast,
  Compare,
  Select,
  Reduce,
  Matmul,
  Transpose,
  Reshape,
  Generic,
  SetEvent,
  WaitEvent,
  Barrier,
  Buffer,
  Constant,
  Dispatch
};

/// A size, offset or stride: a number, or a scalar register where `number` is
/// `dynamic`.
struct IndexOperand {
  static constexpr int64_t dynamic = std::numeric_limits<int64_t>::min();
  int64_t number = 0;
  int reg = -1;
};

/// The packed layout of one operand; axis -1: not packed.
struct PackedLayout {
  int axis = -1;
  int64_t block = 0;
  int64_t group = 1;    ///< steps of one element that lie side by side
  int64_t multiple = 1; ///< of steps, that the panels are padded to

  /// Groups that `depth` steps take, padding included.
  int64_t groupsOf(int64_t depth) const {
    return (depth + multiple - 1) / multiple * multiple / group;
  }
};

/// The region of a block.generic. Scalar register r of it is an input element,
/// then an output element, then what the body computes.
struct GenericCode {
  int dims = 0;
  std::vector<IndexMap> maps; ///< one an operand
  int inputs = 0;
  /// Iteration dimension d is as long as dimension .second of operand .first.
  std::vector<std::pair<int, int>> extents;
  std::vector<std::pair<int, int>> captured; ///< outer register, inner register
  std::vector<ScalarInstruction> body;
  std::vector<int> yields;
  int registers = 0;
  std::vector<bool> readsOutput; ///< one an output: the body uses its element
};

/// An event of a kernel: pipes are numbers in BlockCode::pipes.
struct EventCode {
  int from = 0, to = 0;
  int64_t id = 0;
};

struct DispatchCode {
  int kernel = 0;
  std::vector<IndexOperand> grid;
};

/// One step. `views` and `scalars` are register numbers; what they mean
/// depends on `step`: instructions list sources, then the destination.
struct StepCode {
  Step step = Step::Scalar;
  uint8_t kind = 0; ///< UnaryFunction, BinaryFunction, …, Predicate
  bool accumulate = false;
  bool transposeLhs = false, transposeRhs = false;
  Element element = Element::F32;
  PackedLayout lhsLayout, rhsLayout; ///< a move uses lhsLayout
  int dest = -1;                     ///< view or scalar register defined
  std::vector<int> views;
  std::vector<int> scalars;
  std::vector<int64_t> numbers; ///< axes, permutation, shape
  std::vector<IndexOperand> offsets, sizes, strides;
  ScalarInstruction scalar;
  IndexMap map;
  int body = -1, elseBody = -1;
  /// Values carried by a loop or given by a branch: at the start or end of
  /// `body` (first) and where they go (second).
  std::vector<std::pair<int, int>> initScalars, initViews;
  std::vector<std::pair<int, int>> yieldScalars, yieldViews;
  std::vector<std::pair<int, int>> elseScalars, elseViews;
  std::vector<std::pair<int, int>> resultScalars, resultViews;
  int level = -1; ///< of an alloc, in BlockCode::levels
  /// In BlockCode::pipes: where an instruction runs, a set_event or wait_event
  /// stands; -1: on none.
  int pipe = -1;
  int event = -1; ///< in RoutineCode::events
  int64_t offset = 0, bytes = 0;
  std::shared_ptr<const GenericCode> generic;
  std::shared_ptr<const DispatchCode> dispatch;
  std::shared_ptr<const std::vector<std::byte>> constant;
  std::string key;       ///< of the operation, for messages
  const char *name = ""; ///< "block.matmul"
};

/// A kernel, or the program itself. View registers start with the arguments,
/// scalar registers with the grid coordinates.
struct RoutineCode {
  std::string name;
  int buffers = 0, gridRank = 0;
  int views = 0, scalars = 0;
  std::vector<Element> elements;             ///< of the buffer arguments
  std::vector<std::vector<int64_t>> shapes;  ///< of the buffer arguments
  std::vector<std::vector<StepCode>> bodies; ///< 0 is the routine's own
  std::vector<EventCode> events;
  std::vector<int> pipes; ///< those that instructions or events name
  std::vector<int64_t>
      levelBytes; ///< how far into each level its buffers reach
};

struct LevelCapacity {
  std::string name;
  int64_t bytes = 0;
};

struct BlockCode {
  std::vector<LevelCapacity> levels;
  std::vector<std::string> pipes;
  std::vector<RoutineCode> kernels;
  RoutineCode program;
  int results = 0; ///< how many of the program's arguments, at the end
};

} // namespace tilewright::execute
