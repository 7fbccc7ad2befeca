//===- SnapshotRun.cpp - runs what any pass left --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/SnapshotRun.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/execute/BlockInterpreter.h"
#include "core/execute/BlockSnapshot.h"
#include "core/execute/RunError.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <chrono>
#include <cstring>
#include <tbb/task_arena.h>

using namespace mlir;

namespace tilewright::execute {

using Keys = std::vector<std::string>;

/// What a scope-relative key stands for in `call`; others are themselves.
static std::string resolve(StringRef key, func::CallOp call) {
  StringRef rest = key;
  unsigned number;
  if (!call || !rest.consume_front("$") || rest.consumeInteger(10, number))
    return key.str();
  auto bindings = call->getAttrOfType<ArrayAttr>(tile::bindingsAttrName);
  if (!bindings || number >= bindings.size())
    return key.str();
  return (cast<StringAttr>(bindings[number]).getValue() + rest).str();
}

/// The keys of a value as one of `op`'s results, relative ones unresolved.
static Keys keysOf(OpResult result) {
  Keys keys;
  for (StringRef key : tilewright::keysOf(result.getOwner())) {
    std::string name = key.str();
    if (result.getResultNumber() > 0)
      name += ":" + std::to_string(result.getResultNumber());
    keys.push_back(std::move(name));
  }
  return keys;
}

static Keys keysOfReturned(Value value) {
  if (auto result = dyn_cast<OpResult>(value))
    return keysOf(result);
  Keys keys;
  for (StringRef key : tilewright::keysOf(value.getLoc()))
    keys.push_back(key.str());
  return keys;
}

static bool isScope(Operation *op) {
  return op && op->hasAttr(tile::scopeAttrName);
}

static bool sameTensors(const std::vector<TensorRef> &a,
                        const std::vector<TensorRef> &b) {
  if (a.size() != b.size())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] &&
        (a[i]->element() != b[i]->element() || a[i]->shape() != b[i]->shape() ||
         std::memcmp(a[i]->data(), b[i]->data(), size_t(a[i]->byteSize()))))
      return false;
  return true;
}

[[noreturn]] static void fail(model::Diagnostic diagnostic) {
  RunError error("", "");
  error.diagnostic = std::move(diagnostic);
  throw error;
}

/// Orders of the pipes that each task is run under: at least one, and no
/// further one after this time.
static constexpr uint64_t mostRounds = 16;
static constexpr std::chrono::milliseconds roundsEnd(100);

SnapshotRunner::SnapshotRunner(std::string function,
                               std::vector<TensorRef> inputs,
                               SnapshotRunOptions options)
    : function(std::move(function)), inputs(std::move(inputs)),
      options(std::move(options)) {}

std::vector<TensorRef> SnapshotRunner::runBlocks(
    ModuleOp module, StringRef program, const std::vector<TensorRef> &arguments,
    const std::map<std::string, int64_t> &bytes, bool isSynchronized) {
  BlockInterpreter::Options blockOptions;
  blockOptions.levelBytes = bytes;
  blockOptions.threads = options.threads;
  blockOptions.interleaved = isSynchronized;
  blockOptions.cancelled = [this] {
    return options.cancel && options.cancel->load();
  };
  auto created = BlockInterpreter::create(module, program, blockOptions);
  if (auto *problem = std::get_if<model::Diagnostic>(&created))
    fail(std::move(*problem));
  auto &interpreter = std::get<BlockInterpreter>(created);
  std::vector<std::span<const std::byte>> in;
  for (const TensorRef &tensor : arguments)
    in.push_back({tensor->data(), size_t(tensor->byteSize())});
  std::vector<TensorRef> results;
  std::vector<std::span<std::byte>> out;
  for (const ArgumentType &type : interpreter.results()) {
    auto tensor = std::make_shared<HostTensor>(
        makeTensor(*elementNamed(type.dtype), type.shape));
    if (isFloat(tensor->element())) // what nobody writes is no number
      std::memset(tensor->data(), 0xff, size_t(tensor->byteSize()));
    out.push_back({tensor->data(), size_t(tensor->byteSize())});
    results.push_back(std::move(tensor));
  }
  // A task sees one order of its pipes a run; where tasks are few, further runs
  // show others.
  auto start = std::chrono::steady_clock::now();
  for (uint64_t round = 0; round < (isSynchronized ? mostRounds : 1); ++round) {
    interpreter.startAtSchedule(round);
    if (auto problem = interpreter.run(in, out))
      fail(std::move(*problem));
    if (std::chrono::steady_clock::now() - start > roundsEnd)
      break;
  }
  return results;
}

/// One snapshot on its way.
class SnapshotRunner::Running {
public:
  Running(SnapshotRunner &runner, SnapshotParts &snapshot)
      : runner(runner), snapshot(snapshot) {
    for (SnapshotParts::Scope &scope : snapshot.scopes)
      scopes[scope.name] = &scope;
  }

  std::vector<SnapshotTensor> run() {
    ModuleOp module = *snapshot.program;
    auto whole = module.lookupSymbol<func::FuncOp>(runner.function);
    std::vector<TensorRef> results;
    if (whole) {
      learnScopeResults(module);
      if (runner.outputs.empty())
        for (Value value : whole.front().getTerminator()->getOperands())
          runner.outputs.push_back(keysOfReturned(value));
      results = interpret(whole, runner.inputs);
    } else {
      auto bytes = runner.options.levelBytes;
      makeExecutable(module, 0, bytes);
      results = runner.runBlocks(module, runner.function, runner.inputs, bytes,
                                 snapshot.isSynchronized);
    }
    for (size_t i = 0; i < results.size(); ++i) {
      SnapshotTensor output;
      if (i < runner.outputs.size())
        output.keys = runner.outputs[i];
      output.tensor = results[i];
      output.bound = i < bounds.size() ? bounds[i] : MatmulBound();
      output.isStored = true;
      output.output = int(i);
      // The scope it was made in, if one was.
      for (const SnapshotTensor &made : found)
        if (made.tensor == output.tensor)
          output.scope = made.scope;
      found.push_back(std::move(output));
    }
    return std::move(found);
  }

private:
  /// The first snapshot with scopes says what their results are called.
  void learnScopeResults(ModuleOp module) {
    if (!runner.scopeResults.empty())
      return;
    for (auto scope : module.getOps<func::FuncOp>()) {
      if (!isScope(scope) || scope.isExternal())
        continue;
      std::vector<Keys> results;
      for (Value value : scope.front().getTerminator()->getOperands())
        results.push_back(keysOfReturned(value));
      runner.scopeResults[scope.getName()] = std::move(results);
    }
  }

  std::vector<TensorRef> interpret(func::FuncOp func,
                                   const std::vector<TensorRef> &arguments) {
    TensorRunOptions options;
    options.cancel = runner.options.cancel;
    options.threads = runner.options.threads;
    options.bounds = runner.options.bounds;
    options.carryErrors = runner.options.carryErrors;
    options.observe = [this](OpResult result, const TensorRef &tensor,
                             const MatmulBound &bound, func::CallOp call) {
      observe(result, tensor, bound, call ? call : scopeCall);
    };
    options.callMissing = [this](func::CallOp call,
                                 const std::vector<TensorRef> &given) {
      return runScope(call, given);
    };
    model::Diagnostic error;
    auto ran = interpretTensorGraph(func, arguments, options, error);
    if (!ran)
      fail(std::move(error));
    bounds = std::move(ran->bounds);
    return std::move(ran->results);
  }

  void observe(OpResult result, const TensorRef &tensor,
               const MatmulBound &bound, func::CallOp call) {
    Operation *op = result.getOwner();
    if (auto called = dyn_cast<func::CallOp>(op)) {
      auto known = runner.scopeResults.find(called.getCallee());
      if (known == runner.scopeResults.end() ||
          result.getResultNumber() >= known->second.size())
        return; // an ordinary call: what it made was seen inside
      SnapshotTensor made;
      for (const std::string &key : known->second[result.getResultNumber()])
        made.keys.push_back(resolve(key, called));
      made.scope = called.getCallee().str();
      made.tensor = tensor;
      made.bound = bound;
      made.isStored = true;
      found.push_back(std::move(made));
      return;
    }
    // Loops and the room for their results are called after what is in them.
    if (!runner.options.observe ||
        isa<scf::ForallOp, scf::ForOp, scf::IfOp, tensor::EmptyOp>(op))
      return;
    SnapshotTensor made;
    for (const std::string &key : keysOf(result))
      made.keys.push_back(resolve(key, call));
    if (call && runner.scopeResults.contains(call.getCallee()))
      made.scope = call.getCallee().str();
    made.tensor = tensor;
    made.bound = bound;
    found.push_back(std::move(made));
  }

  std::vector<TensorRef> runScope(func::CallOp call,
                                  const std::vector<TensorRef> &arguments) {
    SnapshotParts::Scope *scope = scopes.lookup(call.getCallee());
    if (!scope)
      throw RunError("TW0561",
                     "@" + call.getCallee().str() + " has no body to run",
                     primaryKey(call).str());
    size_t number = calls++;
    if (number >= runner.memos.size())
      runner.memos.resize(number + 1);
    Memo &memo = runner.memos[number];
    if (memo.content == scope->content &&
        memo.isSynchronized == snapshot.isSynchronized &&
        sameTensors(memo.arguments, arguments))
      return memo.results;
    std::vector<TensorRef> results = runScope(*scope, call, arguments);
    memo = {scope->content, snapshot.isSynchronized, arguments, results};
    return results;
  }

  std::vector<TensorRef> runScope(SnapshotParts::Scope &scope,
                                  func::CallOp call,
                                  const std::vector<TensorRef> &arguments) try {
    auto func = scope.module->lookupSymbol<func::FuncOp>(scope.name);
    if (func && func.getNumResults() == call.getNumResults() &&
        func.getNumResults() > 0) {
      scopeCall = call;
      auto outer = std::move(bounds);
      std::vector<TensorRef> results = interpret(func, arguments);
      bounds = std::move(outer);
      scopeCall = nullptr;
      return results;
    }
    // Made executable once, however often it is called.
    auto bytes = executable.find(&scope);
    if (bytes == executable.end()) {
      auto levels = runner.options.levelBytes;
      makeExecutable(*scope.module, call.getNumResults(), levels);
      bytes = executable.emplace(&scope, std::move(levels)).first;
    }
    return runner.runBlocks(*scope.module, scope.name, arguments, bytes->second,
                            snapshot.isSynchronized);
  } catch (RunError &error) {
    scopeCall = nullptr;
    runner.failed = scope.name;
    error.diagnostic.key = resolve(error.diagnostic.key, call);
    if (error.diagnostic.key.empty())
      error.diagnostic.key = primaryKey(call).str();
    throw;
  }

  SnapshotRunner &runner;
  SnapshotParts &snapshot;
  llvm::StringMap<SnapshotParts::Scope *> scopes;
  std::map<SnapshotParts::Scope *, std::map<std::string, int64_t>> executable;
  std::vector<SnapshotTensor> found;
  std::vector<MatmulBound> bounds; ///< of the function's results
  func::CallOp scopeCall;          ///< the scope now interpreted on its own
  size_t calls = 0;
};

std::optional<std::vector<SnapshotTensor>>
SnapshotRunner::run(SnapshotParts &snapshot, model::Diagnostic &error) try {
  failed.clear();
  return Running(*this, snapshot).run();
} catch (RunError &failure) {
  error = std::move(failure.diagnostic);
  return std::nullopt;
} catch (const std::bad_alloc &) {
  error = {};
  error.code = "TW0511";
  error.message = "out of memory";
  return std::nullopt;
}

} // namespace tilewright::execute
