//===- OperationRoles.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/inspect/OperationRoles.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilewright::inspect {

/// True if `op` stands in a loop, a grid or a kernel, where slices only cut.
static bool isInsideTiles(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    StringRef name = parent->getName().getStringRef();
    if (name == "scf.forall" || name == "scf.for" || name == "block.kernel")
      return true;
  }
  return false;
}

Role roleOf(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return Role::Terminator;
  StringRef name = op->getName().getStringRef();
  if (name == "func.func")
    return op->hasAttr("tile.scope") ? Role::Scope : Role::Function;
  Role role =
      llvm::StringSwitch<Role>(name)
          .Case("builtin.module", Role::Module)
          .Case("scf.forall", Role::Grid)
          .Cases("scf.for", "scf.while", "scf.if", "scf.parallel", "affine.for",
                 Role::Loop)
          .Cases("tile.move", "block.move", Role::Move)
          .Cases("block.buffer", "block.alloc", "memref.alloc", "memref.alloca",
                 Role::Buffer)
          .Cases("block.set_event", "block.wait_event", "block.barrier",
                 Role::Sync)
          .Case("block.dispatch", Role::Dispatch)
          .Case("block.kernel", Role::Kernel)
          .Case("block.program", Role::Program)
          .Case("block.constant", Role::Constant)
          .Cases("tensor.empty", "tensor.parallel_insert_slice", "tensor.dim",
                 "memref.dim", "memref.subview", "memref.cast", Role::Plumbing)
          .Cases("memref.reinterpret_cast", "memref.collapse_shape",
                 "memref.expand_shape", "memref.memory_space_cast",
                 "memref.dealloc", Role::Plumbing)
          .Default(Role::Compute);
  if (role != Role::Compute)
    return role;
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "affine")
    return Role::Plumbing;
  bool allScalars = op->getNumResults() > 0 &&
                    llvm::all_of(op->getResultTypes(),
                                 [](Type type) { return type.isIndex(); });
  if (allScalars)
    return Role::Plumbing;
  if (op->hasTrait<OpTrait::ConstantLike>())
    return Role::Constant;
  if (dialect == "tensor" && isInsideTiles(op))
    return Role::Plumbing;
  return Role::Compute;
}

bool isGroup(Role role) {
  switch (role) {
  case Role::Grid:
  case Role::Loop:
  case Role::Function:
  case Role::Scope:
  case Role::Kernel:
  case Role::Program:
    return true;
  default:
    return false;
  }
}

} // namespace tilewright::inspect
