//===- OperationSnippet.h - an operation to be filled in --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::frontend {

/// A snippet of LSP's form made of the operation's assembly format: operands,
/// attributes that must be there and types as places to fill in; what may be
/// left out is. With `result` it begins with the result's name, if it has one.
/// Empty for an operation whose format is not known.
std::string operationSnippet(std::string_view name, bool result);

/// The words an enumerated attribute of this C++ type may be; empty if it is
/// none or not known.
std::vector<std::string> attributeWords(std::string_view cppType);

} // namespace tilewright::frontend
