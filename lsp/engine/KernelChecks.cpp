//===- KernelChecks.cpp - the static checker on a compilation -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/KernelChecks.h"
#include "core/check/CheckBlock.h"
#include "core/pipeline/CompilationImpl.h"

namespace tilewright::engine {

std::vector<model::Diagnostic> checkKernels(const Compilation &compilation,
                                            const std::string &uri) {
  const Compilation::Impl &impl = compilation.impl();
  if (!impl.table.complete)
    return {};
  const Snapshot *snapshot = impl.find("execution", nullptr);
  if (!snapshot)
    return {};
  check::CheckOptions options;
  options.uri = uri;
  if (impl.source)
    options.rangeOf = [&](llvm::StringRef key) {
      return impl.source->rangeOf(std::string_view(key))
          .value_or(model::TextRange());
    };
  return check::checkBlock(*impl.module(*snapshot), *impl.target, options);
}

} // namespace tilewright::engine
