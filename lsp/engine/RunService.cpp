//===- RunService.cpp - runs compiled operators and checks them -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/engine/RunService.h"
#include "core/estimate/FlopCount.h"
#include "core/execute/BlockInterpreter.h"
#include "core/execute/CodeEmitter.h"
#include "core/execute/CompareTensors.h"
#include "core/execute/CpuLowering.h"
#include "core/execute/KeepProgram.h"
#include "core/execute/NumpyFile.h"
#include "core/execute/ProgramCompiler.h"
#include "core/execute/TensorInterpreter.h"
#include "core/inspect/KeyLookup.h"
#include "core/model/Json.h"
#include "core/model/ReplacedFile.h"
#include "core/pipeline/CompilationImpl.h"
#include "lsp/engine/KernelChecks.h"
#include "lsp/engine/RunInputs.h"
#include "lsp/engine/ScratchFolder.h"
#include "lsp/protocol/Params.h"
#include "lsp/protocol/Uri.h"
#include "profiler/ChromeTraceWriter.h"
#include "profiler/CriticalPath.h"
#include "profiler/TraceBuilder.h"
#include "profiler/Utilisation.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace tilewright::engine {

using execute::HostTensor;
using execute::TensorRef;
using lsp::IncomingRequest;
using lsp::Json;

namespace {

/// Beyond this a run is a mistake.
constexpr int maxRepeats = 1000000;
/// Orders of the pipes each task is checked under: at least one, and no further
/// one after this time.
constexpr uint64_t mostRounds = 16;
constexpr std::chrono::milliseconds roundsEnd(500);

/// One run on its way.
class Run {
public:
  Run(const IncomingRequest &request, const lsp::RunParams &params,
      std::shared_ptr<const Compilation> compilation, RunnerClient &runner)
      : request(request), params(params), compilation(std::move(compilation)),
        impl(this->compilation->impl()), runner(runner) {}

  model::RunResult result;
  std::shared_ptr<const profiler::TraceStore> recorded;

  void run() {
    checkNumbers();
    const model::StageTable &table = compilation->stages();
    result.uri = params.uri;
    result.documentVersion = table.documentVersion;
    result.generation = table.generation;
    result.target = table.target;
    // Refused pins and the like: the figures below are without them.
    result.diagnostics = table.diagnostics;
    findFunction();
    result.flop = estimate::countFlop(function);
    std::vector<TensorRef> outputs;
    std::vector<TensorRef> interpreted;
    if (runsHere(*impl.target)) {
      outputs = runHere();
      if (params.check)
        interpreted = interpretBlocks();
    } else {
      refuseTrace();
      outputs = interpretBlocks(params.repeat);
      result.repeats = params.repeat;
      model::Diagnostic note;
      note.code = "TW0550";
      note.severity = model::Severity::Information;
      note.uri = params.uri;
      note.message = "the Block graph for " + result.target +
                     " was executed by the interpreter; no time was measured";
      result.diagnostics.push_back(std::move(note));
    }
    if (params.check)
      check(outputs, interpreted);
    if (params.check) {
      std::ranges::move(checkKernels(*compilation, params.uri),
                        std::back_inserter(result.diagnostics));
      if (!runsHere(*impl.target))
        checkInterleaved(outputs);
    }
    writeOutputs(outputs);
  }

private:
  void checkNumbers() {
    checkThreads(params.threads, params.uri);
    if (params.repeat >= 1 && params.repeat <= maxRepeats)
      return;
    model::Diagnostic error;
    error.code = "TW0555";
    error.message = std::to_string(params.repeat) + " repeats were asked for";
    error.hint = "1 to " + std::to_string(maxRepeats) + " are possible";
    refuse(std::move(error), params.uri, lsp::ErrorCode::InvalidParams);
  }

  /// Interpreted instructions take no time that a trace could show.
  void refuseTrace() {
    if (params.trace.empty())
      return;
    model::Diagnostic error;
    error.code = "TW0556";
    error.message = "there is no trace of a run for " + result.target +
                    ": its Block graph is executed by the interpreter, which "
                    "measures no times";
    error.hint = "run for cpu or cpu-generic, or without a trace";
    refuse(std::move(error), params.uri, lsp::ErrorCode::InvalidParams);
  }

  void step(const std::string &message, double fraction) {
    request.throwIfCancelled();
    request.progress(message, fraction);
  }

  std::function<bool()> cancelled() {
    lsp::CancelToken token = request.cancel();
    return [token] { return token.cancelled(); };
  }

  void findFunction() {
    module = impl.module(*impl.find("tensor/source", nullptr));
    function = findRunFunction(*module, params.function, params.uri);
    result.function = function.getName().str();
    if (params.function.empty())
      if (auto note = noteOtherFunctions(*module, function, "run", params.uri))
        result.diagnostics.push_back(std::move(*note));
    inputs = makeRunInputs(function, params.inputs, params.seed, params.uri);
  }

  mlir::OwningOpRef<mlir::ModuleOp> blockModule() {
    auto blocks = impl.module(*impl.find("execution", nullptr));
    execute::keepProgram(*blocks, result.function);
    return blocks;
  }

  /// Compiles to machine code and runs it in the runner.
  std::vector<TensorRef> runHere() {
    step("generating code", 0.1);
    execute::CompiledProgram program =
        orRefuse(execute::compileProgram(*blockModule(), result.function,
                                         cpuOf(*impl.target)),
                 params.uri);
    program.target = result.target; // for its trace
    model::Diagnostic error;
    std::optional<ScratchFolder> folder = ScratchFolder::make(error);
    if (!folder)
      refuse(std::move(error), params.uri);
    RunnerJob job;
    job.what = result.function + " of " + params.uri;
    job.program = folder->file("program");
    if (auto problem = program.write(job.program))
      refuse(std::move(*problem), params.uri);
    for (size_t i = 0; i < inputs.size(); ++i) {
      job.inputs.push_back(folder->file("in" + std::to_string(i) + ".npy"));
      if (!execute::writeNumpy(*inputs[i], job.inputs.back(), error))
        refuse(std::move(error), params.uri);
      if (!params.check)
        inputs[i].reset(); // the runner has them; nobody here asks again
    }
    size_t results = function.getNumResults();
    for (size_t i = 0; i < results; ++i)
      job.outputs.push_back(folder->file("out" + std::to_string(i) + ".npy"));
    job.threads = params.threads;
    job.repeats = std::max(1, params.repeat);
    job.trace = folder->file("trace.json");
    step("running", 0.3);
    auto ended = runner.run(job, request.cancel());
    request.throwIfCancelled();
    RunnerOutcome outcome = orRefuse(std::move(ended), params.uri);
    result.milliseconds = outcome.milliseconds;
    result.threads = outcome.threads;
    result.repeats = int(outcome.milliseconds.size());
    result.tasks = outcome.tasks;
    measurePeak();
    readTrace(job.trace);
    std::vector<TensorRef> outputs;
    for (const std::string &path : job.outputs) {
      std::optional<HostTensor> tensor = execute::readNumpy(path, error);
      if (!tensor)
        refuse(std::move(error), params.uri);
      outputs.push_back(std::make_shared<HostTensor>(std::move(*tensor)));
    }
    return outputs;
  }

  /// The machine's peak, beside which the rate is read.
  void measurePeak() {
    step("measuring the machine's peak", 0.5);
    auto peak = runner.peakGflops(result.threads);
    if (auto *error = std::get_if<model::Diagnostic>(&peak)) {
      error->severity = model::Severity::Warning;
      result.diagnostics.push_back(std::move(*error));
      return;
    }
    result.peakGflops = std::get<double>(peak);
  }

  void readTrace(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    model::Diagnostic error;
    std::optional<Json> json = model::parseJson(text, error);
    if (!json)
      return;
    model::Trace trace = json->get<model::Trace>();
    std::optional<profiler::TraceStore> store = profiler::fromModel(trace);
    if (!store)
      return;
    recorded = std::make_shared<profiler::TraceStore>(std::move(*store));
    if (params.trace.empty())
      return;
    if (!profiler::writeChromeTrace(*recorded, params.trace, error))
      refuse(std::move(error), params.uri);
    result.tracePath = params.trace;
  }

  /// A Block graph about to be interpreted, with room for its results.
  struct Interpretation {
    execute::BlockInterpreter interpreter;
    std::vector<std::span<const std::byte>> in;
    std::vector<std::shared_ptr<HostTensor>> made;
    std::vector<std::span<std::byte>> out;
  };

  Interpretation prepare(execute::BlockInterpreter::Options options) {
    for (const target::Level &level : impl.target->levels)
      options.levelBytes[level.name] = int64_t(level.capacity.value);
    options.threads = params.threads;
    options.cancelled = cancelled();
    Interpretation run{orRefuse(execute::BlockInterpreter::create(
                                    *blockModule(), result.function, options),
                                params.uri),
                       {},
                       {},
                       {}};
    for (const TensorRef &tensor : inputs)
      run.in.push_back({tensor->data(), size_t(tensor->byteSize())});
    model::Diagnostic error;
    for (const execute::ArgumentType &type : run.interpreter.results()) {
      auto element = execute::elementNamed(type.dtype);
      auto tensor = element ? HostTensor::make(*element, type.shape, error)
                            : std::nullopt;
      if (!tensor)
        refuse(std::move(error), params.uri);
      run.made.push_back(std::make_shared<HostTensor>(std::move(*tensor)));
      run.out.push_back(
          {run.made.back()->data(), size_t(run.made.back()->byteSize())});
    }
    return run;
  }

  /// Runs `repeats` times on the same inputs. The same must come out every
  /// time: what does not, was read before it was written.
  std::vector<TensorRef> interpretBlocks(int repeats = 1) {
    step("interpreting the Block graph", 0.6);
    Interpretation run = prepare({});
    std::span<const std::span<const std::byte>> in = run.in;
    std::span<const std::span<std::byte>> out = run.out;
    std::vector<std::vector<std::byte>> before;
    for (int i = 0; i < repeats; ++i) {
      if (i > 0)
        step("repeat " + std::to_string(i + 1) + " of " +
                 std::to_string(repeats),
             0.6 + 0.2 * i / repeats);
      if (auto problem = run.interpreter.run(in, out)) {
        request.throwIfCancelled();
        refuse(std::move(*problem), params.uri);
      }
      if (repeats == 1)
        break;
      for (size_t r = 0; r < out.size(); ++r)
        if (i == 0)
          before.emplace_back(out[r].begin(), out[r].end());
        else if (!std::ranges::equal(before[r], out[r]))
          refuseUnequalRepeats(r, i + 1);
    }
    return {run.made.begin(), run.made.end()};
  }

  /// Lets the pipes of each core run at the same time, in orders that events
  /// allow: the results must be those of program order, bit for bit.
  void checkInterleaved(const std::vector<TensorRef> &outputs) {
    step("interpreting the Block graph, pipes interleaved", 0.9);
    execute::BlockInterpreter::Options options;
    options.interleaved = true;
    options.seed = uint64_t(params.seed);
    Interpretation run = prepare(options);
    auto start = std::chrono::steady_clock::now();
    for (uint64_t round = 0; round < mostRounds; ++round) {
      run.interpreter.startAtSchedule(round);
      std::optional<model::Diagnostic> problem =
          run.interpreter.run(run.in, run.out);
      request.throwIfCancelled();
      for (size_t i = 0; !problem && i < outputs.size(); ++i)
        if (!std::ranges::equal(run.out[i],
                                std::span(outputs[i]->data(),
                                          size_t(outputs[i]->byteSize())))) {
          problem.emplace();
          problem->code = "TW0545";
          problem->message = "result" + std::to_string(i) + " of @" +
                             result.function +
                             " is another than in program order";
        }
      if (round == 0 || problem) {
        model::CheckResult checked;
        checked.result = "all results";
        checked.reference = "block interpreter, pipes interleaved";
        checked.rule = "exact";
        checked.passed = !problem;
        if (problem)
          checked.worst = problem->message;
        if (round > 0)
          result.checks.pop_back();
        result.checks.push_back(std::move(checked));
      }
      if (problem) {
        problem->uri = params.uri;
        result.diagnostics.push_back(std::move(*problem));
        return;
      }
      if (std::chrono::steady_clock::now() - start > roundsEnd)
        return;
    }
  }

  [[noreturn]] void refuseUnequalRepeats(size_t output, int repeat) {
    model::Diagnostic error;
    error.code = "TW0557";
    error.message = "result" + std::to_string(output) + " of @" +
                    result.function + " is another in repeat " +
                    std::to_string(repeat) +
                    " than in the first, on the same inputs";
    error.hint = "the Block graph reads what it has not written; this is a "
                 "fault of the compiler";
    refuse(std::move(error), params.uri);
  }

  /// Against the Tensor interpreter; what ran here also against the Block
  /// interpreter, on the same inputs.
  void check(const std::vector<TensorRef> &outputs,
             const std::vector<TensorRef> &interpreted) {
    step("interpreting the Tensor graph", 0.8);
    execute::TensorRunOptions options;
    options.cancel = &request.cancel().flag();
    options.threads = params.threads;
    options.bounds = true;
    model::Diagnostic error;
    std::optional<execute::TensorRun> want =
        execute::interpretTensorGraph(function, inputs, options, error);
    if (!want) {
      request.throwIfCancelled();
      refuse(std::move(error), params.uri);
    }
    // A row whose values cancel is judged by what went into it. That takes
    // several times the work, so only where it is needed.
    std::optional<execute::TensorRun> judged;
    auto carriedErrors = [&](size_t i) -> const execute::MatmulBound * {
      if (!judged) {
        step("carrying errors through the Tensor graph", 0.9);
        options.bounds = false;
        options.carryErrors = true;
        judged =
            execute::interpretTensorGraph(function, inputs, options, error);
        if (!judged) {
          request.throwIfCancelled();
          refuse(std::move(error), params.uri);
        }
      }
      const execute::MatmulBound &bound = judged->bounds[i];
      return bound.allowed ? &bound : nullptr;
    };
    auto add = [&](const std::vector<TensorRef> &got,
                   const std::vector<TensorRef> &reference,
                   const std::string &name) {
      for (size_t i = 0; i < got.size() && i < reference.size(); ++i) {
        model::CheckResult checked =
            execute::compareTensors(*got[i], *reference[i], want->bounds[i]);
        if (checked.rule == "row-relative" && !checked.passed)
          if (const execute::MatmulBound *carried = carriedErrors(i))
            checked = execute::compareTensors(*got[i], *reference[i], *carried);
        checked.result = "result" + std::to_string(i);
        checked.reference = name;
        if (!checked.passed) {
          model::Diagnostic wrong;
          wrong.code = "TW0554";
          wrong.uri = params.uri;
          wrong.message = checked.result + " of @" + result.function +
                          " differs from the " + name + " at " + checked.worst;
          result.diagnostics.push_back(std::move(wrong));
        }
        result.checks.push_back(std::move(checked));
      }
    };
    add(outputs, want->results, "tensor interpreter");
    add(outputs, interpreted, "block interpreter");
  }

  void writeOutputs(const std::vector<TensorRef> &outputs) {
    if (params.outputs.empty())
      return;
    std::error_code code;
    std::filesystem::create_directories(params.outputs, code);
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::string path = (std::filesystem::path(params.outputs) /
                          ("result" + std::to_string(i) + ".npy"))
                             .string();
      model::Diagnostic error;
      if (!execute::writeNumpy(*outputs[i], path, error))
        refuse(std::move(error), params.uri);
      result.outputs.push_back(path);
    }
  }

  const IncomingRequest &request;
  const lsp::RunParams &params;
  std::shared_ptr<const Compilation> compilation;
  const Compilation::Impl &impl;
  RunnerClient &runner;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp function;
  std::vector<TensorRef> inputs;
};

} // namespace

/// What is written must not take the source's place.
static void refuseSource(const std::string &output, const std::string &uri) {
  if (output.empty() || !model::isSameFile(output, lsp::pathFromUri(uri)))
    return;
  model::Diagnostic error;
  error.code = "TW0634";
  error.message = output + " is the source itself; it is not overwritten";
  error.hint = "choose another name";
  refuse(std::move(error), uri, lsp::ErrorCode::InvalidParams);
}

RunService::RunService(CompileService &compiler, std::string engine)
    : compiler(compiler), runner(std::move(engine)) {}

model::RunResult RunService::run(const IncomingRequest &request,
                                 const lsp::RunParams &params) {
  refuseSource(params.trace, params.uri);
  Run run(request, params,
          compiler.compileWhole(request, params.uri, params.target,
                                params.function),
          runner);
  run.run();
  std::lock_guard lock(mutex);
  if (run.recorded)
    last[params.uri] = {run.result.tracePath, run.recorded,
                        run.result.documentVersion, run.result.generation,
                        nullptr};
  return std::move(run.result);
}

/// Of an operation, or of one made from it.
static bool isOf(const profiler::KernelStatistics &kernel,
                 const std::string &key) {
  return std::any_of(
      kernel.keys.begin(), kernel.keys.end(),
      [&](const std::string &own) { return inspect::comesFrom(own, key); });
}

Json RunService::trace(const std::string &uri, const std::string &key) {
  LastRun found;
  {
    std::lock_guard lock(mutex);
    auto it = last.find(uri);
    if (it != last.end())
      found = it->second;
  }
  if (!found.trace) {
    model::Diagnostic error;
    error.code = "TW0631";
    error.message = "this document has not been run yet";
    error.hint = "run it first: tilewright/run";
    refuse(std::move(error), uri);
  }
  Json result = {{"schema", "tilewright/lastTrace"},
                 {"version", 1},
                 {"documentVersion", found.documentVersion},
                 {"generation", found.generation},
                 {"path", found.path},
                 {"origin", model::Origin::Measured}};
  if (!key.empty()) {
    if (!found.kernels) {
      found.kernels =
          std::make_shared<const std::vector<profiler::KernelStatistics>>(
              profiler::kernelStatistics(*found.trace)
                  .value_or(std::vector<profiler::KernelStatistics>()));
      std::lock_guard lock(mutex);
      if (LastRun &now = last[uri]; now.trace == found.trace)
        now.kernels = found.kernels;
    }
    result["kernels"] = Json::array();
    for (const profiler::KernelStatistics &kernel : *found.kernels)
      if (isOf(kernel, key))
        result["kernels"].push_back(kernel);
    return result;
  }
  auto use = profiler::utilisation(*found.trace);
  auto path = profiler::criticalPath(*found.trace);
  result["utilisation"] = use ? Json(*use) : Json();
  result["criticalPath"] = path ? Json(*path) : Json();
  return result;
}

Json RunService::compile(const IncomingRequest &request,
                         const lsp::CompileParams &params) {
  refuseSource(params.output, params.uri);
  bool emits = !params.emit.empty() && params.emit != "none";
  auto compilation =
      emits ? compiler.compileWhole(request, params.uri, params.target)
            : compiler.compile(request, params.uri, params.target);
  Json result = {{"schema", "tilewright/compile"},
                 {"version", 1},
                 {"documentVersion", compilation->stages().documentVersion},
                 {"generation", compilation->stages().generation}};
  model::StageTable stages = compilation->stages();
  std::ranges::move(checkKernels(*compilation, params.uri),
                    std::back_inserter(stages.diagnostics));
  result["stages"] = stages;
  if (!emits)
    return result;
  const Compilation::Impl &impl = compilation->impl();
  model::Diagnostic error;
  execute::CodeKind kind;
  if (params.emit == "llvm") {
    kind = execute::CodeKind::Llvm;
  } else if (params.emit == "asm") {
    kind = execute::CodeKind::Assembly;
  } else if (params.emit == "object") {
    kind = execute::CodeKind::Object;
  } else {
    error.code = "TW0632";
    error.message = "\"" + params.emit + "\" is nothing that can be emitted";
    error.hint = "one of: none, llvm, asm, object";
    refuse(std::move(error), params.uri, lsp::ErrorCode::InvalidParams);
  }
  if (!runsHere(*impl.target)) {
    error.code = "TW0633";
    error.message =
        "there is no code generator for " + compilation->stages().target;
    error.hint = "code is made for cpu and cpu-generic";
    refuse(std::move(error), params.uri, lsp::ErrorCode::InvalidParams);
  }
  if (kind == execute::CodeKind::Object && params.output.empty()) {
    error.code = "TW0632";
    error.message = "an object file needs a path to be written to";
    refuse(std::move(error), params.uri, lsp::ErrorCode::InvalidParams);
  }
  execute::CpuFeatures cpu = cpuOf(*impl.target);
  auto blocks = impl.module(*impl.find("execution", nullptr));
  execute::LoweredKernels kernels =
      orRefuse(execute::lowerKernels(*blocks, cpu), params.uri);
  std::string code =
      orRefuse(execute::emitCode(*kernels.module, cpu, kind), params.uri);
  if (params.output.empty()) {
    result["text"] = std::move(code);
    return result;
  }
  model::ReplacedFile file(params.output);
  file.write(code);
  if (!file.commit()) {
    error.code = "TW0634";
    error.message =
        params.output + " could not be written: " + std::strerror(file.error());
    error.hint = "is there space, and may you write there?";
    refuse(std::move(error), params.uri);
  }
  result["path"] = params.output;
  return result;
}

void registerRunMethods(lsp::Connection &connection, RunService &service,
                        CompileService &compiler,
                        ExperimentService &experiments) {
  connection.onRequest(lsp::method::run, [&](IncomingRequest &request) {
    auto params = lsp::readParams<lsp::RunParams>(request.params());
    model::RunResult run = service.run(request, params);
    Json result = run;
    if (params.record)
      result["experiment"] = experiments.record(
          params.uri,
          *compiler.compileFunction(request, params.uri, params.target,
                                    params.function),
          &run, params.note);
    return result;
  });
  connection.onRequest(lsp::method::trace, [&](IncomingRequest &request) {
    auto params = lsp::readParams<lsp::KeyParams>(request.params());
    return service.trace(params.uri, params.key);
  });
  connection.onRequest(lsp::method::compile, [&](IncomingRequest &request) {
    auto params = lsp::readParams<lsp::CompileParams>(request.params());
    Json result = service.compile(request, params);
    if (params.record)
      result["experiment"] = experiments.record(
          params.uri, *compiler.compile(request, params.uri, params.target),
          nullptr, params.note);
    return result;
  });
}

} // namespace tilewright::engine
