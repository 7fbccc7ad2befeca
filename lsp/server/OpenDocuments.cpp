//===- OpenDocuments.cpp - the texts a client has open --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/OpenDocuments.h"
#include "lsp/protocol/Params.h"
#include "lsp/server/Parameters.h"
#include <algorithm>

namespace tilewright::lsp {

/// The version that LSP's VersionedTextDocumentIdentifier has, else
/// `otherwise`.
static int64_t versionOf(const Json &identifier, int64_t otherwise) {
  auto version = identifier.find("version");
  return version != identifier.end() && version->is_number_integer()
             ? version->get<int64_t>()
             : otherwise;
}

OpenDocuments::Opened OpenDocuments::open(const Json &params) {
  requireForm(params, {{"textDocument", {{"uri", ""}, {"text", ""}}}});
  const Json &item = params["textDocument"];
  Opened opened;
  opened.uri = item["uri"].get<std::string>();
  opened.version = versionOf(item, 0);
  auto document = std::make_shared<TextDocument>(
      opened.uri, opened.version, item["text"].get<std::string>());
  opened.text = document;
  std::lock_guard lock(mutex);
  documents[opened.uri] = {std::move(document), ""};
  return opened;
}

/// The ranges of LSP's content changes; null where one holds the whole text.
/// Throws RequestError for a change that cannot be read.
static std::vector<std::optional<Range>> rangesOf(const Json &params) {
  requireForm(params, {{"contentChanges", Json::array({{{"text", ""}}})}});
  std::vector<std::optional<Range>> ranges;
  for (const Json &change : params["contentChanges"]) {
    auto range = change.find("range");
    std::string path =
        "contentChanges[" + std::to_string(ranges.size()) + "].range";
    if (range == change.end() || range->is_null())
      ranges.emplace_back();
    else
      ranges.emplace_back(readParams<Range>(*range, path));
  }
  return ranges;
}

std::optional<OpenDocuments::Changed>
OpenDocuments::change(const Json &params, PositionEncoding encoding) {
  requireForm(params, {{"textDocument", {{"uri", ""}}}});
  const Json &identifier = params["textDocument"];
  Changed changed;
  changed.uri = identifier["uri"].get<std::string>();
  std::lock_guard lock(mutex);
  auto it = documents.find(changed.uri);
  if (it == documents.end())
    return std::nullopt;
  Entry &entry = it->second;
  changed.version = versionOf(identifier, entry.text->version() + 1);
  std::vector<std::optional<Range>> ranges;
  try {
    ranges = rangesOf(params);
  } catch (const RequestError &error) {
    entry.outOfStep = changed.outOfStep = error.error.message;
    return changed;
  }
  bool whole =
      std::find(ranges.begin(), ranges.end(), std::nullopt) != ranges.end();
  if (!entry.outOfStep.empty() && !whole)
    return std::nullopt;
  entry.outOfStep.clear();
  // Requests in flight may still hold the text as it was.
  if (entry.text.use_count() > 1)
    entry.text = std::make_shared<TextDocument>(*entry.text);
  TextDocument &document = *entry.text;
  for (size_t i = 0; i < ranges.size(); ++i) {
    ByteEdit edit;
    edit.text = params["contentChanges"][i]["text"].get<std::string>();
    if (ranges[i]) {
      edit.begin = document.offset(ranges[i]->start, encoding);
      edit.end =
          std::max(edit.begin, document.offset(ranges[i]->end, encoding));
    } else {
      edit.end = static_cast<int64_t>(document.text().size());
    }
    document.apply(edit);
    changed.edits.push_back(std::move(edit));
  }
  document.setVersion(changed.version);
  return changed;
}

bool OpenDocuments::setOutOfStep(const std::string &uri,
                                 const std::string &why) {
  std::lock_guard lock(mutex);
  auto it = documents.find(uri);
  if (it == documents.end())
    return false;
  it->second.outOfStep = why;
  return true;
}

std::string OpenDocuments::outOfStep(const std::string &uri) const {
  std::lock_guard lock(mutex);
  auto it = documents.find(uri);
  return it == documents.end() ? "" : it->second.outOfStep;
}

void OpenDocuments::close(const std::string &uri) {
  std::lock_guard lock(mutex);
  documents.erase(uri);
}

TextSnapshot OpenDocuments::find(const std::string &uri) const {
  std::lock_guard lock(mutex);
  auto it = documents.find(uri);
  return it == documents.end() ? nullptr : it->second.text;
}

std::vector<std::string> OpenDocuments::uris() const {
  std::lock_guard lock(mutex);
  std::vector<std::string> result;
  for (const auto &[uri, document] : documents)
    result.push_back(uri);
  return result;
}

} // namespace tilewright::lsp
