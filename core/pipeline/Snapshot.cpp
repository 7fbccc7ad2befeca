//===- Snapshot.cpp - pass results kept as bytecode -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/Snapshot.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/pass/block/JoinProgram.h"
#include "core/pipeline/ScopeKeys.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilewright {

Bytecode captureBytecode(ModuleOp module) {
  auto bytes = std::make_shared<std::string>();
  llvm::raw_string_ostream stream(*bytes);
  if (failed(writeBytecodeToFile(module, stream)))
    return nullptr;
  stream.flush();
  return bytes;
}

OwningOpRef<ModuleOp> readBytecode(const Bytecode &bytecode,
                                   MLIRContext *context) {
  if (!bytecode)
    return nullptr;
  ParserConfig config(context, /*verifyAfterParse=*/false);
  Block block;
  if (failed(readBytecodeFile(llvm::MemoryBufferRef(*bytecode, "snapshot"),
                              &block, config)))
    return nullptr;
  auto module = dyn_cast<ModuleOp>(&block.front());
  if (!module)
    return nullptr;
  module->remove();
  return module;
}

int64_t countOperations(ModuleOp module) {
  int64_t count = -1;
  module->walk([&](Operation *) { ++count; });
  return count;
}

OwningOpRef<ModuleOp> Snapshot::join(MLIRContext *context) const {
  OwningOpRef<ModuleOp> joined = readBytecode(program, context);
  if (!joined)
    return nullptr;
  llvm::StringMap<ScopeBindings> bindings = collectBindings(*joined);
  for (const Scope &scope : scopes) {
    OwningOpRef<ModuleOp> module =
        readBytecode(scope.result->steps[scope.step].module, context);
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

} // namespace tilewright
