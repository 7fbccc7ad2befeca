//===- LineTable.h - where the lines of a text begin ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/protocol/Position.h"
#include <string_view>
#include <vector>

namespace tilewright::lsp {

/// Converts between byte offsets and positions. Lines end in LF, CR LF or a
/// lone CR, as LSP says. A byte order mark is an ordinary character. Does not
/// keep the text: every call is given it, and it must be the text the table was
/// built or updated for. Texts are smaller than 4 GiB.
class LineTable {
public:
  LineTable() : starts{0} {}
  explicit LineTable(std::string_view text);

  int64_t lineCount() const { return static_cast<int64_t>(starts.size()); }
  /// Byte offset of the line's first character.
  int64_t lineStart(int64_t line) const { return starts[line]; }
  /// Byte offset after the line's last character, before its line end.
  int64_t lineEnd(std::string_view text, int64_t line) const;
  /// The line that holds `offset`.
  int64_t lineAt(int64_t offset) const;

  /// Follows an edit: bytes [begin, oldEnd) of the old text have become
  /// [begin, begin + inserted) of `text`, the new one.
  void replace(std::string_view text, int64_t begin, int64_t oldEnd,
               int64_t inserted);

  /// Offsets out of bounds are moved in; one within a character counts as that
  /// character's begin.
  Position position(std::string_view text, int64_t offset,
                    PositionEncoding encoding) const;
  /// Lines beyond the last give the text's end, characters beyond a line's last
  /// the line's end, one within a surrogate pair the character's begin.
  int64_t offset(std::string_view text, Position position,
                 PositionEncoding encoding) const;

private:
  void findStarts(std::string_view text, int64_t from, int64_t to,
                  std::vector<uint32_t> &into) const;

  std::vector<uint32_t> starts;
};

} // namespace tilewright::lsp
