//===- DocumentTexts.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/DocumentTexts.h"
#include "lsp/protocol/Uri.h"
#include <algorithm>

namespace tilewright::lsp {

/// Stages that the client has not open are kept up to this number.
static constexpr size_t mostPrinted = 8;

TextSnapshot DocumentTexts::keep(const std::string &uri, std::string text) {
  std::lock_guard lock(mutex);
  auto known = std::find_if(
      printed.begin(), printed.end(),
      [&](const TextSnapshot &entry) { return entry->uri() == uri; });
  if (known != printed.end() && (*known)->text() == text) {
    printed.splice(printed.begin(), printed, known);
    return printed.front();
  }
  if (known != printed.end())
    printed.erase(known);
  // Versions only grow, so that an answer about an older print is known as one.
  auto document =
      std::make_shared<TextDocument>(uri, ++lastVersion, std::move(text));
  session.engines->open(*document);
  printed.push_front(document);
  if (printed.size() > mostPrinted) {
    if (!session.documents.find(printed.back()->uri()))
      session.engines->close(printed.back()->uri());
    printed.pop_back();
  }
  return document;
}

void DocumentTexts::forget(const std::string &uri) {
  std::lock_guard lock(mutex);
  printed.remove_if(
      [&](const TextSnapshot &entry) { return entry->uri() == uri; });
}

void DocumentTexts::with(Request request, const std::string &uri,
                         std::function<void(TextSnapshot)> then) {
  auto stage = StageUri::parse(uri);
  if (!stage || session.documents.find(uri)) {
    then(session.require(uri));
    return;
  }
  TextSnapshot source = session.require(stage->source);
  requests.withPrinted(request, source,
                       {{"uri", stage->source},
                        {"target", session.target()},
                        {"stage", stage->stage}},
                       [this, uri, then = std::move(then)](TextSnapshot text) {
                         then(keep(uri, text->text()));
                       });
}

} // namespace tilewright::lsp
