//===- OverrideMethods.cpp - overrides on request -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/OverrideMethods.h"
#include "core/model/NearestName.h"
#include "core/pipeline/CompilationImpl.h"
#include "core/pipeline/OverrideEdit.h"
#include "lsp/engine/OverridesOnDisk.h"
#include "lsp/protocol/Params.h"
#include <algorithm>

namespace tilewright::engine {

using lsp::IncomingRequest;
using lsp::Json;

namespace {

[[noreturn]] void refuse(const model::Diagnostic &error) {
  throw lsp::RequestError(
      lsp::ResponseError::of(error, lsp::ErrorCode::InvalidParams));
}

class Work {
public:
  Work(CompileService &service, IncomingRequest &request)
      : service(service), request(request),
        params(lsp::readParams<lsp::OverrideParams>(request.params())) {}

  Json run() {
    if (params.action == "list")
      checkName(/*required=*/false);
    else if (params.action == "edit")
      edit();
    else if (params.action == "apply")
      apply();
    else if (params.action == "drop")
      drop();
    else
      lsp::refuseParams(request.params(),
                        "'action' must be list, edit, apply or drop");
    return states();
  }

private:
  std::shared_ptr<const Compilation> compiled() {
    return service.compile(request, params.uri, params.target);
  }

  void edit() {
    if (params.stage.empty())
      lsp::refuseParams(request.params(), "'stage' is missing");
    if (!request.params().contains("text"))
      lsp::refuseParams(request.params(), "'text' is missing");
    auto compilation = compiled();
    model::Diagnostic problem;
    std::string textUri = params.textUri.empty() ? params.uri : params.textUri;
    auto made =
        editStage(*compilation, params.stage, params.text, textUri, problem);
    if (!made)
      refuse(problem);
    for (model::Override &override : made->written)
      if (!params.note.empty())
        override.note = params.note;
    accept(made->written, made->removed);
  }

  /// Brings overrides that are not in force onto what there is now.
  void apply() {
    checkName(/*required=*/true);
    StoredOverrides stored = readOverrides(params.uri);
    auto it = std::find_if(
        stored.overrides.begin(), stored.overrides.end(),
        [&](const auto &override) { return override.name == params.name; });
    if (it == stored.overrides.end()) { // its file cannot be read
      for (const auto &[name, problem] : stored.unreadable)
        if (name == params.name)
          refuse(problem);
      return;
    }
    service.tryAgain(params.uri, *it);
    auto compilation = compiled();
    model::Diagnostic problem;
    auto applied = reapply(*compilation, *it, params.asIs, problem);
    if (!applied) {
      problem.key = it->key;
      problem.uri = params.uri;
      refuse(problem);
    }
    std::vector<std::string> removed;
    if (applied->name != it->name)
      removed.push_back(it->name);
    accept({*applied}, removed);
  }

  void drop() {
    checkName(/*required=*/true);
    remove({params.name});
  }

  /// Writes what stands the test of a compilation; refuses all otherwise.
  void accept(const std::vector<model::Override> &written,
              const std::vector<std::string> &removed) {
    std::vector<model::Override> all = readOverrides(params.uri).overrides;
    std::erase_if(all, [&](const model::Override &old) {
      return std::find(removed.begin(), removed.end(), old.name) !=
                 removed.end() ||
             std::any_of(written.begin(), written.end(), [&](const auto &made) {
               return made.name == old.name;
             });
    });
    all.insert(all.end(), written.begin(), written.end());
    auto tried =
        service.compileWith(request, params.uri, params.target, std::move(all));
    const OverrideOutcomes &outcomes = tried->impl().overrideOutcomes;
    for (const model::Override &override : written) {
      auto outcome = outcomes.find(override.name);
      if (outcome != outcomes.end() &&
          (outcome->second.kind == OverrideOutcome::InForce ||
           outcome->second.kind == OverrideOutcome::Elsewhere))
        continue;
      model::Diagnostic problem;
      if (outcome != outcomes.end() && outcome->second.problem) {
        problem = *outcome->second.problem;
      } else {
        for (const model::Diagnostic &said : tried->stages().diagnostics)
          if (said.code == "TW0248" && said.key == override.key)
            problem = said;
        if (problem.code.empty()) {
          problem.code = "TW0243";
          problem.message = "the compilation stops before " + override.stage;
          problem.hint = "mend the errors of the source first";
        }
      }
      problem.severity = model::Severity::Error;
      refuse(problem);
    }
    for (const model::Override &override : written) {
      model::Diagnostic problem;
      if (!writeOverride(params.uri, override, problem))
        refuse(problem);
      writtenNames.push_back(override.name);
    }
    remove(removed);
  }

  void remove(const std::vector<std::string> &names) {
    for (const std::string &name : names) {
      model::Diagnostic problem;
      if (!removeOverride(params.uri, name, problem))
        refuse(problem);
      removedNames.push_back(name);
    }
  }

  void checkName(bool required) {
    if (params.name.empty() && !required)
      return;
    if (params.name.empty())
      lsp::refuseParams(request.params(), "'name' is missing");
    StoredOverrides stored = readOverrides(params.uri);
    std::vector<std::string> names;
    for (const model::Override &override : stored.overrides)
      names.push_back(override.name);
    for (const auto &unreadable : stored.unreadable)
      names.push_back(unreadable.name);
    if (std::find(names.begin(), names.end(), params.name) != names.end())
      return;
    model::Diagnostic problem;
    problem.code = "TW0249";
    problem.uri = params.uri;
    problem.message = "there is no override " + params.name;
    std::string near = model::nearestName(params.name, names);
    constexpr size_t most = 12;
    std::string list;
    for (size_t i = 0; i < std::min(names.size(), most); ++i)
      list += (i ? ", " : "") + names[i];
    problem.hint =
        names.empty()
            ? "this source has none"
            : (near.empty() ? "there are "
                            : "did you mean " + near + "? there are ") +
                  list;
    refuse(problem);
  }

  Json states() {
    auto compilation = compiled();
    model::OverrideStates states;
    states.documentVersion = compilation->stages().documentVersion;
    states.generation = compilation->stages().generation;
    states.target = compilation->stages().target;
    states.path = overridesFolderOf(params.uri);
    states.written = writtenNames;
    states.removed = removedNames;
    std::string whole = params.action == "list" ? params.name : "";
    states.overrides = overrideStates(*compilation, whole);
    // Those that it was not given.
    StoredOverrides stored = readOverrides(params.uri);
    for (const auto &[name, problem] : stored.unreadable) {
      model::OverrideState state;
      state.name = name;
      state.state = "unreadable";
      state.reason = problem.message;
      state.code = problem.code;
      states.overrides.push_back(std::move(state));
    }
    for (const model::Override &override : stored.overrides) {
      if (std::any_of(
              states.overrides.begin(), states.overrides.end(),
              [&](const auto &state) { return state.name == override.name; }))
        continue;
      model::OverrideState state = model::stateOf(override);
      state.state = "refused";
      for (const model::Diagnostic &said : compilation->stages().diagnostics)
        if (said.code == "TW0248" &&
            said.message.find("(" + override.name + ")") != std::string::npos) {
          state.reason = said.message;
          state.code = said.code;
        }
      if (override.name == whole) {
        state.base = override.base;
        state.text = override.text;
      }
      states.overrides.push_back(std::move(state));
    }
    std::sort(states.overrides.begin(), states.overrides.end(),
              [](const auto &a, const auto &b) { return a.name < b.name; });
    return states;
  }

  CompileService &service;
  IncomingRequest &request;
  lsp::OverrideParams params;
  std::vector<std::string> writtenNames, removedNames;
};

} // namespace

void registerOverrideMethod(lsp::Connection &connection,
                            CompileService &service) {
  connection.onRequest(lsp::method::override, [&](IncomingRequest &request) {
    return Work(service, request).run();
  });
}

} // namespace tilewright::engine
