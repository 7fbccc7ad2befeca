//===- StageJumps.h - from a key to its places in the stages ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/server/DocumentTexts.h"

namespace tilewright::lsp {

/// textDocument/implementation: what became of an operation. From a source or
/// any stage to the places with the same key in the last pass of every other
/// stage that is MLIR text; a stage that there is not is left out.
class StageJumps {
public:
  StageJumps(SessionState &session, Forwarder &requests, DocumentTexts &texts)
      : session(session), requests(requests), texts(texts) {}

  void registerAt(Connection &connection);

private:
  struct Jump;
  void implementation(Request request);
  void searchNext(std::shared_ptr<Jump> jump);

  SessionState &session;
  Forwarder &requests;
  DocumentTexts &texts;
};

} // namespace tilewright::lsp
