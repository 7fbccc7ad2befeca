//===- Session.cpp - compiles operators and keeps every stage -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/Session.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/frontend/CompilationSource.h"
#include "core/frontend/Dialects.h"
#include "core/pipeline/CompilationImpl.h"
#include "core/pipeline/DiagnosticCollector.h"
#include "core/pipeline/PassList.h"
#include "core/pipeline/ScopeCache.h"
#include "core/target/TargetRegistry.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/PassManager.h"
#include <chrono>

using namespace mlir;

namespace tilewright {

namespace {

using Clock = std::chrono::steady_clock;

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

/// Uniqued attributes and locations of a context are never freed, so a session
/// starts a new one after this many compilations.
constexpr int64_t compilationsPerContext = 500;

struct Stopped {};

/// Runs one pass on `module`. Reports whether it changed anything.
struct PassRun {
  bool failed = false;
  bool changed = false;
  double milliseconds = 0;
};

PassRun runPass(const PassEntry &entry, const PassInputs &inputs,
                ModuleOp module) {
  PassRun run;
  OperationFingerPrint before(module);
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  manager.addPass(entry.create(inputs));
  Clock::time_point start = Clock::now();
  run.failed = failed(manager.run(module));
  run.milliseconds = millisecondsSince(start);
  run.changed = before != OperationFingerPrint(module);
  return run;
}

/// Keys of operations that differ between two modules, at most 1,000.
std::vector<std::string> keysIn(ModuleOp module) {
  std::vector<std::string> keys;
  module.walk([&](Operation *op) {
    if (keys.size() < 1000)
      for (StringRef key : keysOf(op))
        keys.push_back(key.str());
  });
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

/// One compilation on its way.
class Compiler {
public:
  Compiler(Compilation::Impl &out, const CompileRequest &request,
           const target::Target &target, ScopeCache &cache,
           SessionStatistics &statistics, std::stop_token stop,
           const CompileProgress &progress)
      : out(out), request(request), target(target), cache(cache),
        statistics(statistics), stop(stop), progress(progress) {
    inputs.target = &target;
    inputs.pins = request.pins;
    inputs.decisions = &out.decisions;
  }

  /// Throws Stopped.
  void run() {
    frontend::CompilationSource source = frontend::readForCompilation(
        request.uri, request.text, out.context.get());
    out.keyRanges = std::move(source.keyRanges);
    out.table.diagnostics = std::move(source.diagnostics);
    llvm::append_range(out.table.diagnostics, request.pinProblems);
    if (!source.module)
      return;
    program = std::move(source.module);
    record("tensor", "source", {false, true, source.milliseconds});

    const std::vector<PassEntry> &passes = passList();
    size_t i = 0;
    for (; i < passes.size() && passes[i].unit == PassUnit::Program; ++i)
      if (!runProgramPass(passes[i]))
        return;
    size_t begin = i;
    while (i < passes.size() && passes[i].unit == PassUnit::Scope)
      ++i;
    if (!runScopePasses(llvm::ArrayRef(passes).slice(begin, i - begin)))
      return;
    for (; i < passes.size(); ++i)
      if (!runProgramPass(passes[i]))
        return;
    out.table.complete = true;
  }

private:
  void step(const std::string &name) {
    if (stop.stop_requested())
      throw Stopped();
    if (progress)
      progress(double(done++) / double(passList().size() + 1), name);
  }

  DiagnosticCollector collector() {
    return DiagnosticCollector(
        out.context.get(), request.uri, "TW0310", [this](StringRef key) {
          // "p.row_max" has the range of "p".
          for (StringRef k = key; !k.empty(); k = k.rsplit('.').first) {
            auto found = out.keyRanges.find(std::string_view(k));
            if (found != out.keyRanges.end())
              return found->second;
            if (!k.contains('.'))
              break;
          }
          return model::TextRange();
        });
  }

  void keep(DiagnosticCollector &collected) {
    for (model::Diagnostic &diagnostic : collected.take())
      out.table.diagnostics.push_back(std::move(diagnostic));
  }

  /// Adds a record for a pass over `program`, and a snapshot if it changed.
  void record(const std::string &stage, const std::string &pass,
              const PassRun &run) {
    model::PassRecord entry;
    entry.stage = stage;
    entry.pass = pass;
    entry.changed = run.changed;
    entry.milliseconds = run.milliseconds;
    if (run.changed) {
      Snapshot snapshot;
      snapshot.stage = stage;
      snapshot.pass = pass;
      snapshot.program = captureBytecode(*program);
      out.snapshots.push_back(std::move(snapshot));
    }
    entry.operations = countOperations(*program);
    finishRecord(std::move(entry));
  }

  void finishRecord(model::PassRecord entry) {
    if (!out.snapshots.empty())
      out.snapshotIndex[entry.name()] = out.snapshots.size() - 1;
    out.table.passes.push_back(std::move(entry));
  }

  bool runProgramPass(const PassEntry &entry) {
    step(entry.stage + "/" + entry.name);
    DiagnosticCollector collected = collector();
    PassRun run = runPass(entry, inputs, *program);
    keep(collected);
    record(entry.stage, entry.name, run);
    return !run.failed;
  }

  /// Moves the scope functions out of the program, takes each through the
  /// scope passes or finds it done, and puts the results back.
  bool runScopePasses(llvm::ArrayRef<PassEntry> passes) {
    std::vector<OwningOpRef<ModuleOp>> modules;
    std::vector<std::shared_ptr<const ScopeResult>> results;
    std::vector<bool> reused;
    for (Operation &op :
         llvm::make_early_inc_range(program->getBody()->getOperations())) {
      if (!op.hasAttr(tile::scopeAttrName))
        continue;
      OwningOpRef<ModuleOp> module = ModuleOp::create(op.getLoc());
      op.remove();
      module->getBody()->push_back(&op);
      modules.push_back(std::move(module));
    }
    Bytecode outside = captureBytecode(*program);
    for (OwningOpRef<ModuleOp> &module : modules) {
      step("scopes");
      std::string fingerprint =
          scopeFingerprint(*module, target.name + "@" + targetFingerprint());
      std::shared_ptr<const ScopeResult> result = cache.find(fingerprint);
      reused.push_back(result != nullptr);
      if (!result) {
        result = compileScope(*module, passes);
        ++statistics.scopesCompiled;
        if (result->complete)
          cache.insert(fingerprint, result);
      } else {
        ++statistics.scopesReused;
      }
      results.push_back(std::move(result));
    }

    size_t steps = passes.size();
    bool complete = true;
    for (const auto &result : results) {
      steps = std::min(steps, result->steps.size());
      complete &= result->complete;
    }
    for (size_t i = 0; i < steps; ++i) {
      model::PassRecord entry;
      entry.stage = passes[i].stage;
      entry.pass = passes[i].name;
      entry.reused = !results.empty();
      entry.operations = countOperations(*program);
      Snapshot snapshot;
      snapshot.stage = entry.stage;
      snapshot.pass = entry.pass;
      snapshot.program = outside;
      for (auto [result, wasReused] : llvm::zip(results, reused)) {
        const ScopeStep &step = result->steps[i];
        entry.changed |= step.changed;
        entry.reused &= wasReused;
        entry.milliseconds += wasReused ? 0 : step.milliseconds;
        entry.operations += step.operations;
        snapshot.scopes.push_back({result, i});
      }
      if (entry.changed)
        out.snapshots.push_back(std::move(snapshot));
      finishRecord(std::move(entry));
    }
    if (!complete)
      return false;

    Snapshot last;
    last.program = outside;
    for (const auto &result : results)
      last.scopes.push_back({result, passes.size() - 1});
    program = last.join(out.context.get());
    return bool(program);
  }

  std::shared_ptr<const ScopeResult>
  compileScope(ModuleOp module, llvm::ArrayRef<PassEntry> passes) {
    auto result = std::make_shared<ScopeResult>();
    for (Operation &op : *module.getBody())
      if (auto symbol = dyn_cast<SymbolOpInterface>(op))
        result->name = symbol.getName().str();
    Bytecode current;
    for (const PassEntry &entry : passes) {
      if (stop.stop_requested())
        throw Stopped();
      DiagnosticCollector collected = collector();
      PassRun run = runPass(entry, inputs, module);
      keep(collected);
      if (run.failed)
        return result;
      if (run.changed || !current)
        current = captureBytecode(module);
      result->steps.push_back(
          {current, run.changed, run.milliseconds, countOperations(module)});
    }
    result->complete = true;
    return result;
  }

  std::string targetFingerprint() {
    if (fingerprint.empty())
      fingerprint = std::to_string(
          std::hash<std::string>()(nlohmann::json(target).dump()));
    return fingerprint;
  }

  Compilation::Impl &out;
  const CompileRequest &request;
  const target::Target &target;
  ScopeCache &cache;
  SessionStatistics &statistics;
  std::stop_token stop;
  const CompileProgress &progress;
  PassInputs inputs;
  OwningOpRef<ModuleOp> program;
  std::string fingerprint;
  int done = 0;
};

} // namespace

struct Session::Impl {
  std::shared_ptr<target::TargetRegistry> targets;
  DialectRegistry dialects;
  SharedContext context;
  int64_t compilationsInContext = 0;
  ScopeCache cache;
  SessionStatistics statistics;
  int64_t generation = 0;
  mutable std::mutex mutex;

  SharedContext freshContext() {
    if (!context || compilationsInContext >= compilationsPerContext) {
      context = std::make_shared<MLIRContext>(dialects);
      context->loadAllAvailableDialects();
      compilationsInContext = 0;
    }
    ++compilationsInContext;
    return context;
  }
};

Session::Session(std::shared_ptr<target::TargetRegistry> targets)
    : impl(std::make_unique<Impl>()) {
  impl->targets = std::move(targets);
  frontend::registerTilewrightDialects(impl->dialects);
}

Session::~Session() = default;

std::shared_ptr<const Compilation>
Session::compile(const CompileRequest &request, std::stop_token stop,
                 const CompileProgress &progress) {
  std::lock_guard lock(impl->mutex);
  auto out = std::make_unique<Compilation::Impl>();
  out->table.uri = request.uri;
  out->table.documentVersion = request.documentVersion;
  out->table.generation = ++impl->generation;
  out->table.target = request.target;
  out->source = request.text;
  ++impl->statistics.compilations;

  model::Diagnostic problem;
  std::shared_ptr<const target::Target> target =
      impl->targets->find(request.target, problem);
  if (!target) {
    problem.uri = request.uri;
    out->table.diagnostics.push_back(std::move(problem));
    return std::make_shared<const Compilation>(std::move(out));
  }
  out->target = *target;
  out->context = impl->freshContext();
  try {
    Compiler(*out, request, out->target, impl->cache, impl->statistics, stop,
             progress)
        .run();
  } catch (const Stopped &) {
    return nullptr;
  }
  return std::make_shared<const Compilation>(std::move(out));
}

SessionStatistics Session::statistics() const {
  std::lock_guard lock(impl->mutex);
  return impl->statistics;
}

} // namespace tilewright
