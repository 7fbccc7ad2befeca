//===- MergeHeads.cpp - heads of one query as rows of one product ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/MergeHeads.h"
#include "core/pass/tile/AttentionScope.h"

using namespace mlir;

namespace tilewright::pass {

/// `type` with its last batch dimension and its rows in each other's place; of
/// the two one is 1, so that the elements stay where they are.
static RankedTensorType swapped(RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  std::swap(shape[shape.size() - 3], shape[shape.size() - 2]);
  return type.clone(shape);
}

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

void mergeHeads(func::FuncOp scope) {
  std::optional<Attention> attention = attentionOf(scope);
  if (!attention || attention->batches() < 1)
    return;
  tw::MatmulOp scores = attention->scores, output = attention->output;
  ArrayRef<int64_t> shape = scores.getType().getShape();
  int64_t heads = shape[shape.size() - 3];
  auto shared = [](Value matrices) {
    RankedTensorType type = typeOf(matrices);
    return type.getRank() < 3 || type.getDimSize(type.getRank() - 3) == 1;
  };
  if (heads < 2 || ShapedType::isDynamic(heads) ||
      shape[shape.size() - 2] != 1 || scores.getTransposeLhs() ||
      !shared(scores.getRhs()) || !shared(output.getRhs()))
    return;
  llvm::SmallPtrSet<Operation *, 32> members(attention->ops.begin(),
                                             attention->ops.end());
  // Operands from outside that differ from head to head.
  SmallVector<OpOperand *> perHead;
  for (Operation *op : attention->ops)
    for (OpOperand &operand : op->getOpOperands()) {
      if (isa<tw::MatmulOp>(op) && operand.getOperandNumber() > 0)
        continue;
      Operation *def = operand.get().getDefiningOp();
      RankedTensorType type = typeOf(operand.get());
      if ((def && members.contains(def)) || type.getRank() < 3 ||
          type.getDimSize(type.getRank() - 3) == 1)
        continue;
      if (!type.hasStaticShape())
        return;
      perHead.push_back(&operand);
    }
  for (OpOperand *operand : perHead) {
    OpBuilder builder(operand->getOwner());
    operand->set(builder.create<tw::ReshapeOp>(operand->getOwner()->getLoc(),
                                               swapped(typeOf(operand->get())),
                                               operand->get()));
  }
  for (Operation *op : attention->ops)
    if (RankedTensorType type = typeOf(op->getResult(0)); type.getRank() >= 3)
      op->getResult(0).setType(swapped(type));
  Value result = attention->result;
  OpBuilder builder(scope.front().getTerminator());
  auto back = builder.create<tw::ReshapeOp>(result.getLoc(),
                                            swapped(typeOf(result)), result);
  result.replaceAllUsesExcept(back, back);
}

} // namespace tilewright::pass
