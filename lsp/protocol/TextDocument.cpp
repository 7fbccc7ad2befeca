//===- TextDocument.cpp - a text that is edited ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/TextDocument.h"
#include <algorithm>

namespace tilewright::lsp {

TextDocument::TextDocument(std::string uri, int64_t version, std::string text)
    : documentUri(std::move(uri)), documentVersion(version) {
  reset(std::move(text));
}

void TextDocument::reset(std::string text) {
  content = std::move(text);
  table = LineTable(content);
}

void TextDocument::apply(const ByteEdit &edit) {
  int64_t size = static_cast<int64_t>(content.size());
  int64_t begin = std::clamp<int64_t>(edit.begin, 0, size);
  int64_t end = std::clamp<int64_t>(edit.end, begin, size);
  content.replace(begin, end - begin, edit.text);
  table.replace(content, begin, end, static_cast<int64_t>(edit.text.size()));
}

} // namespace tilewright::lsp
