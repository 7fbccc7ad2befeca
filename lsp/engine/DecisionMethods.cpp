//===- DecisionMethods.cpp - decisions, estimates, pins -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/DecisionMethods.h"
#include "core/decision/PinEdit.h"
#include "core/decision/PinsFile.h"
#include "core/pipeline/DecisionAnswers.h"
#include "core/pipeline/PinStates.h"
#include "lsp/engine/PinsOnDisk.h"
#include "lsp/protocol/Params.h"
#include "lsp/protocol/Uri.h"
#include <fstream>
#include <iterator>

namespace tilewright::engine {

using lsp::IncomingRequest;
using lsp::Json;

[[noreturn]] static void refuse(const model::Diagnostic &error) {
  throw lsp::RequestError(
      lsp::ResponseError::of(error, lsp::ErrorCode::InvalidParams));
}

template <typename T>
static T orRefuse(std::optional<T> value, const model::Diagnostic &error) {
  if (!value)
    refuse(error);
  return std::move(*value);
}

static std::string pinsPath(const CompileService &service,
                            const std::string &uri) {
  std::string path = service.pinsPathOf(uri);
  if (!path.empty())
    return path;
  model::Diagnostic error;
  error.code = "TW0226";
  error.uri = uri;
  error.message = "the text is no file, so there is no place for its pins";
  error.hint = "save it first, or name a file with --pins";
  refuse(error);
}

/// All pins beside the document with what became of them.
static model::PinStates statesOf(CompileService &service,
                                 const IncomingRequest &request,
                                 const std::string &uri,
                                 const std::string &target) {
  auto compilation = service.compile(request, uri, target);
  model::PinStates states;
  states.documentVersion = compilation->stages().documentVersion;
  states.generation = compilation->stages().generation;
  states.target = compilation->stages().target;
  states.path = pinsPath(service, uri);
  std::ifstream file(states.path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  states.fingerprint = fingerprintOf(text);
  model::Diagnostic problem;
  if (text.empty())
    return states;
  auto read = decision::PinsFile::parse(text, problem);
  if (!read) {
    problem.uri = lsp::uriFromPath(states.path);
    refuse(problem);
  }
  states.pins = pinStates(*compilation, read->pins);
  for (const decision::PinsFile::Unread &other : read->unread) {
    model::PinState state;
    state.pin.key = "(entry " + std::to_string(other.index + 1) + ")";
    state.pin.kind = "none";
    state.pin.value = other.entry;
    state.state = "unread";
    state.code = "TW0210";
    state.reason = "it " + other.fault;
    states.pins.push_back(std::move(state));
  }
  return states;
}

static Json setPin(CompileService &service, IncomingRequest &request) {
  auto params = lsp::readParams<lsp::PinParams>(request.params());
  model::Diagnostic problem;
  if (params.key.empty() || params.kind.empty())
    lsp::refuseParams(request.params(), params.key.empty()
                                            ? "'key' is missing"
                                            : "'kind' is missing");
  model::Pin pin;
  pin.key = params.key;
  pin.target = params.pinTarget.empty() ? "*" : params.pinTarget;
  pin.kind = params.kind;
  pin.note = params.note;
  if (request.params().contains("value"))
    pin.value = request.params()["value"];
  else
    pin.value = orRefuse(
        decision::readPinWords(params.kind, params.words, problem), problem);
  std::string path = pinsPath(service, params.uri);
  auto changed = changePins(
      path, params.fingerprint,
      [&](const std::string &text, model::Diagnostic &why) {
        return decision::withPin(text, pin, why);
      },
      problem);
  problem.uri = lsp::uriFromPath(path);
  orRefuse(std::move(changed), problem);
  model::PinStates states =
      statesOf(service, request, params.uri, params.target);
  states.changed = 1;
  return states;
}

static Json removePins(CompileService &service, IncomingRequest &request) {
  auto params = lsp::readParams<lsp::PinParams>(request.params());
  if (params.key.empty())
    lsp::refuseParams(request.params(), "'key' is missing");
  model::Diagnostic problem;
  std::string path = pinsPath(service, params.uri);
  int64_t removed = 0;
  std::vector<std::string> known;
  auto changed = changePins(
      path, params.fingerprint,
      [&](const std::string &text,
          model::Diagnostic &why) -> std::optional<std::string> {
        removed = 0;
        if (text.empty())
          return text;
        known.clear();
        if (auto read = decision::PinsFile::parse(text, why))
          for (const model::Pin &pin : read->pins)
            known.push_back(pin.key + " " + pin.kind +
                            (pin.target == "*" ? "" : " for " + pin.target));
        return decision::withoutPins(text, params.key, params.pinTarget,
                                     params.kind, removed, why);
      },
      problem);
  problem.uri = lsp::uriFromPath(path);
  orRefuse(std::move(changed), problem);
  if (removed == 0) {
    problem = model::Diagnostic();
    problem.code = "TW0227";
    problem.uri = lsp::uriFromPath(path);
    problem.message =
        "there is no " + (params.kind.empty() ? "" : params.kind + " ") +
        "pin of " + params.key +
        (params.pinTarget.empty() ? "" : " for " + params.pinTarget);
    for (size_t i = 0; i < std::min<size_t>(known.size(), 12); ++i)
      problem.hint += (i ? ", " : "there are ") + known[i];
    if (known.empty())
      problem.hint = "there are no pins";
    refuse(problem);
  }
  model::PinStates states =
      statesOf(service, request, params.uri, params.target);
  states.changed = removed;
  return states;
}

void registerDecisionMethods(lsp::Connection &connection,
                             CompileService &service) {
  connection.onRequest(lsp::method::decisions, [&](IncomingRequest &request) {
    auto params = lsp::readParams<lsp::KeyParams>(request.params());
    auto compilation = service.compile(request, params.uri, params.target);
    model::Diagnostic error;
    return Json(orRefuse(explain(*compilation, params.key, &error), error));
  });
  connection.onRequest(lsp::method::whatIf, [&](IncomingRequest &request) {
    auto params = lsp::readParams<lsp::WhatIfParams>(request.params());
    if (params.key.empty())
      lsp::refuseParams(request.params(), "'key' is missing");
    if (params.points < 1 || params.points > 100000)
      lsp::refuseParams(request.params(), "'points' must be from 1 to 100000");
    auto compilation = service.compile(request, params.uri, params.target);
    model::Diagnostic error;
    return Json(orRefuse(
        whatIf(*compilation, params.key, params.points, &error), error));
  });
  connection.onRequest(lsp::method::pins, [&](IncomingRequest &request) {
    auto params = lsp::readParams<lsp::DocumentParams>(request.params());
    return Json(statesOf(service, request, params.uri, params.target));
  });
  connection.onRequest(lsp::method::pin, [&](IncomingRequest &request) {
    return setPin(service, request);
  });
  connection.onRequest(lsp::method::unpin, [&](IncomingRequest &request) {
    return removePins(service, request);
  });
}

} // namespace tilewright::engine
