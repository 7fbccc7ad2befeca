//===- Snapshot.cpp - pass results that are kept --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/Snapshot.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/pass/block/Bufferize.h"
#include "core/pass/block/JoinProgram.h"
#include "core/pipeline/ScopeKeys.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tilewright {

int64_t countOperations(ModuleOp module) {
  int64_t count = -1;
  module->walk([&](Operation *) { ++count; });
  return count;
}

OwningOpRef<ModuleOp> Snapshot::join(MLIRContext *context,
                                     ScopeKeys keys) const {
  if (!program)
    return nullptr;
  if (this->joined)
    return this->joined->module(context);
  OwningOpRef<ModuleOp> joined = program->module(context);
  if (!joined)
    return nullptr;
  llvm::StringMap<ScopeBindings> bindings;
  if (keys == ScopeKeys::Bound)
    bindings = collectBindings(*joined);
  for (const Scope &scope : scopes) {
    OwningOpRef<ModuleOp> module =
        scope.result->steps[scope.step].module->module(context);
    if (!module)
      return nullptr;
    auto bound = bindings.find(scope.result->name);
    // Programs are inlined instance by instance, and bound there.
    bool isProgram = !module->getOps<block::ProgramOp>().empty();
    if (bound != bindings.end() && !isProgram)
      bindKeys(*module, bound->second);
    for (Operation &op :
         llvm::make_early_inc_range(module->getBody()->getOperations())) {
      op.remove();
      joined->getBody()->push_back(&op);
    }
  }
  if (scopes.empty())
    for (Operation &op : *joined->getBody())
      if (op.hasAttr(tile::scopeAttrName))
        if (auto found =
                bindings.find(SymbolTable::getSymbolName(&op).getValue());
            found != bindings.end())
          bindKeys(&op, found->second);
  if (!scopes.empty() && failed(pass::joinProgram(*joined)))
    return nullptr;
  return joined;
}

/// Whether joining a program with `scope` changes neither.
static bool isOnTensors(ModuleOp scope) {
  return llvm::all_of(*scope.getBody(), [](Operation &op) {
    return isa<func::FuncOp>(op) && !op.hasAttr(pass::resultCountAttrName);
  });
}

std::vector<SharedModule> Snapshot::modules(MLIRContext *context) const {
  std::vector<SharedModule> result;
  if (!program)
    return result;
  result.push_back((joined ? joined : program)->shared(context));
  if (joined) {
    if (!result.front())
      result.clear();
    return result;
  }
  for (const Scope &scope : scopes) {
    result.push_back(scope.result->steps[scope.step].module->shared(context));
    if (result.back() && isOnTensors(result.back()->get()))
      continue;
    result.clear();
    if (OwningOpRef<ModuleOp> joined = join(context, ScopeKeys::Relative))
      result.push_back(
          std::make_shared<const OwningOpRef<ModuleOp>>(std::move(joined)));
    return result;
  }
  if (!result.front())
    result.clear();
  return result;
}

} // namespace tilewright
