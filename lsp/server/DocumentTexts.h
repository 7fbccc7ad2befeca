//===- DocumentTexts.h - the text that a request is about -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/server/Forwarder.h"
#include <list>

namespace tilewright::lsp {

/// Gives requests the text of their document: what the client has open, or for
/// a stage document that it has not, what the compiler prints. The engine for
/// language features is given the same text under the same URI, so that a stage
/// has every feature that a source has. Thread-safe.
class DocumentTexts {
public:
  DocumentTexts(SessionState &session, Forwarder &requests)
      : session(session), requests(requests) {}

  /// Goes on with the text of a document: at once if the client has it open.
  /// Throws RequestError, or fails the request, if there is none (TW0605) or
  /// the stage cannot be had.
  void with(Request request, const std::string &uri,
            std::function<void(TextSnapshot)> then);

  /// The client opens or closes a document: the engines get to know it from
  /// who tells of that.
  void forget(const std::string &uri);

private:
  /// A printed stage, known to the engines.
  TextSnapshot keep(const std::string &uri, std::string text);

  SessionState &session;
  Forwarder &requests;
  std::mutex mutex;
  std::list<TextSnapshot> printed; ///< last used first; guarded by `mutex`
  int64_t lastVersion = 0;         ///< guarded by `mutex`
};

} // namespace tilewright::lsp
