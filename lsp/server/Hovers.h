//===- Hovers.h - all that is known of what stands at a place ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/server/DocumentChecks.h"
#include "lsp/server/DocumentTexts.h"

namespace tilewright::lsp {

/// textDocument/hover. What the text says comes first and at once; the
/// decisions on the operation with their reasons, what it is estimated to cost
/// and what it took in the last run follow if the text as it is has been
/// compiled, and the compiler says them soon enough. No hover waits for a
/// compilation.
class Hovers {
public:
  Hovers(SessionState &session, Forwarder &requests, DocumentTexts &texts,
         const DocumentChecks &checks)
      : session(session), requests(requests), texts(texts), checks(checks) {}

  void registerAt(Connection &connection);
  /// Afterwards nothing is begun any more.
  void stop() { deadlines.stop(); }

private:
  struct Asked;
  void hover(Request request);
  void tellKeys(std::shared_ptr<Asked> asked); ///< of a stage's document
  void tellText(std::shared_ptr<Asked> asked);
  void tellDecisions(std::shared_ptr<Asked> asked);
  void tellTimes(std::shared_ptr<Asked> asked, const std::string &uri,
                 std::string decisions, const std::string &deadline);

  SessionState &session;
  Forwarder &requests;
  DocumentTexts &texts;
  const DocumentChecks &checks;
  Debouncer deadlines;
  std::atomic<uint64_t> lastSerial{0};
};

} // namespace tilewright::lsp
