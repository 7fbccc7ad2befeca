//===- Tcp.h - clients that connect on loopback -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/protocol/ByteStream.h"
#include <cstdint>
#include <memory>
#include <string>

namespace tilewright::lsp {

/// Listens on 127.0.0.1 only. Others on this machine can connect too, so a
/// session there must show a token.
class LoopbackListener {
public:
  /// `port` 0 picks a free one. Null and `error` if it cannot listen.
  static std::unique_ptr<LoopbackListener> listen(uint16_t port,
                                                  std::string &error);
  ~LoopbackListener();
  LoopbackListener(const LoopbackListener &) = delete;
  LoopbackListener &operator=(const LoopbackListener &) = delete;

  uint16_t port() const { return boundPort; }
  /// Waits for a client; null if listening has failed.
  std::unique_ptr<ByteStream> accept();

private:
  LoopbackListener() = default;
  int fd = -1;
  uint16_t boundPort = 0;
};

/// 128 random bits in hexadecimal.
std::string makeToken();

} // namespace tilewright::lsp
