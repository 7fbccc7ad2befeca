//===- Tcp.cpp - clients that connect on loopback -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/Tcp.h"
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <random>
#include <sys/socket.h>
#include <unistd.h>

namespace tilewright::lsp {

std::unique_ptr<LoopbackListener> LoopbackListener::listen(uint16_t port,
                                                           std::string &error) {
  std::unique_ptr<LoopbackListener> listener(new LoopbackListener);
  listener->fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  socklen_t size = sizeof address;
  int on = 1;
  if (listener->fd < 0 ||
      ::setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) ||
      ::bind(listener->fd, reinterpret_cast<sockaddr *>(&address), size) ||
      ::listen(listener->fd, 8) ||
      ::getsockname(listener->fd, reinterpret_cast<sockaddr *>(&address),
                    &size)) {
    error = std::strerror(errno);
    return nullptr;
  }
  listener->boundPort = ntohs(address.sin_port);
  return listener;
}

LoopbackListener::~LoopbackListener() {
  if (fd >= 0)
    ::close(fd);
}

std::unique_ptr<ByteStream> LoopbackListener::accept() {
  while (true) {
    int client = ::accept4(fd, nullptr, nullptr, SOCK_CLOEXEC);
    if (client >= 0) {
      int on = 1;
      ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      return std::make_unique<FdStream>(client, client, true);
    }
    if (errno != EINTR && errno != ECONNABORTED)
      return nullptr;
  }
}

std::string makeToken() {
  static const char digits[] = "0123456789abcdef";
  std::random_device random;
  std::string token;
  for (int i = 0; i < 4; ++i)
    for (uint32_t bits = random(), n = 0; n < 8; ++n, bits >>= 4)
      token += digits[bits & 15];
  return token;
}

} // namespace tilewright::lsp
