//===- MlirTokenizer.h - classes of MLIR tokens for colouring -------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tilewright::gui {

/// Style numbers, also Scintilla's.
enum class Token : uint8_t {
  Default,
  Comment,
  String,
  Number,
  Value,     ///< %x
  Symbol,    ///< @f
  Block,     ///< ^bb0
  Type,      ///< tensor<4x4xf32>, !t
  Operation, ///< tw.matmul
  Keyword,
  Attribute, ///< #map, and names before '='
  Punctuation,
  Count
};

/// Classes every byte of `line` into `styles` (same length). No token of MLIR
/// crosses the end of a line, so lines can be coloured in any order; this is
/// what lets a view colour only what it shows.
void tokenizeLine(std::string_view line, std::span<uint8_t> styles);

} // namespace tilewright::gui
