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

} // namespace tilewright::pass
