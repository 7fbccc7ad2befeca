//===- ScratchFolder.cpp - files that live for one request ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/ScratchFolder.h"
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <signal.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace tilewright::engine {

static constexpr std::string_view prefix = "tilewright-scratch-";
static constexpr size_t randomLetters = 6; ///< what mkdtemp puts in

/// The process that made a folder of this name; 0 if the name is not ours.
static pid_t makerOf(std::string_view name) {
  if (!name.starts_with(prefix))
    return 0;
  name.remove_prefix(prefix.size());
  pid_t pid = 0;
  auto [end, error] =
      std::from_chars(name.data(), name.data() + name.size(), pid);
  std::string_view rest(end, name.data() + name.size() - end);
  bool ours = error == std::errc() && rest.size() == 1 + randomLetters &&
              rest.front() == '-';
  return ours ? pid : 0;
}

/// Removes what engines that were killed have left behind: their folders carry
/// their process ids. Nothing else may look like one, or it would be lost.
static void removeOrphans(const fs::path &base) {
  std::error_code ignored;
  for (fs::directory_iterator it(base, ignored), end; !ignored && it != end;
       it.increment(ignored)) {
    pid_t pid = makerOf(it->path().filename().string());
    struct stat status;
    if (pid <= 0 || ::lstat(it->path().c_str(), &status) != 0 ||
        !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid())
      continue;
    if (::kill(pid, 0) != 0 && errno == ESRCH)
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
      (base / (std::string(prefix) + std::to_string(::getpid()) + "-" +
               std::string(randomLetters, 'X')))
          .string();
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
