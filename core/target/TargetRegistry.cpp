//===- TargetRegistry.cpp - all machines known ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/target/TargetRegistry.h"
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
    uintmax_t size = fs::file_size(file, error);
    std::ifstream stream(file, std::ios::binary);
    if (error || !stream) {
      problems.push_back(
          unreadable(file, error ? error.message() : "it cannot be opened"));
      continue;
    }
    if (size > maxTargetBytes) {
      problems.push_back(unreadable(
          file, "it has " + std::to_string(size) + " bytes, at most " +
                    std::to_string(maxTargetBytes) + " are allowed"));
      continue;
    }
    std::ostringstream text;
    text << stream.rdbuf();
    model::Diagnostic problem;
    if (std::optional<Target> target = readTarget(text.str(), problem)) {
      add(std::move(*target));
    } else {
      problem.uri = "file://" + file.string();
      problem.message = file.filename().string() + ": " + problem.message;
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

const TargetRegistry::TargetPtr *
TargetRegistry::lookUp(std::string_view name) const {
  for (const TargetPtr &target : targets)
    if (target->name == name)
      return &target;
  for (const TargetPtr &target : targets)
    for (const std::string &alias : target->aliases)
      if (alias == name)
        return &target;
  return nullptr;
}

TargetRegistry::TargetPtr TargetRegistry::find(std::string_view name,
                                               model::Diagnostic &error) {
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
  bool first = true;
  for (const Summary &known : list()) {
    error.message += (first ? "" : ", ") + known.name;
    first = false;
  }
  error.hint = "choose one of these, or put a description into " +
               userTargetFolder().string();
  return nullptr;
}

std::vector<TargetRegistry::Summary> TargetRegistry::list() const {
  std::lock_guard lock(mutex);
  std::vector<Summary> summaries = {
      {"cpu", "this machine, measured at first use", {}}};
  for (const TargetPtr &target : targets)
    summaries.push_back({target->name, target->description, target->aliases});
  return summaries;
}
