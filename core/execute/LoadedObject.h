//===- LoadedObject.h - kernels linked into this process --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/CompiledProgram.h"
#include <memory>
#include <variant>

namespace tilewright::execute {

/// The object of a compiled program, linked into this process by LLVM's JIT.
/// Its kernels can do anything: only a runner loads one.
class LoadedObject {
public:
  /// Links the object and finds the entry point of every dispatch. Error:
  /// TW0520 (a symbol is missing, or the object is broken).
  static std::variant<LoadedObject, model::Diagnostic>
  load(const CompiledProgram &program);

  LoadedObject(LoadedObject &&) noexcept;
  LoadedObject &operator=(LoadedObject &&) noexcept;
  ~LoadedObject();

  /// Entry points by dispatch; valid while this lives.
  const std::vector<KernelFunction> &kernels() const { return entries; }

private:
  struct Impl;
  LoadedObject();
  std::unique_ptr<Impl> impl;
  std::vector<KernelFunction> entries;
};

} // namespace tilewright::execute
