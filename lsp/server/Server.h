//===- Server.h - one session of the language server ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/client/EngineSupervisor.h"
#include <memory>
#include <string>
#include <vector>

namespace tilewright::lsp {

/// Serves one client: LSP 3.17 and our `tilewright/` methods
/// (docs/protocol.md). Holds the texts, converts positions, and hands the work
/// to two engines; no request waits for another.
class Server {
public:
  struct Options {
    ChildProcess::Options engine;
    /// If not empty, `initialize` must bring it as
    /// `initializationOptions.tilewright.token`.
    std::string token;
    /// Whether the user trusts what the client opens, where the client does not
    /// say: who starts the program itself has said so, who connects to it has
    /// not.
    bool trusted = true;
    /// How long a text must be left alone before it is checked.
    std::chrono::milliseconds diagnosticsDelay{100};
    /// How long after that it is compiled, to tell what only that finds out;
    /// negative: it is not, until the client asks for stages.
    std::chrono::milliseconds compileDelay{200};
    /// After so long a language feature counts as hung.
    std::chrono::milliseconds featureTimeout{20000};
  };

  Server(std::unique_ptr<ByteStream> stream, Options options);
  ~Server();
  Server(const Server &) = delete;
  Server &operator=(const Server &) = delete;

  /// Serves until `exit`, or until the client goes away. 0 if the client said
  /// `shutdown` before, else 1, as LSP wants.
  int run();

  /// Every method it knows, for the documentation's test.
  std::vector<std::string> methods() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tilewright::lsp
