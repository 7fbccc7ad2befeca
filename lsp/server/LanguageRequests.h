//===- LanguageRequests.h - LSP's own requests about a text -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/server/Forwarder.h"

namespace tilewright::lsp {

/// Hover, definition, symbols, completion, renaming, and the text of stage
/// documents.
class LanguageRequests {
public:
  LanguageRequests(SessionState &session, Forwarder &requests)
      : session(session), requests(requests) {}

  void registerAt(Connection &connection);

private:
  /// If `text` is that of a stage: asks what stands at `offset` in it, and
  /// answers with what `convert` makes of that and of the source's text.
  bool
  askStage(Request request, const TextDocument &text, int64_t offset,
           std::function<Json(const Json &result, const TextDocument &source)>
               convert);
  void hover(Request request);
  void definition(Request request);
  void documentSymbol(Request request);
  void prepareRename(Request request);
  void rename(Request request);
  void completion(Request request);
  void textDocumentContent(Request request);

  SessionState &session;
  Forwarder &requests;
};

} // namespace tilewright::lsp
