//===- Bufferize.cpp - tiles become buffers and instructions --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/Bufferize.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/pass/block/JoinProgram.h"
#include "core/pass/tile/ScopeSpace.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::pass {
namespace {

using Sizes = SmallVector<OpFoldResult>;

/// The largest value an index can have, from the forms that tiling makes.
std::optional<int64_t> upperBound(OpFoldResult size, unsigned depth = 8) {
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

/// A tile: the memref of its valid part, that part's sizes, the static sizes
/// of the room it has, and the layout it lies in.
struct Buffer {
  Value memref;
  Sizes sizes; ///< logical, also where the memref is packed
  SmallVector<int64_t> capacity;
  tile::LayoutAttr layout;

  bool onChip() const {
    return block::underlyingBuffer(memref).getDefiningOp<block::AllocOp>();
  }
};

class Bufferizer {
public:
  Bufferizer(func::FuncOp func, const target::Target &target)
      : func(func), target(target), builder(func.getContext()) {}

  LogicalResult run() {
    FunctionType type = func.getFunctionType();
    for (Type each :
         llvm::concat<const Type>(type.getInputs(), type.getResults()))
      if (auto tensor = dyn_cast<RankedTensorType>(each);
          tensor && !tensor.hasStaticShape())
        return func.emitError()
               << "has " << tensor
               << " in its signature: kernels for sizes only known at run time "
                  "are not made yet; give the sizes to go beyond the Tile "
                  "graph [TW0404]";

    // The new function beside the old one, which stays whole until the end.
    SmallVector<Type> inputs;
    for (Type input : type.getInputs())
      inputs.push_back(globalType(input));
    for (Type result : type.getResults())
      inputs.push_back(globalType(result));
    builder.setInsertionPoint(func);
    auto made = builder.create<func::FuncOp>(
        func.getLoc(), func.getSymName(), builder.getFunctionType(inputs, {}));
    made->setDiscardableAttrs(func->getDiscardableAttrDictionary());
    made.setVisibility(func.getVisibility());
    made->setAttr(resultCountAttrName,
                  builder.getI64IntegerAttr(type.getNumResults()));
    Block *entry = made.addEntryBlock();
    for (BlockArgument argument : entry->getArguments())
      argument.setLoc(func.getLoc());
    builder.setInsertionPointToStart(entry);

    Block &old = func.front();
    for (auto [i, argument] : llvm::enumerate(old.getArguments())) {
      if (isa<RankedTensorType>(argument.getType()))
        setWhole(argument, entry->getArgument(i));
      else
        mapping.map(argument, entry->getArgument(i));
    }
    // Where each result goes: back from the return through the grids.
    auto ret = cast<func::ReturnOp>(old.getTerminator());
    for (auto [i, value] : llvm::enumerate(ret.getOperands())) {
      Value output = entry->getArgument(type.getNumInputs() + i);
      for (Value from = value; from;) {
        // Where the writing starts; several results may start from one.
        if (from.getDefiningOp<tensor::EmptyOp>())
          break;
        if (outputs.count(from))
          return fail(made, func.emitError()
                                << "returns a value twice [TW0405]");
        outputs[from] = output;
        if (Operation *shape = from.getDefiningOp();
            isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
                shape)) {
          // The grid writes the same elements under another shape.
          output =
              reshaped(shape->getLoc(), output,
                       cast<RankedTensorType>(shape->getOperand(0).getType()));
          from = shape->getOperand(0);
          continue;
        }
        auto loop = from.getDefiningOp<scf::ForallOp>();
        if (!loop)
          return fail(made, func.emitError()
                                << "returns what no grid makes; expand-tiles "
                                   "first [TW0405]");
        from = loop.getOutputs()[cast<OpResult>(from).getResultNumber()];
      }
    }
    for (Operation &op : old.without_terminator())
      if (failed(convert(&op)))
        return fail(made, {});
    builder.create<func::ReturnOp>(ret.getLoc());
    func.erase();
    func = made;
    cleanUp();
    repairKeys(func);
    return success();
  }

private:
  LogicalResult fail(func::FuncOp made,
                     std::optional<InFlightDiagnostic> error) {
    made.erase();
    return failure();
  }

  MemRefType memrefType(ArrayRef<int64_t> shape, Type element,
                        StringRef level) {
    return MemRefType::get(shape, element, MemRefLayoutAttrInterface(),
                           block::LevelAttr::get(builder.getContext(), level));
  }

  Type globalType(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? memrefType(tensor.getShape(), tensor.getElementType(),
                               block::globalLevel)
                  : type;
  }

  void setWhole(Value tensor, Value memref) {
    Buffer buffer{memref, {}, {}, nullptr};
    for (int64_t size : cast<MemRefType>(memref.getType()).getShape()) {
      buffer.sizes.push_back(builder.getIndexAttr(size));
      buffer.capacity.push_back(size);
    }
    buffers[tensor] = buffer;
  }

  /// A buffer that is all of an argument, as one of another shape: to or from
  /// one dimension.
  Value reshaped(Location loc, Value memref, RankedTensorType type) {
    auto from = cast<MemRefType>(memref.getType());
    MemRefType to = memrefType(type.getShape(), type.getElementType(),
                               block::levelOf(from));
    int64_t rank = std::max(from.getRank(), to.getRank());
    SmallVector<ReassociationIndices> groups;
    if (std::min(from.getRank(), to.getRank()) > 0)
      groups.push_back(llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    if (to.getRank() <= from.getRank())
      return builder.create<memref::CollapseShapeOp>(loc, to, memref, groups);
    return builder.create<memref::ExpandShapeOp>(loc, to, memref, groups);
  }

  LogicalResult convertWholeShape(Operation *op) {
    if (outputs.count(op->getResult(0)))
      return success(); // seen from the return
    FailureOr<Buffer> source = bufferOf(op, op->getOperand(0));
    if (failed(source))
      return failure();
    setWhole(op->getResult(0),
             reshaped(op->getLoc(), source->memref,
                      cast<RankedTensorType>(op->getResult(0).getType())));
    return success();
  }

  Value index(Value value) { return mapping.lookupOrDefault(value); }
  OpFoldResult index(OpFoldResult size) {
    auto value = dyn_cast<Value>(size);
    return value ? OpFoldResult(index(value)) : size;
  }
  Sizes indices(ArrayRef<OpFoldResult> sizes) {
    Sizes result;
    for (OpFoldResult size : sizes)
      result.push_back(index(size));
    return result;
  }

  static bool isTensor(Value value) {
    return isa<RankedTensorType>(value.getType());
  }

  FailureOr<Buffer> bufferOf(Operation *user, Value tensor) {
    auto it = buffers.find(tensor);
    if (it == buffers.end())
      return user->emitError() << "reads a tensor that has no buffer [TW0405]";
    return it->second;
  }

  /// A view of the first `sizes` elements; `memref` itself if that is all.
  Value validPart(Location loc, Value memref, ArrayRef<OpFoldResult> sizes) {
    auto type = cast<MemRefType>(memref.getType());
    bool whole = true;
    for (auto [size, room] : llvm::zip(sizes, type.getShape()))
      whole &= isConstantIntValue(size, room);
    if (whole)
      return memref;
    Sizes zeros(sizes.size(), builder.getIndexAttr(0));
    Sizes ones(sizes.size(), builder.getIndexAttr(1));
    return builder.create<memref::SubViewOp>(loc, memref, zeros, sizes, ones);
  }

  //===--------------------------------------------------------------------===//
  // Buffers of results
  //===--------------------------------------------------------------------===//

  std::string resultLevel(Operation *op) {
    const target::Placement *placement = target.placement(targetClassOf(op));
    return placement && !placement->result.empty()
               ? placement->result.front().level
               : "GM";
  }

  /// The sum that a value is part of is made by the matrix unit.
  static Operation *unitOf(Value tensor) {
    for (OpOperand &use : tensor.getUses()) {
      if (auto loop = dyn_cast<scf::ForOp>(use.getOwner()))
        if (use.getOperandNumber() >= 3)
          return unitOf(loop.getRegionIterArgs()[use.getOperandNumber() - 3]);
      if (auto matmul = dyn_cast<tw::MatmulOp>(use.getOwner()))
        if (matmul.getAcc() == tensor)
          return matmul;
    }
    return tensor.getDefiningOp();
  }

  FailureOr<Buffer> allocate(Operation *op, Value tensor, StringRef level,
                             ArrayRef<OpFoldResult> sizes,
                             ArrayRef<int64_t> roundTo = {}) {
    Buffer buffer;
    SmallVector<int64_t> room;
    for (auto [d, size] : llvm::enumerate(sizes)) {
      std::optional<int64_t> bound = upperBound(size);
      if (!bound)
        return op->emitError()
               << "makes a tile whose size along dimension " << d
               << " has no upper bound, so that no buffer can be made for it "
                  "[TW0406]";
      buffer.capacity.push_back(*bound);
      int64_t to = d < roundTo.size() ? std::max<int64_t>(1, roundTo[d]) : 1;
      room.push_back((*bound + to - 1) / to * to);
    }
    buffer.sizes.assign(sizes.begin(), sizes.end());
    Value memref = builder.create<block::AllocOp>(
        op->getLoc(),
        memrefType(room, getElementTypeOrSelf(tensor.getType()), level),
        nullptr);
    buffer.memref = validPart(op->getLoc(), memref, sizes);
    return buffer;
  }

  /// Blocks of the micro-kernel that may write over the edges of its result:
  /// its destination needs room for whole ones.
  SmallVector<int64_t> destinationBlocks(Operation *unit) {
    if (!isa_and_nonnull<tw::MatmulOp>(unit) || !target.registerBlock.rows)
      return {};
    return {target.registerBlock.rows, target.registerBlock.columns};
  }

  /// The part of an output that `tensor`, made in a grid, will be stored to, if
  /// the unit can write there: then there is nothing to store.
  std::optional<Buffer> outputFor(Value tensor, Operation *unit,
                                  ArrayRef<OpFoldResult> sizes) {
    Value stored = tensor;
    while (stored.hasOneUse()) {
      OpOperand &use = *stored.getUses().begin();
      if (auto loop = dyn_cast<scf::ForOp>(use.getOwner())) {
        if (use.getOperandNumber() < 3)
          return std::nullopt;
        stored = loop.getResult(use.getOperandNumber() - 3);
        continue;
      }
      if (auto yield = dyn_cast<scf::YieldOp>(use.getOwner())) {
        auto loop = dyn_cast<scf::ForOp>(yield->getParentOp());
        if (!loop)
          return std::nullopt;
        stored = loop.getResult(use.getOperandNumber());
        continue;
      }
      if (auto matmul = dyn_cast<tw::MatmulOp>(use.getOwner());
          matmul && matmul.getAcc() == stored) {
        stored = matmul.getResult();
        continue;
      }
      break;
    }
    if (!stored.hasOneUse())
      return std::nullopt;
    auto store =
        dyn_cast<tensor::ParallelInsertSliceOp>(*stored.getUsers().begin());
    if (!store || store.getSource() != stored)
      return std::nullopt;
    // Only what a core reads through caches can be written where it goes.
    std::string level = resultLevel(unit);
    if (!target.isCache(level))
      return std::nullopt;
    auto type = cast<RankedTensorType>(stored.getType());
    if (getElementTypeOrSelf(tensor.getType()) != type.getElementType())
      return std::nullopt;
    for (auto [d, block] : llvm::enumerate(destinationBlocks(unit))) {
      std::optional<int64_t> size = getConstantIntValue(sizes[d]);
      if (!size || *size % block)
        return std::nullopt;
    }
    // Offsets and sizes must be there already.
    for (OpFoldResult size : llvm::concat<OpFoldResult>(store.getMixedOffsets(),
                                                        store.getMixedSizes()))
      if (auto value = dyn_cast<Value>(size))
        if (!mapping.contains(value))
          return std::nullopt;
    Buffer buffer;
    buffer.memref = storePlace(store, type);
    buffer.sizes.assign(sizes.begin(), sizes.end());
    for (OpFoldResult size : sizes)
      buffer.capacity.push_back(upperBound(size).value_or(0));
    stores.insert(store);
    return buffer;
  }

  /// The memref a store writes to.
  Value storePlace(tensor::ParallelInsertSliceOp store, RankedTensorType type) {
    Value output = shared[store.getDest()];
    Sizes offsets = indices(store.getMixedOffsets());
    Sizes sizes = indices(store.getMixedSizes());
    Sizes strides = indices(store.getMixedStrides());
    auto outputType = cast<MemRefType>(output.getType());
    if (type.getRank() == outputType.getRank())
      return builder.create<memref::SubViewOp>(store.getLoc(), output, offsets,
                                               sizes, strides);
    auto reduced =
        cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
            type.getShape(), outputType, offsets, sizes, strides));
    return builder.create<memref::SubViewOp>(store.getLoc(), reduced, output,
                                             offsets, sizes, strides);
  }

  /// Whether `tensor` is not read after `op`, so that `op` may write over it.
  static bool endsAt(Value tensor, Operation *op) {
    if (tensor.getParentBlock() != op->getBlock())
      return false;
    return llvm::all_of(tensor.getUsers(), [&](Operation *user) {
      Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
      return here && (here == op || here->isBeforeInBlock(op));
    });
  }

  /// Where `op` writes its result: the place it is stored to, an operand that
  /// ends here, or a buffer of its own.
  FailureOr<Buffer> destination(Operation *op, ArrayRef<OpFoldResult> sizes,
                                ArrayRef<Value> reusable = {}) {
    Value result = op->getResult(0);
    Operation *unit = roleOf(op) == OpRole::Fill ? unitOf(result) : op;
    if (!unit)
      unit = op;
    if (std::optional<Buffer> output = outputFor(result, unit, sizes))
      return *output;
    auto type = cast<RankedTensorType>(result.getType());
    for (Value operand : reusable) {
      auto it = buffers.find(operand);
      if (it == buffers.end() || operand.getType() != type ||
          !it->second.onChip() || it->second.layout || !endsAt(operand, op))
        continue;
      auto memref = cast<MemRefType>(it->second.memref.getType());
      if (block::levelOf(memref) != resultLevel(unit) &&
          !(target.isCache(block::levelOf(memref).str()) &&
            target.isCache(resultLevel(unit))))
        continue;
      // Two names of one buffer: nothing else may hold the other one.
      bool alone = true;
      Value root = block::underlyingBuffer(it->second.memref);
      for (auto &[other, buffer] : buffers)
        if (other != operand &&
            block::underlyingBuffer(buffer.memref) == root &&
            !endsAt(other, op))
          alone = alone && !mayBeRead(other, op);
      if (alone)
        return it->second;
    }
    return allocate(op, result, resultLevel(unit), sizes,
                    destinationBlocks(unit));
  }

  /// Whether a value seen before may still be read at or after `op`.
  static bool mayBeRead(Value tensor, Operation *op) {
    return llvm::any_of(tensor.getUsers(), [&](Operation *user) {
      Operation *here = op->getBlock()->findAncestorOpInBlock(*user);
      return !here ? !user->isProperAncestor(op) &&
                         user->getBlock() != op->getBlock()
                   : op->isBeforeInBlock(here);
    });
  }

  //===--------------------------------------------------------------------===//
  // Operations
  //===--------------------------------------------------------------------===//

  LogicalResult convert(Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](scf::ForallOp o) { return convertForall(o); })
        .Case([&](scf::ForOp o) { return convertFor(o); })
        .Case([&](tensor::EmptyOp o) { return success(); })
        .Case([&](tensor::ExtractSliceOp o) { return convertSlice(o); })
        .Case([&](tensor::ExpandShapeOp o) {
          return o->getParentOp() == func ? convertWholeShape(o)
                                          : convertExpand(o);
        })
        .Case([&](tensor::CollapseShapeOp o) { return convertWholeShape(o); })
        .Case([&](tile::MoveOp o) { return convertMove(o); })
        .Case([&](tw::MatmulOp o) { return convertMatmul(o); })
        .Case([&](tw::ReduceOp o) { return convertReduce(o); })
        .Case([&](tw::FullOp o) { return convertFull(o); })
        .Case([&](tw::TransposeOp o) { return convertTranspose(o); })
        .Case([&](tw::ReshapeOp o) { return convertReshape(o); })
        .Case([&](linalg::LinalgOp o) { return convertLinalg(o); })
        .Default([&](Operation *o) { return convertOther(o); });
  }

  LogicalResult convertForall(scf::ForallOp loop) {
    for (auto [i, result] : llvm::enumerate(loop.getResults())) {
      auto it = outputs.find(result);
      if (it == outputs.end())
        return loop.emitError() << "makes a tensor that the scope does not "
                                   "return [TW0405]";
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

  LogicalResult convertStore(tensor::ParallelInsertSliceOp store) {
    if (stores.contains(store))
      return success(); // written where it goes
    FailureOr<Buffer> source = bufferOf(store, store.getSource());
    if (failed(source))
      return failure();
    auto type = cast<RankedTensorType>(store.getSource().getType());
    Value place = storePlace(store, type);
    builder.create<block::MoveOp>(store.getLoc(), source->memref, place,
                                  nullptr, nullptr);
    return success();
  }

  LogicalResult convertFor(scf::ForOp loop) {
    for (Type type : loop.getResultTypes())
      if (!isa<RankedTensorType>(type))
        return loop.emitError() << "carries " << type
                                << " from step to step; tiles can [TW0405]";
    for (auto [init, arg, result] : llvm::zip(
             loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
      FailureOr<Buffer> buffer = bufferOf(loop, init);
      if (failed(buffer))
        return failure();
      if (!init.hasOneUse() || !buffer->onChip()) {
        // Kept by others too, or not ours: sums need a buffer of their own.
        bool ours =
            init.hasOneUse() && init.getDefiningOp() &&
            init.getDefiningOp()->getParentOp() == loop->getParentOp() &&
            roleOf(init.getDefiningOp()) == OpRole::Fill;
        if (!ours) {
          Operation *unit = unitOf(arg);
          FailureOr<Buffer> own =
              allocate(loop, init, resultLevel(unit ? unit : loop),
                       buffer->sizes, destinationBlocks(unit));
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

  LogicalResult convertSlice(tensor::ExtractSliceOp slice) {
    FailureOr<Buffer> source = bufferOf(slice, slice.getSource());
    if (failed(source))
      return failure();
    if (source->layout)
      return slice.emitError() << "cuts a packed tile [TW0405]";
    Sizes offsets = indices(slice.getMixedOffsets());
    Sizes sizes = indices(slice.getMixedSizes());
    Sizes strides = indices(slice.getMixedStrides());
    auto sourceType = cast<MemRefType>(source->memref.getType());
    auto type = slice.getType();
    auto viewType = cast<MemRefType>(
        type.getRank() == sourceType.getRank()
            ? memref::SubViewOp::inferResultType(sourceType, offsets, sizes,
                                                 strides)
            : memref::SubViewOp::inferRankReducedResultType(
                  type.getShape(), sourceType, offsets, sizes, strides));
    Buffer buffer;
    buffer.memref = builder.create<memref::SubViewOp>(
        slice.getLoc(), viewType, source->memref, offsets, sizes, strides);
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [d, size] : llvm::enumerate(sizes)) {
      if (dropped[d])
        continue;
      buffer.sizes.push_back(size);
      buffer.capacity.push_back(upperBound(size).value_or(0));
    }
    buffers[slice.getResult()] = buffer;
    return success();
  }

  LogicalResult convertExpand(tensor::ExpandShapeOp expand) {
    FailureOr<Buffer> source = bufferOf(expand, expand.getSrc());
    if (failed(source))
      return failure();
    // Leading dimensions of 1 only, which is all that tiling makes.
    Sizes shape;
    SmallVector<int64_t> capacity;
    unsigned extra =
        expand.getResultType().getRank() - expand.getSrcType().getRank();
    shape.assign(extra, builder.getIndexAttr(1));
    shape.append(source->sizes);
    capacity.assign(extra, 1);
    capacity.append(source->capacity);
    FailureOr<MemRefType> type = memref::ExpandShapeOp::computeExpandedType(
        cast<MemRefType>(source->memref.getType()),
        expand.getResultType().getShape(), expand.getReassociationIndices());
    if (failed(type))
      return expand.emitError() << "cannot be a view of its tile [TW0405]";
    Buffer buffer;
    buffer.memref = builder.create<memref::ExpandShapeOp>(
        expand.getLoc(), *type, source->memref,
        expand.getReassociationIndices(), shape);
    buffer.sizes = shape;
    buffer.capacity = capacity;
    buffers[expand.getResult()] = buffer;
    return success();
  }

  LogicalResult convertMove(tile::MoveOp move) {
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

  LogicalResult convertPack(tile::MoveOp move, const Buffer &source) {
    Location loc = move.getLoc();
    tile::LayoutAttr layout = move.getLayoutAttr();
    int64_t axis = layout.getAxis(), panel = layout.getBlock();
    std::optional<int64_t> along = upperBound(source.sizes[axis]);
    std::optional<int64_t> depth = upperBound(source.sizes[1 - axis]);
    if (!along || !depth)
      return move.emitError() << "packs a tile that has no upper bound "
                                 "[TW0406]";
    int64_t panels = (*along + panel - 1) / panel;
    Value memref = builder.create<block::AllocOp>(
        loc,
        memrefType({panels, *depth, panel},
                   getElementTypeOrSelf(move.getType()), move.getLevel()),
        nullptr);
    // Valid panels: those that hold any element.
    AffineExpr d0;
    bindDims(builder.getContext(), d0);
    OpFoldResult count = affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(1, 0, d0.ceilDiv(panel)),
        {source.sizes[axis]});
    Buffer buffer;
    buffer.memref =
        validPart(loc, memref,
                  {count, source.sizes[1 - axis], builder.getIndexAttr(panel)});
    buffer.sizes = source.sizes;
    buffer.capacity = source.capacity;
    buffer.layout = layout;
    builder.create<block::MoveOp>(loc, source.memref, buffer.memref, layout,
                                  nullptr);
    buffers[move.getResult()] = buffer;
    return success();
  }

  LogicalResult convertMatmul(tw::MatmulOp op) {
    FailureOr<Buffer> lhs = bufferOf(op, op.getLhs());
    FailureOr<Buffer> rhs = bufferOf(op, op.getRhs());
    if (failed(lhs) || failed(rhs))
      return failure();
    bool lhsPacked =
        lhs->layout && lhs->layout.getKind() == tile::LayoutKind::Packed;
    bool rhsPacked =
        rhs->layout && rhs->layout.getKind() == tile::LayoutKind::Packed;
    FailureOr<Buffer> dest = failure();
    bool accumulate = bool(op.getAcc());
    if (accumulate) {
      dest = bufferOf(op, op.getAcc());
      if (failed(dest))
        return failure();
      // A slice of an argument that is added to is not ours to change.
      bool ours =
          dest->onChip() ||
          outputs.end() != llvm::find_if(outputs, [&](auto &entry) {
            return entry.second == block::underlyingBuffer(dest->memref);
          });
      if (!ours) {
        FailureOr<Buffer> own = allocate(op, op.getResult(), resultLevel(op),
                                         dest->sizes, destinationBlocks(op));
        if (failed(own))
          return failure();
        builder.create<block::MoveOp>(op.getLoc(), dest->memref, own->memref,
                                      nullptr, nullptr);
        dest = own;
      }
    } else {
      Sizes sizes = {lhs->sizes[op.getTransposeLhs() ? 1 : 0],
                     rhs->sizes[op.getTransposeRhs() ? 0 : 1]};
      dest = destination(op, sizes);
      if (failed(dest))
        return failure();
    }
    // Packing has transposed already: panels run along m and n either way.
    auto layoutOf = [&](const Buffer &buffer, bool packed,
                        int64_t axis) -> tile::LayoutAttr {
      return packed ? tile::LayoutAttr::get(builder.getContext(),
                                            tile::LayoutKind::Packed, axis,
                                            buffer.layout.getBlock())
                    : buffer.layout;
    };
    builder.create<block::MatmulOp>(
        op.getLoc(), lhs->memref, rhs->memref, dest->memref, Value(),
        layoutOf(*lhs, lhsPacked, 0), layoutOf(*rhs, rhsPacked, 1),
        op.getTransposeLhs() && !lhsPacked, op.getTransposeRhs() && !rhsPacked,
        accumulate, StringAttr());
    buffers[op.getResult()] = *dest;
    return success();
  }

  LogicalResult convertReduce(tw::ReduceOp op) {
    FailureOr<Buffer> source = bufferOf(op, op.getInput());
    if (failed(source))
      return failure();
    SmallVector<int64_t> axes = op.getNormalizedAxes();
    Sizes sizes;
    for (auto [d, size] : llvm::enumerate(source->sizes)) {
      if (!llvm::is_contained(axes, int64_t(d)))
        sizes.push_back(size);
      else if (op.getKeepdims())
        sizes.push_back(builder.getIndexAttr(1));
    }
    FailureOr<Buffer> dest = destination(op, sizes);
    if (failed(dest))
      return failure();
    auto kind = block::symbolizeReduceKind(uint32_t(op.getKind()));
    builder.create<block::ReduceOp>(
        op.getLoc(), block::ReduceKindAttr::get(builder.getContext(), *kind),
        source->memref, dest->memref, builder.getDenseI64ArrayAttr(axes),
        UnitAttr(), StringAttr());
    buffers[op.getResult()] = *dest;
    return success();
  }

  LogicalResult convertFull(tw::FullOp op) {
    Sizes sizes;
    auto type = op.getResult().getType();
    unsigned next = 0;
    for (int64_t size : type.getShape())
      sizes.push_back(ShapedType::isDynamic(size)
                          ? index(OpFoldResult(op.getDynamicSizes()[next++]))
                          : OpFoldResult(builder.getIndexAttr(size)));
    FailureOr<Buffer> dest = destination(op, sizes);
    if (failed(dest))
      return failure();
    builder.create<block::FillOp>(
        op.getLoc(), cast<TypedAttr>(fillValue(op, type.getElementType())),
        dest->memref, StringAttr());
    buffers[op.getResult()] = *dest;
    return success();
  }

  Attribute fillValue(tw::FullOp op, Type element) {
    if (auto type = dyn_cast<FloatType>(element)) {
      APFloat value = op.getValue();
      bool lost;
      value.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &lost);
      return builder.getFloatAttr(type, value);
    }
    return builder.getIntegerAttr(
        element, element.isInteger(1)
                     ? int64_t(!op.getValue().isZero())
                     : int64_t(op.getValue().convertToDouble()));
  }

  LogicalResult convertTranspose(tw::TransposeOp op) {
    FailureOr<Buffer> source = bufferOf(op, op.getInput());
    if (failed(source))
      return failure();
    Sizes sizes;
    for (int64_t d : op.getPermutation())
      sizes.push_back(source->sizes[d]);
    FailureOr<Buffer> dest = destination(op, sizes);
    if (failed(dest))
      return failure();
    builder.create<block::TransposeOp>(op.getLoc(), source->memref,
                                       dest->memref, op.getPermutationAttr(),
                                       StringAttr());
    buffers[op.getResult()] = *dest;
    return success();
  }

  LogicalResult convertReshape(tw::ReshapeOp op) {
    FailureOr<Buffer> source = bufferOf(op, op.getInput());
    if (failed(source))
      return failure();
    Sizes sizes;
    for (int64_t size : op.getResult().getType().getShape())
      sizes.push_back(builder.getIndexAttr(size));
    FailureOr<Buffer> dest = destination(op, sizes);
    if (failed(dest))
      return failure();
    builder.create<block::ReshapeOp>(op.getLoc(), source->memref, dest->memref,
                                     StringAttr());
    buffers[op.getResult()] = *dest;
    return success();
  }

  LogicalResult convertElementwise(Operation *op) {
    SmallVector<Buffer> operands;
    for (Value operand : op->getOperands()) {
      FailureOr<Buffer> buffer = bufferOf(op, operand);
      if (failed(buffer))
        return failure();
      operands.push_back(*buffer);
    }
    // Sizes of the result: what the operands broadcast to.
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Sizes sizes;
    for (int64_t d = 0; d < type.getRank(); ++d) {
      OpFoldResult size = builder.getIndexAttr(1);
      for (auto [operand, buffer] : llvm::zip(op->getOperands(), operands)) {
        auto shape = cast<RankedTensorType>(operand.getType());
        int64_t at = d - type.getRank() + shape.getRank();
        if (at >= 0 && shape.getDimSize(at) != 1)
          size = buffer.sizes[at];
      }
      sizes.push_back(size);
    }
    FailureOr<Buffer> dest =
        destination(op, sizes, llvm::to_vector(op->getOperands()));
    if (failed(dest))
      return failure();
    Location loc = op->getLoc();
    MLIRContext *context = builder.getContext();
    StringRef name = op->getName().stripDialect();
    if (tw::isUnary(op)) {
      auto kind = block::symbolizeUnaryKind(name);
      if (!kind)
        return op->emitError() << "has no instruction [TW0407]";
      builder.create<block::UnaryOp>(
          loc, block::UnaryKindAttr::get(context, *kind), operands[0].memref,
          dest->memref, StringAttr());
    } else if (tw::isBinary(op)) {
      auto kind = block::symbolizeBinaryKind(name);
      if (!kind)
        return op->emitError() << "has no instruction [TW0407]";
      builder.create<block::BinaryOp>(
          loc, block::BinaryKindAttr::get(context, *kind), operands[0].memref,
          operands[1].memref, dest->memref, StringAttr());
    } else if (isa<tw::CastOp>(op)) {
      builder.create<block::CastOp>(loc, operands[0].memref, dest->memref,
                                    StringAttr());
    } else if (auto compare = dyn_cast<tw::CompareOp>(op)) {
      auto predicate =
          block::symbolizeComparePredicate(uint32_t(compare.getPredicate()));
      builder.create<block::CompareOp>(
          loc, block::ComparePredicateAttr::get(context, *predicate),
          operands[0].memref, operands[1].memref, dest->memref, StringAttr());
    } else {
      builder.create<block::SelectOp>(loc, operands[0].memref,
                                      operands[1].memref, operands[2].memref,
                                      dest->memref, StringAttr());
    }
    buffers[op->getResult(0)] = *dest;
    return success();
  }

  LogicalResult convertLinalg(linalg::LinalgOp op) {
    SmallVector<Value> inputs, outs;
    SmallVector<bool> scalar;
    SmallVector<Attribute> maps;
    SmallVector<AffineMap> indexing = op.getIndexingMapsArray();
    IRMapping inner;
    SmallVector<Type> argumentTypes;
    SmallVector<std::pair<unsigned, Value>> scalars;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      if (!isTensor(operand->get())) {
        scalars.push_back({operand->getOperandNumber(), operand->get()});
        continue;
      }
      FailureOr<Buffer> buffer = bufferOf(op, operand->get());
      if (failed(buffer))
        return failure();
      inputs.push_back(buffer->memref);
      maps.push_back(AffineMapAttr::get(indexing[operand->getOperandNumber()]));
    }
    SmallVector<Buffer> results;
    for (auto [i, operand] : llvm::enumerate(op.getDpsInitsMutable())) {
      Sizes sizes;
      auto slice = operand.get().getDefiningOp<tensor::EmptyOp>();
      bool read = op.payloadUsesValueFromOperand(&operand);
      FailureOr<Buffer> dest = failure();
      if (slice) {
        unsigned next = 0;
        for (int64_t size : slice.getType().getShape())
          sizes.push_back(
              ShapedType::isDynamic(size)
                  ? index(OpFoldResult(slice.getDynamicSizes()[next++]))
                  : OpFoldResult(builder.getIndexAttr(size)));
      } else {
        FailureOr<Buffer> init = bufferOf(op, operand.get());
        if (failed(init))
          return failure();
        sizes = init->sizes;
        if (read && init->onChip() && endsAt(operand.get(), op))
          dest = *init;
      }
      if (failed(dest)) {
        OpResult result = op.getTiedOpResult(&operand);
        std::optional<Buffer> output;
        if (!read)
          output = outputFor(result, op, sizes);
        dest = output ? FailureOr<Buffer>(*output)
                      : allocate(op, result, resultLevel(op), sizes);
        if (failed(dest))
          return failure();
        if (read && !slice)
          builder.create<block::MoveOp>(op.getLoc(),
                                        buffers[operand.get()].memref,
                                        dest->memref, nullptr, nullptr);
      }
      outs.push_back(dest->memref);
      results.push_back(*dest);
      maps.push_back(AffineMapAttr::get(indexing[operand.getOperandNumber()]));
      buffers[op.getTiedOpResult(&operand)] = *dest;
    }
    SmallVector<Attribute> iterators;
    for (utils::IteratorType type : op.getIteratorTypesArray())
      iterators.push_back(
          builder.getStringAttr(utils::stringifyIteratorType(type)));
    auto generic = builder.create<block::GenericOp>(
        op.getLoc(), inputs, outs, builder.getArrayAttr(maps),
        builder.getArrayAttr(iterators), StringAttr());
    OpBuilder::InsertionGuard guard(builder);
    Block &from = op->getRegion(0).front();
    Block *to = builder.createBlock(&generic.getBody());
    for (auto [i, argument] : llvm::enumerate(from.getArguments())) {
      auto it = llvm::find_if(
          scalars, [&, i = i](auto &each) { return each.first == i; });
      if (it != scalars.end()) {
        Operation *constant = it->second.getDefiningOp();
        if (!constant || !constant->hasTrait<OpTrait::ConstantLike>())
          return op.emitError() << "reads a scalar that is no constant "
                                   "[TW0407]";
        inner.map(argument, builder.clone(*constant)->getResult(0));
        continue;
      }
      inner.map(argument, to->addArgument(argument.getType(), op.getLoc()));
    }
    builder.setInsertionPointToEnd(to);
    for (Operation &each : from.without_terminator()) {
      if (isa<linalg::IndexOp>(each))
        return op.emitError() << "uses its loop index, which no instruction "
                                 "does [TW0407]";
      builder.clone(each, inner);
    }
    SmallVector<Value> yielded;
    for (Value value : from.getTerminator()->getOperands()) {
      Value mapped = inner.lookupOrDefault(value);
      if (mapped == value && value.getParentBlock() != &from) {
        Operation *constant = value.getDefiningOp();
        if (!constant || !constant->hasTrait<OpTrait::ConstantLike>())
          return op.emitError() << "yields what is made outside [TW0407]";
        mapped = builder.clone(*constant)->getResult(0);
      }
      yielded.push_back(mapped);
    }
    builder.create<block::YieldOp>(op.getLoc(), yielded);
    return success();
  }

  LogicalResult convertOther(Operation *op) {
    if (roleOf(op) == OpRole::Elementwise)
      return convertElementwise(op);
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      std::optional<int64_t> at = dim.getConstantIndex();
      FailureOr<Buffer> buffer = bufferOf(op, dim.getSource());
      if (failed(buffer) || !at)
        return failure();
      mapping.map(dim.getResult(),
                  getValueOrCreateConstantIndexOp(builder, op->getLoc(),
                                                  buffer->sizes[*at]));
      return success();
    }
    if (llvm::any_of(op->getOperands(), isTensor) ||
        llvm::any_of(op->getResults(), isTensor))
      return op->emitError()
             << "has no instruction; decompose-composites writes it out in "
                "operations that have [TW0407]";
    builder.clone(*op, mapping);
    return success();
  }

  /// Index arithmetic that only buffers' shapes used.
  void cleanUp() {
    std::function<void(Block &)> clean = [&](Block &block) {
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            clean(inner);
        if (isOpTriviallyDead(&op))
          op.erase();
      }
    };
    clean(func.front());
  }

  func::FuncOp func;
  const target::Target &target;
  OpBuilder builder;
  IRMapping mapping; ///< of values that are no tensors
  llvm::DenseMap<Value, Buffer> buffers;
  llvm::DenseMap<Value, Value> outputs; ///< grid results -> output argument
  llvm::DenseMap<Value, Value> shared;  ///< shared_outs in a grid -> the same
  llvm::SmallPtrSet<Operation *, 4> stores; ///< stores that are no moves
};

struct BufferizePass : TargetPass<BufferizePass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BufferizePass)
  using TargetPass::TargetPass;
  StringRef getArgument() const override { return "bufferize"; }
  StringRef getDescription() const override {
    return "turn tiles into buffers and instructions";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<block::BlockDialect, memref::MemRefDialect>();
  }
  void runOnOperation() override {
    for (auto func : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (func->hasAttr(tile::scopeAttrName) &&
          !func->hasAttr(resultCountAttrName) &&
          failed(bufferizeScope(func, *machine)))
        return signalPassFailure();
    if (failed(joinProgram(getOperation())))
      signalPassFailure();
  }
};

} // namespace

LogicalResult bufferizeScope(func::FuncOp scope, const target::Target &target) {
  return Bufferizer(scope, target).run();
}

std::unique_ptr<Pass> createBufferizePass(TargetPtr target) {
  return std::make_unique<BufferizePass>(std::move(target));
}

} // namespace tilewright::pass
