//===- Utf8.h - checking and repairing UTF-8 --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::lsp {

/// The byte offset of the first sequence that is not UTF-8 (overlong forms,
/// surrogates and values above U+10FFFF count as such); empty if all is well.
std::optional<int64_t> findInvalidUtf8(std::string_view text);

/// `text` with every offending byte replaced by U+FFFD. JSON must be UTF-8, so
/// names and messages of unknown origin go through this.
std::string replaceInvalidUtf8(std::string_view text);

/// How many bytes the character at `text[at]` has (1 for a byte that starts no
/// valid sequence). `codePoint` gets its value (U+FFFD for an invalid byte).
int decodeUtf8(std::string_view text, size_t at, uint32_t &codePoint);

} // namespace tilewright::lsp
