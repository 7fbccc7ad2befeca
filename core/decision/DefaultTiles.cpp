//===- DefaultTiles.cpp - tile sizes without being asked ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/DefaultTiles.h"
#include "core/decision/AttentionTiles.h"
#include "core/decision/TileMemo.h"
#include "core/decision/TileSearch.h"

namespace tilewright::decision {

static TileChoice search(const TileProblem &problem,
                         const target::Target &target, double budget) {
  if (problem.attention && target.placement("matmul") &&
      target.placement("elementwise"))
    return attentionTiles(problem, target, budget);
  if (problem.matmul && target.placement("matmul"))
    return matmulTiles(problem, target, budget);
  if (!problem.matmul && target.placement("elementwise"))
    return rowTiles(problem, target, budget);
  TileChoice choice;
  choice.reason = "target " + target.name + " places nothing";
  return choice;
}

TileChoice defaultTiles(const TileProblem &problem,
                        const target::Target &target, double budget) {
  static TileMemo memo;
  std::string question = textOf(problem, target, budget);
  if (std::optional<TileChoice> known = memo.find(question))
    return *known;
  TileChoice choice = search(problem, target, budget);
  memo.add(std::move(question), choice);
  return choice;
}

} // namespace tilewright::decision
