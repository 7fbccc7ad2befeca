//===- DecomposeComposites.cpp - composites written out -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A composite rounds once, at its end. So its parts work in f32 whatever the
// element type: an f16 or bf16 input is cast up first and the last part's
// result cast down. The operation that makes the composite's value keeps its
// key; the parts before it carry `key.part`.
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/pass/tensor/TensorPasses.h"

using namespace mlir;

namespace tilewright::pass {

namespace {

/// Builds the parts of one composite.
class Parts {
public:
  Parts(OpBuilder &builder, Operation *whole)
      : builder(builder), whole(whole),
        type(cast<RankedTensorType>(whole->getResult(0).getType())) {}

  /// An operand as f32.
  Value wide(unsigned operand, StringRef part) {
    Value value = whole->getOperand(operand);
    auto from = cast<RankedTensorType>(value.getType());
    if (from.getElementType().isF32())
      return value;
    return builder.create<tw::CastOp>(at(part), value, builder.getF32Type());
  }

  template <typename Op> Value unary(StringRef part, Value x) {
    return builder.create<Op>(at(part), x);
  }
  template <typename Op> Value binary(StringRef part, Value x, Value y) {
    return builder.create<Op>(at(part), x, y);
  }
  /// A scalar; broadcasting does the rest.
  Value number(StringRef part, double value) {
    return builder.create<tw::FullOp>(
        at(part), RankedTensorType::get({}, builder.getF32Type()), value);
  }
  Value reduce(StringRef part, tw::ReduceKind kind, Value x, int64_t axis) {
    auto from = cast<RankedTensorType>(x.getType());
    SmallVector<int64_t> shape(from.getShape());
    shape[axis] = 1;
    return builder.create<tw::ReduceOp>(at(part), from.clone(shape), x, kind,
                                        ArrayRef<int64_t>{axis},
                                        /*keepdims=*/true);
  }

  /// The last part, which has the composite's key: `x op y`, of its type.
  template <typename Op> Value last(Value x, Value y) {
    if (type.getElementType().isF32())
      return builder.create<Op>(whole->getLoc(), type, x, y);
    auto wideType = cast<RankedTensorType>(type.clone(builder.getF32Type()));
    Value value = builder.create<Op>(at("wide_result"), wideType, x, y);
    return builder.create<tw::CastOp>(whole->getLoc(), type, value);
  }

private:
  Location at(StringRef part) { return keyPart(whole->getLoc(), part); }

  OpBuilder &builder;
  Operation *whole;
  RankedTensorType type;
};

} // namespace

/// 1 + e^-x
static Value onePlusExp(Parts &parts, Value x) {
  Value negated = parts.unary<tw::NegOp>("negated", x);
  Value power = parts.unary<tw::ExpOp>("exp", negated);
  return parts.binary<tw::AddOp>("divisor", power, parts.number("one", 1));
}

static Value decompose(Parts &parts, tw::SigmoidOp) {
  Value divisor = onePlusExp(parts, parts.wide(0, "wide"));
  return parts.last<tw::DivOp>(parts.number("one", 1), divisor);
}

static Value decompose(Parts &parts, tw::SiluOp) {
  Value x = parts.wide(0, "wide");
  return parts.last<tw::DivOp>(x, onePlusExp(parts, x));
}

static Value decompose(Parts &parts, tw::GeluOp) {
  Value x = parts.wide(0, "wide");
  Value scaled = parts.binary<tw::MulOp>(
      "scaled", x, parts.number("rsqrt_2", 0.70710678118654752440));
  Value erf = parts.unary<tw::ErfOp>("erf", scaled);
  Value factor = parts.binary<tw::AddOp>("factor", erf, parts.number("one", 1));
  Value half =
      parts.binary<tw::MulOp>("half", x, parts.number("one_half", 0.5));
  return parts.last<tw::MulOp>(half, factor);
}

static Value decompose(Parts &parts, tw::SoftmaxOp op) {
  Value x = parts.wide(0, "wide");
  int64_t axis = op.getNormalizedAxis();
  Value largest = parts.reduce("row_max", tw::ReduceKind::Max, x, axis);
  Value centered = parts.binary<tw::SubOp>("centered", x, largest);
  Value power = parts.unary<tw::ExpOp>("exp", centered);
  Value sum = parts.reduce("row_sum", tw::ReduceKind::Sum, power, axis);
  return parts.last<tw::DivOp>(power, sum);
}

/// 1 / sqrt(mean(x * x along the last axis) + epsilon)
static Value inverseSpread(Parts &parts, Value x, double epsilon) {
  int64_t axis = cast<RankedTensorType>(x.getType()).getRank() - 1;
  Value squares = parts.binary<tw::MulOp>("squares", x, x);
  Value mean = parts.reduce("mean_square", tw::ReduceKind::Mean, squares, axis);
  Value shifted = parts.binary<tw::AddOp>("shifted", mean,
                                          parts.number("epsilon", epsilon));
  return parts.unary<tw::RsqrtOp>("scale", shifted);
}

static Value decompose(Parts &parts, tw::RmsNormOp op) {
  Value x = parts.wide(0, "wide");
  Value scale = inverseSpread(parts, x, op.getEpsilon().convertToDouble());
  Value scaled = parts.binary<tw::MulOp>("scaled", x, scale);
  return parts.last<tw::MulOp>(scaled, parts.wide(1, "wide_weight"));
}

static Value decompose(Parts &parts, tw::LayerNormOp op) {
  Value x = parts.wide(0, "wide");
  int64_t axis = op.getType().getRank() - 1;
  Value mean = parts.reduce("mean", tw::ReduceKind::Mean, x, axis);
  Value centered = parts.binary<tw::SubOp>("centered", x, mean);
  Value scale =
      inverseSpread(parts, centered, op.getEpsilon().convertToDouble());
  Value scaled = parts.binary<tw::MulOp>("scaled", centered, scale);
  Value weighted =
      parts.binary<tw::MulOp>("weighted", scaled, parts.wide(1, "wide_weight"));
  return parts.last<tw::AddOp>(weighted, parts.wide(2, "wide_bias"));
}

template <typename Op> static bool decomposeIf(Operation *op) {
  auto composite = dyn_cast<Op>(op);
  if (!composite)
    return false;
  OpBuilder builder(op);
  Parts parts(builder, op);
  Value value = decompose(parts, composite);
  op->getResult(0).replaceAllUsesWith(value);
  op->erase();
  return true;
}

namespace {

class DecomposeComposites
    : public PassWrapper<DecomposeComposites, OperationPass<ModuleOp>> {
public:
  DecomposeComposites() = default;
  explicit DecomposeComposites(std::function<bool(Operation *)> keep)
      : stays(std::move(keep)) {}
  DecomposeComposites(const DecomposeComposites &other)
      : PassWrapper(other), stays(other.stays) {}

  StringRef getArgument() const override { return "decompose-composites"; }
  StringRef getDescription() const override {
    return "Write softmax, norms and activations out in primitive operators";
  }
  void runOnOperation() override {
    SmallVector<Operation *> composites;
    getOperation().walk([&](Operation *op) {
      if (isa<tw::SigmoidOp, tw::SiluOp, tw::GeluOp, tw::SoftmaxOp,
              tw::RmsNormOp, tw::LayerNormOp>(op) &&
          !(stays && stays(op)) &&
          !llvm::is_contained(kept, op->getName().stripDialect()))
        composites.push_back(op);
    });
    for (Operation *op : composites)
      (void)(decomposeIf<tw::SigmoidOp>(op) || decomposeIf<tw::SiluOp>(op) ||
             decomposeIf<tw::GeluOp>(op) || decomposeIf<tw::SoftmaxOp>(op) ||
             decomposeIf<tw::RmsNormOp>(op) ||
             decomposeIf<tw::LayerNormOp>(op));
    if (composites.empty())
      markAllAnalysesPreserved();
  }

private:
  std::function<bool(Operation *)> stays;
  ListOption<std::string> kept{
      *this, "keep",
      llvm::cl::desc("operators that stay, by name without the dialect")};
};

} // namespace

std::unique_ptr<Pass> createDecomposeCompositesPass() {
  return std::make_unique<DecomposeComposites>();
}
std::unique_ptr<Pass>
createDecomposeCompositesPassKeeping(std::function<bool(Operation *)> keep) {
  return std::make_unique<DecomposeComposites>(std::move(keep));
}

} // namespace tilewright::pass
