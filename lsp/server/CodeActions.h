//===- CodeActions.h - fixes, and pins from the source ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/server/Forwarder.h"

namespace tilewright::lsp {

/// What the messages at a place propose, as edits and commands, and the
/// decisions on the operation there to pin or to unpin.
class CodeActions {
public:
  CodeActions(SessionState &session, Forwarder &requests)
      : session(session), requests(requests) {}

  void registerAt(Connection &connection);

private:
  void codeAction(Request request);
  Json pinFixes(const std::string &uri, const Json &diagnostics,
                const Json &pins) const;
  Json pinActions(const std::string &uri, const Json &decisions) const;
  std::string words(const char *english, const char *chinese) const {
    return session.chinese ? chinese : english;
  }

  SessionState &session;
  Forwarder &requests;
};

/// The word that a message proposes: of "did you mean 'tw.matmul'?" that in
/// quotes. Empty if it proposes none.
std::string proposedWord(const std::string &message);

/// The sizes that a message says would be accepted ("L1.m=128, L0.k=64 would
/// do"), put into `value`. Empty if it says none or `value` has none of them.
std::optional<Json> proposedSizes(const std::string &message, Json value);

} // namespace tilewright::lsp
