//===- LspConversion.h - the engine's data as LSP wants it ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/server/OpenDocuments.h"
#include <functional>

namespace tilewright::lsp {

/// The current text of an open document, or null.
using TextLookup = std::function<TextSnapshot(const std::string &uri)>;

Json lspRange(const TextDocument &text, const model::TextRange &range,
              PositionEncoding encoding);

/// An LSP Diagnostic; `text` is the document it is shown in. Ranges of related
/// information in documents that are not open become their first character.
Json lspDiagnostic(const model::Diagnostic &diagnostic,
                   const TextDocument &text, const TextLookup &lookup,
                   PositionEncoding encoding);

/// An LSP DocumentSymbol with its children.
Json lspSymbol(const Symbol &symbol, const TextDocument &text,
               PositionEncoding encoding);

/// Turns every `{begin, end}` in `json` into `{start, end}` with positions in
/// `text`.
void convertRanges(Json &json, const TextDocument &text,
                   PositionEncoding encoding);

} // namespace tilewright::lsp
