//===- PinsOnDisk.cpp - pins files that several write ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/PinsOnDisk.h"
#include "core/model/ReplacedFile.h"
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <unistd.h>

namespace tilewright::engine {

std::string fingerprintOf(const std::string &text) {
  if (text.empty())
    return {};
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3;
  static const char digits[] = "0123456789abcdef";
  std::string name(16, '0');
  for (size_t i = name.size(); i-- > 0; hash >>= 4)
    name[i] = digits[hash & 15];
  return name;
}

namespace {

/// Larger files are not pins.
constexpr size_t maxPinsBytes = size_t(64) << 20;

model::Diagnostic fault(const char *code, const std::string &message,
                        const std::string &hint) {
  model::Diagnostic problem;
  problem.code = code;
  problem.message = message;
  problem.hint = hint;
  return problem;
}

/// Its text; "" if there is none. False with errno if it cannot be read.
bool readWhole(const std::string &path, std::string &text) {
  text.clear();
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return errno == ENOENT;
  char buffer[65536];
  while (true) {
    ssize_t got = ::read(file, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR)
      continue;
    int error = errno;
    if (got < 0 || text.size() > maxPinsBytes) {
      ::close(file);
      errno = got < 0 ? error : EFBIG;
      return false;
    }
    if (got == 0)
      break;
    text.append(buffer, size_t(got));
  }
  ::close(file);
  return true;
}

/// Held by one writer of a folder at a time; leaves nothing behind.
class FolderLock {
public:
  explicit FolderLock(const std::filesystem::path &folder) {
    file = ::open(folder.empty() ? "." : folder.c_str(),
                  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    // Where a file system has no locks, the check before the replacement is
    // what is left.
    if (file >= 0)
      while (::flock(file, LOCK_EX) != 0 && errno == EINTR)
        ;
  }
  ~FolderLock() {
    if (file >= 0)
      ::close(file);
  }
  FolderLock(const FolderLock &) = delete;
  FolderLock &operator=(const FolderLock &) = delete;

private:
  int file = -1;
};

} // namespace

std::optional<std::string> changePins(const std::string &path,
                                      const std::string &expected,
                                      const TextChange &change,
                                      model::Diagnostic &problem) {
  FolderLock lock(std::filesystem::path(path).parent_path());
  constexpr int mostAttempts = 5;
  for (int attempt = 0; attempt < mostAttempts; ++attempt) {
    std::string before;
    if (!readWhole(path, before)) {
      problem =
          fault("TW0219", path + " cannot be read: " + std::strerror(errno),
                "make it a file that you may read, or take it away");
      return std::nullopt;
    }
    if (!expected.empty() && fingerprintOf(before) != expected) {
      problem = fault("TW0218",
                      path +
                          " has been changed by another writer since it was "
                          "read (it was " +
                          expected + " and is " +
                          (before.empty() ? "gone" : fingerprintOf(before)) +
                          "); nothing was written",
                      "read it again and repeat the change");
      return std::nullopt;
    }
    std::optional<std::string> after = change(before, problem);
    if (!after || *after == before)
      return after;
    model::ReplacedFile file(path);
    std::string now;
    if (!file.error())
      file.write(*after);
    // Somebody who does not know the lock may have written meanwhile.
    if (!readWhole(path, now) || now != before)
      continue;
    if (!file.commit()) {
      problem = fault(
          "TW0225", path + " cannot be written: " + std::strerror(file.error()),
          "make room, or ask for the right to write there");
      return std::nullopt;
    }
    return after;
  }
  problem = fault("TW0218",
                  path + " is being changed by another writer all the time; "
                         "nothing was written",
                  "close it elsewhere and repeat the change");
  return std::nullopt;
}

} // namespace tilewright::engine
