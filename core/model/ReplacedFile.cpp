//===- ReplacedFile.cpp - files that are whole or not there ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/ReplacedFile.h"
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace tilewright::model {

OutputPlace outputPlace(const std::string &path) {
  OutputPlace place;
  struct stat info;
  if (::stat(path.c_str(), &info) == 0) {
    place.inPlace = !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
    if (S_ISDIR(info.st_mode))
      place.error = EISDIR;
    std::error_code error;
    fs::path real = place.inPlace ? fs::path(path) : fs::canonical(path, error);
    place.path = error ? path : real.string();
    return place;
  }
  // Nothing is there, or a link to nothing: then its target is made.
  fs::path at = path;
  constexpr int mostLinks = 40; // as the kernel has it
  for (int i = 0;; ++i) {
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(at, error)))
      break;
    fs::path to = fs::read_symlink(at, error);
    if (error || i == mostLinks) {
      place.error = error ? error.value() : ELOOP;
      break;
    }
    at = to.is_absolute() ? to : at.parent_path() / to;
  }
  place.path = at.string();
  return place;
}

bool isSameFile(const std::string &a, const std::string &b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

ReplacedFile::ReplacedFile(const std::string &path) : place(outputPlace(path)) {
  if (place.error) {
    fail(place.error);
    return;
  }
  if (!place.inPlace)
    partial = place.path + ".part" + std::to_string(::getpid());
  file = ::open(
      partial.empty() ? place.path.c_str() : partial.c_str(),
      O_WRONLY | O_CLOEXEC | (partial.empty() ? 0 : O_CREAT | O_TRUNC), 0666);
  if (file < 0) {
    fail(errno);
    partial.clear();
  }
}

ReplacedFile::~ReplacedFile() {
  if (file >= 0)
    ::close(file);
  if (!partial.empty())
    ::unlink(partial.c_str());
}

void ReplacedFile::fail(int error) {
  if (!failed)
    failed = error ? error : EIO;
}

bool ReplacedFile::write(std::string_view bytes) {
  while (!failed && !bytes.empty()) {
    ssize_t put = ::write(file, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      fail(errno);
    else
      bytes.remove_prefix(size_t(put));
  }
  return !failed;
}

bool ReplacedFile::commit() {
  // Some file systems tell of a full disk only now.
  if (file >= 0 && ::close(file) != 0)
    fail(errno);
  file = -1;
  if (failed || partial.empty())
    return !failed;
  if (::rename(partial.c_str(), place.path.c_str()) != 0) {
    fail(errno);
    return false;
  }
  partial.clear();
  return true;
}

} // namespace tilewright::model
