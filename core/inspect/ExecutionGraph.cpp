//===- ExecutionGraph.cpp - dispatches and what waits for what ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/inspect/ExecutionGraph.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/dialect/Key.h"
#include "core/inspect/DispatchGrid.h"
#include "core/inspect/ShownTypes.h"
#include <map>
#include <tuple>

using namespace mlir;
using namespace tilewright::block;

namespace tilewright::inspect {

using model::Expr;

Expr toExpr(AffineExpr expr) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return Expr(cast<AffineConstantExpr>(expr).getValue());
  case AffineExprKind::DimId:
    return Expr::symbol(
        "g" + std::to_string(cast<AffineDimExpr>(expr).getPosition()));
  case AffineExprKind::SymbolId:
    return Expr::symbol(
        "s" + std::to_string(cast<AffineSymbolExpr>(expr).getPosition()));
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Expr lhs = toExpr(binary.getLHS()), rhs = toExpr(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return lhs + rhs;
  case AffineExprKind::Mul:
    return lhs * rhs;
  case AffineExprKind::FloorDiv:
    return Expr::make(Expr::Kind::FloorDiv, lhs, rhs);
  case AffineExprKind::CeilDiv:
    return Expr::make(Expr::Kind::CeilDiv, lhs, rhs);
  default:
    return Expr::make(Expr::Kind::Mod, lhs, rhs);
  }
}

namespace {

/// Names and indices of one program.
struct ProgramView {
  ProgramOp program;
  SmallVector<DispatchOp> dispatches;
  llvm::DenseMap<Value, std::string> names;

  explicit ProgramView(ProgramOp program) : program(program) {
    Block &body = program.getBody().front();
    int64_t results = program.getResultCount();
    int64_t inputs = int64_t(body.getNumArguments()) - results;
    for (auto [i, argument] : llvm::enumerate(body.getArguments())) {
      names[argument] = nameOf(argument.getLoc());
      if (names[argument].empty())
        names[argument] = int64_t(i) < inputs
                              ? "arg" + std::to_string(i)
                              : "result" + std::to_string(int64_t(i) - inputs);
    }
    for (Operation &op : body) {
      if (auto dispatch = dyn_cast<DispatchOp>(op))
        dispatches.push_back(dispatch);
      else if (op.getNumResults() == 1 &&
               isa<MemRefType>(op.getResult(0).getType()))
        names[op.getResult(0)] = bufferName(&op);
    }
  }

private:
  int unnamed = 0;
  /// The last part of the first key on `loc`, which is that of the value
  /// itself; empty if there is none.
  static std::string nameOf(Location loc) {
    SmallVector<StringRef> keys = keysOf(loc);
    return keys.empty() ? std::string()
                        : keys[0].substr(keys[0].rfind('/') + 1).str();
  }
  /// A buffer is called after the tensor it holds.
  std::string bufferName(Operation *op) {
    StringRef key = primaryKey(op);
    if (key.empty())
      return "buffer" + std::to_string(unnamed++);
    return key.rsplit('/').second.empty() ? key.str()
                                          : key.rsplit('/').second.str();
  }
};

Expr taskCount(ArrayRef<Expr> grid) {
  Expr count(1);
  for (const Expr &size : grid)
    count = count * size;
  return count;
}

std::string joined(ArrayRef<Expr> exprs) {
  std::string text;
  for (const Expr &expr : exprs)
    text += (text.empty() ? "" : ", ") + expr.str();
  return "[" + text + "]";
}

/// " in strips of 4 rows", where tasks do not go row by row.
std::string orderText(DispatchOp dispatch) {
  auto strip = dispatch->getAttrOfType<IntegerAttr>(orderAttrName);
  if (!strip || strip.getInt() <= 1)
    return "";
  return " in strips of " + std::to_string(strip.getInt()) + " rows";
}

/// "[0:128, g1*64 +64]": the region of one argument one task of `grid` touches.
/// Kernels clip the last tile of a ragged dimension, and so does the text:
/// "[0:100, g1*64:min(g1*64 + 64, 100)]".
std::string regionText(AccessAttr access, MemRefType type,
                       ArrayRef<Expr> grid) {
  SmallVector<std::optional<int64_t>> lower(grid.size(), 0), upper;
  for (const Expr &size : grid) {
    std::optional<int64_t> count = size.constant();
    upper.push_back(count ? std::optional(*count - 1) : std::nullopt);
  }
  std::string text;
  for (auto [d, size] : llvm::enumerate(access.getSizes())) {
    AffineExpr map = access.getMap().getResult(unsigned(d));
    Expr begin = toExpr(map), end = begin + Expr(size);
    int64_t extent = d < size_t(type.getRank()) ? type.getDimSize(unsigned(d))
                                                : ShapedType::kDynamic;
    bool clipped = false;
    if (!ShapedType::isDynamic(extent)) {
      std::optional<int64_t> last;
      if (access.getMap().getNumDims() == grid.size() &&
          access.getMap().getNumSymbols() == 0)
        last = getBoundForAffineExpr(map, unsigned(grid.size()), 0, lower,
                                     upper, /*isUpper=*/true);
      clipped = !last || *last > extent - size;
    }
    if (clipped)
      end = Expr::make(Expr::Kind::Min, end, Expr(extent));
    text += d ? ", " : "";
    if (begin.constant() || clipped)
      text += begin.str() + ":" + end.str();
    else
      text += begin.str() + " +" + std::to_string(size);
  }
  return "[" + text + "]";
}

/// "[g0, 0:22]": the tasks of the producer one task waits for.
std::string waitText(DependencyAttr dependency, ArrayRef<Expr> producerGrid) {
  std::string text;
  for (unsigned d = 0; d < dependency.getLower().getNumResults(); ++d) {
    Expr lower = toExpr(dependency.getLower().getResult(d));
    Expr upper = toExpr(dependency.getUpper().getResult(d));
    text += d ? ", " : "";
    if (d < producerGrid.size() && lower == Expr(0) && upper == producerGrid[d])
      text += "all";
    else if (upper == lower + Expr(1))
      text += lower.str();
    else
      text += lower.str() + ":" + upper.str();
  }
  return "[" + text + "]";
}

std::string dispatchId(ProgramView &view, size_t index) {
  return "dispatch:" + view.program.getName().str() + "/" +
         std::to_string(index);
}

std::vector<std::string> keyList(Operation *op) {
  std::vector<std::string> keys;
  for (StringRef key : keysOf(op))
    keys.push_back(key.str());
  return keys;
}

/// What was written once of regions and waits: of a hundred equal layers they
/// are the same, and to write them takes many small expressions.
class AccessTexts {
public:
  const std::string &region(AccessAttr access, MemRefType type,
                            DispatchOp dispatch, ArrayRef<Expr> grid) {
    return remembered({access.getAsOpaquePointer(), type.getAsOpaquePointer(),
                       gridKey(dispatch)},
                      [&] { return regionText(access, type, grid); });
  }
  const std::string &wait(DependencyAttr dependency, DispatchOp producer) {
    return remembered({dependency.getLower().getAsOpaquePointer(),
                       dependency.getUpper().getAsOpaquePointer(),
                       producer ? gridKey(producer) : nullptr},
                      [&] {
                        return waitText(dependency, producer
                                                        ? dispatchGrid(producer)
                                                        : std::vector<Expr>());
                      });
  }

private:
  using Key = std::tuple<const void *, const void *, const void *>;

  static const void *gridKey(DispatchOp dispatch) {
    return dispatch.getStaticGridAttr().getAsOpaquePointer();
  }
  const std::string &remembered(Key key,
                                llvm::function_ref<std::string()> write) {
    auto [known, isNew] = texts.try_emplace(key);
    if (isNew)
      known->second = write();
    return known->second;
  }
  std::map<Key, std::string> texts;
};

/// Where each dispatch stands in the text, for the graph's nodes.
model::PrintedStage
printWith(ModuleOp module, AccessTexts &texts,
          std::map<std::string, model::TextRange> *ranges = nullptr) {
  model::PrintedStage printed;
  printed.stage = "execution";
  std::string &text = printed.text;
  for (ProgramOp program : module.getOps<ProgramOp>()) {
    ProgramView view(program);
    Expr total(0);
    for (DispatchOp dispatch : view.dispatches)
      total = total + taskCount(dispatchGrid(dispatch));
    size_t programBegin = text.size();
    text += "program @" + program.getName().str() + ": " +
            std::to_string(view.dispatches.size()) + " dispatches, " +
            total.str() + " tasks\n";
    model::TextSpan whole;
    whole.keys = keyList(program);
    whole.id = "program:" + program.getName().str();
    size_t spanIndex = printed.spans.size();
    printed.spans.push_back(whole);
    for (auto [i, dispatch] : llvm::enumerate(view.dispatches)) {
      std::vector<Expr> grid = dispatchGrid(dispatch);
      size_t begin = text.size();
      text += "  dispatch " + std::to_string(i) + " @" +
              dispatch.getKernel().str() + " grid " + joined(grid) + " tasks " +
              taskCount(grid).str() + orderText(dispatch) + "\n";
      if (auto accesses = dispatch.getAccess())
        for (auto [attr, buffer] :
             llvm::zip(*accesses, dispatch.getBuffers())) {
          auto access = cast<AccessAttr>(attr);
          text += "    ";
          text += access.getMode() == AccessMode::Read    ? "reads "
                  : access.getMode() == AccessMode::Write ? "writes "
                                                          : "updates ";
          text += view.names[buffer] +
                  texts.region(access, cast<MemRefType>(buffer.getType()),
                               dispatch, grid) +
                  "\n";
        }
      if (auto dependencies = dispatch.getDependencies())
        for (auto dependency : dependencies->getAsRange<DependencyAttr>()) {
          size_t producer = size_t(dependency.getProducer());
          DispatchOp waitedFor = producer < view.dispatches.size()
                                     ? view.dispatches[producer]
                                     : DispatchOp();
          text += "    waits for dispatch " + std::to_string(producer) + " " +
                  texts.wait(dependency, waitedFor) + "\n";
        }
      model::TextSpan span;
      span.range = {int64_t(begin), int64_t(text.size())};
      span.keys = keyList(dispatch);
      span.id = dispatchId(view, i);
      if (ranges)
        (*ranges)[span.id] = span.range;
      printed.spans.push_back(std::move(span));
    }
    printed.spans[spanIndex].range = {int64_t(programBegin),
                                      int64_t(text.size())};
  }
  return printed;
}

} // namespace

model::PrintedStage printExecution(ModuleOp module) {
  AccessTexts texts;
  return printWith(module, texts);
}

model::Graph buildExecutionGraph(ModuleOp module) {
  model::Graph graph;
  graph.stage = "execution";
  ShownTypes shown;
  auto tensorType = [&](Value buffer) { return shown.of(buffer.getType()); };
  std::map<std::string, model::TextRange> ranges;
  AccessTexts texts;
  printWith(module, texts, &ranges);
  for (ProgramOp program : module.getOps<ProgramOp>()) {
    ProgramView view(program);
    std::string programId = "program:" + program.getName().str();
    model::Node group;
    group.id = programId;
    group.kind = model::NodeKind::Function;
    group.op = "block.program";
    group.label = program.getName().str();
    group.keys = keyList(program);
    graph.nodes.push_back(std::move(group));

    // Inputs that are read, and outputs that are written.
    Block &body = program.getBody().front();
    int64_t inputs =
        int64_t(body.getNumArguments()) - int64_t(program.getResultCount());
    llvm::DenseMap<Value, std::string> argumentId;
    for (auto [i, argument] : llvm::enumerate(body.getArguments())) {
      model::Node node;
      bool isInput = int64_t(i) < inputs;
      node.kind = isInput ? model::NodeKind::Input : model::NodeKind::Output;
      node.label = view.names[argument];
      node.id = (isInput ? "input:" : "output:") + program.getName().str() +
                "/" + std::to_string(i);
      node.op = isInput ? "input" : "output";
      node.parent = programId;
      node.results.push_back(tensorType(argument));
      argumentId[argument] = node.id;
      graph.nodes.push_back(std::move(node));
    }
    for (auto [i, dispatch] : llvm::enumerate(view.dispatches)) {
      model::Node node;
      node.id = dispatchId(view, i);
      node.kind = model::NodeKind::Dispatch;
      node.op = dispatch.getKernel().str();
      node.label = dispatch.getKernel().str();
      node.parent = programId;
      node.keys = keyList(dispatch);
      node.grid = dispatchGrid(dispatch);
      node.range = ranges[node.id];
      if (auto tasks = taskCount(node.grid).constant())
        node.metrics.push_back(
            {"tasks", double(*tasks), "", model::Origin::Estimated});
      std::string target = node.id;
      auto accesses = dispatch.getAccess();
      for (auto [port, buffer] : llvm::enumerate(dispatch.getBuffers())) {
        auto id = argumentId.find(buffer);
        AccessMode mode = accesses
                              ? cast<AccessAttr>((*accesses)[port]).getMode()
                              : AccessMode::ReadWrite;
        if (mode != AccessMode::Read)
          node.results.push_back(tensorType(buffer));
        if (id == argumentId.end())
          continue;
        model::Edge edge;
        edge.type = tensorType(buffer);
        edge.label = view.names[buffer];
        if (mode != AccessMode::Write) {
          edge.from = id->second;
          edge.to = target;
          edge.toPort = int(port);
          graph.edges.push_back(edge);
        }
        if (mode != AccessMode::Read &&
            cast<BlockArgument>(buffer).getArgNumber() >= unsigned(inputs)) {
          edge.from = target;
          edge.to = id->second;
          edge.toPort = 0;
          graph.edges.push_back(edge);
        }
      }
      if (auto dependencies = dispatch.getDependencies())
        for (auto dependency : dependencies->getAsRange<DependencyAttr>()) {
          size_t producer = size_t(dependency.getProducer());
          if (producer >= view.dispatches.size())
            continue;
          model::Edge edge;
          edge.from = dispatchId(view, producer);
          edge.to = target;
          edge.kind = model::EdgeKind::Order;
          edge.label = texts.wait(dependency, view.dispatches[producer]);
          // The buffer that both touch says what is handed over.
          for (Value buffer : dispatch.getBuffers())
            if (!isa<BlockArgument>(buffer) &&
                llvm::is_contained(view.dispatches[producer].getBuffers(),
                                   buffer)) {
              edge.type = tensorType(buffer);
              break;
            }
          graph.edges.push_back(std::move(edge));
        }
      graph.nodes.push_back(std::move(node));
    }
  }
  return graph;
}

} // namespace tilewright::inspect
