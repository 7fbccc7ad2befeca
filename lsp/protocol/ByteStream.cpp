//===- ByteStream.cpp - a two-way stream of bytes -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/ByteStream.h"
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewright::lsp {

FdStream::FdStream(int in, int out, bool owned)
    : in(in), out(out), wake(::eventfd(0, EFD_CLOEXEC)), owned(owned) {
  struct stat info;
  outIsSocket = ::fstat(out, &info) == 0 && S_ISSOCK(info.st_mode);
}

FdStream::~FdStream() {
  ::close(wake);
  if (!owned)
    return;
  ::close(in);
  if (out != in)
    ::close(out);
}

void FdStream::stop() {
  uint64_t one = 1;
  // An eventfd never refuses its first increments; nothing to do if it did.
  [[maybe_unused]] ssize_t written = ::write(wake, &one, sizeof one);
}

size_t FdStream::read(char *into, size_t size) {
  while (true) {
    pollfd fds[] = {{in, POLLIN, 0}, {wake, POLLIN, 0}};
    if (::poll(fds, 2, -1) < 0) {
      if (errno == EINTR)
        continue;
      return 0;
    }
    if (fds[1].revents)
      return 0;
    ssize_t got = ::read(in, into, size);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    // What a socket says whose other end was closed with unread bytes in it.
    if (got < 0 && errno == ECONNRESET)
      lost = true;
    return got > 0 ? static_cast<size_t>(got) : 0;
  }
}

bool FdStream::write(std::string_view bytes) {
  while (!bytes.empty()) {
    // A peer that reads nothing must not block stop(): wait for room first and
    // then write no more than is sure to fit.
    pollfd fds[] = {{out, POLLOUT, 0}, {wake, POLLIN, 0}};
    if (::poll(fds, 2, -1) < 0) {
      if (errno == EINTR)
        continue;
      return false;
    }
    if (fds[1].revents)
      return false;
    ssize_t put = outIsSocket
                      ? ::send(out, bytes.data(), bytes.size(),
                               MSG_NOSIGNAL | MSG_DONTWAIT)
                      : ::write(out, bytes.data(),
                                std::min<size_t>(bytes.size(), PIPE_BUF));
    if (put < 0) {
      if (errno == EINTR || errno == EAGAIN)
        continue;
      lost = true;
      return false;
    }
    bytes.remove_prefix(put);
  }
  return true;
}

} // namespace tilewright::lsp
