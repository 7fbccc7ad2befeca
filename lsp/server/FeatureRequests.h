//===- FeatureRequests.h - what editors ask of any text ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/protocol/LanguageFeatures.h"
#include "lsp/server/DocumentTexts.h"

namespace tilewright::lsp {

/// References, highlights, folding, selection, signatures, formatting and call
/// hierarchy, of sources and of stages alike; but a stage is not formatted.
class FeatureRequests {
public:
  FeatureRequests(SessionState &session, Forwarder &requests,
                  DocumentTexts &texts)
      : session(session), requests(requests), texts(texts) {}

  void registerAt(Connection &connection);

private:
  using Answer = std::function<Json(const Json &result, TextSnapshot text)>;
  /// Asks the engine `name` about the document `uri`, with the params that
  /// `make` gives for its text.
  void ask(Request request, const std::string &uri, const char *name,
           std::function<Json(TextSnapshot text)> make, Answer answer);
  /// The same with the offset of the request's position.
  void askAt(Request request, const char *name, Answer answer);

  void references(Request request);
  void documentHighlight(Request request);
  void foldingRange(Request request);
  void selectionRange(Request request);
  void signatureHelp(Request request);
  void format(Request request, bool whole);
  void prepareCallHierarchy(Request request);
  void calls(Request request, const char *direction);

  Json range(const TextDocument &text, const model::TextRange &range) const {
    return lspRange(text, range, session.encoding);
  }
  Json callItem(const CallableEntry &entry, const TextDocument &text) const;

  SessionState &session;
  Forwarder &requests;
  DocumentTexts &texts;
};

} // namespace tilewright::lsp
