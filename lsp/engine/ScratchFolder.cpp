//===- ScratchFolder.cpp - files that live for one request ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/ScratchFolder.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace tilewright::engine {

static constexpr const char *prefix = "tilewright-";

/// Removes what engines that were killed have left behind: their folders carry
/// their process ids.
static void removeOrphans(const fs::path &base) {
  std::error_code ignored;
  for (fs::directory_iterator it(base, ignored), end; !ignored && it != end;
       it.increment(ignored)) {
    std::string name = it->path().filename().string();
    if (name.rfind(prefix, 0) != 0)
      continue;
    pid_t pid = pid_t(std::atol(name.c_str() + std::strlen(prefix)));
    if (pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH)
      fs::remove_all(it->path(), ignored);
  }
}

std::optional<ScratchFolder> ScratchFolder::make(model::Diagnostic &error) {
  std::error_code code;
  fs::path base = fs::temp_directory_path(code);
  if (code)
    base = "/tmp";
  removeOrphans(base);
  std::string pattern =
      (base / (prefix + std::to_string(::getpid()) + "-XXXXXX")).string();
  if (!::mkdtemp(pattern.data())) {
    error.code = "TW0630";
    error.message = "no folder for temporary files can be made in " +
                    base.string() + ": " + std::strerror(errno);
    error.hint = "free some space there, or set TMPDIR to another folder";
    return std::nullopt;
  }
  return ScratchFolder(fs::path(pattern));
}

ScratchFolder::~ScratchFolder() {
  if (folder.empty())
    return;
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

} // namespace tilewright::engine
