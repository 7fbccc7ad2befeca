//===- ByteSource.cpp - bytes of a file, unpacked if need be --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "profiler/ByteSource.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>
#include <zlib.h>

namespace tilewright::profiler {

namespace {

class FileSource final : public ByteSource {
public:
  FileSource(int file, int64_t size) : file(file), size(size) {}
  ~FileSource() override { close(file); }

  int64_t read(char *into, size_t wanted, model::Diagnostic &error) override {
    ssize_t got;
    do
      got = ::read(file, into, std::min<size_t>(wanted, 1 << 24));
    while (got < 0 && errno == EINTR);
    if (got < 0) {
      error.code = "TW0080";
      error.message = std::string("cannot read: ") + std::strerror(errno);
      return -1;
    }
    done += got;
    return got;
  }
  double progress() const override {
    return size > 0 ? std::min(1.0, double(done) / double(size)) : 0;
  }

private:
  int file;
  int64_t size, done = 0;
};

class TextSource final : public ByteSource {
public:
  explicit TextSource(std::string_view text) : text(text) {}
  int64_t read(char *into, size_t wanted, model::Diagnostic &) override {
    size_t got = std::min(wanted, text.size() - at);
    std::copy_n(text.data() + at, got, into);
    at += got;
    return static_cast<int64_t>(got);
  }
  double progress() const override {
    return text.empty() ? 1 : double(at) / double(text.size());
  }

private:
  std::string_view text;
  size_t at = 0;
};

/// What was read to tell the format, then the rest.
class ReplayedSource final : public ByteSource {
public:
  ReplayedSource(std::string head, std::unique_ptr<ByteSource> rest)
      : head(std::move(head)), rest(std::move(rest)) {}
  int64_t read(char *into, size_t wanted, model::Diagnostic &error) override {
    if (at == head.size())
      return rest->read(into, wanted, error);
    size_t got = std::min(wanted, head.size() - at);
    std::copy_n(head.data() + at, got, into);
    at += got;
    return static_cast<int64_t>(got);
  }
  double progress() const override { return rest->progress(); }

private:
  std::string head;
  size_t at = 0;
  std::unique_ptr<ByteSource> rest;
};

class GzipSource final : public ByteSource {
public:
  explicit GzipSource(std::unique_ptr<ByteSource> packed)
      : packed(std::move(packed)), input(1 << 16) {
    std::memset(&stream, 0, sizeof stream);
    ready = inflateInit2(&stream, 15 + 16) == Z_OK;
  }
  ~GzipSource() override { inflateEnd(&stream); }

  int64_t read(char *into, size_t wanted, model::Diagnostic &error) override {
    wanted = std::min<size_t>(wanted, 1 << 24);
    if (!ready)
      return fail(error, "cannot unpack: out of memory");
    stream.next_out = reinterpret_cast<Bytef *>(into);
    stream.avail_out = static_cast<uInt>(wanted);
    while (stream.avail_out == wanted) {
      if (stream.avail_in == 0 && !inputEnded) {
        int64_t got = packed->read(reinterpret_cast<char *>(input.data()),
                                   input.size(), error);
        if (got < 0)
          return -1;
        inputEnded = got == 0;
        stream.next_in = input.data();
        stream.avail_in = static_cast<uInt>(got);
      }
      if (memberEnded) {
        // Another member may follow; anything else behind is padding.
        if (stream.avail_in == 0)
          return 0;
        if (stream.next_in[0] != 0x1f)
          return 0;
        inflateReset(&stream);
        memberEnded = false;
      }
      if (stream.avail_in == 0 && inputEnded)
        return fail(error, "the gzip data ends early, after " +
                               std::to_string(total) + " unpacked bytes");
      uInt before = stream.avail_out;
      int code = inflate(&stream, Z_NO_FLUSH);
      total += before - stream.avail_out;
      if (code == Z_STREAM_END)
        memberEnded = true;
      else if (code != Z_OK && code != Z_BUF_ERROR)
        return fail(error, "the gzip data is damaged after " +
                               std::to_string(total) + " unpacked bytes");
    }
    return static_cast<int64_t>(wanted - stream.avail_out);
  }
  double progress() const override { return packed->progress(); }

private:
  int64_t fail(model::Diagnostic &error, std::string message) {
    error.code = "TW0083";
    error.message = std::move(message);
    error.hint = "unpack it with `gzip -t` to check it, or fetch it again";
    return -1;
  }

  std::unique_ptr<ByteSource> packed;
  std::vector<Bytef> input;
  z_stream stream;
  uint64_t total = 0;
  bool ready = false, inputEnded = false, memberEnded = false;
};

} // namespace

std::unique_ptr<ByteSource> openFile(const std::string &path,
                                     model::Diagnostic &error) {
  auto fail = [&](int code) {
    error.code = "TW0080";
    error.message = "cannot open '" + path + "': " + std::strerror(code);
    error.uri = path;
    return nullptr;
  };
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return fail(errno);
  struct stat status;
  if (fstat(file, &status) != 0 || S_ISDIR(status.st_mode)) {
    int code = S_ISDIR(status.st_mode) ? EISDIR : errno;
    close(file);
    return fail(code);
  }
  return std::make_unique<FileSource>(file, status.st_size);
}

std::unique_ptr<ByteSource> openText(std::string_view text) {
  return std::make_unique<TextSource>(text);
}

std::unique_ptr<ByteSource> unpack(std::unique_ptr<ByteSource> packed,
                                   model::Diagnostic &error) {
  std::string head(2, '\0');
  size_t have = 0;
  while (have < head.size()) {
    int64_t got = packed->read(head.data() + have, head.size() - have, error);
    if (got < 0)
      return nullptr;
    if (got == 0)
      break;
    have += static_cast<size_t>(got);
  }
  head.resize(have);
  bool gzip = head == "\x1f\x8b";
  auto replayed =
      std::make_unique<ReplayedSource>(std::move(head), std::move(packed));
  if (!gzip)
    return replayed;
  return std::make_unique<GzipSource>(std::move(replayed));
}

} // namespace tilewright::profiler
