//===- Client.h - a connection to a child -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/client/ChildProcess.h"
#include "lsp/protocol/Connection.h"
#include <future>

namespace tilewright::lsp {

/// A child that speaks JSON-RPC on its standard input and output: the language
/// server for Studio, the engine for the fronts.
class Client {
public:
  /// Null and `error` if the program cannot be started.
  static std::unique_ptr<Client> spawn(const ChildProcess::Options &options,
                                       std::string &error);
  /// Kills the child. Not from a handler.
  ~Client();

  /// To set handlers before start(), and to send afterwards. Handlers run in
  /// this class's reading thread.
  Connection &connection() { return *rpc; }
  ChildProcess &process() { return *child; }

  /// Called once from the reading thread when the conversation is over, after
  /// every request in flight was failed with ConnectionClosed. The child is
  /// dead by then.
  using EndHandler = std::function<void(const ExitStatus &status,
                                        const std::string &stderrTail)>;
  void start(EndHandler onEnd = nullptr);

  /// As Connection::request, for callers that wait.
  std::future<Response> request(const std::string &method, Json params);

  /// LSP's way to end: `shutdown`, `exit`, then wait. The child is killed if it
  /// has not ended after `timeout`. Not from a handler.
  ExitStatus shutdown(std::chrono::milliseconds timeout);

private:
  Client() = default;

  std::unique_ptr<ChildProcess> child;
  std::unique_ptr<Connection> rpc;
  std::thread reader;
};

} // namespace tilewright::lsp
