//===- VerifyJob.cpp - what the runner is given to verify -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/VerifyJob.h"
#include "core/execute/NumpyFile.h"
#include "core/execute/ProgramRun.h"
#include "core/execute/Verifier.h"
#include "core/frontend/Dialects.h"
#include "core/model/Json.h"
#include "core/pipeline/KeptModule.h"
#include "mlir/IR/MLIRContext.h"
#include <cstring>
#include <fstream>

namespace tilewright::engine {

using lsp::Json;

void to_json(Json &json, const VerifyJob &job) {
  Json steps = Json::array();
  for (const VerifyJob::Step &step : job.steps) {
    Json scopes = Json::array();
    for (const VerifyJob::Scope &scope : step.scopes)
      scopes.push_back({{"name", scope.name}, {"file", scope.file}});
    steps.push_back({{"pass", step.pass},
                     {"program", step.program},
                     {"scopes", std::move(scopes)}});
  }
  json = {{"function", job.function},  {"inputs", job.inputs},
          {"threads", job.threads},    {"levelBytes", job.levelBytes},
          {"steps", std::move(steps)}, {"compiled", job.compiled},
          {"dumpKeys", job.dumpKeys},  {"dumpFolder", job.dumpFolder}};
}

void from_json(const Json &json, VerifyJob &job) {
  job = VerifyJob();
  json.at("function").get_to(job.function);
  json.at("inputs").get_to(job.inputs);
  json.at("threads").get_to(job.threads);
  json.at("levelBytes").get_to(job.levelBytes);
  json.at("compiled").get_to(job.compiled);
  json.at("dumpKeys").get_to(job.dumpKeys);
  json.at("dumpFolder").get_to(job.dumpFolder);
  for (const Json &step : json.at("steps")) {
    VerifyJob::Step into;
    step.at("pass").get_to(into.pass);
    step.at("program").get_to(into.program);
    for (const Json &scope : step.at("scopes"))
      into.scopes.push_back({scope.at("name").get<std::string>(),
                             scope.at("file").get<std::string>()});
    job.steps.push_back(std::move(into));
  }
}

namespace {

[[noreturn]] void fail(model::Diagnostic diagnostic) {
  throw lsp::RequestError(lsp::ResponseError::of(std::move(diagnostic)));
}

class Work {
public:
  Work(const VerifyJob &job, const lsp::IncomingRequest &request)
      : job(job), request(request), context(makeContext()) {}

  model::VerifyResult run() {
    execute::VerifierOptions options;
    options.function = job.function;
    for (const std::string &path : job.inputs) {
      model::Diagnostic error;
      auto tensor = execute::readNumpy(path, error);
      if (!tensor)
        fail(std::move(error));
      options.inputs.push_back(
          std::make_shared<execute::HostTensor>(std::move(*tensor)));
    }
    options.run.cancel = &request.cancel().flag();
    options.run.threads = job.threads;
    options.run.levelBytes = job.levelBytes;
    options.dumpKeys = job.dumpKeys;
    options.dumpFolder = job.dumpFolder;
    execute::Verifier verifier(options);
    size_t done = 0;
    bool isSynchronized = false;
    for (const VerifyJob::Step &step : job.steps) {
      request.progress(step.pass,
                       double(done++) / double(job.steps.size() + 1));
      isSynchronized |= step.pass == "block/insert-sync";
      if (step.program.empty()) {
        verifier.unchanged(step.pass);
        continue;
      }
      execute::SnapshotParts parts = read(step);
      parts.isSynchronized = isSynchronized;
      if (!verifier.run(step.pass, parts))
        throw lsp::RequestError(lsp::ErrorCode::RequestCancelled,
                                "the request was cancelled");
    }
    if (!job.compiled.empty())
      runCompiled(verifier, options.inputs);
    request.throwIfCancelled();
    return verifier.take();
  }

private:
  mlir::OwningOpRef<mlir::ModuleOp> read(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    mlir::OwningOpRef<mlir::ModuleOp> module;
    if (file && !bytes.empty())
      module = readBytecode(bytes, context.get());
    if (module)
      return module;
    model::Diagnostic error;
    error.code = "TW0563";
    error.message = path + " holds no snapshot that can be read";
    error.hint = "is there space where temporary files go?";
    fail(std::move(error));
  }

  execute::SnapshotParts read(const VerifyJob::Step &step) {
    execute::SnapshotParts parts;
    parts.program = read(step.program);
    for (const VerifyJob::Scope &scope : step.scopes)
      parts.scopes.push_back({scope.name, scope.file, read(scope.file)});
    return parts;
  }

  void runCompiled(execute::Verifier &verifier,
                   const std::vector<execute::TensorRef> &inputs) {
    static constexpr const char *pass = "cpu/code";
    request.progress(pass,
                     double(job.steps.size()) / double(job.steps.size() + 1));
    auto compiled = execute::CompiledProgram::read(job.compiled);
    if (auto *problem = std::get_if<model::Diagnostic>(&compiled))
      return verifier.failed(pass, std::move(*problem));
    auto loaded = execute::ProgramRun::load(
        std::move(std::get<execute::CompiledProgram>(compiled)));
    if (auto *problem = std::get_if<model::Diagnostic>(&loaded))
      return verifier.failed(pass, std::move(*problem));
    auto &program = std::get<execute::ProgramRun>(loaded);
    using Kind = execute::ProgramBuffer::Kind;
    const auto &buffers = program.program().buffers;
    size_t given = 0;
    for (size_t i = 0; i < buffers.size(); ++i)
      if (buffers[i].kind == Kind::Argument && given < inputs.size()) {
        const execute::TensorRef &input = inputs[given++];
        std::memcpy(program.data(i), input->data(), size_t(input->byteSize()));
      }
    auto ran =
        program.run(job.threads, 1, /*trace=*/false,
                    [cancel = request.cancel()] { return cancel.cancelled(); });
    request.throwIfCancelled();
    std::vector<execute::TensorRef> results;
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i].kind != Kind::Result)
        continue;
      model::Diagnostic error;
      auto tensor = execute::HostTensor::make(
          *execute::elementNamed(buffers[i].dtype), buffers[i].shape, error);
      if (!tensor)
        return verifier.failed(pass, std::move(error));
      std::memcpy(tensor->data(), program.data(i), size_t(tensor->byteSize()));
      results.push_back(
          std::make_shared<execute::HostTensor>(std::move(*tensor)));
    }
    verifier.results(pass, results,
                     ran.milliseconds.empty() ? 0 : ran.milliseconds.front());
  }

  const VerifyJob &job;
  const lsp::IncomingRequest &request;
  std::shared_ptr<mlir::MLIRContext> context;
};

} // namespace

model::VerifyResult runVerifyJob(const VerifyJob &job,
                                 const lsp::IncomingRequest &request) {
  return Work(job, request).run();
}

} // namespace tilewright::engine
