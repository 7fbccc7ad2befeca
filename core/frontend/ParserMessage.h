//===- ParserMessage.h - upstream's messages, with what to do ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "mlir/IR/MLIRContext.h"
#include <string>
#include <string_view>

namespace tilewright::frontend {

/// Fills code, message and hint from a message of MLIR's parser (`parsing`) or
/// verifier:
///   TW0001 syntax        TW0020 unknown operation or dialect
///   TW0021 undefined value   TW0101 an operation's own rules
void describeParserMessage(std::string message, bool parsing,
                           mlir::MLIRContext &context,
                           model::Diagnostic &diagnostic);

/// The word or sign at `offset`; one byte, or the line's last word if `offset`
/// is at its end.
model::TextRange wordAt(std::string_view text, int64_t offset);

} // namespace tilewright::frontend
