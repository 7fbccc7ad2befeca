//===- TileOps.cpp - operations of the Tile graph -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Tile/TileDialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "core/dialect/Tile/TileOps.cpp.inc"

LogicalResult MoveOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (getLevel().empty())
    return emitOpError("names no memory level [TW0302]");
  if (source.getShape() != result.getShape())
    return emitOpError() << "keeps the shape, but the source is " << source
                         << " and the result " << result << " [TW0302]";
  if (getLayout() && getLayout()->getKind() != LayoutKind::RowMajor &&
      source.getRank() != 2)
    return emitOpError() << "has a matrix layout on a tile of rank "
                         << source.getRank() << " [TW0302]";
  return success();
}
