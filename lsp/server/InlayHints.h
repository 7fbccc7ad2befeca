//===- InlayHints.h - what kernels cost, in the text ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Estimate.h"
#include "lsp/server/DocumentTexts.h"

namespace tilewright::lsp {

/// textDocument/inlayHint: at the end of an operation that carries a kernel's
/// tiles the kernel's estimated time, its share of all and what bounds it. In a
/// stage at the end of the first line with the kernel's key. Those of the lines
/// asked about only.
class InlayHints {
public:
  InlayHints(SessionState &session, Forwarder &requests, DocumentTexts &texts)
      : session(session), requests(requests), texts(texts) {}

  void registerAt(Connection &connection);

private:
  /// Where hints may be, by key: the offset behind which they stand.
  using Places = std::map<std::string, int64_t>;

  void inlayHint(Request request);
  void ofSource(Request request, TextSnapshot text);
  void ofStage(Request request, TextSnapshot text);
  void answer(Request request, TextSnapshot text, const std::string &uri,
              Places places);
  std::string label(const model::Estimate &kernel, double total) const;

  SessionState &session;
  Forwarder &requests;
  DocumentTexts &texts;
};

} // namespace tilewright::lsp
