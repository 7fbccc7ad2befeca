//===- LanguageRequests.h - LSP's own requests about a text -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/server/DocumentTexts.h"

namespace tilewright::lsp {

/// Definition, symbols, completion, renaming, and the text of stage
/// documents.
class LanguageRequests {
public:
  LanguageRequests(SessionState &session, Forwarder &requests,
                   DocumentTexts &texts)
      : session(session), requests(requests), texts(texts) {}

  void registerAt(Connection &connection);

private:
  /// Answers with the place in the source of what stands at `offset` of a
  /// stage.
  void answerSource(Request request, TextSnapshot text, int64_t offset);
  Json places(const Json &result, const TextSnapshot &text) const;
  void definition(Request request);
  void declaration(Request request);
  void documentSymbol(Request request);
  void prepareRename(Request request);
  void rename(Request request);
  void completion(Request request);
  void textDocumentContent(Request request);

  SessionState &session;
  Forwarder &requests;
  DocumentTexts &texts;
};

} // namespace tilewright::lsp
