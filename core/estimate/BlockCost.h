//===- BlockCost.h - what one block of a grid costs -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TileProblem.h"
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tilewright::estimate {

inline constexpr size_t maxEngines = 16, maxMoves = 16;

/// Of one block.
struct BlockCost {
  std::array<double, maxEngines> seconds{}; ///< by engine
  std::array<double, maxMoves> bytes{};     ///< by move
  double flop = 0;
  double steady = 0; ///< seconds, once the core is busy
  double fill = 0;   ///< seconds, before that
};

/// How a class of kernels is computed on a target; made anew for each setting.
class BlockModel {
public:
  virtual ~BlockModel() = default;
  /// Of a block of `sizes` elements, one entry a dimension of the problem; of
  /// dimensions that are not parallel all that the block goes through.
  virtual BlockCost of(std::span<const int64_t> sizes) const = 0;

  std::vector<std::string> engines;                       ///< names
  std::vector<std::pair<std::string, std::string>> moves; ///< from, to
  std::string core;                                       ///< kind of core
  bool onePipe = false;                                   ///< of such a core
  bool doubled = false; ///< buffers have two copies
  bool accumulatorsDoubled = false;
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

/// What is assumed of a size only known at run time.
inline constexpr int64_t assumedExtent = 1024;

inline int64_t extentOf(const decision::Dimension &dimension) {
  return dimension.extent < 0 ? assumedExtent
                              : std::max<int64_t>(dimension.extent, 1);
}
inline int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t roundUp(int64_t a, int64_t to) { return ceilDiv(a, to) * to; }

/// (a^p + b^p + …)^(1/p): the longest of what runs side by side, and what they
/// hold each other up.
double smoothMaximum(std::span<const double> values, double p);

/// Null where the target places no such operation.
std::unique_ptr<BlockModel> matmulModel(const decision::TileProblem &problem,
                                        const model::TileSizes &sizes,
                                        const target::Target &target);
std::unique_ptr<BlockModel> rowsModel(const decision::TileProblem &problem,
                                      const model::TileSizes &sizes,
                                      const target::Target &target);
std::unique_ptr<BlockModel> attentionModel(const decision::TileProblem &problem,
                                           const model::TileSizes &sizes,
                                           const target::Target &target);

/// Rate of a move; `otherwise` where there is none.
double moveRate(const target::Target &target, std::string_view from,
                std::string_view to, double otherwise = 1e12);

/// Elements of a block along what is marked.
double elementsAlong(const std::vector<bool> &along,
                     std::span<const int64_t> sizes);

/// The caches a core owns, of a target whose cores have any.
struct Caches {
  std::string outer, inner; ///< names; equal where there is one
};
Caches cachesOf(const target::Target &target);

/// Bytes of all operands and results, each once.
double footprint(const decision::TileProblem &problem);

/// Whether they fit the outer caches of all cores together.
bool fitsCaches(const decision::TileProblem &problem,
                const target::Target &target);

} // namespace tilewright::estimate
