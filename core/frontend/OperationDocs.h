//===- OperationDocs.h - what an operation does, for a person ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string_view>

namespace tilewright::frontend {

/// Markdown from the operation's definition (ODS): summary and description.
/// Empty for an operation it is not known for.
std::string_view operationDocs(std::string_view name);

} // namespace tilewright::frontend
