//===- ReadText.h - reading a text in a test --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/frontend/Dialects.h"
#include "core/frontend/SourceDocument.h"
#include "mlir/IR/MLIRContext.h"
#include <algorithm>
#include <string>

namespace tilewright::frontend {

inline mlir::MLIRContext &testContext() {
  static std::shared_ptr<mlir::MLIRContext> context = makeContext();
  return *context;
}

inline std::shared_ptr<const SourceSnapshot>
readText(std::string text, const SourceSnapshot *previous = nullptr) {
  return readSource(testContext(), "file:///t.mlir", 1, std::move(text),
                    previous, nullptr);
}

/// All codes in order of place, "TW0001 TW0020".
inline std::string codesOf(const SourceSnapshot &source) {
  std::string codes;
  for (const model::Diagnostic &diagnostic : source.diagnostics)
    codes += (codes.empty() ? "" : " ") + diagnostic.code;
  return codes;
}

inline std::string textAt(const SourceSnapshot &source,
                          model::TextRange range) {
  return source.text.substr(size_t(range.begin),
                            size_t(range.end - range.begin));
}

/// The key of what is written at the `n`th place where `word` stands.
inline std::string keyAtWord(const SourceSnapshot &source,
                             const std::string &word, int n = 0) {
  size_t at = source.text.find(word);
  while (n-- > 0 && at != std::string::npos)
    at = source.text.find(word, at + 1);
  if (at == std::string::npos)
    return "<not in the text>";
  auto found = source.keyAt(int64_t(at));
  return found && !found->keys.empty() ? found->keys.front() : "<none>";
}

} // namespace tilewright::frontend
