//===- DialectNames.h - what dialects call their types ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <vector>

namespace tilewright::frontend {

/// The names of types and attributes of all dialects that can be read, as they
/// are written: `!gpu.async.token`, `#gpu.address_space`; sorted. Found out
/// once; of dialects that do not tell their own parsers' names, those known to
/// be common. Thread safe.
const std::vector<std::string> &dialectTypes();
const std::vector<std::string> &dialectAttributes();

} // namespace tilewright::frontend
