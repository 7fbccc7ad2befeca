//===- OpenDocuments.cpp - the texts a client has open --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/OpenDocuments.h"
#include <algorithm>

namespace tilewright::lsp {

OpenDocuments::Opened OpenDocuments::open(const Json &params) {
  const Json &item = params.at("textDocument");
  Opened opened;
  opened.uri = item.at("uri").get<std::string>();
  opened.version = item.value("version", int64_t(0));
  auto document = std::make_shared<TextDocument>(
      opened.uri, opened.version, item.at("text").get<std::string>());
  opened.text = document;
  std::lock_guard lock(mutex);
  documents[opened.uri] = std::move(document);
  return opened;
}

std::optional<OpenDocuments::Changed>
OpenDocuments::change(const Json &params, PositionEncoding encoding) {
  const Json &identifier = params.at("textDocument");
  Changed changed;
  changed.uri = identifier.at("uri").get<std::string>();
  std::lock_guard lock(mutex);
  auto it = documents.find(changed.uri);
  if (it == documents.end())
    return std::nullopt;
  // Requests in flight may still hold the text as it was.
  if (it->second.use_count() > 1)
    it->second = std::make_shared<TextDocument>(*it->second);
  TextDocument &document = *it->second;
  changed.version = document.version() + 1;
  if (auto version = identifier.find("version");
      version != identifier.end() && version->is_number_integer())
    changed.version = version->get<int64_t>();
  for (const Json &change : params.at("contentChanges")) {
    ByteEdit edit;
    edit.text = change.at("text").get<std::string>();
    if (auto range = change.find("range");
        range != change.end() && !range->is_null()) {
      auto where = range->get<Range>();
      edit.begin = document.offset(where.start, encoding);
      edit.end = std::max(edit.begin, document.offset(where.end, encoding));
    } else {
      edit.end = static_cast<int64_t>(document.text().size());
    }
    document.apply(edit);
    changed.edits.push_back(std::move(edit));
  }
  document.setVersion(changed.version);
  return changed;
}

void OpenDocuments::close(const std::string &uri) {
  std::lock_guard lock(mutex);
  documents.erase(uri);
}

TextSnapshot OpenDocuments::find(const std::string &uri) const {
  std::lock_guard lock(mutex);
  auto it = documents.find(uri);
  return it == documents.end() ? nullptr : it->second;
}

std::vector<std::string> OpenDocuments::uris() const {
  std::lock_guard lock(mutex);
  std::vector<std::string> result;
  for (const auto &[uri, document] : documents)
    result.push_back(uri);
  return result;
}

} // namespace tilewright::lsp
