//===- RaiseContractions.cpp - matrix products of linalg become ours ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What linalg says with a named operation (matmul, batch_matmul, their
// transposed forms) or a generic one is recognised by its indexing maps:
//
//   c[b.., m, n] += a[b.., m, k] * b[b.., k, n]
//
// with m and k, or k and n, exchanged for transposed operands. linalg rounds
// each partial sum to the element type of its result, tw.matmul once at the
// end.
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/pass/tensor/TensorPasses.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tilewright::pass {

namespace {

/// How the operands of a contraction lie.
struct MatmulForm {
  bool transposeLhs = false, transposeRhs = false;
};

bool isOurElement(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF32() || element.isF16() || element.isBF16();
}

/// Whether the results of `map` are the dimensions `batches`, `first`,
/// `second`.
bool runsAlong(AffineMap map, ArrayRef<unsigned> batches, unsigned first,
               unsigned second) {
  if (map.getNumResults() != batches.size() + 2)
    return false;
  SmallVector<unsigned> wanted(batches.begin(), batches.end());
  wanted.append({first, second});
  for (auto [result, dim] : llvm::zip(map.getResults(), wanted))
    if (auto expr = dyn_cast<AffineDimExpr>(result);
        !expr || expr.getPosition() != dim)
      return false;
  return true;
}

std::optional<MatmulForm> formOf(linalg::LinalgOp op) {
  if (op->getNumResults() != 1 || !linalg::isaContractionOpInterface(op))
    return std::nullopt;
  OpOperand *lhs = op.getDpsInputOperand(0), *rhs = op.getDpsInputOperand(1);
  OpOperand *init = op.getDpsInitOperand(0);
  for (OpOperand *operand : {lhs, rhs, init})
    if (!isa<RankedTensorType>(operand->get().getType()) ||
        !isOurElement(operand->get().getType()))
      return std::nullopt;
  if (getElementTypeOrSelf(lhs->get()) != getElementTypeOrSelf(rhs->get()))
    return std::nullopt;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.size() != 1 || dims->n.size() != 1 ||
      dims->k.size() != 1)
    return std::nullopt;
  unsigned m = dims->m[0], n = dims->n[0], k = dims->k[0];
  SmallVector<unsigned> batches(dims->batch.begin(), dims->batch.end());
  llvm::sort(batches);
  // The result's order of the batches is the order of all.
  AffineMap result = op.getMatchingIndexingMap(init);
  if (!runsAlong(result, batches, m, n))
    return std::nullopt;
  MatmulForm form;
  AffineMap left = op.getMatchingIndexingMap(lhs);
  AffineMap right = op.getMatchingIndexingMap(rhs);
  form.transposeLhs = runsAlong(left, batches, k, m);
  form.transposeRhs = runsAlong(right, batches, n, k);
  if ((!form.transposeLhs && !runsAlong(left, batches, m, k)) ||
      (!form.transposeRhs && !runsAlong(right, batches, k, n)))
    return std::nullopt;
  return form;
}

/// Whether sums that begin with `init` begin with +0.
bool beginsWithZero(Value init) {
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.getInputs().front(), m_PosZeroFloat());
  if (auto full = init.getDefiningOp<tw::FullOp>())
    return full.getValue().isPosZero();
  return matchPattern(init, m_PosZeroFloat());
}

struct RaiseContractionsPass
    : PassWrapper<RaiseContractionsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RaiseContractionsPass)
  StringRef getArgument() const override { return "raise-contractions"; }
  StringRef getDescription() const override {
    return "make tw.matmul of linalg's matrix products";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<tw::TensorDialect>();
  }

  void runOnOperation() override {
    bool changed = false;
    getOperation().walk([&](linalg::LinalgOp op) {
      std::optional<MatmulForm> form = formOf(op);
      if (!form)
        return;
      OpBuilder builder(op);
      auto unit = [&](bool set) {
        return set ? builder.getUnitAttr() : UnitAttr();
      };
      Value init = op.getDpsInitOperand(0)->get();
      Value product = builder.create<tw::MatmulOp>(
          op.getLoc(), cast<RankedTensorType>(op->getResult(0).getType()),
          op.getDpsInputOperand(0)->get(), op.getDpsInputOperand(1)->get(),
          beginsWithZero(init) ? Value() : init, unit(form->transposeLhs),
          unit(form->transposeRhs));
      op->getResult(0).replaceAllUsesWith(product);
      op->erase();
      changed = true;
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace

std::unique_ptr<Pass> createRaiseContractionsPass() {
  return std::make_unique<RaiseContractionsPass>();
}

} // namespace tilewright::pass
