//===- BlockCost.h - what one block of a grid costs -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TileArithmetic.h"
#include "core/decision/TileProblem.h"
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::estimate {

using decision::assumedExtent;
using decision::ceilDiv;
using decision::extentOf;
using decision::roundUp;

inline constexpr size_t maxEngines = 16, maxMoves = 16;

/// Of one block.
struct BlockCost {
  std::array<double, maxEngines> seconds{}; ///< by engine
  std::array<double, maxMoves> bytes{};     ///< by move
  double flop = 0;
  double steady = 0; ///< seconds, once the core is busy
  double fill = 0;   ///< seconds besides, of the first block of a task
};

/// How a class of kernels is computed on a target. What depends on neither
/// tiles nor sizes is looked up once; `use` takes the tiles, `of` the sizes.
class BlockModel {
public:
  virtual ~BlockModel() = default;
  /// The tiles that the next calls of `of` are about. With `ideal` what they
  /// cost at least if the tiles that are not parallel were as good as can be:
  /// as deep as the whole, started once, and with copies of all buffers.
  virtual void use(const decision::ResolvedTiles &tiles,
                   bool ideal = false) = 0;
  /// Of a block of `sizes` elements, one entry a dimension of the problem; of
  /// dimensions that are not parallel all that the block goes through. Without
  /// the loads that are the same for all blocks along `shared`, which a task
  /// that does several of them does once.
  virtual BlockCost of(std::span<const int64_t> sizes,
                       size_t shared = SIZE_MAX) const = 0;
  /// The share of a block's time that the longest block of the grid takes more
  /// than the average one, where blocks of equal sizes are not alike.
  virtual double longest() const { return 1; }

  std::vector<std::string> engines;                       ///< names
  std::vector<std::pair<std::string, std::string>> moves; ///< from, to
  std::string core;                                       ///< kind of core
  bool onePipe = false;                                   ///< of such a core
  bool doubled = false; ///< buffers have two copies
  bool accumulatorsDoubled = false;
  /// Level and name of a buffer that has one copy all the same; empty: none.
  std::vector<std::string> single;
  const target::ComputeRate *peak = nullptr; ///< what `flop` is measured by

protected:
  size_t engine(const std::string &name) {
    for (size_t i = 0; i < engines.size(); ++i)
      if (engines[i] == name)
        return i;
    if (engines.size() < maxEngines)
      engines.push_back(name);
    return engines.size() - 1;
  }
  size_t move(const std::string &from, const std::string &to) {
    for (size_t i = 0; i < moves.size(); ++i)
      if (moves[i].first == from && moves[i].second == to)
        return i;
    if (moves.size() < maxMoves)
      moves.emplace_back(from, to);
    return moves.size() - 1;
  }
};

/// (a^p + b^p + …)^(1/p): the longest of what runs side by side, and what they
/// hold each other up.
double smoothMaximum(std::span<const double> values, int p);

/// Null where the target places no such operation.
std::unique_ptr<BlockModel> matmulModel(const decision::TileProblem &problem,
                                        const target::Target &target);
std::unique_ptr<BlockModel> rowsModel(const decision::TileProblem &problem,
                                      const target::Target &target);
std::unique_ptr<BlockModel> attentionModel(const decision::TileProblem &problem,
                                           const target::Target &target);

/// Rate of a move; `otherwise` where there is none.
double moveRate(const target::Target &target, std::string_view from,
                std::string_view to, double otherwise = 1e12);

/// Elements of a block along what is marked.
double elementsAlong(const std::vector<bool> &along,
                     std::span<const int64_t> sizes);

/// Seconds of a move by one core: `bytes` in pieces of `pieceBytes` that lie
/// side by side. A piece takes a while however short it is.
double moveSeconds(const target::Move &move, double bytes, double pieceBytes);

/// The caches a core owns, of a target whose cores have any.
struct Caches {
  std::string outer, inner; ///< names; equal where there is one
};
Caches cachesOf(const target::Target &target);

/// Bytes of all operands and results, each once.
double footprint(const decision::TileProblem &problem);

/// The smallest memory that holds operands and results all together, of a
/// target whose cores own caches: there they are when a kernel begins, as
/// the one before it, or the run before this one, left them.
struct Home {
  enum class Where { OwnCaches, SharedCache, Memory } where = Where::Memory;
  double load = 1e12, store = 1e12; ///< bytes per second of one core
};
Home homeOf(const decision::TileProblem &problem, const target::Target &target);

} // namespace tilewright::estimate
