//===- OverrideMethods.h - overrides on request -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/engine/CompileService.h"

namespace tilewright::engine {

/// Registers `tilewright/override`.
void registerOverrideMethod(lsp::Connection &connection,
                            CompileService &service);

} // namespace tilewright::engine
