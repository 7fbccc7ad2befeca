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

  auto attempt = [&](const std::string &with) {
    int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    REQUIRE(::connect(fd, reinterpret_cast<sockaddr *>(&address),
                      sizeof address) == 0);
    Connection connection(std::make_unique<FdStream>(fd, fd, true));
    std::thread reader([&] { connection.run(); });
    std::promise<Response> answer;
    connection.request(
        "initialize",
        {{"capabilities", Json::object()},
         {"initializationOptions", {{"tilewright", {{"token", with}}}}}},
        [&](Response r) { answer.set_value(std::move(r)); });
    Response response = answer.get_future().get();
    connection.stop();
    reader.join();
    return !response.error;
  };
  CHECK_FALSE(attempt("wrong"));
  CHECK(attempt(token));
}
