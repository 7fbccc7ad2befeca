//===- BufferizeMoves.cpp - moves between memory levels -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Tile/TileDialect.h"
#include "core/pass/block/Bufferizer.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace tilewright::pass {

LogicalResult Bufferizer::convertStore(tensor::ParallelInsertSliceOp store) {
  if (stores.contains(store))
    return success(); // written where it goes
  FailureOr<Buffer> source = bufferOf(store, store.getSource());
  if (failed(source))
    return failure();
  auto type = cast<RankedTensorType>(store.getSource().getType());
  Value place = storePlace(store, type);
  builder.create<block::MoveOp>(store.getLoc(), source->memref, place, nullptr,
                                nullptr);
  return success();
}

LogicalResult Bufferizer::convertMove(tile::MoveOp move) {
  FailureOr<Buffer> source = bufferOf(move, move.getSource());
  if (failed(source))
    return failure();
  std::string level = move.getLevel().str();
  bool sameType = move.getSource().getType() == move.getType();
  if (target.isCache(level) && !move.getLayout() && sameType) {
    buffers[move.getResult()] = *source; // caches fill themselves
    return success();
  }
  if (level == target::Target::globalMemory) {
    // A conversion on the way out: the store does it.
    if (!llvm::all_of(move->getUsers(), [](Operation *user) {
          return isa<tensor::ParallelInsertSliceOp>(user);
        }))
      return move.emitError()
             << "moves to global memory what is used again in the same "
                "kernel [TW0405]";
    buffers[move.getResult()] = *source;
    return success();
  }
  tile::LayoutAttr layout = move.getLayoutAttr();
  if (layout && layout.getKind() == tile::LayoutKind::Packed)
    return convertPack(move, *source);
  FailureOr<Buffer> dest =
      allocate(move, move.getResult(), level, source->sizes);
  if (failed(dest))
    return failure();
  builder.create<block::MoveOp>(move.getLoc(), source->memref, dest->memref,
                                layout, nullptr);
  buffers[move.getResult()] = *dest;
  return success();
}

LogicalResult Bufferizer::convertPack(tile::MoveOp move, const Buffer &source) {
  Location loc = move.getLoc();
  tile::LayoutAttr layout = move.getLayoutAttr();
  int64_t axis = layout.getAxis(), panel = layout.getBlock();
  std::optional<int64_t> along = upperBound(source.sizes[axis]);
  std::optional<int64_t> depth = upperBound(source.sizes[1 - axis]);
  if (!along || !depth)
    return move.emitError() << "packs a tile that has no upper bound "
                               "[TW0406]";
  int64_t panels = (*along + panel - 1) / panel;
  int64_t group = layout.getGroup();
  Value memref = builder.create<block::AllocOp>(
      loc,
      memrefType({panels, layout.groupsOf(*depth), panel * group},
                 getElementTypeOrSelf(move.getType()), move.getLevel()),
      nullptr);
  // Valid panels: those that hold any element.
  AffineExpr d0;
  bindDims(builder.getContext(), d0);
  OpFoldResult count = affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(1, 0, d0.ceilDiv(panel)),
      {source.sizes[axis]});
  OpFoldResult groups = source.sizes[1 - axis];
  if (int64_t multiple = layout.getMultiple(); multiple > 1)
    groups = affine::makeComposedFoldedAffineApply(
        builder, loc,
        AffineMap::get(1, 0, d0.ceilDiv(multiple) * (multiple / group)),
        {groups});
  Buffer buffer;
  buffer.memref = validPart(
      loc, memref, {count, groups, builder.getIndexAttr(panel * group)});
  buffer.sizes = source.sizes;
  buffer.capacity = source.capacity;
  buffer.layout = layout;
  builder.create<block::MoveOp>(loc, source.memref, buffer.memref, layout,
                                nullptr);
  buffers[move.getResult()] = buffer;
  return success();
}

} // namespace tilewright::pass
