//===- Client.cpp - a connection to a child -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/client/Client.h"
#include "lsp/protocol/Methods.h"

namespace tilewright::lsp {

std::unique_ptr<Client> Client::spawn(const ChildProcess::Options &options,
                                      std::string &error) {
  std::unique_ptr<ChildProcess> process = ChildProcess::spawn(options, error);
  if (!process)
    return nullptr;
  std::unique_ptr<Client> client(new Client);
  client->child = std::move(process);
  client->rpc = std::make_unique<Connection>(client->child->takeStream());
  return client;
}

void Client::start(EndHandler onEnd) {
  reader = std::thread([this, onEnd = std::move(onEnd)] {
    rpc->run();
    // The stream ends a little before the process does. One that closed its
    // output and lives on is of no use.
    std::optional<ExitStatus> status =
        child->wait(std::chrono::milliseconds(300));
    if (!status) {
      child->kill();
      status = child->wait(std::chrono::seconds(10));
    }
    if (onEnd)
      onEnd(status.value_or(ExitStatus{0, SIGKILL}), child->stderrTail());
  });
}

Client::~Client() {
  child->kill();
  rpc->stop();
  if (reader.joinable())
    reader.join();
  rpc.reset();
}

std::future<Response> Client::request(const std::string &method, Json params) {
  auto promise = std::make_shared<std::promise<Response>>();
  std::future<Response> future = promise->get_future();
  rpc->request(method, std::move(params), [promise](Response response) {
    promise->set_value(std::move(response));
  });
  return future;
}

ExitStatus Client::shutdown(std::chrono::milliseconds timeout) {
  auto deadline = std::chrono::steady_clock::now() + timeout;
  std::future<Response> answer = request(method::shutdown, nullptr);
  if (answer.wait_until(deadline) == std::future_status::ready)
    rpc->notify(method::exit, nullptr);
  auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      deadline - std::chrono::steady_clock::now());
  std::optional<ExitStatus> status =
      child->wait(std::max(left, std::chrono::milliseconds(0)));
  if (!status) {
    child->kill();
    status = child->wait(std::chrono::seconds(10));
  }
  return status.value_or(ExitStatus{0, SIGKILL});
}

} // namespace tilewright::lsp
