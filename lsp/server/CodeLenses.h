//===- CodeLenses.h - what can be done with a line --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Decision.h"
#include "lsp/server/Forwarder.h"

namespace tilewright::lsp {

/// Above each function what can be done with it, above each operation that
/// carries a kernel's tiles what they are, and how to hold or change them.
class CodeLenses {
public:
  CodeLenses(SessionState &session, Forwarder &requests)
      : session(session), requests(requests) {}

  void registerAt(Connection &connection);

private:
  void codeLens(Request request);
  void functionLenses(const std::string &uri, const Symbol &function,
                      const Json &range, Json &lenses) const;
  void decisionLenses(const std::string &uri, const model::Decision &decision,
                      const Json &range, Json &lenses) const;
  /// If the client knows the command.
  void offer(const char *command, const char *title, const char *chinese,
             Json arguments, const Json &range, Json &lenses) const;

  SessionState &session;
  Forwarder &requests;
};

/// The operation of the source that a key's operation was made from, or is an
/// operand or a result of: `f/p` of `f/p.row_max` and of `f/p#1`.
std::string sourceKeyOf(const std::string &key);

/// A decision's value in a few words: "cache2.m=128 cache2.n=256".
std::string decisionText(const model::Decision &decision);

} // namespace tilewright::lsp
