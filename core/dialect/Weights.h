//===- Weights.h - what stays the same from run to run ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilewright {

/// On an argument of a function, a scope or a program (unit): its values are
/// the same in all runs of a program that follow each other. Written in the
/// source; `form-scopes` hands it on, and adds it where a constant is passed.
inline constexpr llvm::StringLiteral weightAttrName = "tw.weight";

/// On a block.dispatch (unit): it reads weights only, and what it writes stays;
/// the first of several runs of a program does it for all of them.
inline constexpr llvm::StringLiteral onceAttrName = "block.once";

} // namespace tilewright
