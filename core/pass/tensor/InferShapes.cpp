//===- InferShapes.cpp - result types as exact as can be told -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk from producers to consumers: each `tw` result type is joined with
// what its operands tell. Where the new type meets an operation that is not
// ours, a `tensor.cast` back to the old one is put before it, so that nothing
// outside sees a change.
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/ShapeInference.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/pass/tensor/TensorPasses.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace tilewright::pass {

static bool isOurs(Operation *op) {
  return isa_and_nonnull<tw::TensorDialect>(op->getDialect());
}

/// The refined type of the one result of `op`; null if it stays.
static RankedTensorType refinedType(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  std::string error;
  auto inferred = tw::inferShape(op, error);
  if (failed(inferred))
    return nullptr; // what does not fit the verifier reports
  auto joined = tw::joinShapes(*inferred, type.getShape());
  if (failed(joined) || ArrayRef<int64_t>(*joined) == type.getShape())
    return nullptr;
  return type.clone(*joined);
}

static bool refine(Operation *op) {
  // The sizes of `full` are operands, one a `?`: nothing to be told.
  if (isa<tw::FullOp>(op))
    return false;
  RankedTensorType type = refinedType(op);
  if (!type)
    return false;
  Value result = op->getResult(0);
  Type before = result.getType();
  result.setType(type);
  tensor::CastOp cast;
  for (OpOperand &use : llvm::make_early_inc_range(result.getUses())) {
    Operation *user = use.getOwner();
    // A user asks for exactly the old type unless it is ours or takes any.
    if (isOurs(user) || isa<tensor::CastOp, tensor::DimOp>(user))
      continue;
    if (!cast) {
      OpBuilder builder(op->getContext());
      builder.setInsertionPointAfter(op);
      cast = builder.create<tensor::CastOp>(keyPart(op->getLoc(), "shape"),
                                            before, result);
    }
    use.set(cast);
  }
  return true;
}

namespace {

class InferShapes : public PassWrapper<InferShapes, OperationPass<ModuleOp>> {
public:
  StringRef getArgument() const override { return "infer-shapes"; }
  StringRef getDescription() const override {
    return "Make result types as exact as operands and attributes tell";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<tensor::TensorDialect>();
  }
  void runOnOperation() override {
    bool changed = false;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isOurs(op) && op->getNumResults() == 1)
        changed |= refine(op);
      // A cast of ours that has become exact tells more to what follows.
      if (auto cast = dyn_cast<tensor::CastOp>(op))
        if (cast.getType() == cast.getSource().getType()) {
          changed = true;
          cast.replaceAllUsesWith(cast.getSource());
        }
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace

std::unique_ptr<Pass> createInferShapesPass() {
  return std::make_unique<InferShapes>();
}

} // namespace tilewright::pass
