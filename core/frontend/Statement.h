//===- Statement.h - the operation that is being written --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <string_view>

namespace tilewright::frontend {

/// Where the statement around `offset` begins: at a line that begins with a
/// result or a word, or behind a brace; `offset` itself if it is on a line of
/// its own and the one before does not ask for more. By the look of the lines,
/// since what is being written cannot be read. Looks back a bounded way.
size_t statementBegin(std::string_view text, size_t offset);

} // namespace tilewright::frontend
