//===- SplitDepths.h - long sums of matmuls in parts ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matmul with few tiles of its result leaves cores idle however long the sum
// behind each is. Cut into P parts of k/P it is a batch of P products and the
// sum of these, always in the same order:
//
//   c[i, j] = sum_p sum_k' a[i, p k/P + k'] b[p k/P + k', j]
//
// The parts of the operands are views: nothing is moved for them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/PinsFile.h"
#include "core/model/Decision.h"
#include "core/model/Diagnostic.h"
#include "core/target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <set>

namespace tilewright::pass {

/// Unit attribute on the products of parts and on their sum: their reductions
/// have been split as far as they are.
inline constexpr llvm::StringLiteral depthPartAttrName = "tile.depth_part";

struct DepthSplits {
  std::vector<model::Decision> decisions;     ///< kind `split_k`
  std::vector<model::Diagnostic> diagnostics; ///< TW0214, TW0215
  std::set<const model::Pin *> usedPins;
};

/// Splits the matmuls of `func`, which has no scopes yet, where the estimate
/// says that it takes at least 10 % and four starts of a task less, or a pin of
/// kind `split_k` says so. Parts are equal: their number divides k. Matmuls of
/// an attention stay whole.
DepthSplits splitDepths(mlir::func::FuncOp func, const target::Target &target,
                        const decision::PinsFile &pins);

} // namespace tilewright::pass
