//===- RenameMethod.h - names and what goes by them -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/engine/EngineDocuments.h"
#include "lsp/protocol/Connection.h"

namespace tilewright::engine {

/// Registers `tilewright/rename`: what changes in the source, in its pins file
/// and in its overrides. Nothing is written.
void registerRenameMethod(lsp::Connection &connection,
                          EngineDocuments &documents);

} // namespace tilewright::engine
