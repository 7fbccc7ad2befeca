//===- FeatureMethods.h - what editors ask of a text ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/engine/EngineDocuments.h"

namespace tilewright::engine {

/// The methods of lsp/protocol/LanguageFeatures.h.
void registerFeatureMethods(lsp::Connection &connection,
                            EngineDocuments &documents);

} // namespace tilewright::engine
