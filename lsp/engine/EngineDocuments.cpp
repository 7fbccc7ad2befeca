//===- EngineDocuments.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/EngineDocuments.h"
#include "core/decision/PinsFile.h"
#include "lsp/protocol/Completion.h"
#include "lsp/protocol/LanguageFeatures.h"
#include "lsp/protocol/Methods.h"
#include "lsp/protocol/Uri.h"
#include <set>

namespace tilewright::engine {

using lsp::ErrorCode;
using lsp::RequestError;
using lsp::ResponseError;

void EngineDocuments::open(const std::string &uri, int64_t version,
                           std::string text, std::string pins) {
  std::lock_guard lock(mutex);
  Open &entry = documents[uri];
  entry.pins = std::move(pins);
  entry.broken.reset();
  // A text sent again keeps what was read of it.
  if (entry.document)
    entry.document->replace(version, std::move(text));
  else
    entry.document = std::make_shared<frontend::SourceDocument>(
        uri, version, std::move(text));
}

void EngineDocuments::change(const std::string &uri, int64_t version,
                             const std::vector<frontend::TextEdit> &edits) {
  std::lock_guard lock(mutex);
  auto it = documents.find(uri);
  if (it == documents.end() || it->second.broken)
    return;
  it->second.broken = it->second.document->edit(version, edits);
}

void EngineDocuments::close(const std::string &uri) {
  std::lock_guard lock(mutex);
  documents.erase(uri);
}

/// Answers about one place, which a person waits for while typing: one that is
/// nearly right now is better than one that is right later.
static bool asksAboutAPlace(const std::string &method) {
  static const std::set<std::string_view> methods = {
      lsp::method::hover,      lsp::method::definition, lsp::method::completion,
      lsp::method::references, lsp::method::signature,  lsp::method::selection,
      lsp::method::keyAt};
  return methods.contains(method);
}

ReadDocument EngineDocuments::read(const lsp::IncomingRequest &request) {
  std::string uri = request.params().is_object()
                        ? request.params().value("uri", std::string())
                        : std::string();
  std::shared_ptr<frontend::SourceDocument> document;
  {
    std::lock_guard lock(mutex);
    auto it = documents.find(uri);
    if (it == documents.end()) {
      model::Diagnostic error;
      error.code = "TW0605";
      error.uri = uri;
      error.message = "the document is not open";
      error.hint = "open it with textDocument/didOpen first";
      throw RequestError(ResponseError::of(error, ErrorCode::InvalidParams));
    }
    if (it->second.broken)
      throw RequestError(
          ResponseError::of(*it->second.broken, ErrorCode::InvalidParams));
    document = it->second.document;
  }
  ReadDocument result;
  const std::atomic<bool> *cancel = &request.cancel().flag();
  result.source = asksAboutAPlace(request.method())
                      ? document->glance(context, cancel)
                      : document->read(context, cancel);
  request.throwIfCancelled();
  std::lock_guard lock(mutex);
  auto it = documents.find(uri);
  if (it != documents.end() && it->second.document == document) {
    if (it->second.last != result.source.get()) {
      it->second.last = result.source.get();
      ++it->second.generation;
    }
    result.generation = it->second.generation;
  }
  return result;
}

std::vector<std::string> EngineDocuments::uris() const {
  std::lock_guard lock(mutex);
  std::vector<std::string> uris;
  for (const auto &[uri, open] : documents)
    uris.push_back(uri);
  return uris;
}

std::optional<EngineDocuments::Text>
EngineDocuments::textOf(const std::string &uri) const {
  std::lock_guard lock(mutex);
  auto it = documents.find(uri);
  if (it == documents.end() || it->second.broken)
    return std::nullopt;
  return Text{*it->second.document->text(), it->second.document->version()};
}

std::string EngineDocuments::pinsPathOf(const std::string &uri) const {
  {
    std::lock_guard lock(mutex);
    auto it = documents.find(uri);
    if (it != documents.end() && !it->second.pins.empty())
      return it->second.pins;
  }
  std::string path =
      uri.starts_with("file:") ? lsp::pathFromUri(uri) : std::string();
  return path.empty() ? path : decision::pinsPathOf(path);
}

} // namespace tilewright::engine
