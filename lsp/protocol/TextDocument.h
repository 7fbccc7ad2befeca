//===- TextDocument.h - a text that is edited -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/protocol/LineTable.h"
#include <string>
#include <string_view>

namespace tilewright::lsp {

/// Bytes [begin, end) become `text`. The edits of one change apply in order,
/// each to the text the one before left.
struct ByteEdit {
  int64_t begin = 0;
  int64_t end = 0;
  std::string text;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ByteEdit, begin, end, text)

/// A text with its lines. Not thread-safe.
class TextDocument {
public:
  TextDocument() = default;
  TextDocument(std::string uri, int64_t version, std::string text);

  const std::string &uri() const { return documentUri; }
  int64_t version() const { return documentVersion; }
  void setVersion(int64_t version) { documentVersion = version; }
  const std::string &text() const { return content; }
  const LineTable &lines() const { return table; }

  /// Bounds are moved into the text.
  void apply(const ByteEdit &edit);
  void reset(std::string text);

  Position position(int64_t offset, PositionEncoding encoding) const {
    return table.position(content, offset, encoding);
  }
  int64_t offset(Position position, PositionEncoding encoding) const {
    return table.offset(content, position, encoding);
  }
  Range range(int64_t begin, int64_t end, PositionEncoding encoding) const {
    return {position(begin, encoding), position(end, encoding)};
  }

private:
  std::string documentUri;
  int64_t documentVersion = 0;
  std::string content;
  LineTable table;
};

} // namespace tilewright::lsp
