//===- OverrideTrials.cpp - overrides that bring the engine down ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/OverrideTrials.h"
#include "core/model/Json.h"
#include "lsp/engine/PinsOnDisk.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace tilewright::engine {

namespace fs = std::filesystem;

static std::string userFolder() {
  for (auto [variable, below] :
       {std::pair("XDG_CACHE_HOME", "tilewright/trials"),
        std::pair("HOME", ".cache/tilewright/trials")})
    if (const char *value = std::getenv(variable); value && *value == '/')
      return (fs::path(value) / below).string();
  return {}; // without a place there are no marks
}

OverrideTrials::OverrideTrials() : folder(userFolder()) {}

/// Another source, text or place: another trial.
static std::string markOf(const std::string &uri,
                          const model::Override &override) {
  return fingerprintOf(uri + "\n" + override.stage + "\n" + override.part +
                       "\n" + override.fingerprint + "\n" + override.text);
}

OverrideTrials::Trial
OverrideTrials::begin(const std::string &uri,
                      std::vector<model::Override> &overrides,
                      std::map<std::string, model::Diagnostic> &leftOut) {
  std::lock_guard lock(mutex);
  std::set<std::string> marked;
  std::error_code failed;
  std::erase_if(overrides, [&](const model::Override &override) {
    std::string mark = markOf(uri, override);
    if (folder.empty() || proven.contains(mark))
      return false;
    fs::path path = fs::path(folder) / mark;
    if (std::ifstream file(path); file) {
      long pid = 0;
      file >> pid;
      if (pid == long(::getpid()) ||
          (pid > 0 && (::kill(pid_t(pid), 0) == 0 || errno == EPERM)))
        return false; // being tried
      model::Diagnostic problem;
      problem.code = "TW0248";
      problem.severity = model::Severity::Warning;
      problem.uri = uri;
      problem.key = override.key;
      problem.message = "the override of @" + override.part + " behind " +
                        override.stage + " (" + override.name +
                        ") is not in force: the compiler did not survive it, "
                        "or was ended while it compiled with it";
      problem.hint =
          "edit it; or try it again: tilewright override apply FILE " +
          override.name;
      leftOut[override.name] = std::move(problem);
      return true;
    }
    fs::create_directories(folder, failed);
    if (std::ofstream file(path, std::ios::trunc); file << ::getpid() << '\n')
      marked.insert(std::move(mark));
    return false;
  });
  return Trial(*this, std::move(marked));
}

OverrideTrials::Trial::~Trial() {
  std::lock_guard lock(trials.mutex);
  std::error_code ignored;
  for (const std::string &name : names) {
    fs::remove(fs::path(trials.folder) / name, ignored);
    trials.proven.insert(name);
  }
}

void OverrideTrials::forget(const std::string &uri,
                            const model::Override &override) {
  std::error_code ignored;
  if (!folder.empty())
    fs::remove(fs::path(folder) / markOf(uri, override), ignored);
}

} // namespace tilewright::engine
