//===- ExperimentService.cpp - records compiled states --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/ExperimentService.h"
#include "core/decision/PinsFile.h"
#include "core/experiment/CompareExperiments.h"
#include "core/experiment/ExperimentStore.h"
#include "core/model/OverrideFiles.h"
#include "core/pipeline/DecisionAnswers.h"
#include "lsp/protocol/Methods.h"
#include "lsp/protocol/Params.h"
#include "lsp/protocol/Uri.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tilewright::engine {

using experiment::ExperimentStore;
using lsp::IncomingRequest;
using lsp::Json;

namespace {

[[noreturn]] void refuse(model::Diagnostic error, const std::string &uri = "") {
  error.uri = uri;
  throw lsp::RequestError(
      lsp::ResponseError::of(error, lsp::ErrorCode::InvalidParams));
}

std::string parentOf(const std::string &path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string fileText(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What a run measured, as a person compares it.
std::vector<model::Metric> metricsOf(const model::RunResult &run) {
  std::vector<model::Metric> metrics;
  std::vector<double> times = run.milliseconds;
  if (!times.empty()) {
    std::sort(times.begin(), times.end());
    metrics.push_back(
        {"best time", times.front(), "ms", model::Origin::Measured});
    metrics.push_back({"median time", times[times.size() / 2], "ms",
                       model::Origin::Measured});
    if (run.flop > 0)
      metrics.push_back({"speed", run.flop / times.front() * 1e-6, "GFLOP/s",
                         model::Origin::Measured});
  }
  metrics.push_back({"tasks", double(run.tasks), "", model::Origin::Estimated});
  metrics.insert(metrics.end(), run.metrics.begin(), run.metrics.end());
  for (const model::CheckResult &check : run.checks)
    metrics.push_back(
        {"error of " + check.result + " against " + check.reference,
         check.error, check.rule, model::Origin::Measured});
  return metrics;
}

bool allPassed(const model::RunResult &run) {
  return std::all_of(run.checks.begin(), run.checks.end(),
                     [](const model::CheckResult &c) { return c.passed; }) &&
         std::none_of(run.diagnostics.begin(), run.diagnostics.end(),
                      [](const model::Diagnostic &d) {
                        return d.severity == model::Severity::Error;
                      });
}

} // namespace

model::Experiment ExperimentService::begin(const std::string &uri,
                                           const Compilation &compilation,
                                           const std::string &note) {
  std::string path = lsp::pathFromUri(uri);
  auto text = documents.textOf(uri);
  if (!text || !std::filesystem::path(path).is_absolute()) {
    model::Diagnostic error;
    error.code = "TW0642";
    error.message = "experiments are kept in the folder of a source, and this "
                    "text is in none";
    error.hint = "save it as a file first";
    refuse(std::move(error), uri);
  }
  model::Experiment experiment;
  experiment.file = std::filesystem::path(path).filename().string();
  experiment.target = compilation.stages().target;
  experiment.note = note;
  experiment.version = TILEWRIGHT_VERSION;
  experiment.passed = compilation.complete();
  experiment.decisions = compilation.decisions();
  experiment.sourceText = std::move(text->text);
  experiment.pinsText = fileText(documents.pinsPathOf(uri));
  experiment.overridesText = model::overrideFilesText(path);
  return experiment;
}

int64_t ExperimentService::keep(const std::string &uri,
                                model::Experiment experiment) {
  model::Diagnostic error;
  auto store = ExperimentStore::create(parentOf(lsp::pathFromUri(uri)), error);
  int64_t id = store ? store->record(experiment, error) : 0;
  if (id == 0)
    refuse(std::move(error), uri);
  return id;
}

int64_t ExperimentService::record(const std::string &uri,
                                  const Compilation &compilation,
                                  const model::RunResult *run,
                                  const std::string &note) {
  model::Experiment experiment = begin(uri, compilation, note);
  experiment.kind = run ? "run" : "compile";
  experiment.function = run ? run->function : "";
  experiment.passed &= !run || allPassed(*run);
  if (run) {
    experiment.metrics = metricsOf(*run);
  } else {
    double total = 0;
    for (const model::PassRecord &pass : compilation.stages().passes)
      total += pass.milliseconds;
    experiment.metrics = {
        {"compile time", total, "ms", model::Origin::Measured}};
  }
  return keep(uri, std::move(experiment));
}

int64_t ExperimentService::recordEstimate(const std::string &uri,
                                          const Compilation &compilation,
                                          const model::EstimateList &estimate,
                                          const std::string &note) {
  model::Experiment experiment = begin(uri, compilation, note);
  experiment.kind = "estimate";
  auto add = [&](const std::string &name, double value, const char *unit) {
    experiment.metrics.push_back({name, value, unit, model::Origin::Estimated});
  };
  add("time", estimate.seconds * 1e6, "us");
  // A stack of layers has thousands; its slowest are what is compared.
  constexpr size_t mostKernels = 100;
  std::vector<const model::Estimate *> slowest;
  for (const model::Estimate &kernel : estimate.kernels)
    slowest.push_back(&kernel);
  std::sort(slowest.begin(), slowest.end(), [](const auto *a, const auto *b) {
    return a->seconds != b->seconds ? a->seconds > b->seconds : a->key < b->key;
  });
  slowest.resize(std::min(slowest.size(), mostKernels));
  for (const model::Estimate *kernel : slowest) {
    add("time of " + kernel->key, kernel->seconds * 1e6, "us");
    add("bytes through global memory of " + kernel->key, kernel->globalBytes,
        "bytes");
    add("core use of " + kernel->key, kernel->coreUse * 100, "%");
  }
  return keep(uri, std::move(experiment));
}

void registerEstimateMethod(lsp::Connection &connection,
                            CompileService &compiler,
                            ExperimentService &experiments) {
  connection.onRequest(lsp::method::estimate, [&](IncomingRequest &request) {
    auto params = lsp::readParams<lsp::EstimateParams>(request.params());
    auto compilation = compiler.compile(request, params.uri, params.target);
    model::Diagnostic error;
    auto estimate = estimateOf(*compilation, params.key, &error);
    if (!estimate)
      throw lsp::RequestError(
          lsp::ResponseError::of(error, lsp::ErrorCode::InvalidParams));
    Json result = *estimate;
    if (params.record || !params.note.empty())
      result["experiment"] = experiments.recordEstimate(
          params.uri, *compilation, *estimate, params.note);
    return result;
  });
}

namespace {

/// The folder a request is about: `folder`, or that of `uri`.
std::string folderAsked(const lsp::ExperimentsParams &params) {
  return params.folder.empty() ? parentOf(lsp::pathFromUri(params.uri))
                               : params.folder;
}

std::unique_ptr<ExperimentStore> openStore(const std::string &folder) {
  model::Diagnostic error;
  auto store = ExperimentStore::open(folder, error);
  if (!store && !error.code.empty())
    refuse(std::move(error));
  return store;
}

model::Experiment find(ExperimentStore *store, int64_t id,
                       const std::string &folder) {
  model::Diagnostic error;
  if (store)
    if (auto found = store->find(id, error))
      return std::move(*found);
  if (!store) {
    error.code = "TW0641";
    error.message = "there is no experiment " + std::to_string(id) +
                    ": nothing was recorded in " + folder;
    error.hint = "tilewright run FILE --record records one";
  }
  refuse(std::move(error));
}

Json listed(const lsp::ExperimentsParams &params) {
  std::string folder = folderAsked(params);
  auto store = openStore(folder);
  model::ExperimentList list;
  if (params.id != 0) {
    list.experiments.push_back(find(store.get(), params.id, folder));
  } else if (store) {
    model::Diagnostic error;
    std::string file = params.uri.empty()
                           ? ""
                           : std::filesystem::path(lsp::pathFromUri(params.uri))
                                 .filename()
                                 .string();
    auto found = store->list(file, params.limit, error);
    if (!found)
      refuse(std::move(error));
    list.experiments = std::move(*found);
  }
  if (store)
    list.path = store->path();
  return list;
}

} // namespace

void registerExperimentMethods(lsp::Connection &connection) {
  connection.onRequest(lsp::method::experiments, [](IncomingRequest &request) {
    return listed(lsp::readParams<lsp::ExperimentsParams>(request.params()));
  });
  connection.onRequest(lsp::method::compare, [](IncomingRequest &request) {
    auto params = lsp::readParams<lsp::CompareParams>(request.params());
    lsp::ExperimentsParams where;
    where.uri = params.uri;
    where.folder = params.folder;
    std::string folder = folderAsked(where);
    auto store = openStore(folder);
    model::Experiment before = find(store.get(), params.before, folder);
    model::Experiment after = find(store.get(), params.after, folder);
    return Json(experiment::compare(before, after));
  });
}

} // namespace tilewright::engine
