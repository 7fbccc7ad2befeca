//===- StepNames.h - what messages call a step ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/BlockCode.h"

namespace tilewright::execute {

/// "MTE2 to VEC id 0", of a step of `kernel` that sets or waits for an event.
std::string eventName(const BlockCode &code, const RoutineCode &kernel,
                      const StepCode &step);

/// "block.move on MTE2 (f/x)".
std::string stepName(const BlockCode &code, const RoutineCode &kernel,
                     const StepCode &step);

} // namespace tilewright::execute
