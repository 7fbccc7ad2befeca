//===- Main.cpp - tilewright-lsp ------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/client/Locate.h"
#include "lsp/protocol/KeptMemory.h"
#include "lsp/server/Server.h"
#include "lsp/server/Tcp.h"
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <iostream>

using namespace tilewright::lsp;

namespace {

/// A large text on its way to the engine.
constexpr size_t keptBytes = size_t(64) << 20;

int serveTcp(uint16_t port, Server::Options options) {
  std::string error;
  auto listener = LoopbackListener::listen(port, error);
  if (!listener) {
    std::cerr << "tilewright-lsp: cannot listen on 127.0.0.1:" << port << ": "
              << error << "\n";
    return 1;
  }
  const char *given = std::getenv("TILEWRIGHT_LSP_TOKEN");
  options.token = given && *given ? given : makeToken();
  options.trusted = false;
  std::cout << "listening on 127.0.0.1:" << listener->port() << "\n";
  if (!(given && *given))
    std::cout << "token " << options.token << "\n";
  std::cout << std::flush;
  // One session at a time: a server belongs to one editor, which may come back.
  while (auto stream = listener->accept())
    Server(std::move(stream), options).run();
  return 1;
}

} // namespace

int main(int argc, char **argv) {
  // A client that went away is seen as an error when writing.
  std::signal(SIGPIPE, SIG_IGN);

  CLI::App app(
      "Tilewright's language server (LSP 3.17 and tilewright/ methods).\n"
      "Editors start it themselves and speak to it on standard input "
      "and output.\nSee docs/protocol.md and docs/editors.md.",
      "tilewright-lsp");
  app.set_version_flag("--version",
                       std::string("tilewright-lsp ") + TILEWRIGHT_VERSION);
  bool stdio = false;
  int port = -1;
  app.add_flag("--stdio", stdio, "Serve standard input and output (default)");
  app.add_option("--tcp", port,
                 "Serve 127.0.0.1:PORT instead; 0 picks a port and prints it. "
                 "Clients must send the printed token, or that of "
                 "TILEWRIGHT_LSP_TOKEN, when they initialize")
      ->check(CLI::Range(0, 65535));
  std::string engine;
  app.add_option("--engine", engine, "Path of tilewright-engine");
  // Some clients pass their process id; the end of input tells us enough.
  std::string clientProcess;
  app.add_option("--clientProcessId", clientProcess)->group("");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return app.exit(e) == 0 ? 0 : 2;
  }

  KeptMemory kept(keptBytes);
  Server::Options options;
  options.engine.program = engine.empty() ? locateEngine() : engine;
  if (port >= 0)
    return serveTcp(static_cast<uint16_t>(port), std::move(options));
  return Server(std::make_unique<FdStream>(0, 1, false), std::move(options))
      .run();
}
