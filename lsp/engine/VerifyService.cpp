//===- VerifyService.cpp - which pass first gave wrong numbers ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/VerifyService.h"
#include "core/execute/KeepProgram.h"
#include "core/execute/NumpyFile.h"
#include "core/execute/ProgramCompiler.h"
#include "core/pipeline/CompilationImpl.h"
#include "lsp/engine/KernelChecks.h"
#include "lsp/engine/RunInputs.h"
#include "lsp/engine/ScratchFolder.h"
#include "lsp/engine/VerifyJob.h"
#include "lsp/protocol/Params.h"
#include <fstream>

namespace tilewright::engine {

VerifyService::VerifyService(CompileService &compiler, std::string engine)
    : compiler(compiler), runner(std::move(engine)) {}

namespace {

/// Writes each bytecode once.
class BytecodeFiles {
public:
  BytecodeFiles(const ScratchFolder &folder, const std::string &uri)
      : folder(folder), uri(uri) {}

  std::string path(const Kept &module) {
    std::string &path = written[module.get()];
    if (!path.empty())
      return path;
    path = folder.file("snapshot" + std::to_string(written.size()));
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    const std::string &bytes = module->bytecode();
    file.write(bytes.data(), std::streamsize(bytes.size()));
    file.close();
    if (!file) {
      model::Diagnostic error;
      error.code = "TW0634";
      error.message = path + " could not be written";
      error.hint = "is there space, and may you write there?";
      refuse(std::move(error), uri);
    }
    return path;
  }

private:
  const ScratchFolder &folder;
  const std::string &uri;
  std::map<const KeptModule *, std::string> written;
};

} // namespace

model::VerifyResult VerifyService::verify(const lsp::IncomingRequest &request,
                                          const lsp::VerifyParams &params) {
  checkThreads(params.threads, params.uri);
  auto compilation = compiler.compileFunction(request, params.uri,
                                              params.target, params.function);
  const Compilation::Impl &impl = compilation->impl();
  const model::StageTable &table = compilation->stages();
  const Snapshot *source = impl.find("tensor/source", nullptr);
  if (!source) // it cannot be read; its first error says why
    compiler.compileWhole(request, params.uri, params.target);
  auto module = impl.module(*source);
  mlir::func::FuncOp function =
      findRunFunction(*module, params.function, params.uri);

  model::Diagnostic error;
  std::optional<ScratchFolder> folder = ScratchFolder::make(error);
  if (!folder)
    refuse(std::move(error), params.uri);
  VerifyJob job;
  job.function = function.getName().str();
  auto inputs = makeRunInputs(function, params.inputs, params.seed, params.uri);
  for (size_t i = 0; i < inputs.size(); ++i) {
    job.inputs.push_back(folder->file("in" + std::to_string(i) + ".npy"));
    if (!execute::writeNumpy(*inputs[i], job.inputs.back(), error))
      refuse(std::move(error), params.uri);
  }
  job.threads = params.threads;
  for (const target::Level &level : impl.target->levels)
    job.levelBytes[level.name] = int64_t(level.capacity.value);
  job.dumpKeys = params.tensors;
  job.dumpFolder = params.outputs;

  BytecodeFiles files(*folder, params.uri);
  const Snapshot *before = nullptr;
  for (const model::PassRecord &pass : table.passes) {
    VerifyJob::Step &step = job.steps.emplace_back();
    step.pass = pass.name();
    const Snapshot *snapshot = impl.find(pass.name(), nullptr);
    if (!snapshot || snapshot == before)
      continue;
    before = snapshot;
    step.program = files.path(snapshot->program);
    for (const Snapshot::Scope &scope : snapshot->scopes)
      step.scopes.push_back(
          {scope.result->name,
           files.path(scope.result->steps[scope.step].module)});
  }
  std::vector<model::Diagnostic> problems = table.diagnostics;
  if (compilation->complete() && runsHere(*impl.target)) {
    auto blocks = impl.module(*impl.find("execution", nullptr));
    execute::keepProgram(*blocks, job.function);
    auto program =
        execute::compileProgram(*blocks, job.function, cpuOf(*impl.target));
    if (auto *problem = std::get_if<model::Diagnostic>(&program)) {
      problems.push_back(std::move(*problem));
    } else {
      job.compiled = folder->file("program");
      if (auto failed =
              std::get<execute::CompiledProgram>(program).write(job.compiled))
        refuse(std::move(*failed), params.uri);
    }
  }

  auto answer =
      runner.request("verifying " + job.function + " of " + params.uri,
                     "runner/verify", lsp::Json(job), request.cancel(),
                     [&](const std::string &message, double fraction) {
                       request.progress(message, fraction);
                     });
  request.throwIfCancelled();
  auto result =
      orRefuse(std::move(answer), params.uri).get<model::VerifyResult>();
  result.uri = params.uri;
  result.documentVersion = table.documentVersion;
  result.generation = table.generation;
  result.target = table.target;
  result.seed = params.seed;
  if (!compilation->complete() && !table.passes.empty()) {
    result.passed = false;
    result.stoppedAfter = table.passes.back().name();
  }
  auto locate = [&](model::Diagnostic &diagnostic) {
    if (diagnostic.uri.empty())
      diagnostic.uri = params.uri;
    if (impl.source && !diagnostic.key.empty())
      if (auto range = impl.source->rangeOf(diagnostic.key))
        diagnostic.range = *range;
  };
  for (model::VerifiedPass &pass : result.passes)
    if (pass.diagnostic)
      locate(*pass.diagnostic);
  if (!result.firstPass.empty()) {
    model::Diagnostic wrong;
    wrong.code = "TW0560";
    wrong.key = result.firstKey;
    wrong.message =
        "after " + result.firstPass + " " +
        (result.firstKey.empty() ? job.function : result.firstKey) +
        (result.firstScope.empty() ? std::string()
                                   : " in scope @" + result.firstScope) +
        " is no longer what the source says";
    wrong.hint = "compare the stages around it: tilewright diff FILE FROM " +
                 result.firstPass;
    for (const model::PassRecord &pass : table.passes)
      for (const std::string &name : pass.overrides)
        if (pass.name() == result.firstPass) {
          wrong.message += "; a person wrote IR there (" + name + ")";
          wrong.hint = "tilewright override list FILE " + name +
                       " shows what it changes";
        }
    problems.push_back(std::move(wrong));
  }
  // No run shows every order of the pipes; the checker judges them all.
  for (model::Diagnostic &finding : checkKernels(*compilation, params.uri)) {
    if (finding.severity == model::Severity::Error && result.passed) {
      result.passed = false;
      result.firstPass = "block/insert-sync";
      result.firstKey = finding.key;
    }
    problems.push_back(std::move(finding));
  }
  if (params.function.empty())
    if (auto note =
            noteOtherFunctions(*module, function, "verified", params.uri))
      problems.push_back(std::move(*note));
  for (model::Diagnostic &problem : problems) {
    locate(problem);
    result.diagnostics.push_back(std::move(problem));
  }
  return result;
}

void registerVerifyMethod(lsp::Connection &connection, VerifyService &service) {
  connection.onRequest(lsp::method::verify, [&](lsp::IncomingRequest &request) {
    auto params = lsp::readParams<lsp::VerifyParams>(request.params());
    return lsp::Json(service.verify(request, params));
  });
}

} // namespace tilewright::engine
