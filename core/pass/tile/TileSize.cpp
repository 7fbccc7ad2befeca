//===- TileSize.cpp - how large one tile of a row of tiles is -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/TileSize.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tilewright::pass {

OpFoldResult tileSize(OpBuilder &builder, Location loc, OpFoldResult extent,
                      OpFoldResult offset, int64_t tile) {
  std::optional<int64_t> whole = getConstantIntValue(extent);
  if (whole && *whole <= tile)
    return extent;
  if (whole && *whole % tile == 0)
    return builder.getIndexAttr(tile);
  AffineExpr d0, s0;
  bindDims(builder.getContext(), d0);
  bindSymbols(builder.getContext(), s0);
  AffineMap map =
      AffineMap::get(1, 1, {builder.getAffineConstantExpr(tile), s0 - d0},
                     builder.getContext());
  return affine::makeComposedFoldedAffineMin(builder, loc, map,
                                             {offset, extent});
}

std::optional<int64_t> upperBound(OpFoldResult size, unsigned depth) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return constant;
  auto value = dyn_cast<Value>(size);
  Operation *op = value ? value.getDefiningOp() : nullptr;
  if (!op || !depth)
    return std::nullopt;
  if (auto min = dyn_cast<affine::AffineMinOp>(op)) {
    std::optional<int64_t> least;
    for (AffineExpr expr : min.getMap().getResults())
      if (auto constant = dyn_cast<AffineConstantExpr>(expr))
        least =
            std::min(least.value_or(constant.getValue()), constant.getValue());
      else if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
        if (auto bound =
                upperBound(min.getDimOperands()[dim.getPosition()], depth - 1))
          least = std::min(least.value_or(*bound), *bound);
      } else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
        if (auto bound = upperBound(
                min.getSymbolOperands()[symbol.getPosition()], depth - 1))
          least = std::min(least.value_or(*bound), *bound);
      }
    return least;
  }
  return std::nullopt;
}

} // namespace tilewright::pass
