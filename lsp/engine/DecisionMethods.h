//===- DecisionMethods.h - decisions, estimates, pins -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/engine/CompileService.h"

namespace tilewright::engine {

/// Registers decisions, estimate, whatIf, pins, pin and unpin.
void registerDecisionMethods(lsp::Connection &connection,
                             CompileService &service);

} // namespace tilewright::engine
