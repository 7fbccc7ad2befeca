//===- PackWeights.cpp - weights packed once for all runs -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/PackWeights.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/dialect/Weights.h"
#include "core/pass/block/KernelAccess.h"
#include "core/pass/tile/TileSize.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace tilewright::pass {
namespace {

/// One task packs about as much.
constexpr int64_t taskBytes = 256 * 1024;

/// A kernel's move of a part of a weight into panels on chip.
struct Packing {
  memref::SubViewOp cut;
  block::MoveOp move;
};

/// The expression of `value` over what is no affine.apply.
AffineExpr expressionOf(OpFoldResult value, SmallVectorImpl<Value> &operands,
                        MLIRContext *context) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return getAffineConstantExpr(*number, context);
  AffineMap map = AffineMap::get(1, 0, getAffineDimExpr(0, context));
  operands.push_back(cast<Value>(value));
  affine::fullyComposeAffineMapAndOperands(&map, &operands);
  return simplifyAffineExpr(map.getResult(0), map.getNumDims(),
                            map.getNumSymbols());
}

class WeightPacker {
public:
  WeightPacker(block::ProgramOp program, unsigned weight)
      : program(program), argument(program.getBody().getArgument(weight)),
        symbols(program->getParentOfType<ModuleOp>()),
        builder(program.getContext()) {}

  void run() {
    if (!findDispatches() || !llvm::all_of(kernels, [&](auto &entry) {
          return findPackings(entry.first, entry.second);
        }))
      return;
    block::BufferOp panels = packBefore(dispatches.front());
    for (auto &[kernel, position] : kernels)
      readPanels(kernel, position, panels.getMemref().getType());
    for (block::DispatchOp dispatch : dispatches) {
      auto kernel = symbols.lookup<block::KernelOp>(dispatch.getKernel());
      dispatch.getBuffersMutable()
          .slice(kernels.lookup(kernel), 1)
          .assign(panels.getMemref());
      dispatch.setAccessAttr(accessOf(kernel));
    }
  }

private:
  /// Who reads the weight, and as which argument. False if it is used in
  /// another way or nobody does.
  bool findDispatches() {
    auto type = cast<MemRefType>(argument.getType());
    if (type.getRank() != 2 || !type.getLayout().isIdentity())
      return false;
    for (Operation *user : argument.getUsers()) {
      auto dispatch = dyn_cast<block::DispatchOp>(user);
      if (!dispatch)
        return false;
      auto kernel = symbols.lookup<block::KernelOp>(dispatch.getKernel());
      if (!kernel)
        return false;
      std::optional<unsigned> position;
      for (auto [i, buffer] : llvm::enumerate(dispatch.getBuffers()))
        if (buffer == argument) {
          if (position)
            return false;
          position = i;
        }
      auto [entry, isNew] = kernels.insert({kernel, *position});
      if (!isNew)
        return false; // other dispatches may pass other things
      dispatches.push_back(dispatch);
    }
    // Nobody else runs one of the kernels.
    bool shared = false;
    program->getParentOfType<ModuleOp>().walk([&](block::DispatchOp dispatch) {
      auto kernel = symbols.lookup<block::KernelOp>(dispatch.getKernel());
      shared |=
          kernels.count(kernel) && !llvm::is_contained(dispatches, dispatch);
    });
    llvm::sort(dispatches, [](block::DispatchOp a, block::DispatchOp b) {
      return a->isBeforeInBlock(b);
    });
    return !shared && !dispatches.empty();
  }

  bool findPackings(block::KernelOp kernel, unsigned position) {
    BlockArgument weight = kernel.getBody().getArgument(position);
    for (Operation *user : weight.getUsers()) {
      auto cut = dyn_cast<memref::SubViewOp>(user);
      if (!cut || cut.getDroppedDims().any() || !cut.hasUnitStride() ||
          !cut->hasOneUse())
        return false;
      auto move = dyn_cast<block::MoveOp>(*cut->getUsers().begin());
      if (!move || move.getSource() != cut.getResult() || !move.getLayout() ||
          move.getLayout()->getKind() != tile::LayoutKind::Packed ||
          (layout && layout != *move.getLayout()) || !staysInPanels(move))
        return false;
      layout = *move.getLayout();
      element = cast<MemRefType>(move.getDest().getType()).getElementType();
      // Parts begin where a panel does.
      SmallVector<Value> operands;
      AffineExpr begin = expressionOf(cut.getMixedOffsets()[layout.getAxis()],
                                      operands, kernel.getContext());
      if (!begin.isMultipleOf(layout.getBlock()))
        return false;
      // And, where steps are grouped, where a whole number of groups does.
      operands.clear();
      AffineExpr deep =
          expressionOf(cut.getMixedOffsets()[1 - layout.getAxis()], operands,
                       kernel.getContext());
      if (!deep.isMultipleOf(layout.getMultiple()))
        return false;
      packings[kernel].push_back({cut, move});
    }
    return !packings[kernel].empty();
  }

  /// Whether the panels that `move` fills are only read by products, all of
  /// them from the same view of a buffer on chip.
  static bool staysInPanels(block::MoveOp move) {
    Value dest = move.getDest();
    Value buffer = block::underlyingBuffer(dest);
    if (!buffer.getDefiningOp<block::AllocOp>())
      return false;
    if (dest != buffer &&
        (!dest.getDefiningOp<memref::SubViewOp>() || !buffer.hasOneUse()))
      return false;
    return llvm::all_of(dest.getUsers(), [&](Operation *user) {
      auto product = dyn_cast<block::MatmulOp>(user);
      return user == move || (product && product.getDest() != dest);
    });
  }

  /// The buffer of the whole weight in panels, filled in front of `first`.
  block::BufferOp packBefore(block::DispatchOp first) {
    auto type = cast<MemRefType>(argument.getType());
    int64_t axis = layout.getAxis(), block = layout.getBlock();
    int64_t along = type.getDimSize(axis), depth = type.getDimSize(1 - axis);
    int64_t panels = llvm::divideCeil(along, block);
    int64_t groups = layout.groupsOf(depth), wide = block * layout.getGroup();
    auto packed =
        MemRefType::get({panels, groups, wide}, element,
                        MemRefLayoutAttrInterface(), type.getMemorySpace());
    int64_t panelBytes = std::max<int64_t>(
        1, groups * wide * element.getIntOrFloatBitWidth() / 8);
    int64_t together = std::clamp<int64_t>(taskBytes / panelBytes, 1, panels);
    int64_t tasks = llvm::divideCeil(panels, together);

    SmallVector<Location> locs;
    for (auto &[kernel, all] : packings)
      for (Packing &packing : all)
        locs.push_back(packing.move.getLoc());
    Location loc = fuseKeys(builder.getContext(), locs);
    builder.setInsertionPoint(packings.begin()->first);
    std::string name = program.getSymName().str() + ".pack" +
                       std::to_string(argument.getArgNumber());
    auto kernel = builder.create<block::KernelOp>(
        loc, name,
        builder.getFunctionType({type, packed, builder.getIndexType()}, {}),
        packings.begin()->first.getCore(), 1);
    symbols.insert(kernel);
    Block &body = kernel.getBody().front();
    builder.setInsertionPointToStart(&body);
    AffineExpr d0;
    bindDims(builder.getContext(), d0);
    Value task = body.getArgument(2);
    auto begin = [&](int64_t step) -> OpFoldResult {
      return affine::makeComposedFoldedAffineApply(builder, loc, d0 * step,
                                                   {OpFoldResult(task)});
    };
    auto number = [&](int64_t value) -> OpFoldResult {
      return builder.getIndexAttr(value);
    };
    OpFoldResult from = begin(together * block), panel = begin(together);
    SmallVector<OpFoldResult> offsets = {from, number(0)},
                              sizes = {tileSize(builder, loc, number(along),
                                                from, together * block),
                                       number(depth)};
    if (axis == 1) {
      std::swap(offsets[0], offsets[1]);
      std::swap(sizes[0], sizes[1]);
    }
    Value source = builder.create<memref::SubViewOp>(
        loc, body.getArgument(0), offsets, sizes,
        SmallVector<OpFoldResult>(2, number(1)));
    Value dest = builder.create<memref::SubViewOp>(
        loc, body.getArgument(1),
        SmallVector<OpFoldResult>{panel, number(0), number(0)},
        SmallVector<OpFoldResult>{
            tileSize(builder, loc, number(panels), panel, together),
            number(groups), number(wide)},
        SmallVector<OpFoldResult>(3, number(1)));
    builder.create<block::MoveOp>(loc, source, dest, layout, StringAttr());
    builder.create<block::ReturnOp>(loc);
    repairKeys(kernel);

    builder.setInsertionPoint(first);
    auto buffer = builder.create<block::BufferOp>(loc, packed);
    auto dispatch = builder.create<block::DispatchOp>(
        loc, kernel.getSymName(), ValueRange(), ArrayRef<int64_t>{tasks},
        ValueRange{argument, buffer.getMemref()}, accessOf(kernel),
        ArrayAttr());
    dispatch->setAttr(onceAttrName, builder.getUnitAttr());
    return buffer;
  }

  /// `kernel` reads its parts of the panels where they are.
  void readPanels(block::KernelOp kernel, unsigned position, Type panels) {
    BlockArgument weight = kernel.getBody().getArgument(position);
    SmallVector<Type> types(kernel.getArgumentTypes());
    types[position] = panels;
    kernel.setFunctionType(builder.getFunctionType(types, {}));
    weight.setType(panels);
    int64_t axis = layout.getAxis(), block = layout.getBlock();
    MLIRContext *context = builder.getContext();
    for (Packing &packing : packings[kernel]) {
      memref::SubViewOp cut = packing.cut;
      block::MoveOp move = packing.move;
      builder.setInsertionPoint(move);
      SmallVector<OpFoldResult> offsets = cut.getMixedOffsets(),
                                sizes = cut.getMixedSizes();
      AffineExpr d0;
      bindDims(context, d0);
      OpFoldResult first = affine::makeComposedFoldedAffineApply(
          builder, move.getLoc(), d0.floorDiv(block), {offsets[axis]});
      OpFoldResult count =
          growing(move.getLoc(), d0.ceilDiv(block), sizes[axis]);
      OpFoldResult begin = offsets[1 - axis], groups = sizes[1 - axis];
      if (int64_t multiple = layout.getMultiple(); multiple > 1) {
        int64_t each = multiple / layout.getGroup();
        begin = affine::makeComposedFoldedAffineApply(
            builder, move.getLoc(), d0.floorDiv(multiple) * each, {begin});
        groups = growing(move.getLoc(), d0.ceilDiv(multiple) * each, groups);
      }
      Value part = builder.create<memref::SubViewOp>(
          move.getLoc(), weight,
          SmallVector<OpFoldResult>{first, begin, builder.getIndexAttr(0)},
          SmallVector<OpFoldResult>{
              count, groups, builder.getIndexAttr(block * layout.getGroup())},
          SmallVector<OpFoldResult>(3, builder.getIndexAttr(1)));
      Value dest = move.getDest(), alloc = block::underlyingBuffer(dest);
      move.erase();
      cut.erase();
      dest.replaceAllUsesWith(part);
      // What made the room on chip.
      if (dest != alloc)
        dest.getDefiningOp()->erase();
      alloc.getDefiningOp()->erase();
    }
    repairKeys(kernel);
  }

  /// `expr` of `size`, which grows with it. Written as a minimum, so that who
  /// asks how much it is at most need not look into the division.
  OpFoldResult growing(Location loc, AffineExpr expr, OpFoldResult size) {
    std::optional<int64_t> most = upperBound(size);
    if (!most || getConstantIntValue(size))
      return affine::makeComposedFoldedAffineApply(builder, loc, expr, {size});
    AffineExpr limit =
        expr.replaceDims({getAffineConstantExpr(*most, builder.getContext())});
    return affine::makeComposedFoldedAffineMin(
        builder, loc, AffineMap::get(1, 0, {limit, expr}, builder.getContext()),
        {size});
  }

  block::ProgramOp program;
  BlockArgument argument;
  SymbolTable symbols;
  OpBuilder builder;
  llvm::MapVector<block::KernelOp, unsigned> kernels;
  SmallVector<block::DispatchOp> dispatches;
  llvm::MapVector<block::KernelOp, SmallVector<Packing>> packings;
  tile::LayoutAttr layout;
  Type element;
};

struct PackWeightsPass : TargetPass<PackWeightsPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PackWeightsPass)
  using TargetPass::TargetPass;
  StringRef getArgument() const override { return "pack-weights"; }
  StringRef getDescription() const override {
    return "pack weights once for all runs of a program";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<affine::AffineDialect, memref::MemRefDialect>();
  }
  void runOnOperation() override {
    for (auto program :
         llvm::to_vector(getOperation().getOps<block::ProgramOp>()))
      packWeights(program);
  }
};

} // namespace

void packWeights(block::ProgramOp program) {
  unsigned inputs = program.getNumArguments() - program.getResultCount();
  for (unsigned i = 0; i < inputs; ++i)
    if (program.getArgAttr(i, weightAttrName))
      WeightPacker(program, i).run();
}

std::unique_ptr<Pass> createPackWeightsPass(TargetPtr target) {
  return std::make_unique<PackWeightsPass>(std::move(target));
}

} // namespace tilewright::pass
