//===- Selection.h - what to select around a place --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include <vector>

namespace tilewright::frontend {

class SourceSnapshot;

/// What contains `offset`, innermost first, each within the next: word, operand
/// or type, what is between brackets, operation, block, region, function,
/// module, text. Where a function cannot be read its lines stand for
/// operations. Linear in the function.
std::vector<model::TextRange> selectionAt(const SourceSnapshot &source,
                                          int64_t offset);

} // namespace tilewright::frontend
