//===- Forwarder.cpp ------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/Forwarder.h"
#include "lsp/protocol/Params.h"
#include "lsp/server/Parameters.h"
#include <algorithm>

namespace tilewright::lsp {

void Forwarder::forward(Request request, EngineRole role, const char *name,
                        Json params, Convert convert, TextSnapshot of,
                        WorkerPool *on) {
  Json token;
  if (request->params().is_object())
    token = request->params().value("workDoneToken", Json());
  EngineSupervisor::Call call;
  call.role = role;
  call.method = name;
  call.params = std::move(params);
  if (role == EngineRole::Language)
    call.timeout = session.options.featureTimeout;
  auto begun = std::make_shared<std::atomic<bool>>(false);
  if (!token.is_null())
    call.progress = [rpc = session.rpc, token,
                     begun](const std::string &message,
                            std::optional<double> fraction) {
      Json value = {{"kind", begun->exchange(true) ? "report" : "begin"},
                    {"message", message}};
      if (value["kind"] == "begin")
        value["title"] = "Tilewright";
      if (fraction)
        value["percentage"] =
            static_cast<int>(std::clamp(*fraction, 0.0, 1.0) * 100);
      rpc->notify("$/progress", {{"token", token}, {"value", value}});
    };
  std::string uri;
  if (call.params.is_object())
    uri = stringField(call.params, "uri");
  auto overtaken = std::make_shared<std::atomic<bool>>(false);
  if (of) {
    std::lock_guard lock(mutex);
    calls.push_back({of->uri(), -1, overtaken});
  }
  auto finish = [this, request, token, begun, of, overtaken, uri, name,
                 convert = std::move(convert)](Response response) {
    {
      std::lock_guard lock(mutex);
      std::erase_if(calls, [&](const InFlight &call) {
        return call.overtaken == overtaken;
      });
    }
    if (*begun)
      session.rpc->notify("$/progress",
                          {{"token", token}, {"value", {{"kind", "end"}}}});
    if (*overtaken) {
      request->fail({ErrorCode::ContentModified,
                     "the text was edited in the meantime", nullptr});
      return;
    }
    if (response.error) {
      request->fail(*response.error);
      return;
    }
    try {
      if (of)
        checkVersion(response.result, *of);
      resultNews.tell(uri, name, response.result);
      request->reply(convert(std::move(response.result)));
    } catch (const RequestError &e) {
      request->fail(e.error);
    } catch (const std::exception &e) {
      request->fail(
          {ErrorCode::InternalError,
           request->method() +
               ": the compiler's answer cannot be read: " + describe(e),
           nullptr});
    }
  };
  call.done = [finish = std::move(finish), on](Response response) {
    // An error needs no work.
    if (!on || response.error)
      return finish(std::move(response));
    on->run([finish, response = std::make_shared<Response>(std::move(
                         response))] { finish(std::move(*response)); });
  };
  int64_t id = session.engines->call(std::move(call));
  {
    std::lock_guard lock(mutex);
    for (InFlight &entry : calls)
      if (entry.overtaken == overtaken)
        entry.id = id;
  }
  if (*overtaken)
    session.engines->cancel(id);
  request->cancel().onCancel(
      [engines = session.engines, id] { engines->cancel(id); });
}

void Forwarder::fetch(Request request, EngineRole role, const char *name,
                      Json params, std::function<void(Response)> then) {
  EngineSupervisor::Call call;
  call.role = role;
  call.method = name;
  call.params = std::move(params);
  if (role == EngineRole::Language)
    call.timeout = session.options.featureTimeout;
  call.done = [request, then = std::move(then)](Response response) {
    try {
      then(std::move(response));
    } catch (const RequestError &e) {
      request->fail(e.error);
    } catch (const std::exception &e) {
      request->fail(
          {ErrorCode::InternalError,
           request->method() +
               ": the compiler's answer cannot be read: " + describe(e),
           nullptr});
    }
  };
  int64_t id = session.engines->call(std::move(call));
  request->cancel().onCancel(
      [engines = session.engines, id] { engines->cancel(id); });
}

void Forwarder::withPrinted(Request request, TextSnapshot of,
                            const Json &params,
                            std::function<void(TextSnapshot printed)> then) {
  fetch(request, EngineRole::Compile, method::ir,
        {{"uri", params["uri"]},
         {"target", params["target"]},
         {"stage", params["stage"]}},
        [request, of, then = std::move(then)](Response response) {
          if (response.error) {
            request->fail(*response.error);
            return;
          }
          checkVersion(response.result, *of);
          then(std::make_shared<TextDocument>(
              "", 0, response.result.value("text", "")));
        });
}

void Forwarder::overtake(const std::string &uri) {
  std::vector<int64_t> stale;
  {
    std::lock_guard lock(mutex);
    for (const InFlight &call : calls)
      if (call.uri == uri) {
        *call.overtaken = true;
        stale.push_back(call.id);
      }
  }
  for (int64_t id : stale)
    session.engines->cancel(id);
}

bool Forwarder::isBusy(const std::string &uri) const {
  std::lock_guard lock(mutex);
  return std::any_of(calls.begin(), calls.end(),
                     [&](const InFlight &call) { return call.uri == uri; });
}

void Forwarder::checkVersion(const Json &result, const TextDocument &text) {
  if (result.is_object() && result.contains("documentVersion") &&
      result["documentVersion"] != text.version())
    throw RequestError(ErrorCode::ContentModified,
                       "the text was edited in the meantime");
}

} // namespace tilewright::lsp
