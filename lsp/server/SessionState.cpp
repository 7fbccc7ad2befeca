//===- SessionState.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/SessionState.h"
#include "lsp/protocol/Uri.h"
#include "lsp/server/Parameters.h"

namespace tilewright::lsp {

TextSnapshot SessionState::require(const std::string &uri) const {
  TextSnapshot text = documents.find(uri);
  if (!text)
    refuse("TW0605", pathFromUri(uri) + " is not open", uri);
  if (std::string why = documents.outOfStep(uri); !why.empty())
    throw RequestError(ResponseError::of(outOfStep(uri, why)));
  return text;
}

model::Diagnostic SessionState::outOfStep(const std::string &uri,
                                          const std::string &why) {
  model::Diagnostic diagnostic;
  diagnostic.code = "TW0612";
  diagnostic.message = "an edit of " + pathFromUri(uri) +
                       " could not be read (" + why +
                       "); the text here is no longer that in the editor";
  diagnostic.hint = "Close the file and open it again.";
  diagnostic.uri = uri;
  return diagnostic;
}

} // namespace tilewright::lsp
