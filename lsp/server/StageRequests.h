//===- StageRequests.h - the tilewright/ methods ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/server/DocumentChecks.h"

namespace tilewright::lsp {

/// Our own methods about the stages of a document, its runs, experiments, and
/// targets.
class StageRequests {
public:
  StageRequests(SessionState &session, Forwarder &requests,
                DocumentChecks &checks)
      : session(session), requests(requests), checks(checks) {}

  void registerAt(Connection &connection);

private:
  /// A call about a document: the params as the engine wants them.
  struct Prepared {
    TextSnapshot text;
    Json params;
  };
  Prepared prepare(const Request &request) const;
  /// As prepare(); throws RequestError if `stage` is missing.
  Prepared prepareStage(const Request &request) const;

  /// stages, run, verify, diff, memoryMap, trace, compile, decisions, estimate,
  /// whatIf, pins, pin, unpin: ranges are in the source.
  void document(Request request, const char *name);
  void ir(Request request);
  void graph(Request request);
  void keyAt(Request request);
  /// About a folder, not about an open document.
  void experiments(Request request, const char *name);
  void targets(Request request);
  void checkTarget(Request request);
  void setTarget(Request request);

  SessionState &session;
  Forwarder &requests;
  DocumentChecks &checks;
};

} // namespace tilewright::lsp
