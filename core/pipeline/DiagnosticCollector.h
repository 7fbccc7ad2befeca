//===- DiagnosticCollector.h - MLIR's diagnostics as the model's -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "mlir/IR/Diagnostics.h"
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright {

/// Finds the source range of a key; empty range if it has none.
using KeyRange = std::function<model::TextRange(llvm::StringRef key)>;

/// While it lives, diagnostics of `context` that this thread emits become
/// model diagnostics: the code from a trailing "[TW0123]", the key from the
/// location, the range by `keyRange`. `defaultCode` serves messages that come
/// from upstream and carry no code.
class DiagnosticCollector {
public:
  DiagnosticCollector(mlir::MLIRContext *context, std::string uri,
                      std::string defaultCode, KeyRange keyRange);

  std::vector<model::Diagnostic> take();
  bool sawError() const { return error; }

private:
  mlir::LogicalResult collect(mlir::Diagnostic &diagnostic);

  std::string uri;
  std::string defaultCode;
  KeyRange keyRange;
  std::vector<model::Diagnostic> diagnostics;
  bool error = false;
  std::mutex mutex;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tilewright
