//===- KeepProgram.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/KeepProgram.h"
#include "core/dialect/Block/BlockDialect.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tilewright::execute {

void keepProgram(ModuleOp module, StringRef name) {
  auto programs = llvm::to_vector(module.getOps<block::ProgramOp>());
  auto kept = llvm::find_if(programs, [&](block::ProgramOp program) {
    return program.getSymName() == name;
  });
  if (kept == programs.end())
    return;
  llvm::StringSet<> used;
  if (auto uses = SymbolTable::getSymbolUses(*kept))
    for (const SymbolTable::SymbolUse &use : *uses)
      used.insert(use.getSymbolRef().getRootReference().getValue());
  for (block::ProgramOp program : programs)
    if (program != *kept)
      program.erase();
  for (auto kernel :
       llvm::make_early_inc_range(module.getOps<block::KernelOp>()))
    if (!used.contains(kernel.getSymName()))
      kernel.erase();
}

} // namespace tilewright::execute
