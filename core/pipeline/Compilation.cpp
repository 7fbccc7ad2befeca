//===- Compilation.cpp - reading a compiled state -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/inspect/ExecutionGraph.h"
#include "core/inspect/GraphBuilder.h"
#include "core/inspect/MemoryMapBuilder.h"
#include "core/inspect/NamedPrinter.h"
#include "core/inspect/OperationDiff.h"
#include "core/pipeline/CompilationImpl.h"

using namespace mlir;

namespace tilewright {

Compilation::Compilation(std::unique_ptr<Impl> state)
    : state(std::move(state)) {}
Compilation::~Compilation() = default;

const model::StageTable &Compilation::stages() const { return state->table; }

const std::vector<model::Decision> &Compilation::decisions() const {
  return state->decisions;
}

static model::Diagnostic noSnapshot(const Compilation::Impl &impl,
                                    const std::string &name) {
  model::Diagnostic error;
  error.code = "TW0610";
  error.uri = impl.table.uri;
  error.message = "there is no snapshot \"" + name + "\" of this source";
  if (impl.table.passes.empty()) {
    error.hint = "the source did not compile; mend its errors first";
  } else {
    std::string known;
    for (const model::PassRecord &pass : impl.table.passes)
      known += (known.empty() ? "" : ", ") + pass.name();
    error.hint =
        "name a stage (tensor, tile, block, execution) or one of: " + known;
  }
  if (impl.table.complete)
    return error;
  // What stopped the compilation is what its reader wants to know.
  constexpr size_t mostCauses = 5;
  for (const model::Diagnostic &cause : impl.table.diagnostics)
    if (cause.severity == model::Severity::Error &&
        error.related.size() < mostCauses)
      error.related.push_back(
          {cause.uri, cause.range, cause.message + " [" + cause.code + "]"});
  if (!error.related.empty()) {
    error.message += ": it did not compile";
    if (!impl.table.passes.empty()) {
      error.message += " beyond " + impl.table.passes.back().name();
      error.hint = "mend its errors first";
    }
  }
  return error;
}

const Snapshot *Compilation::Impl::find(const std::string &name,
                                        model::Diagnostic *error) const {
  auto found = snapshotIndex.find(name);
  if (found != snapshotIndex.end())
    return &snapshots[found->second];
  // A bare stage name means what holds after the last of its passes.
  for (size_t i = table.passes.size(); i-- > 0;)
    if (table.passes[i].stage == name)
      return &snapshots[snapshotIndex.at(table.passes[i].name())];
  if (error)
    *error = noSnapshot(*this, name);
  return nullptr;
}

OwningOpRef<ModuleOp>
Compilation::Impl::module(const Snapshot &snapshot,
                          Snapshot::ScopeKeys keys) const {
  return snapshot.join(context.get(), keys);
}

std::string Compilation::resolve(const std::string &name,
                                 model::Diagnostic *error) const {
  const Snapshot *snapshot = state->find(name, error);
  return snapshot ? snapshot->name() : std::string();
}

/// Whether `snapshot`, asked for as `name`, is shown as dispatches and tasks.
/// Where the passes of the stage changed nothing, as in a program of a single
/// dispatch, the snapshot is one of the Block graph.
static bool showsExecution(const std::string &name, const Snapshot &snapshot) {
  return snapshot.stage == "execution" ||
         llvm::StringRef(name).split('/').first == "execution";
}

std::optional<model::PrintedStage>
Compilation::print(const std::string &name, model::Diagnostic *error) const {
  const Snapshot *snapshot = state->find(name, error);
  if (!snapshot)
    return std::nullopt;
  OwningOpRef<ModuleOp> module = state->module(*snapshot);
  bool execution = showsExecution(name, *snapshot);
  model::PrintedStage printed = execution ? inspect::printExecution(*module)
                                          : inspect::printNamed(*module);
  printed.stage = execution ? "execution" : snapshot->stage;
  printed.pass = snapshot->pass;
  return printed;
}

/// Graphs remembered of one snapshot: a client looks at one part, opens a group
/// of it, and looks for a name.
static constexpr size_t graphsRemembered = 4;

std::shared_ptr<const model::Graph>
Compilation::graph(const std::string &name, model::Diagnostic *error,
                   const model::GraphPart &part) const {
  const Snapshot *snapshot = state->find(name, error);
  if (!snapshot)
    return nullptr;
  bool execution = showsExecution(name, *snapshot);
  std::lock_guard lock(snapshot->drawn->mutex);
  std::vector<DrawnGraphs::Drawn> &drawn = snapshot->drawn->drawn;
  for (DrawnGraphs::Drawn &known : drawn)
    if (known.execution == execution && known.part == part) {
      std::rotate(drawn.begin(), drawn.begin() + (&known - drawn.data()),
                  drawn.begin() + (&known - drawn.data()) + 1);
      return drawn.front().graph;
    }
  std::vector<SharedModule> shared = snapshot->modules(state->context.get());
  std::vector<ModuleOp> modules;
  for (const SharedModule &module : shared)
    modules.push_back(module->get());
  model::Diagnostic problem;
  std::optional<model::Graph> graph;
  if (execution && !modules.empty()) {
    auto source = inspect::draftExecutionGraph(modules.front());
    graph = model::partOf(*source, part, problem);
  } else {
    inspect::GraphDraft draft = inspect::draftGraph(modules);
    graph = model::partOf(draft, part, problem);
  }
  if (!graph) {
    problem.uri = state->table.uri;
    problem.message += " in " + snapshot->name();
    if (error)
      *error = std::move(problem);
    return nullptr;
  }
  graph->stage = execution ? "execution" : snapshot->stage;
  graph->pass = snapshot->name();
  if (drawn.size() == graphsRemembered)
    drawn.pop_back();
  drawn.insert(drawn.begin(),
               {part, execution,
                std::make_shared<const model::Graph>(std::move(*graph))});
  return drawn.front().graph;
}

std::optional<model::MemoryMap>
Compilation::memoryMap(const std::string &name,
                       model::Diagnostic *error) const {
  const Snapshot *snapshot = state->find(name, error);
  if (!snapshot)
    return std::nullopt;
  // Kernels have bound keys in any case.
  std::vector<SharedModule> modules = snapshot->modules(state->context.get());
  if (modules.empty() || !inspect::hasOffsets(modules.front()->get())) {
    if (error) {
      error->code = "TW0613";
      error->uri = state->table.uri;
      error->message =
          "the buffers of \"" + snapshot->name() + "\" have no addresses";
      error->hint = "ask for block/allocate-onchip or a later pass of the "
                    "Block graph";
    }
    return std::nullopt;
  }
  model::MemoryMap map =
      inspect::buildMemoryMap(modules.front()->get(), *state->target);
  map.pass = snapshot->name();
  return map;
}

std::optional<model::Diff> Compilation::diff(const std::string &from,
                                             const std::string &to,
                                             model::Diagnostic *error) const {
  const Snapshot *before = state->find(from, error);
  const Snapshot *after = before ? state->find(to, error) : nullptr;
  if (!after)
    return std::nullopt;
  model::Diff diff =
      inspect::diffOperations(*state->module(*before), *state->module(*after));
  diff.from = before->name();
  diff.to = after->name();
  return diff;
}

} // namespace tilewright
