//===- Resources.cpp - where our data files are ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/target/Resources.h"
#include <cstdlib>

namespace fs = std::filesystem;
using namespace tilewright::target;

static fs::path variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? fs::path(value) : fs::path();
}

/// $XDG_<name>_HOME must be absolute to count.
static fs::path xdgFolder(const char *name, const char *fallback) {
  if (fs::path folder = variable(name); folder.is_absolute())
    return folder / "tilewright";
  if (fs::path home = variable("HOME"); home.is_absolute())
    return home / fallback / "tilewright";
  return {};
}

fs::path tilewright::target::resourceFolder() {
  std::error_code error;
  if (fs::path folder = variable("TILEWRIGHT_RESOURCES"); !folder.empty())
    return folder;
  fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    fs::path prefix = program.parent_path().parent_path();
    for (const char *name : {"share/tilewright", "resources"})
      if (fs::is_directory(prefix / name / "targets", error))
        return prefix / name;
  }
  fs::path source = TILEWRIGHT_SOURCE_RESOURCES;
  return fs::is_directory(source, error) ? source : fs::path();
}

fs::path tilewright::target::userTargetFolder() {
  fs::path folder = xdgFolder("XDG_CONFIG_HOME", ".config");
  return folder.empty() ? folder : folder / "targets";
}

fs::path tilewright::target::cacheFolder() {
  return xdgFolder("XDG_CACHE_HOME", ".cache");
}
