//===- OverrideFiles.cpp - the overrides of a source as one text ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/OverrideFiles.h"
#include "core/model/ReplacedFile.h"
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

namespace tilewright::model {

namespace fs = std::filesystem;

std::string overridesFolder(const std::string &path) {
  fs::path source = path;
  return (source.parent_path() / ".tilewright" / "overrides" /
          source.filename())
      .string();
}

/// The override files that are there.
static std::set<fs::path> filesIn(const fs::path &folder) {
  std::set<fs::path> files;
  std::error_code failed;
  fs::directory_iterator entry(folder, failed), end;
  for (; !failed && entry != end; entry.increment(failed))
    if (std::error_code odd; entry->path().extension() == ".json" &&
                             fs::is_regular_file(entry->path(), odd))
      files.insert(entry->path());
  return files;
}

std::string overrideFilesText(const std::string &path) {
  nlohmann::json all = nlohmann::json::object();
  for (const fs::path &each : filesIn(overridesFolder(path)))
    if (std::ifstream file(each, std::ios::binary); file)
      all[each.stem().string()] =
          std::string(std::istreambuf_iterator<char>(file), {});
  return all.empty() ? ""
                     : all.dump(1, ' ', false,
                                nlohmann::json::error_handler_t::replace);
}

static nlohmann::json read(std::string_view text) {
  nlohmann::json all =
      nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  return all.is_object() ? all : nlohmann::json::object();
}

std::vector<std::string> differingOverrides(std::string_view before,
                                            std::string_view after) {
  nlohmann::json one = read(before), other = read(after);
  std::vector<std::string> names;
  for (const auto &[name, file] : one.items())
    if (!other.contains(name) || other[name] != file)
      names.push_back(name);
  for (const auto &[name, file] : other.items())
    if (!one.contains(name))
      names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::string restoreOverrideFiles(const std::string &path,
                                 std::string_view text) {
  fs::path folder = overridesFolder(path);
  nlohmann::json all = read(text);
  std::error_code failed;
  if (!all.empty())
    fs::create_directories(folder, failed);
  if (failed)
    return folder.string() + " cannot be made: " + failed.message();
  for (const auto &[name, content] : all.items()) {
    // A name is one of a file here, wherever the text comes from.
    if (!content.is_string() || fs::path(name).filename() != name)
      continue;
    ReplacedFile file((folder / (name + ".json")).string());
    if (!file.write(content.get<std::string>()) || !file.commit())
      return (folder / (name + ".json")).string() +
             " could not be written: " + std::strerror(file.error());
  }
  for (const fs::path &each : filesIn(folder))
    if (!all.contains(each.stem().string()) && !fs::remove(each, failed) &&
        failed)
      return each.string() + " cannot be taken away: " + failed.message();
  fs::remove(folder, failed); // only if it is empty
  return "";
}

} // namespace tilewright::model
