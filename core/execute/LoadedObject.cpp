//===- LoadedObject.cpp - kernels linked into this process ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/LoadedObject.h"
#include "core/target/MatrixTiles.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include <mutex>

namespace tilewright::execute {

struct LoadedObject::Impl {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

LoadedObject::LoadedObject() : impl(std::make_unique<Impl>()) {}
LoadedObject::LoadedObject(LoadedObject &&) noexcept = default;
LoadedObject &LoadedObject::operator=(LoadedObject &&) noexcept = default;
LoadedObject::~LoadedObject() = default;

std::variant<LoadedObject, model::Diagnostic>
LoadedObject::load(const CompiledProgram &program) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  if (program.matrixTiles && !target::mayUseMatrixTiles()) {
    model::Diagnostic diagnostic;
    diagnostic.code = "TW0520";
    diagnostic.message = "the compiled kernels use the tile registers of AMX, "
                         "which this machine does not have or its system does "
                         "not give to this process";
    diagnostic.hint = "Compile again on the machine that runs them.";
    return diagnostic;
  }
  LoadedObject loaded;
  auto link = [&]() -> llvm::Error {
    auto jit = llvm::orc::LLJITBuilder().create();
    if (!jit)
      return jit.takeError();
    loaded.impl->jit = std::move(*jit);
    // expf and its like come from this process.
    auto process =
        llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
            loaded.impl->jit->getDataLayout().getGlobalPrefix());
    if (!process)
      return process.takeError();
    loaded.impl->jit->getMainJITDylib().addGenerator(std::move(*process));
    llvm::StringRef bytes(reinterpret_cast<const char *>(program.object.data()),
                          program.object.size());
    if (llvm::Error error = loaded.impl->jit->addObjectFile(
            llvm::MemoryBuffer::getMemBufferCopy(bytes, "kernels")))
      return error;
    llvm::StringMap<KernelFunction> found;
    for (const ProgramDispatch &dispatch : program.dispatches) {
      KernelFunction &entry = found[dispatch.kernel];
      if (!entry) {
        auto symbol = loaded.impl->jit->lookup(dispatch.kernel);
        if (!symbol)
          return symbol.takeError();
        entry = symbol->toPtr<KernelFunction>();
      }
      loaded.entries.push_back(entry);
    }
    return llvm::Error::success();
  };
  if (llvm::Error error = link()) {
    model::Diagnostic diagnostic;
    diagnostic.code = "TW0520";
    diagnostic.message = "the compiled kernels cannot be loaded: " +
                         llvm::toString(std::move(error));
    return diagnostic;
  }
  return loaded;
}

} // namespace tilewright::execute
