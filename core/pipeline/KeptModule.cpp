//===- KeptModule.cpp - a module kept for later ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/KeptModule.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilewright {

KeptModule::KeptModule(ModuleOp module, std::shared_ptr<MLIRContext> context)
    : owner(std::move(context)), clone(module.clone()), operationCount(-1) {
  module.walk([&](Operation *) { ++operationCount; });
}

KeptModule::~KeptModule() = default;

OwningOpRef<ModuleOp> KeptModule::module(MLIRContext *context) const {
  {
    std::lock_guard lock(mutex);
    if (clone && owner.get() == context)
      return OwningOpRef<ModuleOp>(clone->clone());
  }
  return readBytecode(bytecode(), context);
}

const std::string &KeptModule::bytecode() const {
  settle();
  // From here on `bytes` does not change.
  return bytes;
}

OwningOpRef<ModuleOp> readBytecode(StringRef bytes, MLIRContext *context) {
  ParserConfig config(context, /*verifyAfterParse=*/false);
  Block block;
  if (failed(readBytecodeFile(llvm::MemoryBufferRef(bytes, "snapshot"), &block,
                              config)))
    return nullptr;
  auto read = dyn_cast<ModuleOp>(&block.front());
  if (!read)
    return nullptr;
  read->remove();
  return read;
}

void KeptModule::settle() const {
  std::lock_guard lock(mutex);
  if (!clone)
    return;
  llvm::raw_string_ostream stream(bytes);
  // Fails only where a dialect asks for a bytecode version, which none does.
  (void)writeBytecodeToFile(*clone, stream);
  stream.flush();
  clone = nullptr;
  owner = nullptr;
}

size_t KeptModule::size() const {
  // Measured of modules of 2,000 to 20,000 operations.
  constexpr size_t bytesPerOperation = 320;
  std::lock_guard lock(mutex);
  if (!clone)
    return bytes.size();
  return size_t(operationCount + 1) * bytesPerOperation;
}

} // namespace tilewright
