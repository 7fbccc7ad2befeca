//===- Position.h - lines and characters as clients count them --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace tilewright::lsp {

/// What `Position::character` counts: bytes, UTF-16 units or code points.
enum class PositionEncoding { Utf8, Utf16, Utf32 };
NLOHMANN_JSON_SERIALIZE_ENUM(PositionEncoding,
                             {{PositionEncoding::Utf16, "utf-16"},
                              {PositionEncoding::Utf8, "utf-8"},
                              {PositionEncoding::Utf32, "utf-32"}})

/// Zero-based.
struct Position {
  int64_t line = 0;
  int64_t character = 0;
  friend bool operator==(const Position &, const Position &) = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Position, line, character)

/// Half-open.
struct Range {
  Position start;
  Position end;
  friend bool operator==(const Range &, const Range &) = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Range, start, end)

} // namespace tilewright::lsp
