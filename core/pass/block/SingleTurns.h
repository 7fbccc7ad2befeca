//===- SingleTurns.h - loops that run once ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"

namespace tilewright::pass {

/// Puts the body of each loop of `kernel` that is known to run once in the
/// loop's place, and writes index arithmetic on constants out as the constant.
/// A loop of a single turn would have events between turns that never follow
/// each other.
void writeOutSingleTurns(block::KernelOp kernel);

} // namespace tilewright::pass
