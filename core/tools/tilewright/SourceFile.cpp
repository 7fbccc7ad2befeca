//===- SourceFile.cpp - the text a command is about -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/tools/tilewright/SourceFile.h"
#include "core/tools/tilewright/Failure.h"
#include "lsp/protocol/LineTable.h"
#include "lsp/protocol/Uri.h"
#include "lsp/protocol/Utf8.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewright::tool {

namespace {

std::string megabytes(int64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MB", bytes / 1e6);
  return text;
}

[[noreturn]] void tooLarge(const std::string &display, int64_t bytes) {
  throw Failure("TW0703",
                display + " is too large: " +
                    (bytes > 0 ? megabytes(bytes) : "more than the limit") +
                    "; the limit is " + megabytes(maxSourceBytes),
                "Split the file, or keep large constants out of it.",
                exitUsage);
}

} // namespace

void readSource(const std::string &path, SourceFile &file) {
  int fd = 0;
  if (path == "-") {
    file.display = "<stdin>";
    file.uri = "untitled:stdin.mlir";
  } else {
    file.display = lsp::replaceInvalidUtf8(path);
    std::error_code error;
    std::filesystem::path absolute = std::filesystem::absolute(path, error);
    file.uri = lsp::uriFromPath(absolute.lexically_normal().string());
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
      throw Failure("TW0701",
                    "cannot read " + file.display + ": " + std::strerror(errno),
                    "", exitUsage);
  }
  struct Closer {
    int fd;
    ~Closer() {
      if (fd > 0)
        ::close(fd);
    }
  } closer{fd};

  struct stat info;
  if (::fstat(fd, &info) == 0) {
    if (S_ISDIR(info.st_mode))
      throw Failure("TW0702", file.display + " is a folder, not a file",
                    "Name a file in it, such as one ending in .mlir.",
                    exitUsage);
    if (S_ISREG(info.st_mode) && info.st_size > maxSourceBytes)
      tooLarge(file.display, info.st_size);
    if (S_ISREG(info.st_mode))
      file.text.reserve(info.st_size + 1);
  }
  // Devices and pipes have no size: what counts is what comes.
  char buffer[65536];
  while (true) {
    ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      throw Failure("TW0701",
                    "cannot read " + file.display + ": " + std::strerror(errno),
                    "", exitUsage);
    if (got == 0)
      break;
    file.text.append(buffer, got);
    if (static_cast<int64_t>(file.text.size()) > maxSourceBytes)
      tooLarge(file.display, 0);
  }

  if (std::optional<int64_t> bad = lsp::findInvalidUtf8(file.text)) {
    char byte[8];
    std::snprintf(byte, sizeof byte, "0x%02X",
                  static_cast<unsigned char>(file.text[*bad]));
    model::Diagnostic diagnostic;
    diagnostic.code = "TW0704";
    diagnostic.message = "the file is not UTF-8: byte " + std::string(byte) +
                         " at offset " + std::to_string(*bad);
    diagnostic.hint = "Save it as UTF-8. If it is not text at all, it may be "
                      "the wrong file.";
    diagnostic.uri = file.uri;
    diagnostic.range = {*bad, *bad + 1};
    throw Failure(diagnostic);
  }
}

} // namespace tilewright::tool
