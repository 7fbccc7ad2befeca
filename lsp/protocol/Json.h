//===- Json.h - JSON from and to untrusted peers ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::lsp {

using Json = nlohmann::json;

/// Values nested deeper than this are refused before parsing: walking and
/// destroying such a value would use stack in proportion.
inline constexpr int maxJsonDepth = 256;

/// Parses one JSON text. On bad syntax, bad UTF-8 or too deep nesting the
/// result is empty and `error` says what and at which byte. A surrogate that is
/// half of no pair (`"\ud800"`) becomes U+FFFD, which has as many UTF-16 units:
/// an edit with one is not lost. Never throws.
std::optional<Json> parseJson(std::string_view text, std::string &error);

/// Room behind a text that the faster parser reads, whatever it holds.
inline constexpr size_t jsonPadding = 64;

/// The same without a copy of a large text, if its capacity leaves
/// `jsonPadding` bytes.
std::optional<Json> parseJsonInPlace(std::string &text, std::string &error);

/// Writes on one line. Strings that are not UTF-8 are repaired, not refused: a
/// reply must never be lost to a stray byte in a message.
std::string writeJson(const Json &json);

} // namespace tilewright::lsp
