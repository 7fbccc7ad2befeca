//===- TileProblem.h - what a tile decision is about ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/KeyBand.h"
#include "core/model/ByteCount.h"
#include "core/model/Decision.h"
#include "core/target/Target.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::decision {

/// One dimension that a scope iterates over.
struct Dimension {
  std::string name;   ///< as in pins: m, n, k, b0, d0 …
  int64_t extent = 0; ///< elements; -1 where only known at run time
  /// Cut into tiles that are computed independently. Of the others, k of a
  /// matmul is cut into tiles that follow each other; the rest are whole in
  /// every tile.
  bool parallel = true;
  /// Not parallel, but cut all the same: the keys of an attention.
  bool sequential = false;
};

/// What has to be known of a scope to choose its tiles.
struct TileProblem {
  std::string key;     ///< of the root
  bool matmul = false; ///< else elementwise or rows with reductions
  /// Two matmuls around a softmax: b0 … m n d v. `buffers` says what is held.
  bool attention = false;
  std::optional<KeyBand> visibleKeys; ///< what the mask of an attention leaves
  std::vector<Dimension> dims;        ///< matmul: b0 … m n k
  /// Matmul: bytes of an element of the operands and of the result.
  int64_t lhsBytes = 4, rhsBytes = 4, resultBytes = 4;
  std::string dtype = "f32"; ///< of the operands
  /// From one row of the left operand to the next, where a micro-kernel could
  /// read it as it lies: f32, not transposed, not computed on the way; else 0.
  int64_t lhsRowBytes = 0;
  int64_t rhsRowBytes = 0; ///< of the right operand, likewise; 0 of a weight
  /// Whether the matrices lie with k first (left) or last (right).
  bool lhsTransposed = false, rhsTransposed = false;
  /// Matmuls that step over k together, and whether it is the left operand that
  /// they share: one panel of that, one accumulator and one panel of the other
  /// operand each.
  int64_t matmuls = 1;
  bool sharedLhs = true;
  /// Whether an operand is the same in all runs: a weight or a constant. Where
  /// operands are packed, it is once, before the first run.
  bool lhsWeight = false, rhsWeight = false;
  /// Bytes of an element of what is computed on the way into an operand's
  /// panel; 0 where the operand is moved as it is.
  int64_t lhsPrologueBytes = 0, rhsPrologueBytes = 0;
  /// Otherwise: buffers on chip, each with the dimensions it runs along.
  struct Buffer {
    std::string name;
    int64_t elementBytes = 4;
    std::vector<bool> along; ///< one entry a dimension
  };
  std::vector<Buffer> buffers;
  /// Rows may be gone through piece by piece, each adding to what is carried of
  /// the pieces before it; the dimensions that are not parallel can be cut
  /// then.
  bool sequentialRows = false;
  /// On chip besides where rows are cut.
  std::vector<Buffer> pieceBuffers;
  /// Whether elements of rows are computed, not only read.
  bool computesRows = false;

  /// An operation of the scope besides its matmuls.
  struct Work {
    std::string op;          ///< class, as in target::ComputeRate
    std::string dtype;       ///< of the operands
    std::vector<bool> along; ///< one entry a dimension
  };
  std::vector<Work> work;
  /// What tasks read from global memory or write to it, besides the operands of
  /// matmuls.
  struct Tensor {
    std::string name;
    int64_t elementBytes = 4;
    std::vector<bool> along; ///< one entry a dimension
    bool written = false;
  };
  std::vector<Tensor> tensors;

  const Dimension *dim(std::string_view name) const;
};

/// Bytes that one buffer of a tile takes at a level.
struct BufferUse {
  std::string level;
  std::string name;
  int64_t bytes = 0;
};

/// How the blocks of a grid become tasks, and in which order these run.
struct TaskSchedule {
  int64_t merge = 1; ///< blocks a task does
  int dim = -1;      ///< of the problem, along which they lie; -1: none
  /// Rows of the grid of tasks (of its last dimension but one) that are gone
  /// through column by column before the next ones. 1: row by row.
  int64_t strip = 1;
  bool operator==(const TaskSchedule &) const = default;
};

/// A decision with what it was made of.
struct TileChoice {
  model::TileSizes sizes;
  TaskSchedule schedule; ///< that is fastest with these sizes
  double seconds = 0;    ///< of the kernel, estimated; 0: it cannot be computed
  std::string reason;
  std::vector<model::Alternative> weighed;
  std::vector<model::Metric> metrics;
};

/// Sizes in force for the outermost and the innermost tile: `sizes` with what
/// it does not name filled in from the level outside it, clipped to the
/// extents. The grid is made of outermost tiles.
struct ResolvedTiles {
  std::vector<int64_t> outer; ///< one a dimension
  std::vector<int64_t> inner;
  /// Depth of the outer tile of each operand of a matmul (`k#0`, `k#1` at the
  /// outermost level) where it is deeper than the step: it stays while the
  /// steps go through it. 0: as deep as the step.
  std::array<int64_t, 2> stays{};

  /// Depth of the outer tile of operand `index`.
  int64_t depthOf(size_t index) const {
    return std::max(outer.back(), stays[index]);
  }
};
/// 0 or 1 of a dimension `k#0` or `k#1`.
std::optional<size_t> depthOperand(std::string_view dim);
ResolvedTiles resolveTiles(const TileProblem &problem,
                           const model::TileSizes &sizes,
                           const target::Target &target);

/// What the buffers of one tile take, by level.
std::vector<BufferUse> bufferUses(const TileProblem &problem,
                                  const ResolvedTiles &tiles,
                                  const target::Target &target);
std::vector<BufferUse> bufferUses(const TileProblem &problem,
                                  const model::TileSizes &sizes,
                                  const target::Target &target);

/// Whether the matmul of a target with a packed micro-kernel reads its operands
/// as they lie: with so few rows or with one column, each element of the large
/// operand is used so few times that packing it would cost more than it gains.
/// Extents may be negative where they are not known.
bool readsInPlace(int64_t m, int64_t n, const target::Target &target);
bool readsInPlace(const TileProblem &problem, const target::Target &target);

/// Whether the left operand is read as it lies although the right one is
/// packed. A row is `rowBytes` from the next, or 0 where it has to be packed,
/// and meets `panels` panels of right operands in a tile. With few of them
/// packing costs more than it gains; rows a page apart meet in the same places
/// of the caches and are gone when a second panel wants them, so that only one
/// panel may.
bool leftInPlace(int64_t rowBytes, int64_t panels);

/// Whether the right operand is read as it lies as well, beside a left one that
/// is: `rows` of `rowBytes` (0 where it has to be packed). A small one stays in
/// the caches, and each task would pack all of it; rows 1 KiB apart would meet
/// in few places of the first cache.
bool rightInPlace(int64_t rowBytes, int64_t rows);

/// Whether a matmul whose tiles have `columns` columns reads its left operand
/// as it lies although it packs the right one.
bool leftInPlace(const TileProblem &problem, int64_t columns,
                 const target::Target &target);

/// Whether an operand (0: left, 1: right) comes in panels that were packed once
/// for all runs. `leftStays`: the left one is read as it lies.
bool packedOnce(const TileProblem &problem, size_t operand, bool leftStays,
                const target::Target &target);

/// Tiles of the grid; 0 if that depends on a size only known at run time.
int64_t taskCount(const TileProblem &problem, const model::TileSizes &sizes,
                  const target::Target &target);

/// Placement class of the problem's root: "matmul" or "elementwise".
std::string_view placementClass(const TileProblem &problem);

using model::formatBytes;

} // namespace tilewright::decision
