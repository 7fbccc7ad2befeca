//===- TargetRegistry.cpp - all machines known ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/target/TargetRegistry.h"
#include "core/model/NearestName.h"
#include "core/target/MeasureCpu.h"
#include "core/target/Resources.h"
#include <algorithm>
#include <fstream>
#include <sstream>

namespace fs = std::filesystem;
using namespace tilewright;
using namespace tilewright::target;

/// A description is a few kilobytes; anything near this is something else.
static constexpr uintmax_t maxTargetBytes = 4 << 20;

static model::Diagnostic unreadable(const fs::path &path,
                                    const std::string &why) {
  model::Diagnostic problem;
  problem.code = "TW0070";
  problem.message = "cannot read target file '" + path.string() + "': " + why;
  problem.hint = "check that the file exists and may be read";
  problem.uri = "file://" + path.string();
  return problem;
}

static std::optional<Target> readTargetFile(const fs::path &file,
                                            model::Diagnostic &problem) {
  std::error_code error;
  uintmax_t size = fs::file_size(file, error);
  std::ifstream stream(file, std::ios::binary);
  if (error || !stream) {
    problem = unreadable(file, error ? error.message() : "it cannot be opened");
    return std::nullopt;
  }
  if (size > maxTargetBytes) {
    problem =
        unreadable(file, "it has " + std::to_string(size) + " bytes, at most " +
                             std::to_string(maxTargetBytes) + " are allowed");
    return std::nullopt;
  }
  std::ostringstream text;
  text << stream.rdbuf();
  std::optional<Target> target = readTarget(text.str(), problem);
  if (!target) {
    problem.uri = "file://" + file.string();
    problem.message = file.filename().string() + ": " + problem.message;
  }
  return target;
}

std::unique_ptr<TargetRegistry>
TargetRegistry::standard(std::vector<model::Diagnostic> &problems) {
  auto registry = std::make_unique<TargetRegistry>();
  for (const fs::path &folder :
       {resourceFolder() / "targets", userTargetFolder()})
    if (!folder.empty())
      registry->addFolder(folder, problems);
  return registry;
}

void TargetRegistry::addFolder(const fs::path &folder,
                               std::vector<model::Diagnostic> &problems) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error))
    if (it->path().extension() == ".json")
      files.push_back(it->path());
  if (error && error != std::errc::no_such_file_or_directory)
    problems.push_back(unreadable(folder, error.message()));
  std::sort(files.begin(), files.end());

  for (const fs::path &file : files) {
    model::Diagnostic problem;
    if (std::optional<Target> target = readTargetFile(file, problem)) {
      {
        std::lock_guard lock(mutex);
        this->files[target->name] = file.string();
      }
      add(std::move(*target));
    } else {
      problems.push_back(std::move(problem));
    }
  }
}

void TargetRegistry::add(Target target) {
  std::lock_guard lock(mutex);
  std::erase_if(targets,
                [&](const TargetPtr &old) { return old->name == target.name; });
  auto made = std::make_shared<const Target>(std::move(target));
  if (made->name == "cpu") {
    cpu = std::move(made);
    return;
  }
  targets.insert(std::upper_bound(targets.begin(), targets.end(), made,
                                  [](const TargetPtr &a, const TargetPtr &b) {
                                    return a->name < b->name;
                                  }),
                 made);
}

/// Whether `target` is called `name`.
static bool isCalled(const Target &target, std::string_view name) {
  return target.name == name ||
         std::find(target.aliases.begin(), target.aliases.end(), name) !=
             target.aliases.end();
}

const TargetRegistry::TargetPtr *
TargetRegistry::lookUp(std::string_view name) const {
  for (const TargetPtr &target : targets)
    if (target->name == name)
      return &target;
  for (const TargetPtr &target : targets)
    if (isCalled(*target, name))
      return &target;
  return nullptr;
}

std::vector<fs::path> TargetRegistry::filesBeside(const fs::path &folder) {
  std::error_code error;
  std::vector<fs::path> found;
  if (folder.empty())
    return found;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error))
    if (it->path().filename().string().ends_with(".target.json"))
      found.push_back(it->path());
  std::sort(found.begin(), found.end());
  return found;
}

const TargetRegistry::ReadFile &TargetRegistry::read(const fs::path &file) {
  std::error_code error;
  fs::file_time_type changed = fs::last_write_time(file, error);
  uintmax_t size = error ? 0 : fs::file_size(file, error);
  auto [entry, isNew] = besides.try_emplace(file.string());
  ReadFile &known = entry->second;
  if (!isNew && !error && known.changed == changed && known.size == size)
    return known;
  known = {changed, size, nullptr, {}};
  if (std::optional<Target> target = readTargetFile(file, known.problem))
    known.target = std::make_shared<const Target>(std::move(*target));
  return known;
}

TargetRegistry::TargetPtr TargetRegistry::find(std::string_view name,
                                               model::Diagnostic &error,
                                               const fs::path &sourceFolder) {
  if (name.starts_with("/") && name.ends_with(".json")) {
    std::lock_guard lock(mutex);
    const ReadFile &file = read(fs::path(name));
    if (!file.target)
      error = file.problem;
    return file.target;
  }
  for (const fs::path &file : filesBeside(sourceFolder)) {
    std::lock_guard lock(mutex);
    const ReadFile &beside = read(file);
    if (beside.target ? isCalled(*beside.target, name)
                      : file.filename() == std::string(name) + ".target.json") {
      if (!beside.target)
        error = beside.problem;
      return beside.target;
    }
  }
  if (name == "cpu") {
    // Two who ask at once must not disturb each other's probes; who asks for
    // something else does not wait.
    std::lock_guard measure(measuring);
    {
      std::lock_guard lock(mutex);
      if (cpu)
        return cpu;
    }
    auto measured = std::make_shared<const Target>(cachedCpu(cacheFolder()));
    std::lock_guard lock(mutex);
    return cpu = std::move(measured);
  }
  {
    std::lock_guard lock(mutex);
    if (const TargetPtr *found = lookUp(name))
      return *found;
  }
  error = model::Diagnostic();
  error.code = "TW0072";
  error.message = "there is no target '" + std::string(name) + "'; known are ";
  std::vector<std::string> names;
  for (const Summary &known : list(sourceFolder)) {
    error.message += (names.empty() ? "" : ", ") + known.name;
    names.push_back(known.name);
    names.insert(names.end(), known.aliases.begin(), known.aliases.end());
  }
  std::string near = model::nearestName(name, names);
  error.hint = (near.empty() ? "" : "did you mean " + near + "? Else ") +
               std::string("choose one of these, or put a description into ") +
               userTargetFolder().string() +
               " or, as NAME.target.json, beside the source";
  return nullptr;
}

std::vector<TargetRegistry::Summary>
TargetRegistry::list(const fs::path &sourceFolder) {
  std::vector<fs::path> beside = filesBeside(sourceFolder);
  std::lock_guard lock(mutex);
  std::vector<Summary> summaries = {
      {"cpu", "this machine, measured at first use", {}, ""}};
  auto add = [&](const Target &target, const std::string &file) {
    Summary summary{target.name, target.description, target.aliases, file};
    auto same = std::find_if(
        summaries.begin(), summaries.end(),
        [&](const Summary &other) { return other.name == target.name; });
    if (same != summaries.end())
      *same = std::move(summary);
    else
      summaries.push_back(std::move(summary));
  };
  for (const TargetPtr &target : targets) {
    auto file = files.find(target->name);
    add(*target, file == files.end() ? "" : file->second);
  }
  for (const fs::path &file : beside)
    if (const ReadFile &read = this->read(file); read.target)
      add(*read.target, file.string());
  std::sort(summaries.begin() + 1, summaries.end(),
            [](const Summary &a, const Summary &b) { return a.name < b.name; });
  return summaries;
}
