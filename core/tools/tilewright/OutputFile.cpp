//===- OutputFile.cpp - files that are whole or not there -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/Failure.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewright::tool {

namespace {

[[noreturn]] void cannotWrite(const std::string &path, int error) {
  throw Failure("TW0705", "cannot write " + path + ": " + std::strerror(error),
                error == ENOSPC || error == EDQUOT
                    ? "Free some space, or write elsewhere."
                    : "");
}

/// 0, or errno.
int writeAll(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t put = ::write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return errno;
    text.remove_prefix(put);
  }
  return 0;
}

} // namespace

OutputFile::OutputFile(std::string path) : finalPath(std::move(path)) {
  std::error_code error;
  temporary = std::filesystem::absolute(finalPath, error).string();
  struct stat info;
  if (::stat(finalPath.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode))
      cannotWrite(finalPath, EISDIR);
    direct = !S_ISREG(info.st_mode);
    if (!direct && ::access(finalPath.c_str(), W_OK) != 0)
      cannotWrite(finalPath, errno);
    // Through a symbolic link the file behind it is replaced, not the link.
    if (!direct) {
      auto real = std::filesystem::canonical(finalPath, error);
      if (!error)
        temporary = real.string();
    }
  }
  if (direct)
    return;
  std::filesystem::path folder = std::filesystem::path(temporary).parent_path();
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    cannotWrite(finalPath, errno);
  temporary += ".part" + std::to_string(::getpid());
}

OutputFile::~OutputFile() {
  if (!direct && !temporary.empty())
    ::unlink(temporary.c_str());
}

void OutputFile::write(std::string_view text) {
  int flags = O_WRONLY | O_CLOEXEC | (direct ? 0 : O_CREAT | O_TRUNC);
  int fd = ::open(temporary.c_str(), flags, 0666);
  if (fd < 0)
    cannotWrite(finalPath, errno);
  int error = writeAll(fd, text);
  // Some file systems tell of a full disk only now.
  if (!error && !direct && ::fsync(fd) != 0)
    error = errno;
  if (::close(fd) != 0 && !error)
    error = errno;
  if (error)
    cannotWrite(finalPath, error);
}

void OutputFile::commit() {
  if (direct)
    return;
  std::string target = temporary.substr(0, temporary.rfind(".part"));
  if (::rename(temporary.c_str(), target.c_str()) != 0)
    cannotWrite(finalPath, errno);
  temporary.clear();
}

void writeStandardOutput(std::string_view text) {
  if (int error = writeAll(1, text); error && error != EPIPE)
    cannotWrite("standard output", error);
}

} // namespace tilewright::tool
