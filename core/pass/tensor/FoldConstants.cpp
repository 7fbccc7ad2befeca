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
// So does a `linalg.generic` that makes every element of nothing but its place,
// which is how positions are written.
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/execute/ConstantTensor.h"
#include "core/execute/ElementsBytes.h"
#include "core/execute/RunError.h"
#include "core/execute/RunValues.h"
#include "core/execute/TensorOperators.h"
#include "core/pass/tensor/TensorPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      return foldPlaces(generic);
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
    replace(op, std::move(result));
    return true;
  }

  /// What was folded here stays for `dce`: erasing in a pre-order walk would
  /// end it.
  void replace(Operation *op, TensorRef result) {
    OpBuilder builder(op);
    Value replacement = build(builder, op, *result);
    values[replacement] = std::move(result);
    op->getResult(0).replaceAllUsesWith(replacement);
  }

  /// Every element made of its place alone: nothing is read.
  bool foldPlaces(linalg::GenericOp op) {
    if (op.getNumDpsInputs() != 0 || op->getNumResults() != 1 ||
        op->use_empty() || elements(op->getResult(0)) > limit ||
        op.getNumParallelLoops() != op.getNumLoops() ||
        !op.getRegionOutputArgs().front().use_empty())
      return false;
    bool reads = false;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        reads |= inner != op && operand.getParentBlock() != op.getBlock();
    });
    if (reads)
      return false;
    Value init = op.getDpsInits().front();
    auto type = cast<RankedTensorType>(init.getType());
    std::optional<execute::Element> element =
        execute::elementOf(type.getElementType());
    if (!element)
      return false;
    TensorRef result;
    try {
      execute::EvaluateOptions options;
      execute::RunValues run(options);
      run.setTensor(init, execute::makeTensor(*element, type.getShape().vec()));
      if (!execute::runLinalg(op, run))
        return false;
      result = run.tensor(op->getResult(0));
    } catch (const execute::RunError &) {
      return false;
    }
    replace(op, std::move(result));
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
