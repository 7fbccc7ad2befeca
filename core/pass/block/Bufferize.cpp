//===- Bufferize.cpp - tiles become buffers and instructions --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/Bufferize.h"
#include "core/dialect/Key.h"
#include "core/pass/block/Bufferizer.h"
#include "core/pass/block/JoinProgram.h"
#include "core/pass/tile/ScopeSpace.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::pass {

LogicalResult Bufferizer::run() {
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
  auto made = builder.create<func::FuncOp>(func.getLoc(), func.getSymName(),
                                           builder.getFunctionType(inputs, {}));
  made->setDiscardableAttrs(func->getDiscardableAttrDictionary());
  made.setVisibility(func.getVisibility());
  made->setAttr(resultCountAttrName,
                builder.getI64IntegerAttr(type.getNumResults()));
  for (unsigned i = 0; i < type.getNumInputs(); ++i)
    if (DictionaryAttr attributes = func.getArgAttrDict(i))
      made.setArgAttrs(i, attributes);
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
        return fail(made, func.emitError() << "returns a value twice [TW0405]");
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

LogicalResult Bufferizer::fail(func::FuncOp made,
                               std::optional<InFlightDiagnostic> error) {
  made.erase();
  return failure();
}

LogicalResult Bufferizer::convert(Operation *op) {
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

LogicalResult Bufferizer::convertOther(Operation *op) {
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

void Bufferizer::cleanUp() {
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

namespace {

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
