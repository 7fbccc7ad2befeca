//===- Session.cpp - compiles operators and keeps every stage -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/Session.h"
#include "core/decision/DecisionKinds.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/frontend/Dialects.h"
#include "core/frontend/FrontendRegistry.h"
#include "core/frontend/FunctionPart.h"
#include "core/pipeline/AppliedOverrides.h"
#include "core/pipeline/CompilationImpl.h"
#include "core/pipeline/DiagnosticCollector.h"
#include "core/pipeline/FormedProgram.h"
#include "core/pipeline/KeyDigest.h"
#include "core/pipeline/LikeliestKey.h"
#include "core/pipeline/LiveModules.h"
#include "core/pipeline/PassList.h"
#include "core/pipeline/ScopeCache.h"
#include "core/pipeline/ScopeKeys.h"
#include "core/pipeline/Settler.h"
#include "core/target/TargetRegistry.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include <chrono>
#include <map>
#include <mutex>
#include <set>

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
  double fingerprintMilliseconds = 0;
};

/// `print` is the fingerprint of `module`, before and after; none if not known.
PassRun runPass(const PassEntry &entry, PassInputs &inputs, ModuleOp module,
                std::optional<OperationFingerPrint> &print) {
  PassRun run;
  Clock::time_point start = Clock::now();
  OperationFingerPrint before = print ? *print : OperationFingerPrint(module);
  run.fingerprintMilliseconds = millisecondsSince(start);
  PassManager manager(module.getContext(), ModuleOp::getOperationName());
  manager.addPass(entry.create(inputs));
  start = Clock::now();
  run.failed = failed(manager.run(module));
  run.milliseconds = millisecondsSince(start);
  start = Clock::now();
  print.emplace(module);
  run.changed = before != *print;
  run.fingerprintMilliseconds += millisecondsSince(start);
  return run;
}

/// Tiles that did not fit are chosen again this often, each time for half the
/// memory.
constexpr int maxChoices = 5;

/// One compilation on its way.
class Compiler {
public:
  Compiler(Compilation::Impl &out, const CompileRequest &request,
           const std::vector<PassEntry> &passes,
           const frontend::FrontendRegistry &frontends, ScopeCache &cache,
           SessionStatistics &statistics, std::vector<Kept> &kept,
           std::shared_ptr<const FormedProgram> &formed, std::stop_token stop,
           const CompileProgress &progress)
      : out(out), request(request), passes(passes), frontends(frontends),
        cache(cache), statistics(statistics), kept(kept), formed(formed),
        stop(stop), progress(progress),
        overrides(request.overrides, out.target->name) {
    inputs.target = out.target;
    inputs.pins.pins = request.pins;
    inputs.missing = [this](std::string_view glob) {
      return whatIsMissing(glob);
    };
  }

  /// Throws Stopped.
  void run() {
    compile();
    addElsewhere();
    finishOverrides();
  }

  /// After run() without success: overrides in force that may be why, each with
  /// what was said then.
  OverrideOutcomes culprits() const {
    OverrideOutcomes found;
    model::Diagnostic why;
    why.code = "TW0247";
    why.severity = model::Severity::Warning;
    for (const model::Diagnostic &diagnostic : out.table.diagnostics)
      if (diagnostic.severity == model::Severity::Error) {
        why.message = diagnostic.message + " [" + diagnostic.code + "]";
        why.hint = diagnostic.hint;
        break;
      }
    for (bool inScope : {true, false}) {
      for (const model::Override &override : request.overrides) {
        auto outcome = overrides.outcomes.find(override.name);
        if (outcome->second.kind != OverrideOutcome::InForce ||
            override.scope.empty() == inScope ||
            (inScope && !failedScopes.contains(override.scope)))
          continue;
        model::Diagnostic own = why;
        own.key = override.key;
        own.uri = request.uri;
        own.range = rangeOf(own.key);
        own.message =
            "the override of @" + override.part + " behind " + override.stage +
            " (" + override.name +
            ") is not in force: a later pass fails with it: " + why.message;
        found[override.name] = {OverrideOutcome::Refused, std::move(own)};
      }
      if (!found.empty())
        break;
    }
    return found;
  }

private:
  void compile() {
    size_t end = passes.size();
    size_t choose = chooseTilesPosition(passes);
    if (formed && formed->serves(request, out.target, out.context))
      takeFormed();
    else if (!form(choose))
      return;
    // From here on a choice may turn out not to fit.
    Kept beforeChoice = formed->program;
    size_t records = out.table.passes.size();
    size_t snapshots = out.snapshots.size();
    size_t diagnostics = out.table.diagnostics.size();
    const OverrideOutcomes formedOutcomes = overrides.outcomes;
    for (int choice = 1;; ++choice) {
      std::vector<std::string> unplaced;
      bool done = runFrom(choose, end, unplaced);
      if (done || unplaced.empty() || choice == maxChoices) {
        out.table.complete = done;
        out.decisions = std::move(inputs.formedDecisions);
        std::move(inputs.decisions.begin(), inputs.decisions.end(),
                  std::back_inserter(out.decisions));
        out.scopes = std::move(inputs.tiledScopes);
        markOverridden();
        return;
      }
      overrides.outcomes = formedOutcomes;
      failedScopes.clear();
      for (const std::string &scope : unplaced) {
        double &budget = inputs.budgets.try_emplace(scope, 1.0).first->second;
        budget /= 2;
      }
      program = beforeChoice->module(out.context.get());
      digests = digestsOfProgram();
      for (size_t i = records; i < out.table.passes.size(); ++i)
        out.snapshotIndex.erase(out.table.passes[i].name());
      out.table.passes.resize(records);
      out.snapshots.resize(snapshots);
      out.table.diagnostics.resize(diagnostics);
    }
  }

  /// Reads the source and takes it through the passes before choose-tiles.
  bool form(size_t choose) {
    formed = nullptr;
    if (!readSource())
      return false;
    auto made = std::make_shared<FormedProgram>();
    made->reading = out.table.diagnostics;
    addPinProblems();
    size_t before = out.table.diagnostics.size();
    for (size_t i = 0; i < choose; ++i)
      if (!runProgramPass(passes[i]))
        return false;
    addPinReports(std::move(inputs.formedDiagnostics));
    made->request = request;
    made->request.pins = formingPins(request.pins);
    made->request.overrides = formingOverrides(request.overrides);
    made->overrides = overrides.outcomes;
    made->target = out.target;
    made->context = out.context;
    made->program = keep(*program);
    made->digests = digests;
    made->records = out.table.passes;
    made->snapshots = out.snapshots;
    made->snapshotIndex = out.snapshotIndex;
    made->source = out.source;
    made->passes.assign(out.table.diagnostics.begin() + before,
                        out.table.diagnostics.end());
    made->decisions = inputs.formedDecisions;
    formed = std::move(made);
    return true;
  }

  /// Begins where the last compilation was before it chose tiles.
  void takeFormed() {
    step("formed");
    program = formed->program->module(out.context.get());
    digests = formed->digests;
    out.source = formed->source;
    out.snapshots = formed->snapshots;
    out.snapshotIndex = formed->snapshotIndex;
    out.table.passes = formed->records;
    for (model::PassRecord &record : out.table.passes) {
      record.reused = true;
      record.milliseconds = 0;
    }
    out.table.diagnostics = formed->reading;
    addPinProblems();
    llvm::append_range(out.table.diagnostics, formed->passes);
    inputs.formedDecisions = formed->decisions;
    for (const model::Override &override : formed->request.overrides)
      overrides.outcomes[override.name] = formed->overrides.at(override.name);
  }

  void addPinProblems() {
    llvm::append_range(out.table.diagnostics, request.pinProblems);
    llvm::append_range(out.table.diagnostics, request.overrideProblems);
    if (!request.pins.empty())
      reportIdlePins();
  }

  /// What is wrong with other functions only.
  void addElsewhere() {
    auto same = [](const model::Diagnostic &a, const model::Diagnostic &b) {
      return a.code == b.code && a.range.begin == b.range.begin &&
             a.range.end == b.range.end && a.message == b.message;
    };
    size_t own = out.table.diagnostics.size();
    for (model::Diagnostic other : request.elsewhere) {
      bool met = false;
      for (size_t i = 0; i < own && !met; ++i)
        met = same(out.table.diagnostics[i], other);
      if (met || other.severity != model::Severity::Error)
        continue;
      other.severity = model::Severity::Warning;
      out.table.diagnostics.push_back(std::move(other));
    }
  }

  /// Decisions that were made for IR that a person has replaced since are no
  /// longer what runs.
  void markOverridden() {
    auto position = [&](StringRef pass) {
      for (size_t i = 0; i < passes.size(); ++i)
        if (passes[i].stage + "/" + passes[i].name == pass)
          return i;
      return size_t(0);
    };
    auto madeBy = [](StringRef kind) {
      return kind == "scope" || kind == "split_k" || kind == "core"
                 ? "tile/form-scopes"
             : kind == "merge"   ? "block/merge-blocks"
             : kind == "order"   ? "block/outline-kernels"
             : kind == "buffers" ? "block/pipeline-buffers"
                                 : "tile/choose-tiles";
    };
    for (const model::Override &override : request.overrides) {
      if (overrides.outcomes[override.name].kind != OverrideOutcome::InForce)
        continue;
      auto scope = scopeKeys.find(override.scope.empty() ? override.part
                                                         : override.scope);
      auto concerns = [&](StringRef key) {
        if (scope == scopeKeys.end())
          return key.starts_with(override.key + "/");
        return scope->second.contains(key);
      };
      size_t at = position(override.stage);
      for (model::Decision &decision : out.decisions) {
        if (position(madeBy(decision.kind)) > at || !concerns(decision.key))
          continue;
        decision.origin = model::DecisionOrigin::Overridden;
        decision.reason += (decision.reason.empty() ? "" : "; ") +
                           ("since then its IR behind " + override.stage +
                            " is what a person wrote (" + override.name + ")");
      }
      if (at >= chooseTilesPosition(passes))
        for (decision::TiledScope &tiled : out.scopes)
          if (concerns(tiled.key))
            tiled.overridden.push_back(override.stage);
    }
  }

  /// Tells what became of the overrides.
  void finishOverrides() {
    for (const model::Override &override : request.overrides) {
      OverrideOutcome &outcome = overrides.outcomes[override.name];
      if (outcome.kind == OverrideOutcome::NotReached && out.table.complete) {
        outcome.kind = OverrideOutcome::Stale;
        model::Diagnostic problem;
        problem.code = "TW0241";
        problem.severity = model::Severity::Warning;
        problem.key = override.key;
        problem.message =
            "the override of @" + override.part + " behind " + override.stage +
            " (" + override.name + ") is not in force: " +
            (llvm::none_of(passes,
                           [&](const PassEntry &pass) {
                             return pass.stage + "/" + pass.name ==
                                    override.stage;
                           })
                 ? "there is no such pass"
                 : "there is no scope @" + override.scope + " now");
        problem.hint =
            "'tilewright override list FILE' says what it is probably called "
            "now; 'override apply' puts it there, 'override drop' takes it "
            "away";
        outcome.problem = std::move(problem);
      }
      if (outcome.problem) {
        outcome.problem->uri = request.uri;
        outcome.problem->range = rangeOf(outcome.problem->key);
        out.table.diagnostics.push_back(*outcome.problem);
      }
    }
    out.overrides = request.overrides;
    out.overrideOutcomes = overrides.outcomes;
  }

  bool readSource() {
    std::atomic<bool> cancelled = false;
    std::stop_callback forward(stop, [&] { cancelled = true; });
    Clock::time_point start = Clock::now();
    const frontend::Frontend *frontend = frontends.find(request.uri);
    frontend::SourceModule read;
    if (frontend && !frontend->isText()) {
      read =
          frontend->read(request.text, request.uri, *out.context, &cancelled);
    } else {
      out.source = frontend::readSource(*out.context, request.uri,
                                        request.documentVersion, request.text,
                                        /*previous=*/nullptr, &cancelled);
      if (out.source->hasErrors() && !request.function.empty())
        if (auto part = frontend::textOfFunction(*out.source, request.function))
          out.source = frontend::readSource(
              *out.context, request.uri, request.documentVersion,
              std::move(*part), out.source.get(), &cancelled);
      if (out.source->hasErrors())
        read.diagnostics = out.source->diagnostics;
      else
        read = frontend::buildModule(*out.source, *out.context, &cancelled);
    }
    if (stop.stop_requested())
      throw Stopped();
    llvm::append_range(out.table.diagnostics, read.diagnostics);
    if (!read.module) {
      llvm::append_range(out.table.diagnostics, request.pinProblems);
      llvm::append_range(out.table.diagnostics, request.overrideProblems);
      return false;
    }
    program = std::move(read.module);
    if (!request.function.empty())
      dropOtherFunctions();
    record("tensor", "source", {false, true, millisecondsSince(start)});
    return true;
  }

  /// Takes away what the function asked for does not use.
  void dropOtherFunctions() {
    SymbolTable symbols(*program);
    auto wanted = symbols.lookup<func::FuncOp>(request.function);
    if (!wanted)
      return;
    llvm::SetVector<Operation *> used;
    used.insert(wanted);
    for (size_t i = 0; i < used.size(); ++i)
      if (auto uses = SymbolTable::getSymbolUses(used[i]))
        for (const SymbolTable::SymbolUse &use : *uses)
          if (Operation *symbol = symbols.lookup(
                  use.getSymbolRef().getRootReference().getValue()))
            used.insert(symbol);
    for (func::FuncOp function :
         llvm::make_early_inc_range(program->getOps<func::FuncOp>()))
      if (!used.contains(function))
        function.erase();
  }

  /// Says of each pin that no pass obeys where it would have acted.
  void reportIdlePins() {
    auto keyMatching =
        [&](std::string_view glob) -> std::optional<std::string> {
      // An operand (`f/y#1`) and a part (`f/p.row_max`) belong to the
      // operation.
      for (std::string_view end : {"", "#", "."}) {
        size_t cut = end.empty() ? std::string_view::npos : glob.rfind(end);
        for (const std::string &key : sourceKeys().operations)
          if (decision::matchesGlob(glob.substr(0, cut), key))
            return key;
      }
      return std::nullopt;
    };
    addPinReports(decision::idlePins(inputs.pins, out.target->name, keyMatching,
                                     inputs.missing));
  }

  /// What has a key in the program as it was read: passes may have taken
  /// operations away.
  struct SourceKeys {
    std::vector<std::string> functions, arguments, operations;
  };
  const SourceKeys &sourceKeys() {
    if (keysOfSource)
      return *keysOfSource;
    keysOfSource.emplace();
    auto source = out.snapshots.front().program->module(out.context.get());
    source->walk([&](Operation *op) {
      auto func = dyn_cast<func::FuncOp>(op);
      if (!func) {
        if (StringRef key = primaryKey(op); !key.empty())
          keysOfSource->operations.push_back(key.str());
        return;
      }
      keysOfSource->functions.push_back(func.getSymName().str());
      for (Block &block : func.getBody())
        for (BlockArgument each : block.getArguments())
          for (StringRef key : keysOf(each.getLoc()))
            keysOfSource->arguments.push_back(key.str());
    });
    return *keysOfSource;
  }

  /// What is known of a pin's key that nothing is computed under: it may name
  /// what is no operation, or one that passes have taken away.
  std::string whatIsMissing(std::string_view glob) {
    auto match = [&](const std::vector<std::string> &keys) -> std::string {
      for (const std::string &key : keys)
        if (decision::matchesGlob(glob, key))
          return key;
      return "";
    };
    const SourceKeys &keys = sourceKeys();
    std::string function = match(keys.functions),
                argument = match(keys.arguments);
    if (!argument.empty())
      return argument + " is an argument, which nothing computes";
    if (!function.empty())
      return function + " is a function; pins are of its operations, as " +
             function + "/NAME";
    std::string operation = match(keys.operations);
    if (!operation.empty())
      return "no kernel computes " + operation +
             ": it is a view of another tensor, was folded or merged with an "
             "equal one, or nobody needs it";
    return "";
  }

  /// Messages about pins stand on the lines of what they are about.
  void addPinReports(std::vector<model::Diagnostic> reports) {
    for (model::Diagnostic &report : reports) {
      report.uri = request.uri;
      report.range = rangeOf(report.key);
      out.table.diagnostics.push_back(std::move(report));
    }
  }

  /// Passes [i, end). False if one failed; `unplaced` then names the scopes
  /// whose buffers found no room.
  bool runFrom(size_t i, size_t end, std::vector<std::string> &unplaced) {
    for (; i < end && passes[i].unit == PassUnit::Program; ++i)
      if (!runProgramPass(passes[i]))
        return false;
    addPinReports(std::move(inputs.diagnostics));
    size_t begin = i;
    while (i < end && passes[i].unit == PassUnit::Scope)
      ++i;
    if (!runScopePasses(llvm::ArrayRef(passes).slice(begin, i - begin),
                        unplaced))
      return false;
    for (; i < end; ++i)
      if (!runProgramPass(passes[i]))
        return false;
    return true;
  }

  Kept keep(ModuleOp module) {
    return kept.emplace_back(
        std::make_shared<const KeptModule>(module, out.context));
  }

  void step(const std::string &name) {
    if (stop.stop_requested())
      throw Stopped();
    if (progress)
      progress(double(done++) / double(passes.size() + 1), name);
  }

  DiagnosticCollector collector() {
    return DiagnosticCollector(out.context.get(), request.uri, "TW0310",
                               [this](StringRef key) { return rangeOf(key); });
  }

  model::TextRange rangeOf(StringRef key) const {
    std::optional<model::TextRange> range;
    if (out.source)
      range = out.source->rangeOf(key);
    return range.value_or(model::TextRange());
  }

  /// Takes what was collected. Messages about a scope speak of its first
  /// instance.
  void keep(DiagnosticCollector &collected) { keep(collected.take(), nullptr); }

  void keep(std::vector<model::Diagnostic> collected,
            const ScopeBindings *scope) {
    for (model::Diagnostic &diagnostic : collected) {
      diagnostic.uri = request.uri; // the scope may come from another text
      if (scope) {
        diagnostic.message = boundText(diagnostic.message, *scope);
        diagnostic.hint = boundText(diagnostic.hint, *scope);
      }
      if (scope && !diagnostic.key.empty()) {
        std::vector<std::string> bound = boundKeys(diagnostic.key, *scope);
        if (!bound.empty() && bound.front() != diagnostic.key) {
          diagnostic.key = bound.front();
          diagnostic.range = rangeOf(diagnostic.key);
        }
      }
      out.table.diagnostics.push_back(std::move(diagnostic));
    }
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
      snapshot.program = keep(*program);
      out.snapshots.push_back(std::move(snapshot));
      auto after = digestsOfProgram();
      static const KeyDigests none;
      entry.changedKeys = changedKeys(digests ? *digests : none, *after);
      digests = std::move(after);
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
    std::optional<OperationFingerPrint> print;
    PassRun run = runPass(entry, inputs, *program, print);
    keep(collected);
    std::vector<std::string> written;
    if (!run.failed && !overrides.empty())
      written = overrides.apply(entry.stage + "/" + entry.name, *program, "");
    run.changed |= !written.empty();
    record(entry.stage, entry.name, run);
    out.table.passes.back().overrides = std::move(written);
    return !run.failed;
  }

  /// Moves the scope functions out of the program, takes each through the
  /// scope passes or finds it done, and puts the results back.
  bool runScopePasses(llvm::ArrayRef<PassEntry> passes,
                      std::vector<std::string> &unplaced) {
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
    Kept outside = keep(*program);
    llvm::StringMap<ScopeBindings> bindings = collectBindings(*program);
    if (!overrides.empty())
      for (const auto &[name, calls] : bindings)
        for (ArrayAttr call : calls)
          for (auto key : call.getAsRange<StringAttr>())
            scopeKeys[name.str()].insert(key.str());
    for (OwningOpRef<ModuleOp> &module : modules) {
      step("scopes");
      std::string fingerprint = scopeFingerprint(
          *module,
          out.target->name + "@" + targetFingerprint() +
              (overrides.empty() ? std::string()
                                 : overrides.contentFor(nameOfScope(*module))));
      std::shared_ptr<const ScopeResult> result = cache.find(fingerprint);
      reused.push_back(result != nullptr);
      if (!result) {
        result = compileScope(*module, passes, bindings);
        size_t reached = result->steps.size();
        bool written =
            llvm::any_of(result->overrides, [](const auto &override) {
              return override.second.kind == OverrideOutcome::InForce;
            });
        if (!result->complete)
          failedScopes.insert(result->name);
        // Other tiles are no cure for what a person wrote.
        if (!result->complete && !written &&
            passes[reached].name == "allocate-onchip")
          unplaced.push_back(result->name);
        ++statistics.scopesCompiled;
        if (result->complete)
          cache.insert(fingerprint, result);
      } else {
        // What was said when it was compiled holds still.
        auto scope = bindings.find(result->name);
        keep(result->diagnostics,
             scope == bindings.end() ? nullptr : &scope->second);
        overrides.take(result->overrides);
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
        llvm::append_range(entry.overrides, step.overrides);
        if (!step.changedKeys.empty())
          addBound(step.changedKeys, bindings[result->name], entry.changedKeys);
        snapshot.scopes.push_back({result, i});
      }
      if (entry.changed)
        out.snapshots.push_back(std::move(snapshot));
      finishRecord(std::move(entry));
    }
    if (!complete)
      return false;
    for (const auto &result : results)
      for (const model::Decision &decision : result->decisions)
        for (std::string &key :
             boundKeys(decision.key, bindings[result->name])) {
          inputs.decisions.push_back(decision);
          inputs.decisions.back().key = std::move(key);
        }

    Snapshot last;
    last.program = outside;
    for (const auto &result : results)
      last.scopes.push_back({result, passes.size() - 1});
    DiagnosticCollector collected = collector();
    program = last.join(out.context.get());
    keep(collected);
    if (!program)
      return false;
    // The last of these snapshots is what is looked at most, as a graph, as
    // text and as a memory map. Where scopes are left their keys are bound in
    // one way or the other, as is asked for.
    if (steps > 0 && !out.snapshots.empty() &&
        out.snapshots.back().scopes.size() == results.size() &&
        !results.empty() &&
        llvm::none_of(*program->getBody(), [](Operation &op) {
          return op.hasAttr(tile::scopeAttrName);
        }))
      out.snapshots.back().joined = keep(*program);
    digests = digestsOfProgram();
    return true;
  }

  std::shared_ptr<const KeyDigests> digestsOfProgram() {
    return std::make_shared<const KeyDigests>(digestByKey(*program));
  }

  /// Adds what `keys` stand for in all instances, up to a number.
  static void addBound(llvm::ArrayRef<std::string> keys,
                       const ScopeBindings &bindings,
                       std::vector<std::string> &into) {
    constexpr size_t most = 1000;
    for (const std::string &key : keys) {
      if (into.size() >= most)
        return;
      for (std::string &bound : boundKeys(key, bindings))
        if (into.size() < most)
          into.push_back(std::move(bound));
    }
  }

  static std::string nameOfScope(ModuleOp module) {
    std::string name;
    for (Operation &op : *module.getBody())
      if (auto symbol = dyn_cast<SymbolOpInterface>(op))
        name = symbol.getName().str();
    return name;
  }

  std::shared_ptr<const ScopeResult>
  compileScope(ModuleOp module, llvm::ArrayRef<PassEntry> passes,
               const llvm::StringMap<ScopeBindings> &allBindings) {
    auto result = std::make_shared<ScopeResult>();
    result->name = nameOfScope(module);
    auto bindings = allBindings.find(result->name);
    Kept current;
    std::optional<OperationFingerPrint> print;
    inputs.scopeDecisions.clear();
    KeyDigests before = digestByKey(module);
    for (const PassEntry &entry : passes) {
      if (stop.stop_requested())
        throw Stopped();
      DiagnosticCollector collected = collector();
      PassRun run = runPass(entry, inputs, module, print);
      std::vector<model::Diagnostic> said = collected.take();
      llvm::append_range(result->diagnostics, said);
      keep(std::move(said),
           bindings == allBindings.end() ? nullptr : &bindings->second);
      if (run.failed) {
        result->overrides = overrides.outcomesOf(result->name);
        return result;
      }
      ScopeStep step;
      if (!overrides.empty()) {
        step.overrides = overrides.apply(entry.stage + "/" + entry.name, module,
                                         result->name);
        if (!step.overrides.empty()) {
          run.changed = true;
          print.emplace(module);
        }
      }
      Clock::time_point captureStart = Clock::now();
      if (run.changed || !current)
        current = keep(module);
      if (run.changed) {
        KeyDigests after = digestByKey(module);
        step.changedKeys = changedKeys(before, after);
        before = std::move(after);
      }
      step.module = current;
      step.changed = run.changed;
      step.milliseconds = run.milliseconds;
      step.operations = countOperations(module);
      statistics.passMilliseconds += run.milliseconds;
      statistics.captureMilliseconds +=
          run.fingerprintMilliseconds + millisecondsSince(captureStart);
      result->steps.push_back(std::move(step));
    }
    result->decisions = std::move(inputs.scopeDecisions);
    result->overrides = overrides.outcomesOf(result->name);
    result->complete = true;
    return result;
  }

  std::string targetFingerprint() {
    if (fingerprint.empty())
      fingerprint = std::to_string(
          std::hash<std::string>()(nlohmann::json(*out.target).dump()));
    return fingerprint;
  }

  Compilation::Impl &out;
  const CompileRequest &request;
  const std::vector<PassEntry> &passes;
  const frontend::FrontendRegistry &frontends;
  ScopeCache &cache;
  SessionStatistics &statistics;
  std::vector<Kept> &kept;
  std::shared_ptr<const FormedProgram> &formed; ///< of the last compilation
  std::stop_token stop;
  const CompileProgress &progress;
  AppliedOverrides overrides;
  std::set<std::string, std::less<>> failedScopes;
  /// Of every scope the keys it stands for; only where there are overrides.
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>>
      scopeKeys;
  PassInputs inputs;
  OwningOpRef<ModuleOp> program;
  std::optional<SourceKeys> keysOfSource;
  /// Of `program` after the last pass that changed it; null before.
  std::shared_ptr<const KeyDigests> digests;
  std::string fingerprint;
  int done = 0;
};

} // namespace

struct Session::Impl {
  std::shared_ptr<target::TargetRegistry> targets;
  std::vector<PassEntry> passes;
  frontend::FrontendRegistry frontends;
  SharedContext context;
  int64_t compilationsInContext = 0;
  ScopeCache cache;
  SessionStatistics statistics;
  int64_t generation = 0;
  std::shared_ptr<const FormedProgram> formed;
  mutable std::timed_mutex mutex;
  Settler settler;
  LiveModules live{settler};

  SharedContext freshContext() {
    if (!context || compilationsInContext >= compilationsPerContext) {
      context = makeContext();
      // Notes with whole operations in them help nobody who reads a message.
      context->printOpOnDiagnostic(false);
      compilationsInContext = 0;
    }
    ++compilationsInContext;
    return context;
  }
};

Session::Session(std::shared_ptr<target::TargetRegistry> targets)
    : Session(std::move(targets), passList()) {}

Session::Session(std::shared_ptr<target::TargetRegistry> targets,
                 std::vector<PassEntry> passes)
    : impl(std::make_unique<Impl>()) {
  impl->passes = std::move(passes);
  impl->targets = std::move(targets);
}

Session::~Session() = default;

std::shared_ptr<const Compilation>
Session::compile(const CompileRequest &request, std::stop_token stop,
                 const CompileProgress &progress) {
  // One at a time; who waits for the others must hear of a stop.
  std::unique_lock lock(impl->mutex, std::defer_lock);
  while (!lock.try_lock_for(std::chrono::milliseconds(5)))
    if (stop.stop_requested())
      return nullptr;
  ++impl->generation;
  ++impl->statistics.compilations;
  auto begin = [&] {
    auto out = std::make_unique<Compilation::Impl>();
    out->table.uri = request.uri;
    out->table.documentVersion = request.documentVersion;
    out->table.generation = impl->generation;
    out->table.target = request.target;
    return out;
  };
  auto out = begin();

  model::Diagnostic problem;
  out->target =
      impl->targets->find(request.target, problem, request.sourceFolder);
  if (!out->target) {
    problem.uri = request.uri;
    out->table.diagnostics.push_back(std::move(problem));
    return std::make_shared<const Compilation>(std::move(out));
  }
  const pass::TargetPtr target = out->target;
  const SharedContext context = impl->freshContext();
  std::vector<Kept> kept;
  // With `used` as the overrides; what it stopped for, if it did.
  CompileRequest used = request;
  auto attempt = [&] {
    out = begin();
    out->target = target;
    out->table.target = target->name;
    out->context = context;
    Compiler compiler(*out, used, impl->passes, impl->frontends, impl->cache,
                      impl->statistics, kept, impl->formed, stop, progress);
    compiler.run();
    return out->table.complete ? OverrideOutcomes() : compiler.culprits();
  };
  try {
    OverrideOutcomes leftOut, culprits = attempt();
    size_t reached = out->table.passes.size();
    while (!culprits.empty()) {
      std::erase_if(used.overrides, [&](const model::Override &override) {
        return culprits.contains(override.name);
      });
      leftOut.merge(culprits);
      culprits = attempt();
    }
    if (!out->table.complete && !leftOut.empty() &&
        out->table.passes.size() <= reached) {
      // It was not for them.
      used.overrides = request.overrides;
      leftOut.clear();
      attempt();
    }
    for (const auto &[name, outcome] : leftOut)
      out->table.diagnostics.push_back(*outcome.problem);
    out->overrides = request.overrides;
    out->overrideOutcomes.merge(leftOut);
    nameLikeliestKeys(*out, request.pins);
  } catch (const Stopped &) {
    return nullptr;
  }
  impl->live.follow(kept, out->snapshots, impl->formed.get());
  return std::make_shared<const Compilation>(std::move(out));
}

SessionStatistics Session::statistics() const {
  std::lock_guard lock(impl->mutex);
  return impl->statistics;
}

} // namespace tilewright
