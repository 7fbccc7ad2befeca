//===- StageRequests.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/StageRequests.h"
#include "lsp/protocol/Uri.h"
#include "lsp/server/GraphPicture.h"
#include "lsp/server/Parameters.h"

namespace tilewright::lsp {

StageRequests::Prepared StageRequests::prepare(const Request &request) const {
  Prepared result;
  result.params = request->params();
  std::string uri = uriOf(result.params);
  if (auto stage = StageUri::parse(uri)) {
    if (stringField(result.params, "stage").empty())
      result.params["stage"] = stage->stage;
    uri = stage->source;
  }
  result.text = session.require(uri);
  result.params["uri"] = uri;
  result.params.erase("textDocument");
  result.params.erase("workDoneToken");
  result.params.erase("partialResultToken");
  if (stringField(result.params, "target").empty())
    result.params["target"] = session.target();
  return result;
}

StageRequests::Prepared
StageRequests::prepareStage(const Request &request) const {
  Prepared call = prepare(request);
  if (stringField(call.params, "stage").empty())
    refuse("TW0606", "'stage' is missing", call.text->uri());
  return call;
}

/// Refuses what would run code that nobody vouches for (TW0619).
static void requireTrust(const SessionState &session, std::string_view name,
                         const std::string &uri) {
  if (session.trusted || (name != method::run && name != method::verify))
    return;
  refuse("TW0619",
         std::string(name) +
             " runs code that is compiled from the workspace, and the client "
             "has not said that the user trusts it",
         uri, ErrorCode::RequestFailed,
         "Trust the workspace in the editor. A client of its own says "
         "\"trusted\": true in initializationOptions.tilewright, or sends "
         "tilewright/setTrust.");
}

void StageRequests::document(Request request, const char *name) {
  Prepared call = prepare(request);
  requireTrust(session, name, call.text->uri());
  // The last run may have been one of an older text.
  bool ofNow = std::string_view(name) != method::trace;
  bool stages = std::string_view(name) == method::stages;
  bool pins = std::string_view(name) == method::pin ||
              std::string_view(name) == method::unpin ||
              std::string_view(name) == method::override;
  std::string of = stringField(call.params, "target");
  requests.forward(
      request, EngineRole::Compile, name, std::move(call.params),
      [this, text = call.text, stages, pins, of](Json result) {
        if (stages)
          checks.learnFromStages(text->uri(), text->version(), of, result);
        if (pins) // what is wrong with them is told anew
          checks.schedule(text->uri(), std::chrono::milliseconds(0));
        if (session.positions)
          convertRanges(result, *text, session.encoding);
        return result;
      },
      ofNow ? call.text : nullptr);
}

void StageRequests::ir(Request request) {
  Prepared call = prepareStage(request);
  requests.forward(
      request, EngineRole::Compile, method::ir, std::move(call.params),
      [this](Json result) {
        if (session.positions)
          convertRanges(result, TextDocument("", 0, result.value("text", "")),
                        session.encoding);
        return result;
      },
      call.text);
}

void StageRequests::graph(Request request) {
  Prepared call = prepareStage(request);
  std::optional<GraphPicture> picture =
      GraphPicture::of(call.params, session.chinese ? viz::Language::Chinese
                                                    : viz::Language::English);
  call.params.erase("picture");
  if (picture)
    picture->narrow(call.params);
  auto ask = [this, request, picture,
              of = call.text](const Json &params, Forwarder::Convert convert) {
    requests.forward(
        request, EngineRole::Compile, method::graph, params,
        [picture, convert = std::move(convert)](Json result) {
          if (picture)
            picture->draw(result);
          return convert(std::move(result));
        },
        of, picture ? session.drawing.get() : nullptr);
  };
  if (!session.positions) {
    ask(call.params, [](Json result) { return result; });
    return;
  }
  // Ranges of nodes are in the stage's printed text: get that first.
  requests.withPrinted(request, call.text, call.params,
                       [this, ask, params = call.params](TextSnapshot printed) {
                         ask(params, [this, printed](Json result) {
                           convertRanges(result, *printed, session.encoding);
                           return result;
                         });
                       });
}

void StageRequests::keyAt(Request request) {
  Prepared call = prepare(request);
  auto answer = [this, source = call.text](Json result, TextSnapshot asked) {
    if (session.positions && result.is_object()) {
      if (auto it = result.find("source"); it != result.end())
        convertRanges(*it, *source, session.encoding);
      if (auto it = result.find("range"); it != result.end())
        convertRanges(*it, *asked, session.encoding);
    }
    return result;
  };
  Json params = std::move(call.params);
  bool byOffset = !params.contains("position");
  if (stringField(params, "stage").empty()) {
    params["offset"] = offsetOf(params, *call.text, session.encoding);
    params.erase("position");
    requests.forward(request, EngineRole::Language, method::keyAt,
                     std::move(params),
                     [answer, text = call.text](Json result) {
                       Forwarder::checkVersion(result, *text);
                       return answer(std::move(result), text);
                     });
    return;
  }
  if (byOffset && !session.positions) {
    offsetOf(params, *call.text, session.encoding); // is there one?
    requests.forward(
        request, EngineRole::Compile, method::keyAt, std::move(params),
        [](Json result) { return result; }, call.text);
    return;
  }
  auto then = [this, request, params, answer,
               of = call.text](TextSnapshot printed) mutable {
    params["offset"] = offsetOf(params, *printed, session.encoding);
    params.erase("position");
    requests.forward(
        request, EngineRole::Compile, method::keyAt, std::move(params),
        [answer, printed](Json result) {
          return answer(std::move(result), printed);
        },
        of);
  };
  requests.withPrinted(request, call.text, params, then);
}

void StageRequests::experiments(Request request, const char *name) {
  if (!request->params().is_object())
    refuse("TW0606", "params must be an object");
  requests.forward(request, EngineRole::Language, name, request->params(),
                   [](Json result) { return result; });
}

void StageRequests::targets(Request request) {
  Json params = Json::object();
  if (request->params().is_object()) {
    for (const char *field : {"name", "folder", "uri"})
      if (std::string value = stringField(request->params(), field);
          !value.empty())
        params[field] = value;
  }
  requests.forward(request, EngineRole::Language, method::targets,
                   std::move(params), [this](Json result) {
                     std::string now = session.target();
                     if (!now.empty())
                       result["current"] = now;
                     return result;
                   });
}

void StageRequests::checkTarget(Request request) {
  if (!request->params().is_object() || !request->params().contains("text"))
    refuse("TW0606", "'text' is missing");
  requests.forward(
      request, EngineRole::Language, method::checkTarget, request->params(),
      [this, params = request->params()](Json result) {
        if (session.positions)
          convertRanges(result,
                        TextDocument("", 0, stringField(params, "text")),
                        session.encoding);
        return result;
      });
}

void StageRequests::setTarget(Request request) {
  if (!request->params().is_object())
    refuse("TW0606", "params must be an object");
  std::string name = stringField(request->params(), "target");
  if (name.empty())
    refuse("TW0606", "'target' is missing");
  requests.forward(request, EngineRole::Language, method::setTarget,
                   SetTargetParams{name}, [this, name](Json result) {
                     session.setTarget(name);
                     // What is legal depends on the target.
                     checks.targetChanged();
                     return result;
                   });
}

void StageRequests::registerAt(Connection &connection) {
  auto async = [&](const char *name, void (StageRequests::*handler)(Request)) {
    connection.onAsyncRequest(name, [this, handler](Request request) {
      (this->*handler)(std::move(request));
    });
  };
  async(method::targets, &StageRequests::targets);
  async(method::setTarget, &StageRequests::setTarget);
  async(method::checkTarget, &StageRequests::checkTarget);
  async(method::ir, &StageRequests::ir);
  async(method::graph, &StageRequests::graph);
  async(method::keyAt, &StageRequests::keyAt);
  for (const char *name : {method::experiments, method::compare})
    connection.onAsyncRequest(name, [this, name](Request request) {
      experiments(std::move(request), name);
    });
  for (const char *name :
       {method::stages, method::diff, method::memoryMap, method::run,
        method::verify, method::trace, method::compile, method::decisions,
        method::estimate, method::whatIf, method::pins, method::pin,
        method::unpin, method::override})
    connection.onAsyncRequest(name, [this, name](Request request) {
      document(std::move(request), name);
    });
}

} // namespace tilewright::lsp
