//===- TcpTest.cpp - sessions over TCP ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/Tcp.h"
#include "lsp/server/Server.h"
#include "tests/lsp/server/LspSession.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

using namespace tilewright::lsp;

TEST_CASE("over TCP a session needs the token") {
  ChildProcess::Options options;
  options.program = SERVER;
  options.arguments = {"--tcp", "0"};
  options.environment = {{"TILEWRIGHT_ENGINE", FAKE_ENGINE}};
  std::string error;
  auto process = ChildProcess::spawn(options, error);
  REQUIRE(process);
  auto output = process->takeStream();
  std::string text;
  char buffer[256];
  while (text.find("token ") == std::string::npos || text.back() != '\n') {
    size_t got = output->read(buffer, sizeof buffer);
    REQUIRE(got > 0);
    text.append(buffer, got);
  }
  int port = std::stoi(text.substr(text.find(':') + 1));
  std::string token = text.substr(text.find("token ") + 6, 32);

  // Whether a session begins, and what became of a run in it.
  auto attempt = [&](Json options) -> std::pair<bool, std::string> {
    int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    REQUIRE(::connect(fd, reinterpret_cast<sockaddr *>(&address),
                      sizeof address) == 0);
    Connection connection(std::make_unique<FdStream>(fd, fd, true));
    std::thread reader([&] { connection.run(); });
    auto ask = [&](const char *method, Json params) {
      std::promise<Response> answer;
      connection.request(method, std::move(params),
                         [&](Response r) { answer.set_value(std::move(r)); });
      return answer.get_future().get();
    };
    Response begun =
        ask("initialize",
            {{"capabilities", Json::object()},
             {"initializationOptions", {{"tilewright", std::move(options)}}}});
    std::string ran;
    if (!begun.error) {
      std::string uri = "file:///t.mlir";
      connection.notify("textDocument/didOpen", {{"textDocument",
                                                  {{"uri", uri},
                                                   {"languageId", "mlir"},
                                                   {"version", 1},
                                                   {"text", "text"}}}});
      Response run = ask("tilewright/run", {{"uri", uri}});
      ran = run.error ? run.error->diagnostic().code : "ran";
    }
    connection.stop();
    reader.join();
    return {!begun.error, ran};
  };
  CHECK_FALSE(attempt({{"token", "wrong"}}).first);
  CHECK(attempt({{"token", token}}) == std::pair(true, std::string("TW0619")));
  CHECK(attempt({{"token", token}, {"trusted", true}}) ==
        std::pair(true, std::string("ran")));
}
