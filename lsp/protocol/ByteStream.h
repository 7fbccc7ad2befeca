//===- ByteStream.h - a two-way stream of bytes -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <cstddef>
#include <string_view>

namespace tilewright::lsp {

/// What a connection runs over. One thread may read while another writes.
class ByteStream {
public:
  virtual ~ByteStream() = default;
  /// Waits for bytes. 0 at the end of the stream, on error and after stop().
  virtual size_t read(char *into, size_t size) = 0;
  /// Writes all; false if the peer is gone or after stop().
  virtual bool write(std::string_view bytes) = 0;
  /// Makes both directions end, waking threads blocked in them. Any thread.
  virtual void stop() = 0;
  /// After the end: whether the peer surely left bytes of ours unread. (Of
  /// streams that cannot tell, false.)
  virtual bool lostOutput() const { return false; }
};

/// Over file descriptors: pipes, sockets, a terminal. Writing to a closed pipe
/// raises SIGPIPE unless the program ignores that signal; sockets never do.
class FdStream final : public ByteStream {
public:
  /// `in` and `out` may be the same. Closes them at the end if `owned`.
  FdStream(int in, int out, bool owned);
  ~FdStream() override;
  FdStream(const FdStream &) = delete;
  FdStream &operator=(const FdStream &) = delete;

  size_t read(char *into, size_t size) override;
  bool write(std::string_view bytes) override;
  void stop() override;
  bool lostOutput() const override { return lost; }

private:
  int in, out;
  int wake; ///< an eventfd that stop() makes readable for good
  bool owned;
  bool outIsSocket;
  std::atomic<bool> lost = false;
};

} // namespace tilewright::lsp
