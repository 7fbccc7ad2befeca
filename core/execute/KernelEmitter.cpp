//===- KernelEmitter.cpp - one kernel as loops over vectors ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/KernelEmitter.h"
#include "core/dialect/Key.h"
#include "core/execute/ElementGroup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilewright::block;

namespace tilewright::execute {

void KernelEmitter::fail(Operation *op, std::string code, std::string message,
                         std::string hint) {
  LoweringError error;
  error.diagnostic.code = std::move(code);
  error.diagnostic.message = std::move(message);
  error.diagnostic.hint = std::move(hint);
  error.diagnostic.key = primaryKey(op).str();
  throw error;
}

Type KernelEmitter::scalarType(Type type) {
  return type.isIndex() ? Type(b.getI64Type()) : type;
}

int64_t KernelEmitter::placeLevels(KernelOp kernel) {
  // In the order levels appear, so that the same kernel lies the same way.
  llvm::MapVector<StringRef, int64_t> reach;
  std::vector<AllocOp> allocs;
  kernel.getBody().walk([&](AllocOp op) { allocs.push_back(op); });
  for (AllocOp op : allocs) {
    MemRefType type = op.getMemref().getType();
    int64_t bits = storedType(type.getElementType()).getIntOrFloatBitWidth();
    int64_t bytes = type.getNumElements() * bits / 8;
    if (!op.getOffset())
      fail(op, "TW0431",
           "a buffer of " + std::to_string(bytes) + " bytes at level " +
               levelOf(type).str() + " has no address",
           "Run block/allocate-onchip first.");
    int64_t &end = reach[levelOf(type)];
    end = std::max(end, int64_t(*op.getOffset()) + bytes);
  }
  int64_t total = 0;
  for (auto &[level, end] : reach) {
    levelStart[level] = total;
    total += (end + lineBytes - 1) / lineBytes * lineBytes;
  }
  return total;
}

int64_t KernelEmitter::emitKernel(KernelOp kernel, bool aligned) {
  alignedArguments = aligned;
  loc = kernel.getLoc();
  int64_t scratchBytes = placeLevels(kernel);
  findStandIns(kernel);
  findZeroSums(kernel);

  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(b.getContext()), {pointer, pointer, pointer});
  auto function = b.create<LLVM::LLVMFuncOp>(loc, kernel.getSymName(), type);
  OpBuilder::InsertionGuard guard(b);
  entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  scratch = entry->getArgument(2);

  auto loadFrom = [&](Value base, unsigned i, Type what) -> Value {
    Value at = b.create<LLVM::GEPOp>(loc, pointer, what, base,
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
    return b.create<LLVM::LoadOp>(loc, what, at);
  };
  unsigned buffers = kernel.getNumBuffers();
  Block &body = kernel.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    unsigned i = argument.getArgNumber();
    if (i >= buffers) {
      scalars[argument] =
          loadFrom(entry->getArgument(1), i - buffers, b.getI64Type());
      continue;
    }
    auto memref = cast<MemRefType>(argument.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (memref.hasStaticShape() && memref.getNumElements() == 0) {
      // MLIR knows no strides then; any do where nothing lies.
      strides.assign(memref.getRank(), 1);
    } else if (!memref.hasStaticShape() ||
               failed(getStridesAndOffset(memref, strides, offset)) ||
               llvm::any_of(strides, ShapedType::isDynamic)) {
      std::string text;
      llvm::raw_string_ostream(text) << memref;
      fail(kernel, "TW0440",
           "argument " + std::to_string(i) + " of @" +
               kernel.getSymName().str() + " is " + text +
               "; only buffers of known shape and strides are compiled");
    }
    MemoryView view;
    view.base = loadFrom(entry->getArgument(0), i, pointer);
    view.sizes.assign(memref.getShape().begin(), memref.getShape().end());
    view.strides.assign(strides.begin(), strides.end());
    view.element = memref.getElementType();
    view.root = argument;
    views[argument] = view;
  }
  bool tiles = kernel.getBody()
                   .walk([&](MatmulOp op) {
                     return onMatrixTiles(op) ? WalkResult::interrupt()
                                              : WalkResult::advance();
                   })
                   .wasInterrupted();
  if (tiles)
    configureTiles();
  emitBlock(body);
  if (tiles)
    releaseTiles();
  if (streams) // visible to whom the task's end is told
    b.create<LLVM::FenceOp>(loc, LLVM::AtomicOrdering::seq_cst, "");
  b.create<LLVM::ReturnOp>(loc, ValueRange());
  return scratchBytes;
}

//===----------------------------------------------------------------------===//
// Moves that copy nothing
//===----------------------------------------------------------------------===//

/// Collects what reads or writes `memref` through views; false if it goes
/// somewhere that is not understood.
static bool collectUsers(Value memref, SmallVectorImpl<Operation *> &readers,
                         SmallVectorImpl<Operation *> &writers) {
  for (Operation *user : memref.getUsers()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(user)) {
      if (!collectUsers(user->getResult(0), readers, writers))
        return false;
      continue;
    }
    if (isa<memref::DimOp>(user))
      continue;
    if (isa<memref::LoadOp>(user)) {
      readers.push_back(user);
      continue;
    }
    if (!isInstruction(user))
      return false;
    Accesses accesses = accessesOf(user);
    if (llvm::is_contained(accesses.reads, memref))
      readers.push_back(user);
    if (llvm::is_contained(accesses.writes, memref))
      writers.push_back(user);
  }
  return true;
}

/// Whether element i of `view` is element i of `alloc`.
static bool startsAt(Value view, Value alloc) {
  if (view == alloc)
    return true;
  auto subview = view.getDefiningOp<memref::SubViewOp>();
  if (!subview || subview.getSource() != alloc ||
      subview.getDroppedDims().any())
    return false;
  auto all = [](ArrayRef<OpFoldResult> values, int64_t wanted) {
    return llvm::all_of(values, [&](OpFoldResult value) {
      return getConstantIntValue(value) == wanted;
    });
  };
  return all(subview.getMixedOffsets(), 0) && all(subview.getMixedStrides(), 1);
}

void KernelEmitter::findStandIns(KernelOp kernel) {
  DominanceInfo dominance(kernel);
  std::vector<MoveOp> moves;
  kernel.getBody().walk([&](MoveOp op) { moves.push_back(op); });
  for (MoveOp move : moves) {
    auto source = cast<MemRefType>(move.getSource().getType());
    auto dest = cast<MemRefType>(move.getDest().getType());
    if ((move.getLayout() &&
         move.getLayout()->getKind() == tile::LayoutKind::Packed) ||
        source.getElementType() != dest.getElementType())
      continue;
    Value alloc = underlyingBuffer(move.getDest());
    if (!alloc.getDefiningOp<AllocOp>() || !startsAt(move.getDest(), alloc))
      continue;
    SmallVector<Operation *> readers, writers;
    if (!collectUsers(alloc, readers, writers) || writers.size() != 1 ||
        !llvm::all_of(readers, [&](Operation *reader) {
          return dominance.properlyDominates(move.getOperation(), reader);
        }))
      continue;
    // What it stands for must not change while it is read.
    Value root = underlyingBuffer(move.getSource());
    if (isa<BlockArgument>(root)) {
      SmallVector<Operation *> sourceReaders, sourceWriters;
      if (root.getParentBlock() != &kernel.getBody().front() ||
          !collectUsers(root, sourceReaders, sourceWriters) ||
          !sourceWriters.empty())
        continue;
    } else if (!standIns.contains(root)) {
      continue;
    }
    standIns[alloc] = move;
    elided.insert(move);
  }
}

//===----------------------------------------------------------------------===//
// Zeros that need not be stored
//===----------------------------------------------------------------------===//

void KernelEmitter::findZeroSums(KernelOp kernel) {
  kernel.getBody().walk([&](FillOp fill) {
    auto zero = dyn_cast<FloatAttr>(fill.getValue());
    if (!zero || !zero.getValue().isPosZero())
      return;
    Value dest = fill.getDest();
    SmallVector<Operation *> readers, writers;
    if (!collectUsers(underlyingBuffer(dest), readers, writers))
      return;
    // The product that adds to them, right behind the fill or in a loop there.
    MatmulOp product;
    for (Operation *writer : writers)
      if (auto matmul = dyn_cast<MatmulOp>(writer);
          matmul && matmul.getDest() == dest && matmul.getAccumulate() &&
          inBlocks(matmul))
        product = matmul;
    if (!product)
      return;
    Operation *step = product;
    scf::ForOp loop;
    if (product->getBlock() != fill->getBlock()) {
      loop = dyn_cast<scf::ForOp>(product->getParentOp());
      std::optional<int64_t> lower, upper;
      if (loop) {
        lower = getConstantIntValue(loop.getLowerBound());
        upper = getConstantIntValue(loop.getUpperBound());
      }
      if (!lower || !upper || *lower >= *upper ||
          loop->getBlock() != fill->getBlock())
        return;
      step = loop;
    }
    if (!fill->isBeforeInBlock(step))
      return;
    for (Operation *user : llvm::concat<Operation *>(readers, writers)) {
      if (user == fill || user == product)
        continue;
      // Everybody else comes later.
      Operation *there = fill->getBlock()->findAncestorOpInBlock(*user);
      if (!there || !step->isBeforeInBlock(there))
        return;
    }
    zeroSums[product] = loop;
    elided.insert(fill);
  });
}

std::optional<Value> KernelEmitter::firstStep(MatmulOp op) {
  auto it = zeroSums.find(op);
  if (it == zeroSums.end())
    return std::nullopt;
  if (!it->second)
    return Value();
  auto [variable, lower] = loopStarts.lookup(it->second);
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, variable, lower)
      .getResult();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value KernelEmitter::scalar(Value value) {
  auto it = scalars.find(value);
  if (it != scalars.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  if (op && op->hasTrait<OpTrait::ConstantLike>()) {
    emitScalar(op);
    return scalars.lookup(value);
  }
  fail(op ? op : value.getParentBlock()->getParentOp(), "TW0441",
       "a value of it is carried in a way that is not compiled");
}

Index KernelEmitter::indexOf(OpFoldResult value) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return *number;
  return scalar(cast<Value>(value));
}

SmallVector<Index> KernelEmitter::indicesOf(ArrayRef<OpFoldResult> values) {
  SmallVector<Index> out;
  for (OpFoldResult value : values)
    out.push_back(indexOf(value));
  return out;
}

MemoryView KernelEmitter::view(Value memref) {
  auto it = views.find(memref);
  if (it != views.end())
    return it->second;
  Operation *op = memref.getDefiningOp();
  if (auto alloc = dyn_cast_or_null<AllocOp>(op)) {
    MemRefType type = alloc.getMemref().getType();
    MemoryView out;
    out.element = type.getElementType();
    int64_t bytes = storedType(out.element).getIntOrFloatBitWidth() / 8;
    int64_t start =
        levelStart.lookup(levelOf(type)) + int64_t(*alloc.getOffset());
    auto pointer = LLVM::LLVMPointerType::get(b.getContext());
    if (start % bytes == 0) {
      out.base = scratch;
      out.offset = start / bytes;
    } else {
      out.base = b.create<LLVM::GEPOp>(loc, pointer, b.getI8Type(), scratch,
                                       ArrayRef<LLVM::GEPArg>{int32_t(start)});
    }
    out.sizes.assign(type.getShape().begin(), type.getShape().end());
    out.strides.assign(type.getRank(), Index(1));
    for (int64_t d = type.getRank() - 2; d >= 0; --d)
      out.strides[d] = index.mul(out.strides[d + 1], type.getShape()[d + 1]);
    out.root = memref;
    return out;
  }
  if (auto subview = dyn_cast_or_null<memref::SubViewOp>(op)) {
    MemoryView source = view(subview.getSource()), out = source;
    SmallVector<Index> offsets = indicesOf(subview.getMixedOffsets()),
                       sizes = indicesOf(subview.getMixedSizes()),
                       strides = indicesOf(subview.getMixedStrides());
    llvm::SmallBitVector dropped = subview.getDroppedDims();
    out.offset = index.add(source.offset, offsetOf(source, offsets));
    out.sizes.clear();
    out.strides.clear();
    for (unsigned d = 0; d < sizes.size(); ++d)
      if (!dropped.test(d)) {
        out.sizes.push_back(sizes[d]);
        out.strides.push_back(index.mul(strides[d], source.strides[d]));
      }
    return out;
  }
  if (isa_and_nonnull<memref::CastOp, memref::MemorySpaceCastOp>(op))
    return view(op->getOperand(0));
  if (auto collapse = dyn_cast_or_null<memref::CollapseShapeOp>(op)) {
    MemoryView source = view(collapse.getSrc()), out = source;
    out.sizes.clear();
    out.strides.clear();
    for (const ReassociationIndices &group :
         collapse.getReassociationIndices()) {
      Index size = 1, stride = 1;
      for (auto [i, d] : llvm::enumerate(group)) {
        size = index.mul(size, source.sizes[d]);
        if (i == 0 || !source.sizes[d].is(1))
          stride = source.strides[d];
      }
      out.sizes.push_back(size);
      out.strides.push_back(stride);
    }
    return out;
  }
  if (auto expand = dyn_cast_or_null<memref::ExpandShapeOp>(op)) {
    MemoryView source = view(expand.getSrc()), out = source;
    SmallVector<Index> sizes = indicesOf(getMixedValues(
        expand.getStaticOutputShape(), expand.getOutputShape(), b));
    out.sizes.assign(sizes.begin(), sizes.end());
    out.strides.assign(sizes.size(), Index(1));
    for (auto [g, group] : llvm::enumerate(expand.getReassociationIndices())) {
      Index stride = source.strides[g];
      for (int64_t d : llvm::reverse(group)) {
        out.strides[d] = stride;
        stride = index.mul(stride, sizes[d]);
      }
    }
    return out;
  }
  fail(op ? op : memref.getParentBlock()->getParentOp(), "TW0441",
       "a buffer is reached in a way that is not compiled",
       "Buffers are allocations, arguments and memref subviews, casts, "
       "expansions and collapses of them.");
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

void KernelEmitter::emitBlock(Block &block) {
  for (auto it = block.begin(); it != block.end();) {
    Operation *op = &*it;
    if (op->hasTrait<OpTrait::IsTerminator>())
      return;
    loc = op->getLoc();
    if (startsGroup(op) && !elided.contains(op)) {
      emitGroups(it, block.end());
      continue;
    }
    ++it;
    emitOperation(op);
  }
}

/// `op` again with index values as i64.
void KernelEmitter::emitScalar(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    TypedAttr value = constant.getValue();
    if (value.getType().isIndex())
      value = b.getI64IntegerAttr(cast<IntegerAttr>(value).getInt());
    scalars[op->getResult(0)] = b.create<arith::ConstantOp>(loc, value);
    return;
  }
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    Value from = scalar(op->getOperand(0));
    Type to = scalarType(op->getResult(0).getType());
    if (isa<arith::IndexCastUIOp>(op) && elementOf(from) != to &&
        from.getType().getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
      scalars[op->getResult(0)] = b.create<arith::ExtUIOp>(loc, to, from);
    else
      scalars[op->getResult(0)] = convert(from, to);
    return;
  }
  OperationState state(loc, op->getName());
  for (Value operand : op->getOperands())
    state.addOperands(scalar(operand));
  for (Type type : op->getResultTypes())
    state.addTypes(scalarType(type));
  state.attributes = op->getAttrDictionary();
  Operation *clone = b.create(state);
  for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults()))
    scalars[from] = to;
}

bool KernelEmitter::emitViewOrScalar(Operation *op) {
  if (isa<AllocOp, SetEventOp, WaitEventOp, BarrierOp, ViewLikeOpInterface>(op))
    return true; // views are computed where they are used
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    MemoryView source = view(dim.getSource());
    std::optional<int64_t> d = getConstantIntValue(dim.getIndex());
    if (!d || *d < 0 || *d >= int64_t(source.rank()))
      fail(op, "TW0441", "a memref.dim has no constant dimension");
    scalars[dim.getResult()] = index.value(source.sizes[*d]);
    return true;
  }
  auto affine = [&](AffineMap map, auto combineTwo) {
    SmallVector<Index> operands;
    for (Value operand : op->getOperands())
      operands.push_back(indexOf(operand));
    SmallVector<Index> results = index.apply(map, operands);
    Index result = results[0];
    for (Index other : llvm::drop_begin(results))
      result = combineTwo(result, other);
    scalars[op->getResult(0)] = index.value(result);
    return true;
  };
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return affine(apply.getAffineMap(), [](Index a, Index) { return a; });
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    return affine(min.getAffineMap(),
                  [&](Index x, Index y) { return index.min(x, y); });
  if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    return affine(max.getAffineMap(),
                  [&](Index x, Index y) { return index.max(x, y); });
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) &&
      op->getNumRegions() == 0) {
    emitScalar(op);
    return true;
  }
  return false;
}

void KernelEmitter::emitFor(scf::ForOp op) {
  for (Value init : op.getInitArgs())
    if (isa<MemRefType>(init.getType()))
      fail(op, "TW0441", "a loop carries a buffer; that is not compiled");
  SmallVector<Value> init;
  for (Value value : op.getInitArgs())
    init.push_back(scalar(value));
  Index lower = indexOf(op.getLowerBound()),
        upper = indexOf(op.getUpperBound()), step = indexOf(op.getStep());
  auto made = b.create<scf::ForOp>(loc, index.value(lower), index.value(upper),
                                   index.value(step), init);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(made.getBody());
    scalars[op.getInductionVar()] = made.getInductionVar();
    loopStarts[op] = {made.getInductionVar(), made.getLowerBound()};
    for (auto [from, to] :
         llvm::zip(op.getRegionIterArgs(), made.getRegionIterArgs()))
      scalars[from] = to;
    auto saved = views; // views made inside are not valid outside
    emitBlock(*op.getBody());
    views = std::move(saved);
    SmallVector<Value> next;
    for (Value value :
         cast<scf::YieldOp>(op.getBody()->getTerminator()).getResults())
      next.push_back(scalar(value));
    b.setInsertionPointToEnd(made.getBody());
    if (made.getBody()->empty() || !isa<scf::YieldOp>(made.getBody()->back()))
      b.create<scf::YieldOp>(loc, next);
  }
  for (auto [from, to] : llvm::zip(op.getResults(), made.getResults()))
    scalars[from] = to;
}

void KernelEmitter::emitIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Type type : op.getResultTypes()) {
    if (isa<MemRefType>(type))
      fail(op, "TW0441", "a branch gives a buffer; that is not compiled");
    types.push_back(scalarType(type));
  }
  auto made = b.create<scf::IfOp>(loc, types, scalar(op.getCondition()),
                                  op.elseBlock() != nullptr);
  auto branch = [&](Block *from, Block *to) {
    OpBuilder::InsertionGuard guard(b);
    if (!to->empty() && isa<scf::YieldOp>(to->back()))
      to->back().erase();
    b.setInsertionPointToEnd(to);
    auto saved = views;
    emitBlock(*from);
    views = std::move(saved);
    SmallVector<Value> results;
    for (Value value : cast<scf::YieldOp>(from->getTerminator()).getResults())
      results.push_back(scalar(value));
    b.setInsertionPointToEnd(to);
    b.create<scf::YieldOp>(loc, results);
  };
  branch(op.thenBlock(), made.thenBlock());
  if (op.elseBlock())
    branch(op.elseBlock(), made.elseBlock());
  for (auto [from, to] : llvm::zip(op.getResults(), made.getResults()))
    scalars[from] = to;
}

void KernelEmitter::emitOperation(Operation *op) {
  if (elided.contains(op)) {
    auto move = dyn_cast<MoveOp>(op);
    if (!move)
      return; // zeros that the first sums start from
    Value alloc = underlyingBuffer(move.getDest());
    MemoryView standIn = view(move.getSource());
    auto type = cast<MemRefType>(alloc.getType());
    standIn.sizes.assign(type.getShape().begin(), type.getShape().end());
    views[alloc] = standIn;
    return;
  }
  if (emitViewOrScalar(op))
    return;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(branch);
  if (auto move = dyn_cast<MoveOp>(op)) // others are groups
    return emitPack(move);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return emitReduce(reduce);
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return emitMatmul(matmul);
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return emitTranspose(transpose);
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return emitReshape(reshape);
  if (auto generic = dyn_cast<GenericOp>(op))
    return emitGeneric(generic);
  if (auto loadOp = dyn_cast<memref::LoadOp>(op)) {
    MemoryView source = view(loadOp.getMemRef());
    SmallVector<Index> at;
    for (Value value : loadOp.getIndices())
      at.push_back(indexOf(value));
    scalars[loadOp.getResult()] = load(source, offsetOf(source, at), 1);
    return;
  }
  if (auto storeOp = dyn_cast<memref::StoreOp>(op)) {
    MemoryView dest = view(storeOp.getMemRef());
    SmallVector<Index> at;
    for (Value value : storeOp.getIndices())
      at.push_back(indexOf(value));
    store(dest, offsetOf(dest, at), scalar(storeOp.getValueToStore()), 1);
    return;
  }
  fail(op, "TW0430",
       (op->getName().getStringRef() + " cannot be compiled").str(),
       "Kernels hold block instructions, views of memrefs, scf.for, scf.if and "
       "scalar arith, math and affine operations.");
}

} // namespace tilewright::execute
