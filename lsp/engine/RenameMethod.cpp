//===- RenameMethod.cpp - names that change, with what goes by them -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/RenameMethod.h"
#include "core/decision/PinEdit.h"
#include "core/decision/PinsFile.h"
#include "core/frontend/Rename.h"
#include "core/model/Json.h"
#include "lsp/engine/OverridesOnDisk.h"
#include "lsp/protocol/Params.h"
#include "lsp/protocol/Uri.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tilewright::engine {

using lsp::IncomingRequest;
using lsp::Json;

namespace {

using Keys = std::map<std::string, std::string>;

std::string contentOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string((std::istreambuf_iterator<char>(file)), {});
}

Json changedFile(const std::string &path, const std::string &before,
                 const std::string &after) {
  return {
      {"uri", lsp::uriFromPath(path)}, {"before", before}, {"after", after}};
}

bool isGlob(const std::string &key) {
  return key.find_first_of("*?") != std::string::npos;
}

/// A glob in a function that is called otherwise now goes with it.
std::string renamedGlob(const Keys &keys, const std::string &glob) {
  size_t slash = glob.find('/');
  std::string function = glob.substr(0, slash);
  auto found = keys.find(function);
  if (slash == std::string::npos || isGlob(function) || found == keys.end())
    return glob;
  return found->second + glob.substr(slash);
}

/// The pins file with its keys renamed. What only a glob pinned, and it does
/// not match any more, gets a pin of its own.
void renamePins(const std::string &path, const Keys &keys, Json &files,
                Json &problems) {
  std::string before = contentOf(path);
  if (before.empty())
    return;
  model::Diagnostic problem;
  int64_t changed = 0;
  auto after = decision::withRenamedKeys(
      before,
      [&](const std::string &key) {
        return isGlob(key) ? renamedGlob(keys, key)
                           : frontend::renamedKey(keys, key);
      },
      changed, problem);
  std::optional<decision::PinsFile> pins;
  if (after)
    pins = decision::PinsFile::parse(*after, problem);
  if (!pins) { // it had no say before, and has none now
    problem.uri = lsp::uriFromPath(path);
    problems.push_back(problem);
    return;
  }
  for (const model::Pin &pin : pins->pins) {
    if (!isGlob(pin.key))
      continue;
    for (const auto &[old, now] : keys) {
      if (!decision::matchesGlob(pin.key, old) ||
          decision::matchesGlob(pin.key, now))
        continue;
      const model::Pin *own = pins->find(now, pin.target, pin.kind);
      if (own && !isGlob(own->key))
        continue;
      model::Pin single = pin;
      single.key = now;
      if (auto with = decision::withPin(*after, single, problem))
        after = std::move(with);
    }
  }
  if (*after != before)
    files.push_back(changedFile(path, before, *after));
}

/// Symbols of scopes and kernels begin with what keys do: `f.y` of `f/y`.
std::string renamedSymbol(const Keys &keys, const std::string &symbol) {
  std::string best, with;
  for (const auto &[old, now] : keys) {
    std::string from = old, to = now;
    std::replace(from.begin(), from.end(), '/', '.');
    std::replace(to.begin(), to.end(), '/', '.');
    bool fits = symbol == from || symbol.starts_with(from + ".");
    if (fits && from.size() > best.size()) {
      best = from;
      with = to;
    }
  }
  return best.empty() ? symbol : with + symbol.substr(best.size());
}

void renameOverrides(const std::string &uri, const Keys &keys, Json &files) {
  std::filesystem::path folder = overridesFolderOf(uri);
  for (model::Override &override : readOverrides(uri).overrides) {
    std::string path = (folder / (override.name + ".json")).string();
    override.part = renamedSymbol(keys, override.part);
    override.scope = renamedSymbol(keys, override.scope);
    override.key = frontend::renamedKey(keys, override.key);
    std::string before = contentOf(path);
    std::string after = model::writeJson(override, 1) + "\n";
    model::Diagnostic ignored;
    auto was = model::parseJson(before, ignored);
    if (was && *was != Json(override))
      files.push_back(changedFile(path, before, after));
  }
}

} // namespace

void registerRenameMethod(lsp::Connection &connection,
                          EngineDocuments &documents) {
  auto context = std::make_shared<frontend::SourceContext>();
  connection.onRequest(
      lsp::method::rename,
      [&documents, context](IncomingRequest &request) -> Json {
        auto params = lsp::readParams<lsp::RenameParams>(request.params());
        ReadDocument document = documents.read(request);
        const frontend::SourceSnapshot &source = *document.source;
        model::Diagnostic problem;
        auto refuse = [&]() {
          throw lsp::RequestError(
              lsp::ResponseError::of(problem, lsp::ErrorCode::InvalidParams));
        };
        auto thing = frontend::namedAt(source, params.offset, problem);
        if (!thing)
          refuse();
        Json result = {{"schema", "tilewright/rename"},
                       {"version", 1},
                       {"documentVersion", source.version},
                       {"generation", document.generation},
                       {"name", thing->name},
                       {"range", thing->range},
                       {"edits", Json::array()},
                       {"files", Json::array()},
                       {"problems", Json::array()}};
        if (params.newName.empty())
          return result;
        auto renaming =
            frontend::rename(*context->acquire(), source, params.offset,
                             params.newName, &request.cancel().flag(), problem);
        if (!renaming)
          refuse();
        for (const frontend::TextEdit &edit : renaming->edits)
          result["edits"].push_back(
              {{"range", model::TextRange{edit.begin, edit.end}},
               {"newText", edit.text}});
        if (params.uri.starts_with("file:")) {
          renamePins(documents.pinsPathOf(params.uri), renaming->keys,
                     result["files"], result["problems"]);
          renameOverrides(params.uri, renaming->keys, result["files"]);
        }
        return result;
      });
}

} // namespace tilewright::engine
