//===- OverridesOnDisk.cpp - the files overrides are kept in --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/OverridesOnDisk.h"
#include "core/model/Json.h"
#include "core/model/OverrideFiles.h"
#include "lsp/engine/PinsOnDisk.h"
#include "lsp/protocol/Uri.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tilewright::engine {

namespace fs = std::filesystem;

/// Larger files are no overrides: the printed text of a stage is cut at a
/// quarter of this.
static constexpr uintmax_t maxBytes = uintmax_t(256) << 20;

std::string overridesFolderOf(const std::string &uri) {
  if (!uri.starts_with("file:"))
    return {};
  return model::overridesFolder(lsp::pathFromUri(uri));
}

StoredOverrides readOverrides(const std::string &uri) {
  StoredOverrides stored;
  std::string folder = overridesFolderOf(uri);
  std::error_code failed;
  if (folder.empty() || !fs::is_directory(folder, failed))
    return stored;
  std::vector<fs::path> files;
  fs::directory_iterator entry(folder, failed), end;
  for (; !failed && entry != end; entry.increment(failed))
    if (entry->path().extension() == ".json")
      files.push_back(entry->path());
  std::sort(files.begin(), files.end());
  std::string all;
  auto unreadable = [&](const fs::path &path, const std::string &why,
                        model::TextRange range = {}) {
    model::Diagnostic problem;
    problem.code = "TW0242";
    problem.severity = model::Severity::Warning;
    problem.uri = lsp::uriFromPath(path.string());
    problem.range = range;
    problem.message = "the override " + path.stem().string() +
                      " is not in force: its file cannot be read: " + why;
    problem.hint = "mend " + path.string() +
                   ", or take it away: tilewright "
                   "override drop";
    all += path.string() + "\n" + why + "\n";
    stored.unreadable.push_back({path.stem().string(), std::move(problem)});
  };
  if (failed)
    unreadable(fs::path(folder) / "*", failed.message());
  for (const fs::path &path : files) {
    fs::file_status status = fs::status(path, failed);
    if (failed || status.type() != fs::file_type::regular) {
      unreadable(path, failed ? failed.message() : "it is no ordinary file");
      continue;
    }
    if (uintmax_t size = fs::file_size(path, failed);
        failed || size > maxBytes) {
      unreadable(path, failed ? failed.message()
                              : "it has " + std::to_string(size) +
                                    " bytes, of at most " +
                                    std::to_string(maxBytes));
      continue;
    }
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      unreadable(path, std::strerror(errno));
      continue;
    }
    std::string text((std::istreambuf_iterator<char>(file)), {});
    model::Diagnostic problem;
    auto read = model::readJson<model::Override>(text, problem);
    if (!read) {
      unreadable(path, problem.message + " [" + problem.code + "]",
                 problem.range);
      all += text;
      continue;
    }
    read->name = path.stem().string();
    all += path.string() + "\n" + text + "\n";
    stored.overrides.push_back(std::move(*read));
  }
  if (!all.empty())
    stored.fingerprint = fingerprintOf(all);
  return stored;
}

static bool change(const std::string &path, const TextChange &change,
                   model::Diagnostic &problem) {
  if (changePins(path, "", change, problem))
    return true;
  problem.code = "TW0250";
  problem.uri = lsp::uriFromPath(path);
  return false;
}

static bool noPlace(const std::string &uri, model::Diagnostic &problem) {
  problem = model::Diagnostic();
  problem.code = "TW0250";
  problem.uri = uri;
  problem.message = "the text is no file, so there is no place for overrides";
  problem.hint = "save it first";
  return false;
}

bool writeOverride(const std::string &uri, const model::Override &override,
                   model::Diagnostic &problem) {
  fs::path folder = overridesFolderOf(uri);
  if (folder.empty())
    return noPlace(uri, problem);
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) {
    problem = model::Diagnostic();
    problem.code = "TW0250";
    problem.uri = uri;
    problem.message = folder.string() + " cannot be made: " + failed.message();
    problem.hint = "make room, or ask for the right to write there";
    return false;
  }
  return change((folder / (override.name + ".json")).string(),
                [&](const std::string &, model::Diagnostic &) {
                  return std::optional(model::writeJson(override, 1) + "\n");
                },
                problem);
}

bool removeOverride(const std::string &uri, const std::string &name,
                    model::Diagnostic &problem) {
  fs::path folder = overridesFolderOf(uri);
  if (folder.empty())
    return noPlace(uri, problem);
  fs::path path = folder / (name + ".json");
  std::error_code failed;
  if (!fs::remove(path, failed) && failed) {
    problem = model::Diagnostic();
    problem.code = "TW0250";
    problem.uri = lsp::uriFromPath(path.string());
    problem.message =
        path.string() + " cannot be taken away: " + failed.message();
    problem.hint = "ask for the right to write in its folder";
    return false;
  }
  fs::remove(folder, failed); // only if it is empty
  return true;
}

} // namespace tilewright::engine
