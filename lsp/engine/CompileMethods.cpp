//===- CompileMethods.cpp - stages, snapshots and targets on request ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/NearestName.h"
#include "core/target/TargetRegistry.h"
#include "lsp/engine/CompileService.h"
#include "lsp/protocol/GraphParams.h"

namespace tilewright::engine {

using lsp::IncomingRequest;
using lsp::Json;

/// Adds what every answer about a document carries.
static Json answer(Json result, const Compilation &compilation) {
  result["documentVersion"] = compilation.stages().documentVersion;
  result["generation"] = compilation.stages().generation;
  return result;
}

/// The value, or the error as a refused request.
template <typename T>
static T orThrow(std::optional<T> value, const model::Diagnostic &error) {
  if (!value)
    throw lsp::RequestError(
        lsp::ResponseError::of(error, lsp::ErrorCode::InvalidParams));
  return std::move(*value);
}

template <typename T>
static const T &orThrow(const std::shared_ptr<const T> &value,
                        const model::Diagnostic &error) {
  if (!value)
    throw lsp::RequestError(
        lsp::ResponseError::of(error, lsp::ErrorCode::InvalidParams));
  return *value;
}

/// Every target by name; with `name` in the parameters that one whole.
static Json targetList(CompileService &service, const Json &params) {
  auto field = [&](const char *name) {
    return params.is_object() ? params.value(name, "") : std::string();
  };
  std::string folder = field("folder");
  if (folder.empty())
    folder = folderOf(field("uri"));
  Json list = Json::array();
  for (const auto &summary : service.registry().list(folder))
    list.push_back({{"name", summary.name},
                    {"description", summary.description},
                    {"aliases", summary.aliases},
                    {"file", summary.file}});
  Json result = {{"schema", "tilewright/targets"},
                 {"version", 1},
                 {"documentVersion", 0},
                 {"generation", 0},
                 {"current", service.currentTarget()},
                 {"targets", std::move(list)}};
  std::string name = field("name");
  if (!name.empty()) {
    model::Diagnostic error;
    auto target = service.registry().find(name, error, folder);
    if (!target)
      throw lsp::RequestError(
          lsp::ResponseError::of(error, lsp::ErrorCode::InvalidParams));
    result["target"] = *target;
  }
  return result;
}

/// Leaves `kernel` alone; refuses a name that there is none of.
static void keepKernel(model::MemoryMap &map, const std::string &kernel) {
  std::vector<std::string> names;
  for (model::KernelMemory &each : map.kernels) {
    names.push_back(each.kernel);
    if (each.kernel == kernel) {
      std::vector<model::KernelMemory> only;
      only.push_back(std::move(each));
      map.kernels = std::move(only);
      return;
    }
  }
  model::Diagnostic error;
  error.code = "TW0614";
  error.message = "there is no kernel \"" + kernel + "\" in " + map.pass;
  std::string nearest = model::nearestName(kernel, names);
  error.hint = nearest.empty() ? "name one of those the Block graph lists"
                               : "did you mean " + nearest + "?";
  throw lsp::RequestError(
      lsp::ResponseError::of(error, lsp::ErrorCode::InvalidParams));
}

/// What is wrong with the text of a target file.
static Json checkedTarget(const Json &params) {
  std::string uri = params.is_object() ? params.value("uri", "") : "";
  std::string text = params.is_object() ? params.value("text", "") : "";
  std::vector<model::Diagnostic> diagnostics = target::checkTarget(text);
  bool sound = true;
  for (model::Diagnostic &diagnostic : diagnostics) {
    diagnostic.uri = uri;
    sound &= diagnostic.severity != model::Severity::Error;
  }
  Json result = {{"schema", "tilewright/checkTarget"},
                 {"version", 1},
                 {"sound", sound},
                 {"diagnostics", std::move(diagnostics)}};
  if (sound) {
    model::Diagnostic error;
    result["name"] = target::readTarget(text, error)->name;
  }
  return result;
}

model::PrintedStage printedStage(CompileService &service,
                                 const IncomingRequest &request,
                                 const std::string &uri,
                                 const std::string &target,
                                 const std::string &stage) {
  auto compilation = service.compile(request, uri, target);
  model::Diagnostic error;
  return orThrow(compilation->print(stage, &error), error);
}

void registerCompileMethods(lsp::Connection &connection,
                            CompileService &service) {
  connection.onRequest(lsp::method::targets, [&](IncomingRequest &request) {
    return targetList(service, request.params());
  });
  connection.onRequest(lsp::method::checkTarget, [](IncomingRequest &request) {
    return checkedTarget(request.params());
  });
  connection.onRequest(
      lsp::method::setTarget, [&](IncomingRequest &request) -> Json {
        auto params = lsp::readParams<lsp::SetTargetParams>(request.params());
        service.setCurrentTarget(params.target);
        return {{"schema", "tilewright/setTarget"},
                {"version", 1},
                {"current", params.target}};
      });
  connection.onRequest(lsp::method::stages, [&](IncomingRequest &request) {
    auto params = lsp::readParams<lsp::DocumentParams>(request.params());
    auto compilation = service.compile(request, params.uri, params.target);
    return Json(compilation->stages());
  });
  connection.onRequest(lsp::method::ir, [&](IncomingRequest &request) {
    auto params = lsp::readParams<lsp::StageParams>(request.params());
    auto compilation = service.compile(request, params.uri, params.target);
    model::Diagnostic error;
    auto printed = compilation->print(params.stage, &error);
    return answer(Json(orThrow(std::move(printed), error)), *compilation);
  });
  connection.onRequest(lsp::method::graph, [&](IncomingRequest &request) {
    auto params = lsp::readParams<lsp::GraphParams>(request.params());
    for (auto [name, value] :
         {std::pair("atMost", params.atMost),
          std::pair("offset", params.offset), std::pair("limit", params.limit)})
      if (value < 0)
        lsp::refuseParams(request.params(), std::string("'") + name + "' is " +
                                                std::to_string(value) +
                                                "; it must not be less "
                                                "than 0");
    auto compilation = service.compile(request, params.uri, params.target);
    model::Diagnostic error;
    auto graph = compilation->graph(params.stage, &error, params.part());
    return answer(Json(orThrow(graph, error)), *compilation);
  });
  connection.onRequest(lsp::method::memoryMap, [&](IncomingRequest &request) {
    auto params = lsp::readParams<lsp::MemoryMapParams>(request.params());
    auto compilation = service.compileWhole(request, params.uri, params.target);
    model::Diagnostic error;
    auto map =
        orThrow(compilation->memoryMap(
                    params.stage.empty() ? "block" : params.stage, &error),
                error);
    if (!params.kernel.empty())
      keepKernel(map, params.kernel);
    return answer(Json(map), *compilation);
  });
  connection.onRequest(lsp::method::diff, [&](IncomingRequest &request) {
    auto params = lsp::readParams<lsp::DiffParams>(request.params());
    for (auto [name, value] :
         {std::pair("from", &params.from), std::pair("to", &params.to)})
      if (value->empty())
        lsp::refuseParams(request.params(),
                          std::string("'") + name + "' is missing");
    auto compilation = service.compile(request, params.uri, params.target);
    model::Diagnostic error;
    auto diff = compilation->diff(params.from, params.to, &error);
    return answer(Json(orThrow(std::move(diff), error)), *compilation);
  });
}

} // namespace tilewright::engine
