//===- KeyFuser.cpp - keys carried through rewrites -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/KeyFuser.h"
#include "core/dialect/Key.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright::pass {

KeyFuser::KeyFuser(Operation *root) {
  root->walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>())
      constants.try_emplace(op, op->getLoc());
  });
}

void KeyFuser::notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) {
  // Most rewrites hand the location on; what does not is repaired at the end.
  keyless |= isa<UnknownLoc>(op->getLoc()) || keysOf(op).empty();
}

void KeyFuser::notifyOperationReplaced(Operation *op, ValueRange replacement) {
  llvm::SetVector<Operation *> makers;
  for (Value value : replacement)
    if (Operation *maker = value ? value.getDefiningOp() : nullptr)
      if (maker != op)
        makers.insert(maker);
  SmallVector<Location, 1> passedOn;
  if (auto it = owed.find(op); it != owed.end()) {
    passedOn = std::move(it->second);
    owed.erase(it);
  }
  auto constant = constants.find(op);
  passedOn.push_back(constant == constants.end() ? op->getLoc()
                                                 : constant->second);
  for (Operation *maker : makers) {
    SmallVector<Location, 1> &into = owed[maker];
    // The longer list stays where it is: chains of replacements cost n log n.
    if (makers.size() == 1 && into.size() < passedOn.size())
      std::swap(into, passedOn);
    into.append(passedOn.begin(), passedOn.end());
  }
}

void KeyFuser::notifyOperationErased(Operation *op) {
  owed.erase(op);
  constants.erase(op);
}

void KeyFuser::finish(Operation *root) {
  for (auto &[op, loc] : constants)
    if (keysOf(op).empty())
      op->setLoc(loc);
  constants.clear();
  for (auto &[op, locs] : owed) {
    SmallVector<Location> all{op->getLoc()};
    all.append(locs.begin(), locs.end());
    op->setLoc(fuseKeys(op->getContext(), all));
  }
  owed.clear();
  if (keyless)
    repairKeys(root);
}

} // namespace tilewright::pass
