//===- DiagnosticCollector.cpp - MLIR's diagnostics as the model's --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/DiagnosticCollector.h"
#include "core/dialect/Key.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilewright {

/// Messages are cut here: upstream prints whole types into them.
static constexpr size_t maxMessageBytes = 4096;

static model::Severity severityOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return model::Severity::Error;
  case DiagnosticSeverity::Warning:
    return model::Severity::Warning;
  case DiagnosticSeverity::Remark:
  case DiagnosticSeverity::Note:
    return model::Severity::Information;
  }
  return model::Severity::Error;
}

/// Takes a trailing "[TW0123]" off `message`.
static std::string takeCode(std::string &message) {
  StringRef text = StringRef(message).rtrim();
  if (text.ends_with("]")) {
    size_t open = text.rfind("[TW");
    if (open != StringRef::npos) {
      StringRef code = text.slice(open + 1, text.size() - 1);
      if (code.size() == 6 && llvm::all_of(code.drop_front(2), llvm::isDigit)) {
        std::string result = code.str();
        message = text.take_front(open).rtrim().str();
        return result;
      }
    }
  }
  return {};
}

DiagnosticCollector::DiagnosticCollector(MLIRContext *context, std::string uri,
                                         std::string defaultCode,
                                         KeyRange keyRange)
    : uri(std::move(uri)), defaultCode(std::move(defaultCode)),
      keyRange(std::move(keyRange)),
      handler(context, [this](mlir::Diagnostic &diagnostic) {
        return collect(diagnostic);
      }) {}

LogicalResult DiagnosticCollector::collect(mlir::Diagnostic &diagnostic) {
  model::Diagnostic result;
  result.severity = severityOf(diagnostic.getSeverity());
  result.message = diagnostic.str();
  result.code = takeCode(result.message);
  if (result.code.empty())
    result.code = defaultCode;
  if (result.message.size() > maxMessageBytes) {
    result.message.resize(maxMessageBytes);
    result.message += " …";
  }
  result.uri = uri;
  SmallVector<StringRef> keys = keysOf(diagnostic.getLocation());
  if (!keys.empty()) {
    result.key = keys.front().str();
    if (keyRange)
      result.range = keyRange(keys.front());
  }
  for (mlir::Diagnostic &note : diagnostic.getNotes()) {
    model::RelatedInformation related;
    related.uri = uri;
    related.message = note.str();
    if (related.message.size() > maxMessageBytes)
      related.message.resize(maxMessageBytes);
    SmallVector<StringRef> noteKeys = keysOf(note.getLocation());
    if (!noteKeys.empty() && keyRange)
      related.range = keyRange(noteKeys.front());
    // "help: …" notes say what to do.
    if (StringRef(related.message).starts_with("help: "))
      result.hint = related.message.substr(6);
    else
      result.related.push_back(std::move(related));
  }
  std::lock_guard lock(mutex);
  error |= result.severity == model::Severity::Error;
  diagnostics.push_back(std::move(result));
  return success();
}

std::vector<model::Diagnostic> DiagnosticCollector::take() {
  std::lock_guard lock(mutex);
  return std::move(diagnostics);
}

} // namespace tilewright
