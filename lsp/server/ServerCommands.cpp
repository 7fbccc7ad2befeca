//===- ServerCommands.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/ServerCommands.h"
#include "lsp/server/Parameters.h"

namespace tilewright::lsp {

void ServerCommands::execute(Request request) {
  const Json &params = request->params();
  requireForm(params, {{"command", ""}});
  auto name = params["command"].get<std::string>();
  if (name != pin && name != unpin)
    refuse("TW0606", "there is no command '" + name + "'; there are '" +
                         std::string(pin) + "' and '" + unpin + "'");
  Json arguments = params.value("arguments", Json::array());
  if (!arguments.is_array() || arguments.size() != 1 ||
      !arguments[0].is_object())
    refuse("TW0606", name + " takes one argument: the params of tilewright/" +
                         name.substr(name.find('.') + 1));
  Json call = std::move(arguments[0]);
  std::string uri = uriOf(call);
  TextSnapshot text = session.require(uri);
  if (stringField(call, "target").empty())
    call["target"] = session.target();
  requests.forward(request, EngineRole::Compile,
                   name == pin ? method::pin : method::unpin, std::move(call),
                   [this, uri](Json result) {
                     checks.schedule(uri, std::chrono::milliseconds(0));
                     if (session.refreshesLenses)
                       session.rpc->request("workspace/codeLens/refresh",
                                            nullptr, [](Response) {});
                     return result;
                   });
}

void ServerCommands::registerAt(Connection &connection) {
  connection.onAsyncRequest(
      "workspace/executeCommand",
      [this](Request request) { execute(std::move(request)); });
}

} // namespace tilewright::lsp
