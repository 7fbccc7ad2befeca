//===- OutputFile.cpp - files that are whole or not there -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/tools/tilewright/OutputFile.h"
#include "core/tools/tilewright/Failure.h"
#include "lsp/protocol/Uri.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;

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

OutputFile::OutputFile(std::string path, const SourceFile &source)
    : finalPath(std::move(path)), place(model::outputPlace(finalPath)) {
  if (model::isSameFile(finalPath, lsp::pathFromUri(source.uri)))
    throw Failure("TW0705",
                  "cannot write " + finalPath +
                      ": it is the source itself, which would be lost",
                  "Choose another name for the output.", exitUsage);
  if (place.error)
    cannotWrite(finalPath, place.error);
  if (place.inPlace || ::access(place.path.c_str(), F_OK) == 0)
    if (::access(place.path.c_str(), W_OK) != 0)
      cannotWrite(finalPath, errno);
  std::error_code error;
  fs::path target = fs::absolute(place.path, error);
  fs::path folder = target.parent_path();
  if (place.inPlace) {
    // The engine has other standard streams and may not wait for the reader of
    // a pipe: it writes into a folder of our own, and we copy.
    std::string own =
        (fs::temp_directory_path() / "tilewright-XXXXXX").string();
    if (!::mkdtemp(own.data()))
      cannotWrite(own, errno);
    ownFolder = own;
    folder = own;
  } else if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    cannotWrite(finalPath, errno);
  }
  // The ending stays: it may say how to write.
  temporary = (folder / (".part" + std::to_string(::getpid()) + "-" +
                         target.filename().string()))
                  .string();
}

OutputFile::~OutputFile() {
  ::unlink(temporary.c_str());
  if (!ownFolder.empty())
    ::rmdir(ownFolder.c_str());
}

void OutputFile::speakOfPlace(lsp::ResponseError &error) const {
  std::error_code ignored;
  const std::pair<std::string, std::string> names[] = {
      {lsp::uriFromPath(temporary),
       lsp::uriFromPath(fs::absolute(finalPath, ignored).string())},
      {temporary, finalPath}};
  auto rename = [&](std::string &text) {
    for (const auto &[from, to] : names)
      for (size_t at = 0; (at = text.find(from, at)) != std::string::npos;
           at += to.size())
        text.replace(at, from.size(), to);
  };
  rename(error.message);
  if (error.data.is_object())
    for (auto &[field, value] : error.data.items())
      if (value.is_string())
        rename(value.get_ref<std::string &>());
}

void OutputFile::write(std::string_view text) {
  int fd =
      ::open(temporary.c_str(), O_WRONLY | O_CLOEXEC | O_CREAT | O_TRUNC, 0666);
  if (fd < 0)
    cannotWrite(finalPath, errno);
  int error = writeAll(fd, text);
  // Some file systems tell of a full disk only now.
  if (!error && ::fsync(fd) != 0)
    error = errno;
  if (::close(fd) != 0 && !error)
    error = errno;
  if (error)
    cannotWrite(finalPath, error);
}

void OutputFile::commit() {
  if (!place.inPlace) {
    if (::rename(temporary.c_str(), place.path.c_str()) != 0)
      cannotWrite(finalPath, errno);
    return;
  }
  int from = ::open(temporary.c_str(), O_RDONLY | O_CLOEXEC);
  int error = from < 0 ? errno : 0;
  model::ReplacedFile into(place.path);
  std::vector<char> buffer(1 << 16);
  while (!error && !into.error()) {
    ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      error = got < 0 ? errno : 0;
      break;
    }
    into.write({buffer.data(), size_t(got)});
  }
  if (from >= 0)
    ::close(from);
  if (!error && !into.commit())
    error = into.error();
  if (error)
    cannotWrite(finalPath, error);
}

void writeStandardOutput(std::string_view text) {
  if (int error = writeAll(1, text); error && error != EPIPE)
    cannotWrite("standard output", error);
}

void writeOutput(std::optional<OutputFile> &output, std::string_view text) {
  if (!output)
    return writeStandardOutput(text);
  output->write(text);
  output->commit();
}

} // namespace tilewright::tool
