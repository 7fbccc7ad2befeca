//===- SemanticTokens.h - what each word of a text is -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/server/DocumentTexts.h"
#include <cstdint>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

namespace tilewright::lsp {

/// LSP's numbers, five a token: lines and units from the token before, length,
/// index in tokenTypes(), modifiers. Found from the text alone, so that a text
/// is coloured whatever is wrong with it: linear in its length. A token is
/// never longer than its line.
std::vector<uint32_t> semanticTokens(std::string_view text,
                                     PositionEncoding encoding);
/// Names of the types and of the modifiers, in the order of their numbers.
Json semanticTokensLegend();

/// `edits` of textDocument/semanticTokens/full/delta: what turns the old list
/// into the new one; at most one edit.
Json semanticTokensEdits(const std::vector<uint32_t> &before,
                         const std::vector<uint32_t> &after);

/// textDocument/semanticTokens/full, /full/delta and /range, of sources and of
/// stages alike.
class SemanticTokens {
public:
  SemanticTokens(SessionState &session, DocumentTexts &texts)
      : session(session), texts(texts) {}

  void registerAt(Connection &connection);

private:
  struct Given {
    std::string id;
    std::vector<uint32_t> tokens;
  };
  Json full(const Json &params, TextSnapshot text);
  Json delta(const Json &params, TextSnapshot text);
  Json range(const Json &params, TextSnapshot text);
  /// Remembers the tokens of a document under a new name.
  std::string keep(const std::string &uri, std::vector<uint32_t> tokens);

  SessionState &session;
  DocumentTexts &texts;
  std::mutex mutex;
  std::map<std::string, Given> given; ///< by URI; guarded by `mutex`
  uint64_t lastId = 0;
};

} // namespace tilewright::lsp
