//===- CompilationSource.cpp ----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/frontend/CompilationSource.h"
#include "core/frontend/SourceDocument.h"
#include <chrono>

namespace tilewright::frontend {

CompilationSource readForCompilation(const std::string &uri,
                                     const std::string &text,
                                     mlir::MLIRContext *context,
                                     const std::atomic<bool> *cancel) {
  auto start = std::chrono::steady_clock::now();
  CompilationSource result;
  std::shared_ptr<const SourceSnapshot> source =
      readSource(*context, uri, 0, text, /*previous=*/nullptr, cancel);
  SourceModule built = buildModule(*source, *context, cancel);
  result.module = std::move(built.module);
  result.diagnostics = std::move(built.diagnostics);
  source->forEachKey([&](const std::string &key, model::TextRange name) {
    result.keyRanges.emplace(key, name);
  });
  result.milliseconds = std::chrono::duration<double, std::milli>(
                            std::chrono::steady_clock::now() - start)
                            .count();
  return result;
}

} // namespace tilewright::frontend
