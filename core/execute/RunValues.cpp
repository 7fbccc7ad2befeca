//===- RunValues.cpp - what SSA values hold during a run ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/RunValues.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/DenseSet.h"
#include <cstring>

using namespace mlir;

namespace tilewright::execute {

void RunValues::findEnds(Block *block) {
  llvm::DenseSet<Value> seen;
  for (Operation &op : llvm::reverse(*block)) {
    SmallVector<Value, 2> ending;
    // Reads inside its regions count as its own.
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (operand.getParentBlock() == block && seen.insert(operand).second)
          ending.push_back(operand);
    });
    for (Value result : op.getResults())
      if (seen.insert(result).second)
        ending.push_back(result);
    if (!ending.empty())
      ends[&op] = std::move(ending);
  }
}

ArrayRef<Value> RunValues::endingAt(Operation *op) {
  if (!std::exchange(known[op->getBlock()], true))
    findEnds(op->getBlock());
  auto it = ends.find(op);
  return it == ends.end() ? ArrayRef<Value>() : ArrayRef<Value>(it->second);
}

/// Whether `op` and what is inside it read `value` in one place only.
static bool isReadOnce(Value value, Operation *op) {
  return llvm::count_if(value.getUses(), [&](OpOperand &use) {
           return op->isAncestor(use.getOwner());
         }) == 1;
}

HeldTensor RunValues::takeForWriting(Value value, Operation *op) {
  auto it = values.find(value);
  HeldTensor &held = std::get<HeldTensor>(it->second);
  if (held.use_count() == 1 && llvm::is_contained(endingAt(op), value) &&
      isReadOnce(value, op)) {
    HeldTensor taken = std::move(held);
    values.erase(it);
    return taken;
  }
  HostTensor copy = makeTensor(held->element(), held->shape());
  std::memcpy(copy.data(), held->data(), size_t(held->byteSize()));
  return std::make_shared<HostTensor>(std::move(copy));
}

std::vector<int64_t> RunValues::numbers(ArrayRef<OpFoldResult> mixed) const {
  std::vector<int64_t> numbers;
  for (OpFoldResult entry : mixed) {
    if (auto constant = getConstantIntValue(entry))
      numbers.push_back(*constant);
    else
      numbers.push_back(scalar(cast<Value>(entry)).i);
  }
  return numbers;
}

} // namespace tilewright::execute
