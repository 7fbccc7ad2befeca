//===- TileProblem.cpp - what a tile decision is about --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/TileProblem.h"
#include "core/decision/TileArithmetic.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace tilewright::decision {

const Dimension *TileProblem::dim(std::string_view name) const {
  for (const Dimension &dimension : dims)
    if (dimension.name == name)
      return &dimension;
  return nullptr;
}

std::string_view placementClass(const TileProblem &problem) {
  return problem.matmul ? "matmul" : "elementwise";
}

std::optional<size_t> depthOperand(std::string_view dim) {
  if (dim == "k#0" || dim == "k#1")
    return size_t(dim.back() - '0');
  return std::nullopt;
}

ResolvedTiles resolveTiles(const TileProblem &problem,
                           const model::TileSizes &sizes,
                           const target::Target &target) {
  ResolvedTiles tiles;
  const target::Placement *placement =
      target.placement(placementClass(problem));
  for (const Dimension &dimension : problem.dims) {
    int64_t current = dimension.extent > 0 ? dimension.extent : 1;
    std::optional<int64_t> outer;
    if (placement)
      for (const target::TileLevel &level : placement->tileLevels) {
        // Blocks of the register level shape the packing, not the loops.
        const target::Level *first =
            level.levels.empty() ? nullptr : target.level(level.levels.front());
        if (first && first->kind == "register")
          continue;
        auto atLevel = sizes.find(level.name);
        if (atLevel == sizes.end())
          continue;
        auto size = atLevel->second.find(dimension.name);
        if (size == atLevel->second.end() || size->second < 1)
          continue;
        current = dimension.extent > 0 && !outer
                      ? std::min(size->second, dimension.extent)
                  : outer ? std::min(size->second, current)
                          : size->second;
        if (!outer)
          outer = current;
      }
    tiles.outer.push_back(outer.value_or(current));
    tiles.inner.push_back(current);
  }
  if (problem.matmul && placement && !placement->tileLevels.empty())
    if (auto outermost = sizes.find(placement->tileLevels.front().name);
        outermost != sizes.end())
      for (const auto &[dim, size] : outermost->second)
        if (std::optional<size_t> operand = depthOperand(dim)) {
          int64_t extent = problem.dims.back().extent;
          int64_t depth = extent > 0 ? std::min(size, extent) : size;
          tiles.stays[*operand] = depth > tiles.outer.back() ? depth : 0;
        }
  // A batch is computed matrix by matrix.
  for (size_t d = 0; problem.matmul && d + 3 < problem.dims.size(); ++d)
    tiles.outer[d] = tiles.inner[d] = 1;
  return tiles;
}

bool readsInPlace(int64_t m, int64_t n, const target::Target &target) {
  int64_t rows = target.registerBlock.rows;
  // Below two thirds of a block of rows most of the micro-kernel's work would
  // be on rows that are not there.
  return rows > 0 && ((m > 0 && 3 * m <= 2 * rows) || n == 1);
}

bool readsInPlace(const TileProblem &problem, const target::Target &target) {
  if (!problem.matmul)
    return false;
  size_t batches = problem.dims.size() - 3;
  return readsInPlace(problem.dims[batches].extent,
                      problem.dims[batches + 1].extent, target);
}

bool leftInPlace(int64_t rowBytes, int64_t panels) {
  // Rows a page apart meet in the same places of the caches: read again for a
  // second panel, they are no longer there.
  constexpr int64_t page = 4096, few = 8;
  return rowBytes > 0 && panels <= (rowBytes % page ? few : 1);
}

bool rightInPlace(int64_t rowBytes, int64_t rows) {
  constexpr int64_t near = 128 << 10, apart = 1024;
  return rowBytes > 0 && rowBytes % apart && rowBytes * rows <= near;
}

bool leftInPlace(const TileProblem &problem, int64_t columns,
                 const target::Target &target) {
  int64_t width = target.registerBlock.columns;
  return width > 0 && leftInPlace(problem.lhsRowBytes,
                                  problem.matmuls * ceilDiv(columns, width));
}

bool packedOnce(const TileProblem &problem, size_t operand, bool leftStays,
                const target::Target &target) {
  if (target.registerBlock.rows <= 0 || readsInPlace(problem, target))
    return false;
  return operand == 0
             ? problem.lhsWeight && !problem.lhsPrologueBytes && !leftStays
             : problem.rhsWeight && !problem.rhsPrologueBytes;
}

std::vector<BufferUse> bufferUses(const TileProblem &problem,
                                  const model::TileSizes &sizes,
                                  const target::Target &target) {
  return bufferUses(problem, resolveTiles(problem, sizes, target), target);
}

std::vector<BufferUse> bufferUses(const TileProblem &problem,
                                  const ResolvedTiles &tiles,
                                  const target::Target &target) {
  std::vector<BufferUse> uses;
  const target::Placement *placement =
      target.placement(placementClass(problem));
  if (!placement)
    return uses;
  std::string resultLevel =
      placement->result.empty() ? "" : placement->result.front().level;
  if (!problem.matmul) {
    bool cut = false;
    for (size_t d = 0; d < problem.dims.size(); ++d)
      cut |= !problem.dims[d].parallel && problem.dims[d].extent > 0 &&
             tiles.outer[d] < problem.dims[d].extent;
    std::vector<TileProblem::Buffer> buffers = problem.buffers;
    if (cut)
      buffers.insert(buffers.end(), problem.pieceBuffers.begin(),
                     problem.pieceBuffers.end());
    for (const TileProblem::Buffer &buffer : buffers) {
      int64_t bytes = buffer.elementBytes;
      for (size_t d = 0; d < problem.dims.size(); ++d)
        if (buffer.along[d])
          bytes *= tiles.outer[d];
      uses.push_back({resultLevel, buffer.name, bytes});
    }
    return uses;
  }
  size_t batches = problem.dims.size() - 3;
  size_t m = batches, n = batches + 1, k = batches + 2;
  const target::RegisterBlock &block = target.blockFor(problem.dtype);
  bool inPlace = readsInPlace(problem, target);
  bool leftStays = leftInPlace(problem, tiles.outer[n], target);
  bool rightStays =
      leftStays && rightInPlace(problem.rhsRowBytes,
                                std::max<int64_t>(problem.dims[k].extent, 0));
  auto operand = [&](size_t index, const char *name, size_t side,
                     int64_t elementBytes, int64_t prologueBytes) {
    int64_t copies = problem.sharedLhs == (index == 0) ? 1 : problem.matmuls;
    std::vector<target::Stop> path = target.operandPath("matmul", index);
    for (size_t stop = 1; stop < path.size(); ++stop) {
      const target::Level *level = target.level(path[stop].level);
      bool packed = path[stop].layout == "packed" && !inPlace &&
                    !(index == 0 ? leftStays : rightStays);
      // A cache that holds the operand as it is holds no copy of it.
      if (level && level->kind == "cache" &&
          (!packed || packedOnce(problem, index, leftStays, target)))
        continue;
      bool outer = stop == 1 && path.size() > 2;
      int64_t along = outer ? tiles.outer[side] : tiles.inner[side];
      int64_t depth = outer ? tiles.depthOf(index) : tiles.inner[k];
      if (packed) {
        along = roundUp(along, std::max<int64_t>(1, side == m ? block.rows
                                                              : block.columns));
        depth = roundUp(depth, block.multiple);
      }
      // Panels are f32 but where the unit takes groups of what there is.
      int64_t panelBytes = block.multiple > 1 ? elementBytes : 4;
      uses.push_back(
          {path[stop].level, name,
           copies * along * depth * (packed ? panelBytes : elementBytes)});
      if (prologueBytes && packed)
        uses.push_back({path[stop].level, std::string(name) + " prologue",
                        copies * along * depth * prologueBytes});
    }
  };
  operand(0, "lhs", m, problem.lhsBytes, problem.lhsPrologueBytes);
  operand(1, "rhs", n, problem.rhsBytes, problem.rhsPrologueBytes);
  // Sums are kept in f32. Through a cache they stream, once for each step of
  // the depth, and need no room of their own beside the operands.
  if (!target.isCache(resultLevel))
    uses.push_back({resultLevel,
                    problem.matmuls > 1 ? "accumulators" : "accumulator",
                    problem.matmuls * tiles.outer[m] * tiles.outer[n] * 4});
  return uses;
}

int64_t taskCount(const TileProblem &problem, const model::TileSizes &sizes,
                  const target::Target &target) {
  ResolvedTiles tiles = resolveTiles(problem, sizes, target);
  int64_t tasks = 1;
  for (size_t d = 0; d < problem.dims.size(); ++d) {
    if (!problem.dims[d].parallel)
      continue;
    if (problem.dims[d].extent < 0)
      return 0;
    tasks *= (problem.dims[d].extent + tiles.outer[d] - 1) / tiles.outer[d];
  }
  return tasks;
}

std::string fillText(const TileProblem &problem, const model::TileSizes &sizes,
                     const target::Target &target) {
  std::map<std::string, int64_t> bytes;
  for (const BufferUse &use : bufferUses(problem, sizes, target))
    bytes[use.level] += use.bytes;
  std::string text;
  for (const auto &[level, total] : bytes)
    text += (text.empty() ? "" : ", ") + level + " " + formatBytes(total) +
            " of " + formatBytes(target.usableBytes(level));
  return text;
}

} // namespace tilewright::decision
