//===- Framing.h - messages in a byte stream --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::lsp {

/// One message body, or what was wrong with a frame.
struct Frame {
  std::string body;
  std::string error;  ///< not empty: `body` is at most a part of one
  bool fatal = false; ///< the stream cannot be read on: no next frame is found
};

/// Cuts LSP's base protocol (`Content-Length: N`, empty line, N bytes) out of
/// bytes that arrive in any pieces. Header names match in any case, lines may
/// end in LF alone. A frame with a bad header or a body beyond the limit gives
/// an error at once and is skipped without being stored.
///
/// A Content-Length that is too large does not swallow what follows: no JSON
/// text has a line that ends in `Content-Length: N`, so where one comes within
/// a body, that body ended before it. Not thread-safe.
class FrameReader {
public:
  static constexpr int64_t defaultLimit = int64_t(256) << 20;
  static constexpr size_t maxHeaderBytes = 8192;

  explicit FrameReader(int64_t bodyLimit = defaultLimit) : limit(bodyLimit) {}

  void feed(std::string_view bytes);
  /// The next complete frame; empty when more bytes are needed.
  std::optional<Frame> next();
  /// True if the stream ended within a frame.
  bool midFrame() const {
    return pos < buffer.size() || bodySize >= 0 || skip > 0;
  }

private:
  std::optional<Frame> readHeader();
  std::optional<size_t> findHeaderLine(size_t end);
  void skipBody();

  int64_t limit;
  std::string buffer;
  size_t pos = 0;        ///< consumed part of `buffer`
  int64_t bodySize = -1; ///< of the frame whose header was read
  size_t scanned = 0;    ///< no header line of the next frame begins before
  size_t unbroken = 0;   ///< no line ends from `scanned` to here
  int64_t skip = 0;      ///< bytes of a refused body still to drop
  bool dead = false;
};

/// What precedes a body of so many bytes.
std::string frameHeader(size_t bodySize);
/// The frame around `body`.
std::string frame(std::string body);

} // namespace tilewright::lsp
