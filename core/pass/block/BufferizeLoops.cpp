//===- BufferizeLoops.cpp - grids and loops on buffers --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Block/BlockDialect.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/pass/block/Bufferizer.h"
#include "core/pass/tile/ScopeSpace.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::pass {

LogicalResult Bufferizer::convertForall(scf::ForallOp loop) {
  for (auto [i, result] : llvm::enumerate(loop.getResults())) {
    auto it = outputs.find(result);
    if (it == outputs.end()) {
      // One grid makes it for another of the scope.
      if (loop->getParentOp() != func ||
          !loop.getOutputs()[i].getDefiningOp<tensor::EmptyOp>() ||
          !cast<RankedTensorType>(result.getType()).hasStaticShape())
        return loop.emitError() << "makes a tensor that the scope does not "
                                   "return [TW0405]";
      Value between = builder.create<block::BufferOp>(
          loop.getLoc(), globalType(result.getType()));
      it = outputs.insert({result, between}).first;
    }
    shared[loop.getRegionIterArgs()[i]] = it->second;
    setWhole(loop.getRegionIterArgs()[i], it->second);
    setWhole(result, it->second);
  }
  auto made = builder.create<scf::ForallOp>(
      loop.getLoc(), indices(loop.getMixedLowerBound()),
      indices(loop.getMixedUpperBound()), indices(loop.getMixedStep()),
      ValueRange(), std::nullopt);
  if (Attribute sizes = loop->getAttr(tile::sizesAttrName))
    made->setAttr(tile::sizesAttrName, sizes);
  for (auto [from, to] :
       llvm::zip(loop.getInductionVars(), made.getInductionVars()))
    mapping.map(from, to);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(made.getTerminator());
  made.getTerminator()->setLoc(loop.getLoc());
  for (Operation &op : loop.getBody()->without_terminator())
    if (failed(convert(&op)))
      return failure();
  for (Operation &op : loop.getTerminator().getYieldingOps())
    if (failed(convertStore(cast<tensor::ParallelInsertSliceOp>(op))))
      return failure();
  return success();
}

LogicalResult Bufferizer::convertFor(scf::ForOp loop) {
  for (Type type : loop.getResultTypes())
    if (!isa<RankedTensorType>(type))
      return loop.emitError()
             << "carries " << type << " from step to step; tiles can [TW0405]";
  for (auto [init, arg, result] : llvm::zip(
           loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
    FailureOr<Buffer> buffer = bufferOf(loop, init);
    if (failed(buffer))
      return failure();
    if (!init.hasOneUse() || !buffer->onChip()) {
      // Kept by others too, or not ours: sums need a buffer of their own.
      bool ours = init.hasOneUse() && init.getDefiningOp() &&
                  init.getDefiningOp()->getParentOp() == loop->getParentOp() &&
                  roleOf(init.getDefiningOp()) == OpRole::Fill;
      if (!ours) {
        Operation *unit = unitOf(arg);
        FailureOr<Buffer> own = allocate(
            loop, init, resultLevel(unit ? unit : loop), buffer->sizes);
        if (failed(own))
          return failure();
        builder.create<block::MoveOp>(loop.getLoc(), buffer->memref,
                                      own->memref, nullptr, nullptr);
        buffer = own;
      }
    }
    buffers[arg] = *buffer;
    buffers[result] = *buffer;
  }
  auto made = builder.create<scf::ForOp>(
      loop.getLoc(), index(loop.getLowerBound()), index(loop.getUpperBound()),
      index(loop.getStep()));
  mapping.map(loop.getInductionVar(), made.getInductionVar());
  OpBuilder::InsertionGuard guard(builder);
  made.getBody()->getTerminator()->setLoc(loop.getLoc());
  builder.setInsertionPoint(made.getBody()->getTerminator());
  for (Operation &op : loop.getBody()->without_terminator())
    if (failed(convert(&op)))
      return failure();
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  for (auto [value, arg] :
       llvm::zip(yield.getResults(), loop.getRegionIterArgs())) {
    FailureOr<Buffer> from = bufferOf(yield, value);
    if (failed(from))
      return failure();
    if (from->memref != buffers[arg].memref)
      builder.create<block::MoveOp>(yield.getLoc(), from->memref,
                                    buffers[arg].memref, nullptr, nullptr);
  }
  return success();
}

} // namespace tilewright::pass
