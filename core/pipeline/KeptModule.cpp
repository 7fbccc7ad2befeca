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
    : clone(std::make_shared<const Clone>(
          Clone{std::move(context), OwningOpRef<ModuleOp>(module.clone())})),
      operationCount(-1) {
  module.walk([&](Operation *) { ++operationCount; });
}

KeptModule::~KeptModule() = default;

OwningOpRef<ModuleOp> KeptModule::module(MLIRContext *context) const {
  {
    std::lock_guard lock(mutex);
    if (clone && clone->owner.get() == context)
      return OwningOpRef<ModuleOp>(clone->module.get().clone());
  }
  return readBytecode(bytecode(), context);
}

SharedModule KeptModule::shared(MLIRContext *context) const {
  {
    std::lock_guard lock(mutex);
    if (clone && clone->owner.get() == context)
      return SharedModule(clone, &clone->module);
  }
  OwningOpRef<ModuleOp> read = readBytecode(bytecode(), context);
  return read ? std::make_shared<const OwningOpRef<ModuleOp>>(std::move(read))
              : nullptr;
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
  (void)writeBytecodeToFile(clone->module.get(), stream);
  stream.flush();
  clone = nullptr;
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
