//===- FoldConstants.cpp - operators on constants -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operator all of whose operands are constants is run by the interpreter and
// becomes a constant, unless that would be large: then computing it at run time
// costs less than carrying it around. One value everywhere becomes a `tw.full`.
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/execute/ConstantTensor.h"
#include "core/execute/RunError.h"
#include "core/execute/TensorOperators.h"
#include "core/pass/tensor/TensorPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include <cstring>

using namespace mlir;

namespace tilewright::pass {

using execute::HostTensor;
using execute::TensorRef;

namespace {

class FoldConstants
    : public PassWrapper<FoldConstants, OperationPass<ModuleOp>> {
public:
  FoldConstants() = default;
  FoldConstants(const FoldConstants &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "fold-constants"; }
  StringRef getDescription() const override {
    return "Run operators on constants";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, tw::TensorDialect>();
  }
  void runOnOperation() override {
    bool changed = false;
    values.clear();
    // Producers come first in a walk, so one is enough.
    getOperation().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { changed |= fold(op); });
    values.clear();
    if (!changed)
      markAllAnalysesPreserved();
  }

private:
  static int64_t elements(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.hasStaticShape()
               ? execute::elementCount(type.getShape()).value_or(INT64_MAX)
               : INT64_MAX;
  }

  /// The value of a constant that is small enough; null for anything else.
  TensorRef constant(Value value) {
    if (elements(value) > limit)
      return nullptr;
    if (auto it = values.find(value); it != values.end())
      return it->second;
    ElementsAttr attribute;
    if (!matchPattern(value, m_Constant(&attribute)))
      return nullptr;
    auto tensor = execute::toHostTensor(attribute);
    if (!tensor)
      return nullptr;
    return values[value] = std::make_shared<HostTensor>(std::move(*tensor));
  }

  bool fold(Operation *op) {
    if (!isa_and_nonnull<tw::TensorDialect>(op->getDialect()) ||
        op->use_empty() || elements(op->getResult(0)) > limit)
      return false;
    auto full = dyn_cast<tw::FullOp>(op);
    SmallVector<TensorRef> operands;
    for (Value operand : op->getOperands()) {
      TensorRef value = constant(operand);
      if (!value)
        return false;
      operands.push_back(value);
    }
    TensorRef result;
    try {
      result = std::make_shared<HostTensor>(
          execute::evaluateOperator(op, operands, {}));
    } catch (const execute::RunError &) {
      return false; // the run will say what is wrong
    }
    if (full) { // stays, and is known to what follows
      values[full.getResult()] = result;
      return false;
    }
    OpBuilder builder(op);
    Value replacement = build(builder, op, *result);
    values[replacement] = result;
    op->getResult(0).replaceAllUsesWith(replacement);
    // What was folded here stays for `dce`: erasing in a pre-order walk would
    // end it.
    return true;
  }

  Value build(OpBuilder &builder, Operation *op, const HostTensor &value) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    size_t width = size_t(execute::bytesOf(value.element()));
    bool same =
        value.elements() > 0 && value.element() != execute::Element::I64;
    for (int64_t i = 1; same && i < value.elements(); ++i)
      same = std::memcmp(value.data(), value.data() + i * width, width) == 0;
    if (same)
      return builder.create<tw::FullOp>(op->getLoc(), type, value.at(0));
    return builder.create<arith::ConstantOp>(
        op->getLoc(), execute::toElementsAttr(value, type));
  }

  Option<int64_t> limit{*this, "limit",
                        llvm::cl::desc("elements of the largest constant made "
                                       "or read"),
                        llvm::cl::init(65536)};
  DenseMap<Value, TensorRef> values;
};

} // namespace

std::unique_ptr<Pass> createFoldConstantsPass() {
  return std::make_unique<FoldConstants>();
}

} // namespace tilewright::pass
