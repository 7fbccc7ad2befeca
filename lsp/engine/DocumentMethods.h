//===- DocumentMethods.h - what is asked of a text itself -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Stage.h"
#include "lsp/engine/EngineDocuments.h"
#include <functional>

namespace tilewright::engine {

/// The printed stage a request means; throws RequestError if there is none.
using PrintedStageOf = std::function<model::PrintedStage(
    lsp::IncomingRequest &request, const std::string &uri,
    const std::string &target, const std::string &stage)>;

/// Registers didOpen, didChange, didClose, diagnostics, hover, definition,
/// symbols and keyAt. `printed` serves keyAt on stages; without it keyAt
/// answers for the source only.
void registerDocumentMethods(lsp::Connection &connection,
                             EngineDocuments &documents,
                             PrintedStageOf printed = {});

} // namespace tilewright::engine
