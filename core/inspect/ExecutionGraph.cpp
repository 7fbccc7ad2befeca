//===- ExecutionGraph.cpp - dispatches and what waits for what ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/inspect/ExecutionGraph.h"
#include "core/dialect/Key.h"
#include "core/inspect/DispatchGrid.h"
#include "core/inspect/ExecutionText.h"
#include "core/inspect/GraphDraft.h"
#include "core/inspect/ShownTypes.h"

using namespace mlir;
using namespace tilewright::block;

namespace tilewright::inspect {

using model::Expr;

static std::vector<std::string> keyList(Operation *op) {
  std::vector<std::string> keys;
  for (StringRef key : keysOf(op))
    keys.push_back(key.str());
  return keys;
}

model::PrintedStage printExecution(ModuleOp module) {
  AccessTexts texts;
  model::PrintedStage printed;
  printed.stage = "execution";
  std::string &text = printed.text;
  for (ProgramOp program : module.getOps<ProgramOp>()) {
    ProgramView view(program);
    size_t programBegin = text.size();
    writeProgram(text, view);
    model::TextSpan whole;
    whole.keys = keyList(program);
    whole.id = "program:" + program.getName().str();
    size_t spanIndex = printed.spans.size();
    printed.spans.push_back(whole);
    for (auto [i, dispatch] : llvm::enumerate(view.dispatches)) {
      size_t begin = text.size();
      writeDispatch(text, view, i, texts);
      model::TextSpan span;
      span.range = {int64_t(begin), int64_t(text.size())};
      span.keys = keyList(dispatch);
      span.id = dispatchId(view, i);
      printed.spans.push_back(std::move(span));
    }
    printed.spans[spanIndex].range = {int64_t(programBegin),
                                      int64_t(text.size())};
  }
  return printed;
}

namespace {

/// The Execution graph with nothing written out but what is told.
class ExecutionDraft : public model::GraphSource {
public:
  explicit ExecutionDraft(ModuleOp module) {
    for (ProgramOp program : module.getOps<ProgramOp>()) {
      views.push_back(std::make_unique<ProgramView>(program));
      add(*views.back());
    }
  }

  size_t nodeCount() const override { return nodes.size(); }
  int32_t parentOf(size_t node) const override { return nodes[node].parent; }
  size_t edgeCount() const override { return edges.size(); }
  Ends endsOf(size_t edge) const override { return edges[edge].ends; }

  std::string idOf(size_t i) const override {
    const Drawn &node = nodes[i];
    std::string program = nameOf(*node.view);
    switch (node.what) {
    case What::Program:
      return "program:" + program;
    case What::Input:
      return "input:" + program + "/" + std::to_string(node.number);
    case What::Output:
      return "output:" + program + "/" + std::to_string(node.number);
    case What::Dispatch:
      return dispatchId(*node.view, node.number);
    }
    return {};
  }

  std::string keyOf(size_t i) const override {
    const Drawn &node = nodes[i];
    switch (node.what) {
    case What::Program:
      return primaryKey(node.view->program).str();
    case What::Input:
    case What::Output: {
      SmallVector<StringRef> keys = keysOf(argumentOf(node).getLoc());
      return keys.empty() ? std::string() : keys.front().str();
    }
    case What::Dispatch:
      return primaryKey(node.view->dispatches[node.number]).str();
    }
    return {};
  }

  model::Node node(size_t i) override {
    const Drawn &drawn = nodes[i];
    model::Node node;
    node.id = idOf(i);
    switch (drawn.what) {
    case What::Program:
      node.kind = model::NodeKind::Function;
      node.op = "block.program";
      node.label = nameOf(*drawn.view);
      node.keys = keyList(drawn.view->program);
      break;
    case What::Input:
    case What::Output: {
      bool isInput = drawn.what == What::Input;
      node.kind = isInput ? model::NodeKind::Input : model::NodeKind::Output;
      node.op = isInput ? "input" : "output";
      node.label = drawn.view->names.lookup(argumentOf(drawn));
      node.results.push_back(shown.of(argumentOf(drawn).getType()));
      break;
    }
    case What::Dispatch: {
      DispatchOp dispatch = drawn.view->dispatches[drawn.number];
      node.kind = model::NodeKind::Dispatch;
      node.op = dispatch.getKernel().str();
      node.label = node.op;
      node.keys = keyList(dispatch);
      node.grid = dispatchGrid(dispatch);
      node.range = rangeOf(*drawn.view, drawn.number);
      if (auto tasks = taskCount(node.grid).constant())
        node.metrics.push_back(
            {"tasks", double(*tasks), "", model::Origin::Estimated});
      for (auto [port, buffer] : llvm::enumerate(dispatch.getBuffers()))
        if (accessMode(dispatch, port) != AccessMode::Read)
          node.results.push_back(shown.of(buffer.getType()));
      break;
    }
    }
    return node;
  }

  model::Edge edge(size_t i) override {
    const Line &line = edges[i];
    model::Edge edge;
    edge.toPort = line.toPort;
    if (line.buffer)
      edge.type = shown.of(line.buffer.getType());
    if (!line.dependency) {
      edge.label = nodes[line.ends.from].view->names.lookup(line.buffer);
      return edge;
    }
    edge.kind = model::EdgeKind::Order;
    const Drawn &from = nodes[line.ends.from];
    edge.label =
        texts.wait(line.dependency, from.view->dispatches[from.number]);
    return edge;
  }

private:
  enum class What : uint8_t { Program, Input, Output, Dispatch };
  struct Drawn {
    What what;
    const ProgramView *view;
    int32_t parent = -1;
    unsigned number = 0; ///< of the argument or the dispatch
  };
  struct Line {
    Ends ends;
    int toPort = 0;
    Value buffer;              ///< may be null
    DependencyAttr dependency; ///< null: it carries a buffer
  };

  static std::string nameOf(const ProgramView &view) {
    return ProgramOp(view.program).getName().str();
  }
  static BlockArgument argumentOf(const Drawn &node) {
    return ProgramOp(node.view->program).getBody().getArgument(node.number);
  }

  void add(const ProgramView &view) {
    ProgramOp program = view.program;
    const auto group = int32_t(nodes.size());
    nodes.push_back({What::Program, &view});
    // Inputs that are read, and outputs that are written.
    unsigned count = program.getBody().getNumArguments();
    unsigned inputs = count - unsigned(program.getResultCount());
    for (unsigned i = 0; i < count; ++i)
      nodes.push_back(
          {i < inputs ? What::Input : What::Output, &view, group, i});
    const int32_t firstArgument = group + 1,
                  firstDispatch = firstArgument + int32_t(count);
    for (auto [i, each] : llvm::enumerate(view.dispatches)) {
      DispatchOp dispatch = each;
      const auto node = int32_t(nodes.size());
      nodes.push_back({What::Dispatch, &view, group, unsigned(i)});
      for (auto [port, buffer] : llvm::enumerate(dispatch.getBuffers())) {
        auto argument = dyn_cast<BlockArgument>(buffer);
        if (!argument || argument.getOwner() != &program.getBody().front())
          continue;
        AccessMode mode = accessMode(dispatch, port);
        int32_t at = firstArgument + int32_t(argument.getArgNumber());
        if (mode != AccessMode::Write)
          edges.push_back({{at, node}, int(port), buffer, {}});
        if (mode != AccessMode::Read && argument.getArgNumber() >= inputs)
          edges.push_back({{node, at}, 0, buffer, {}});
      }
      auto dependencies = dispatch.getDependencies();
      if (!dependencies)
        continue;
      for (auto dependency : dependencies->getAsRange<DependencyAttr>()) {
        size_t producer = size_t(dependency.getProducer());
        if (producer >= view.dispatches.size())
          continue;
        Line line{{firstDispatch + int32_t(producer), node}, 0, {}, dependency};
        // The buffer that both touch says what is handed over.
        for (Value buffer : dispatch.getBuffers())
          if (!isa<BlockArgument>(buffer) &&
              llvm::is_contained(
                  DispatchOp(view.dispatches[producer]).getBuffers(), buffer)) {
            line.buffer = buffer;
            break;
          }
        edges.push_back(line);
      }
    }
  }

  /// In the text of the stage, whose lengths are found when one is asked for.
  model::TextRange rangeOf(const ProgramView &view, unsigned dispatch) {
    if (begins.empty()) {
      int64_t at = 0;
      std::string text;
      for (const auto &each : views) {
        text.clear();
        writeProgram(text, *each);
        at += int64_t(text.size());
        std::vector<int64_t> &of = begins[each.get()];
        for (size_t i = 0; i < each->dispatches.size(); ++i) {
          of.push_back(at);
          text.clear();
          writeDispatch(text, *each, i, texts);
          at += int64_t(text.size());
        }
        of.push_back(at);
      }
    }
    const std::vector<int64_t> &of = begins[&view];
    return {of[dispatch], of[dispatch + 1]};
  }

  std::vector<std::unique_ptr<ProgramView>> views;
  std::vector<Drawn> nodes;
  std::vector<Line> edges;
  std::map<const ProgramView *, std::vector<int64_t>> begins;
  AccessTexts texts;
  ShownTypes shown;
};

} // namespace

std::unique_ptr<model::GraphSource> draftExecutionGraph(ModuleOp module) {
  return std::make_unique<ExecutionDraft>(module);
}

model::Graph buildExecutionGraph(ModuleOp module) {
  ExecutionDraft draft(module);
  model::Diagnostic none; // only an unknown root is refused
  model::Graph graph = std::move(*model::partOf(draft, {}, none));
  graph.stage = "execution";
  return graph;
}

} // namespace tilewright::inspect
