//===- RaiseTensors.cpp - arith, math and tensor on whole tensors ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise operations of arith and math on tensors become the tw operator
// that says the same, and linalg.generic where there is none (integers, f64,
// operations tw does not have), by upstream's patterns. Slices, insertions,
// shapes and joined tensors of tensor become tw.slice, tw.insert, tw.reshape
// and tw.concat; padding with one value becomes tw.full and tw.insert. A number
// taken out of a tensor to choose, to pad or to fill with becomes a tensor of
// rank 0 (LiftScalars). Only what stands in a function itself: loops that
// somebody wrote out move pieces of tensors and stay as they are.
//
// arith and math leave open what they give outside of their range (a float
// converted to a too narrow integer); tw's answer is one of the possible.
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/pass/tensor/LiftScalars.h"
#include "core/pass/tensor/TensorPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::pass {

namespace {

bool isArithmetic(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type &&
         (type.getElementType().isF32() || type.getElementType().isF16() ||
          type.getElementType().isBF16());
}
bool isWhole(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && (type.getElementType().isSignlessInteger(8) ||
                  type.getElementType().isSignlessInteger(32) ||
                  type.getElementType().isSignlessInteger(64));
}
bool isElement(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return isArithmetic(value) || isWhole(value) ||
         (type && type.getElementType().isSignlessInteger(1));
}

/// The predicate of tw.compare that answers the same for NaN too.
std::optional<tw::ComparePredicate> predicateOf(arith::CmpFPredicate from) {
  switch (from) {
  case arith::CmpFPredicate::OEQ:
    return tw::ComparePredicate::Eq;
  case arith::CmpFPredicate::UNE:
    return tw::ComparePredicate::Ne;
  case arith::CmpFPredicate::OLT:
    return tw::ComparePredicate::Lt;
  case arith::CmpFPredicate::OLE:
    return tw::ComparePredicate::Le;
  case arith::CmpFPredicate::OGT:
    return tw::ComparePredicate::Gt;
  case arith::CmpFPredicate::OGE:
    return tw::ComparePredicate::Ge;
  default:
    return std::nullopt;
  }
}
std::optional<tw::ComparePredicate> predicateOf(arith::CmpIPredicate from) {
  switch (from) {
  case arith::CmpIPredicate::eq:
    return tw::ComparePredicate::Eq;
  case arith::CmpIPredicate::ne:
    return tw::ComparePredicate::Ne;
  case arith::CmpIPredicate::slt:
    return tw::ComparePredicate::Lt;
  case arith::CmpIPredicate::sle:
    return tw::ComparePredicate::Le;
  case arith::CmpIPredicate::sgt:
    return tw::ComparePredicate::Gt;
  case arith::CmpIPredicate::sge:
    return tw::ComparePredicate::Ge;
  default:
    return std::nullopt;
  }
}

/// What takes the place of one operation, or null.
class Raising {
public:
  Raising(OpBuilder &builder, LiftScalars &scalars, Operation *op)
      : builder(builder), scalars(scalars), op(op), loc(op->getLoc()) {}

  Value run() {
    if (op->getNumResults() != 1 ||
        !isa<RankedTensorType>(op->getResult(0).getType()))
      return {};
    type = cast<RankedTensorType>(op->getResult(0).getType());
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case<arith::NegFOp>([&](auto) { return same<tw::NegOp>(); })
        .Case<math::AbsFOp>([&](auto) { return same<tw::AbsOp>(); })
        .Case<math::ExpOp>([&](auto) { return same<tw::ExpOp>(); })
        .Case<math::LogOp>([&](auto) { return same<tw::LogOp>(); })
        .Case<math::SqrtOp>([&](auto) { return same<tw::SqrtOp>(); })
        .Case<math::RsqrtOp>([&](auto) { return same<tw::RsqrtOp>(); })
        .Case<math::TanhOp>([&](auto) { return same<tw::TanhOp>(); })
        .Case<math::ErfOp>([&](auto) { return same<tw::ErfOp>(); })
        .Case<arith::AddFOp>([&](auto) { return same<tw::AddOp>(); })
        .Case<arith::SubFOp>([&](auto) { return same<tw::SubOp>(); })
        .Case<arith::MulFOp>([&](auto) { return same<tw::MulOp>(); })
        .Case<arith::DivFOp>([&](auto) { return same<tw::DivOp>(); })
        .Case<arith::MaximumFOp>([&](auto) { return same<tw::MaximumOp>(); })
        .Case<arith::MinimumFOp>([&](auto) { return same<tw::MinimumOp>(); })
        .Case<math::PowFOp>([&](auto) { return same<tw::PowOp>(); })
        .Case<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::FPToSIOp>(
            [&](auto) { return convert(); })
        .Case<arith::CmpFOp, arith::CmpIOp>(
            [&](auto compare) { return compared(compare); })
        .Case<arith::SelectOp, tensor::ExtractSliceOp, tensor::InsertSliceOp,
              tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ConcatOp,
              tensor::PadOp, tensor::SplatOp>(
            [&](auto each) { return raise(each); })
        .Default([](Operation *) { return Value(); });
  }

private:
  OpBuilder &builder;
  LiftScalars &scalars;
  Operation *op;
  Location loc;
  RankedTensorType type;

  bool allOf(bool (*holds)(Value)) {
    return holds(op->getResult(0)) && llvm::all_of(op->getOperands(), holds);
  }
  template <typename Op> Value same() {
    if (!allOf(isArithmetic))
      return {};
    return builder.create<Op>(loc, TypeRange(type), op->getOperands());
  }

  Value castFrom(Value from) {
    return builder.create<tw::CastOp>(loc, type, from);
  }
  Value convert() {
    Value from = op->getOperand(0), to = op->getResult(0);
    // An i1 converted with its sign is -1, and tw.cast makes it 1.
    bool known = isArithmetic(from) ? isArithmetic(to) || isWhole(to)
                                    : isWhole(from) && isArithmetic(to);
    return known ? castFrom(from) : Value();
  }

  template <typename Compare> Value compared(Compare compare) {
    auto predicate = predicateOf(compare.getPredicate());
    bool known = std::is_same_v<Compare, arith::CmpFOp>
                     ? isArithmetic(compare.getLhs())
                     : isWhole(compare.getLhs());
    if (!predicate || !known)
      return {};
    return builder.create<tw::CompareOp>(loc, type, compare.getLhs(),
                                         compare.getRhs(), *predicate);
  }
  Value raise(arith::SelectOp select) {
    if (!isElement(select.getResult()))
      return {};
    Value condition = select.getCondition();
    // One condition for all elements.
    if (!isa<RankedTensorType>(condition.getType())) {
      if (matchPattern(condition, m_One()))
        return select.getTrueValue();
      if (matchPattern(condition, m_Zero()))
        return select.getFalseValue();
      condition = scalars.lift(condition);
    }
    if (!condition)
      return {};
    return builder.create<tw::SelectOp>(
        loc, type, condition, select.getTrueValue(), select.getFalseValue());
  }
  Value raise(tensor::SplatOp splat) {
    return isElement(splat) ? scalars.splat(splat.getInput(), type, loc)
                            : Value();
  }
  /// Only one value on all sides, since a region that works them out from their
  /// place is no operator.
  Value raise(tensor::PadOp pad) {
    auto isNegative = [](int64_t size) { return size < 0; };
    if (!allOf(isElement) || !type.hasStaticShape() ||
        !pad.getSourceType().hasStaticShape() || !pad.getLow().empty() ||
        !pad.getHigh().empty() ||
        llvm::any_of(pad.getStaticLow(), isNegative) ||
        llvm::any_of(pad.getStaticHigh(), isNegative))
      return {};
    Value filling = pad.getConstantPaddingValue();
    if (!filling)
      return {};
    Value around = scalars.splat(filling, type, keyPart(loc, "around"));
    if (!around)
      return {};
    return builder.create<tw::InsertOp>(
        loc, type, pad.getSource(), around,
        builder.getDenseI64ArrayAttr(pad.getStaticLow()), DenseI64ArrayAttr());
  }

  Value reshaped(Value from, ArrayRef<int64_t> shape, Location at) {
    auto source = cast<RankedTensorType>(from.getType());
    if (source.getShape() == shape)
      return from;
    return builder.create<tw::ReshapeOp>(at, source.clone(shape), from);
  }
  /// Whether all sizes are told. What reaches outside of the tensor is raised
  /// too: tw's verifier says so with the figures (TW0109).
  static bool isStatic(ArrayRef<int64_t> whole, ArrayRef<int64_t> offsets,
                       ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
    return llvm::none_of(ArrayRef{whole, offsets, sizes, strides},
                         ShapedType::isDynamicShape);
  }
  /// Null where every stride is 1, as a person would leave it out.
  DenseI64ArrayAttr stridesOf(ArrayRef<int64_t> strides) {
    if (llvm::all_of(strides, [](int64_t stride) { return stride == 1; }))
      return {};
    return builder.getDenseI64ArrayAttr(strides);
  }
  Value raise(tensor::ExtractSliceOp slice) {
    if (!allOf(isElement) ||
        !isStatic(slice.getSourceType().getShape(), slice.getStaticOffsets(),
                  slice.getStaticSizes(), slice.getStaticStrides()))
      return {};
    bool drops = type.getRank() != slice.getSourceType().getRank();
    Value part = builder.create<tw::SliceOp>(
        drops ? keyPart(loc, "slice") : loc,
        slice.getSourceType().clone(slice.getStaticSizes()), slice.getSource(),
        builder.getDenseI64ArrayAttr(slice.getStaticOffsets()),
        builder.getDenseI64ArrayAttr(slice.getStaticSizes()),
        stridesOf(slice.getStaticStrides()));
    return reshaped(part, type.getShape(), loc);
  }
  Value raise(tensor::InsertSliceOp insert) {
    if (!allOf(isElement) ||
        !isStatic(type.getShape(), insert.getStaticOffsets(),
                  insert.getStaticSizes(), insert.getStaticStrides()))
      return {};
    Value source = reshaped(insert.getSource(), insert.getStaticSizes(),
                            keyPart(loc, "source"));
    return builder.create<tw::InsertOp>(
        loc, type, source, insert.getDest(),
        builder.getDenseI64ArrayAttr(insert.getStaticOffsets()),
        stridesOf(insert.getStaticStrides()));
  }
  Value reshape(Value from) {
    if (!isElement(from) || !type.hasStaticShape() ||
        !cast<RankedTensorType>(from.getType()).hasStaticShape())
      return {};
    return builder.create<tw::ReshapeOp>(loc, type, from);
  }
  Value raise(tensor::CollapseShapeOp shape) { return reshape(shape.getSrc()); }
  Value raise(tensor::ExpandShapeOp shape) { return reshape(shape.getSrc()); }
  Value raise(tensor::ConcatOp concat) {
    if (!allOf(isElement))
      return {};
    return builder.create<tw::ConcatOp>(loc, type, concat.getInputs(),
                                        int64_t(concat.getDim()));
  }
};

struct RaiseTensorsPass
    : PassWrapper<RaiseTensorsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RaiseTensorsPass)
  StringRef getArgument() const override { return "raise-tensors"; }
  StringRef getDescription() const override {
    return "make tw operators of arith, math and tensor on whole tensors";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<tw::TensorDialect, linalg::LinalgDialect,
                    tensor::TensorDialect>();
  }

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet patterns(context);
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    elementwise = FrozenRewritePatternSet(std::move(patterns));
    return success();
  }

  void runOnOperation() override {
    SmallVector<Operation *> found;
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        for (Operation &op : block)
          if (isa_and_nonnull<arith::ArithDialect, math::MathDialect,
                              tensor::TensorDialect>(op.getDialect()))
            found.push_back(&op);
    PatternApplicator applicator(elementwise);
    applicator.applyDefaultCostModel();
    PatternRewriter rewriter(&getContext());
    LiftScalars scalars(rewriter);
    bool changed = false;
    auto raise = [&](Operation *op) {
      rewriter.setInsertionPoint(op);
      if (Value raised = Raising(rewriter, scalars, op).run()) {
        rewriter.replaceOp(op, raised);
        changed = true;
      } else if (!isa<tensor::TensorDialect>(op->getDialect())) {
        changed |= succeeded(applicator.matchAndRewrite(op, rewriter));
      }
    };
    for (Operation *op : found)
      raise(op);
    for (Operation *op : scalars.takeMade()) {
      raise(op);
      changed = true;
    }
    if (!changed)
      markAllAnalysesPreserved();
  }

private:
  FrozenRewritePatternSet elementwise;
};

} // namespace

std::unique_ptr<Pass> createRaiseTensorsPass() {
  return std::make_unique<RaiseTensorsPass>();
}

} // namespace tilewright::pass
