//===- GraphBuilder.cpp - a module of any stage as a graph ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/inspect/GraphBuilder.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/inspect/ExecutionGraph.h"
#include "core/inspect/ShownTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tilewright::inspect {

using model::Expr;
using model::NodeKind;

namespace {

/// Calls that are drawn inside each other are cut here; recursion is no error
/// in a picture.
constexpr int maxCallDepth = 8;

/// What a value is drawn as: a result of a node.
struct Source {
  std::string id;
  int port = 0;
};

class Builder {
public:
  explicit Builder(ModuleOp module) : module(module) {}

  model::Graph build() {
    findCallers();
    reserve();
    for (Operation &op : *module.getBody()) {
      if (auto func = dyn_cast<func::FuncOp>(op)) {
        if (!func.isExternal() && !isCalledScope(func))
          addFunction(func);
      } else if (auto function = dyn_cast<FunctionOpInterface>(op)) {
        if (!function.isExternal())
          addFunction(function);
      } else {
        addOperation(&op, "");
      }
    }
    return std::move(graph);
  }

private:
  //===--------------------------------------------------------------------===//
  // Names
  //===--------------------------------------------------------------------===//

  /// Keys of `op`; inside a scope that is called, what they are in this call.
  std::vector<std::string> keysFor(Operation *op) {
    std::vector<std::string> result;
    for (StringRef key : keysOf(op))
      result.push_back(boundKey(key, instance));
    return result;
  }

  /// True for what computes the tensor its key names; moves, fills and the like
  /// only serve it.
  static bool computes(Operation *op) {
    if (isa<block::MoveOp, block::FillOp, block::AllocOp, block::SetEventOp,
            block::WaitEventOp, block::BarrierOp, tile::MoveOp>(op))
      return false;
    StringRef dialect = op->getName().getDialectNamespace();
    return dialect == "tw" || dialect == "linalg" ||
           isa<block::DispatchOp>(op) || block::isInstruction(op) ||
           (op->getNumRegions() == 0 && dialect != "tensor" &&
            dialect != "arith" && dialect != "memref");
  }

  std::string uniqueId(std::string id) {
    unsigned &count = idCount[id];
    if (count++)
      id += "@" + std::to_string(count);
    return id;
  }

  std::string idFor(Operation *op, const std::vector<std::string> &keys) {
    std::string id = prefix;
    if (keys.empty())
      id += op->getName().getStringRef().str();
    else
      id += keys.front();
    if (!computes(op) && !keys.empty())
      id += "~" + op->getName().getStringRef().str();
    return uniqueId(std::move(id));
  }

  static std::string labelOf(const std::vector<std::string> &keys,
                             StringRef otherwise) {
    if (keys.empty())
      return otherwise.str();
    StringRef name = keys.front();
    size_t slash = name.rfind('/');
    return (slash == StringRef::npos ? name : name.drop_front(slash + 1)).str();
  }

  //===--------------------------------------------------------------------===//
  // Types and attributes
  //===--------------------------------------------------------------------===//

  model::TensorType tensorType(Type type, Value value = {}) {
    model::TensorType result = shown.of(type);
    if (value)
      if (auto move = value.getDefiningOp<tile::MoveOp>()) {
        result.level = move.getLevel().str();
        if (move.getLayout())
          result.layout = shown.textOf(*move.getLayout());
      }
    return result;
  }

  /// Attributes a person asks about; what other fields show already is left
  /// out.
  void addAttributes(model::Node &node, Operation *op) {
    for (NamedAttribute attr : op->getAttrs()) {
      StringRef name = attr.getName();
      if (name == "operandSegmentSizes" || name == "sym_name" ||
          name == "function_type" || name == "static_grid" ||
          name == "access" || name == "dependencies" || name == "kernel" ||
          name == "callee" || name.starts_with("static_") ||
          name == tile::bindingsAttrName || name == tile::resultsAttrName ||
          name == tile::scopeAttrName)
        continue;
      node.attributes.emplace_back(name.str(),
                                   isa<UnitAttr>(attr.getValue())
                                       ? "true"
                                       : shown.textOf(attr.getValue()));
    }
  }

  //===--------------------------------------------------------------------===//
  // Edges
  //===--------------------------------------------------------------------===//

  /// The node a value comes from, looking through views; `value` becomes what
  /// that node gives. Null if it is not drawn.
  const Source *findSource(Value &value) {
    for (int depth = 0; depth < 64; ++depth) {
      auto found = sources.find(value);
      if (found != sources.end())
        return &found->second;
      Operation *op = value.getDefiningOp();
      if (!op || op->getNumOperands() == 0 || !isView(op))
        return nullptr;
      value = op->getOperand(0);
    }
    return nullptr;
  }

  const Source *sourceOf(Value value) { return findSource(value); }

  static bool isView(Operation *op) {
    return isa<ViewLikeOpInterface, tensor::ExtractSliceOp, tensor::CastOp>(op);
  }

  /// True for values that are drawn as edges: tensors, buffers, floats.
  static bool flows(Type type) { return isa<ShapedType, FloatType>(type); }

  void connect(Value value, const std::string &to, int toPort) {
    if (!flows(value.getType()))
      return;
    const Source *source = findSource(value);
    // The type of what is given, not of the part that is taken.
    addEdge(source, to, toPort, tensorType(value.getType(), value));
  }

  /// None from nowhere, and none from a node to itself.
  void addEdge(const Source *source, const std::string &to, int toPort,
               model::TensorType type) {
    if (!source || source->id == to)
      return;
    model::Edge edge;
    edge.from = source->id;
    edge.fromPort = source->port;
    edge.to = to;
    edge.toPort = toPort;
    edge.type = std::move(type);
    graph.edges.push_back(std::move(edge));
  }

  void alias(Value value, Value of) {
    if (const Source *source = sourceOf(of))
      sources[value] = *source;
  }

  //===--------------------------------------------------------------------===//
  // Nodes
  //===--------------------------------------------------------------------===//

  bool isCalledScope(func::FuncOp func) {
    return func->hasAttr(tile::scopeAttrName) &&
           callers.contains(func.getName());
  }

  /// The name a key gives; empty for keys of shared scopes and kernels, which
  /// name nothing a person knows.
  static std::string nameFromKey(StringRef key) {
    if (key.empty() || key.starts_with("$"))
      return {};
    return key.substr(key.rfind('/') + 1).str();
  }

  /// Room for all that may be drawn: growing would move everything again and
  /// again.
  void reserve() {
    size_t nodes = 0, edges = 0;
    for (Operation &op : *module.getBody()) {
      size_t inside = 0, operands = 0, times = 1;
      op.walk([&](Operation *each) {
        ++inside;
        operands += each->getNumOperands();
      });
      if (auto func = dyn_cast<func::FuncOp>(op))
        if (isCalledScope(func))
          times = callCounts.lookup(func.getName());
      nodes += inside * times;
      edges += operands * times;
    }
    graph.nodes.reserve(nodes);
    graph.edges.reserve(edges);
  }

  /// What scopes and kernels are given where they are first called.
  void findCallers() {
    auto give = [&](StringRef callee, OperandRange operands) {
      callers.try_emplace(callee, operands);
      ++callCounts[callee];
    };
    module.walk([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op))
        give(call.getCallee(), call.getOperands());
      else if (auto dispatch = dyn_cast<block::DispatchOp>(op))
        give(dispatch.getKernel(), dispatch.getBuffers());
    });
  }

  /// A tensor or buffer as the source calls it; empty if it does not.
  std::string nameOfValue(Value value, int depth) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto function =
          dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
      return function ? nameOfArgument(function, argument.getArgNumber(), depth)
                      : std::string();
    }
    auto result = cast<OpResult>(value);
    Operation *op = result.getOwner();
    if (auto keys = op->getAttrOfType<ArrayAttr>(tile::resultsAttrName))
      if (result.getResultNumber() < keys.size())
        return nameFromKey(
            cast<StringAttr>(keys[result.getResultNumber()]).getValue());
    return nameFromKey(primaryKey(op));
  }

  /// As nameOfValue(). Arguments of scopes and kernels are called after what
  /// their first caller gives them.
  std::string nameOfArgument(FunctionOpInterface function, unsigned i,
                             int depth = 0) {
    if (auto name = function.getArgAttrOfType<StringAttr>(i, "tile.name"))
      return name.str();
    SmallVector<StringRef> keys =
        keysOf(function.getFunctionBody().getArgument(i).getLoc());
    if (!keys.empty() && keys.front() != primaryKey(function))
      if (std::string name = nameFromKey(keys.front()); !name.empty())
        return name;
    auto caller = callers.find(SymbolTable::getSymbolName(function).getValue());
    if (depth < maxCallDepth && caller != callers.end() &&
        i < caller->second.size())
      return nameOfValue(caller->second[i], depth + 1);
    return {};
  }

  std::string argumentName(FunctionOpInterface function, unsigned i) {
    std::string name = nameOfArgument(function, i);
    return name.empty() ? "arg" + std::to_string(i) : name;
  }

  void addFunction(FunctionOpInterface function) {
    StringRef name = SymbolTable::getSymbolName(function).getValue();
    model::Node group;
    bool isKernel = isa<block::KernelOp>(function);
    group.kind = isKernel                                 ? NodeKind::Kernel
                 : function->hasAttr(tile::scopeAttrName) ? NodeKind::Scope
                                                          : NodeKind::Function;
    group.id = uniqueId((isKernel ? "kernel:" : "function:") + name.str());
    group.op = function->getName().getStringRef().str();
    group.label = name.str();
    group.keys = keysFor(function);
    addAttributes(group, function);
    std::string id = group.id;
    graph.nodes.push_back(std::move(group));

    auto program = dyn_cast<block::ProgramOp>(function.getOperation());
    unsigned inputs = function.getNumArguments();
    if (program)
      inputs -= unsigned(program.getResultCount());
    auto addArgument = [&](BlockArgument argument, NodeKind kind) {
      model::Node node;
      node.kind = kind;
      node.label = argumentName(function, argument.getArgNumber());
      node.op = kind == NodeKind::Input ? "input" : "output";
      node.id = uniqueId(node.op + ":" + name.str() + "/" + node.label);
      node.parent = id;
      for (StringRef key : keysOf(argument.getLoc()))
        node.keys.push_back(key.str());
      node.results.push_back(tensorType(argument.getType()));
      labels[node.id] = node.label;
      if (kind == NodeKind::Input)
        sources[argument] = {node.id, 0};
      else
        outputs[argument] = node.id;
      graph.nodes.push_back(std::move(node));
    };
    llvm::DenseSet<Value> read, written;
    if (isKernel) {
      findAccesses(function, read, written);
      events.clear();
      lastOnPipe.clear();
      waits.clear();
      barrier.clear();
    }
    for (BlockArgument argument : function.getFunctionBody().getArguments()) {
      if (!flows(argument.getType()))
        continue;
      // A kernel's buffers are told apart by what is done with them; one that
      // is updated in place comes in and goes out.
      bool output = isKernel ? written.contains(argument)
                             : argument.getArgNumber() >= inputs;
      if (!output || read.contains(argument))
        addArgument(argument, NodeKind::Input);
      if (output)
        addArgument(argument, NodeKind::Output);
    }
    addBlock(function.getFunctionBody().front(), id);
    addReturns(function, id, name);
  }

  static void findAccesses(FunctionOpInterface function,
                           llvm::DenseSet<Value> &read,
                           llvm::DenseSet<Value> &written) {
    function->walk([&](Operation *op) {
      if (!block::isInstruction(op))
        return;
      block::Accesses accesses = block::accessesOf(op);
      for (Value value : accesses.reads)
        read.insert(block::underlyingBuffer(value));
      for (Value value : accesses.writes)
        written.insert(block::underlyingBuffer(value));
    });
  }

  void addReturns(FunctionOpInterface function, const std::string &parent,
                  StringRef name) {
    Operation *terminator = function.getFunctionBody().front().getTerminator();
    for (OpOperand &operand : terminator->getOpOperands()) {
      model::Node node;
      node.kind = NodeKind::Output;
      node.op = "output";
      unsigned i = operand.getOperandNumber();
      node.label = "result" + std::to_string(i);
      node.id = uniqueId("output:" + name.str() + "/" + std::to_string(i));
      node.parent = parent;
      node.results.push_back(tensorType(operand.get().getType()));
      connect(operand.get(), node.id, 0);
      graph.nodes.push_back(std::move(node));
    }
  }

  void addBlock(mlir::Block &body, const std::string &parent) {
    for (Operation &op : body)
      addOperation(&op, parent);
  }

  /// A group node for `op`; returns its id.
  std::string addGroup(Operation *op, NodeKind kind, const std::string &parent,
                       std::vector<Expr> grid) {
    model::Node group;
    group.kind = kind;
    group.op = op->getName().getStringRef().str();
    group.keys = keysFor(op);
    group.id = uniqueId(prefix + labelOfKind(kind) + ":" +
                        (group.keys.empty() ? group.op : group.keys.front()));
    group.label = labelOfKind(kind);
    group.parent = parent;
    group.grid = std::move(grid);
    std::string id = group.id;
    graph.nodes.push_back(std::move(group));
    return id;
  }

  static std::string labelOfKind(NodeKind kind) {
    switch (kind) {
    case NodeKind::Grid:
      return "grid";
    case NodeKind::Loop:
      return "loop";
    case NodeKind::Scope:
      return "scope";
    default:
      return "region";
    }
  }

  static Expr tripCount(OpFoldResult lower, OpFoldResult upper,
                        OpFoldResult step, unsigned dim) {
    auto lb = getConstantIntValue(lower), ub = getConstantIntValue(upper),
         st = getConstantIntValue(step);
    if (lb && ub && st && *st > 0)
      return Expr((*ub - *lb + *st - 1) / *st);
    return Expr::symbol("n" + std::to_string(dim));
  }

  void addOperation(Operation *op, const std::string &parent) {
    if (auto forall = dyn_cast<scf::ForallOp>(op))
      return addForall(forall, parent);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return addFor(loop, parent);
    if (auto call = dyn_cast<func::CallOp>(op))
      if (addScopeCall(call, parent))
        return;
    if (op->hasTrait<OpTrait::IsTerminator>() || isView(op) ||
        isa<tensor::EmptyOp, block::AllocOp>(op))
      return;
    if (auto buffer = dyn_cast<block::BufferOp>(op))
      return; // drawn as the edge between who writes and who reads it
    bool drawn =
        llvm::any_of(op->getOperandTypes(), flows) ||
        llvm::any_of(op->getResultTypes(), flows) ||
        isa<block::SetEventOp, block::WaitEventOp, block::BarrierOp>(op);
    if (!drawn || (op->getNumRegions() == 0 && isScalarCode(op)))
      return;
    addLeaf(op, parent);
  }

  /// Arithmetic on single numbers: part of the code around, not of the flow.
  static bool isScalarCode(Operation *op) {
    auto plain = [](Type type) { return !isa<ShapedType>(type); };
    return llvm::all_of(op->getOperandTypes(), plain) &&
           llvm::all_of(op->getResultTypes(), plain) &&
           !isa<block::SetEventOp, block::WaitEventOp, block::BarrierOp>(op);
  }

  void addLeaf(Operation *op, const std::string &parent) {
    model::Node node;
    node.op = op->getName().getStringRef().str();
    node.keys = keysFor(op);
    node.id = idFor(op, node.keys);
    node.label = labelOf(node.keys, node.op);
    node.parent = parent;
    node.kind = kindOf(op);
    // A move is best called after what it brings.
    if (node.kind == NodeKind::Move && op->getNumOperands() > 0)
      if (std::string moved = labelBehind(op->getOperand(0)); !moved.empty())
        node.label = std::move(moved);
    addAttributes(node, op);
    for (OpResult result : op->getResults()) {
      node.results.push_back(tensorType(result.getType(), result));
      sources[result] = {node.id, int(result.getResultNumber())};
    }
    if (auto dispatch = dyn_cast<block::DispatchOp>(op)) {
      node.op = dispatch.getKernel().str();
      unsigned dynamic = 0;
      for (int64_t size : dispatch.getStaticGrid())
        node.grid.push_back(ShapedType::isDynamic(size)
                                ? Expr::symbol("n" + std::to_string(dynamic++))
                                : Expr(size));
    }
    std::string id = node.id;
    labels[id] = node.label;
    graph.nodes.push_back(std::move(node));
    size_t index = graph.nodes.size() - 1;

    if (block::isInstruction(op)) {
      if (StringRef pipe = block::pipeOf(op); !pipe.empty())
        enterPipe(pipe, id);
      return addBufferAccess(op, id, index);
    }
    if (auto dispatch = dyn_cast<block::DispatchOp>(op))
      return addDispatchAccess(dispatch, id, index);
    if (auto set = dyn_cast<block::SetEventOp>(op)) {
      events[eventName(set.getFrom(), set.getTo(), set.getId())] = id;
      followPipe(set.getFrom(), id);
      return;
    }
    if (isa<block::BarrierOp>(op)) {
      for (auto &[pipe, last] : lastOnPipe)
        addOrder(last, id);
      lastOnPipe.clear();
      waits.clear();
      barrier = id;
      return;
    }
    if (auto wait = dyn_cast<block::WaitEventOp>(op)) {
      auto found =
          events.find(eventName(wait.getFrom(), wait.getTo(), wait.getId()));
      if (found != events.end()) {
        model::Edge edge;
        edge.from = found->second;
        edge.to = id;
        edge.kind = model::EdgeKind::Event;
        edge.label = found->first;
        graph.edges.push_back(std::move(edge));
      }
      waits[wait.getTo().str()].push_back(id);
      return;
    }
    for (OpOperand &operand : op->getOpOperands())
      connect(operand.get(), id, int(operand.getOperandNumber()));
  }

  void addOrder(const std::string &from, const std::string &to) {
    model::Edge edge;
    edge.from = from;
    edge.to = to;
    edge.kind = model::EdgeKind::Order;
    graph.edges.push_back(std::move(edge));
  }

  /// An event is set once its pipe has done what comes before.
  void followPipe(StringRef pipe, const std::string &id) {
    auto last = lastOnPipe.find(pipe.str());
    if (last != lastOnPipe.end())
      addOrder(last->second, id);
    else if (!barrier.empty())
      addOrder(barrier, id);
  }

  /// The next instruction of a pipe comes after what the pipe was told to wait
  /// for.
  void enterPipe(StringRef pipe, const std::string &id) {
    auto waiting = waits.find(pipe.str());
    if (waiting != waits.end()) {
      for (const std::string &wait : waiting->second)
        addOrder(wait, id);
      waits.erase(waiting);
    }
    if (!barrier.empty() && !lastOnPipe.count(pipe.str()))
      addOrder(barrier, id);
    lastOnPipe[pipe.str()] = id;
  }

  /// Label of the node that a tensor or a buffer's content comes from.
  std::string labelBehind(Value value) {
    const Source *source = nullptr;
    if (isa<MemRefType>(value.getType())) {
      Value buffer = block::underlyingBuffer(value);
      auto writer = lastWriter.find(buffer);
      source = writer != lastWriter.end() ? &writer->second : sourceOf(buffer);
    } else {
      source = sourceOf(value);
    }
    if (!source)
      return {};
    auto found = labels.find(source->id);
    return found == labels.end() ? std::string() : found->second;
  }

  static std::string eventName(StringRef from, StringRef to, uint64_t id) {
    return (from + "→" + to + " #" + Twine(id)).str();
  }

  NodeKind kindOf(Operation *op) {
    if (isa<tile::MoveOp, block::MoveOp>(op))
      return NodeKind::Move;
    if (isa<block::SetEventOp, block::WaitEventOp, block::BarrierOp>(op))
      return NodeKind::Sync;
    if (isa<block::DispatchOp>(op))
      return NodeKind::Dispatch;
    if (op->hasTrait<OpTrait::ConstantLike>() || isa<block::ConstantOp>(op))
      return NodeKind::Constant;
    return NodeKind::Operation;
  }

  /// Reads come from the last writer of the buffer, or from the argument or
  /// constant it is.
  void readBuffer(Value memref, const std::string &to, int port) {
    Value buffer = block::underlyingBuffer(memref);
    auto writer = lastWriter.find(buffer);
    const Source *source =
        writer != lastWriter.end() ? &writer->second : sourceOf(buffer);
    addEdge(source, to, port, tensorType(memref.getType()));
  }

  void writeBuffer(Value memref, const std::string &from, size_t nodeIndex) {
    Value buffer = block::underlyingBuffer(memref);
    int port = int(graph.nodes[nodeIndex].results.size());
    graph.nodes[nodeIndex].results.push_back(tensorType(memref.getType()));
    lastWriter[buffer] = {from, port};
    auto output = outputs.find(buffer);
    if (output == outputs.end())
      return;
    model::Edge edge;
    edge.from = from;
    edge.fromPort = port;
    edge.to = output->second;
    edge.type = tensorType(memref.getType());
    graph.edges.push_back(std::move(edge));
  }

  void addBufferAccess(Operation *op, const std::string &id, size_t index) {
    block::Accesses accesses = block::accessesOf(op);
    for (auto [port, read] : llvm::enumerate(accesses.reads))
      readBuffer(read, id, int(port));
    for (Value written : accesses.writes)
      writeBuffer(written, id, index);
  }

  void addDispatchAccess(block::DispatchOp dispatch, const std::string &id,
                         size_t index) {
    auto accesses = dispatch.getAccess();
    auto modeOf = [&](size_t i) {
      return accesses ? cast<block::AccessAttr>((*accesses)[i]).getMode()
                      : block::AccessMode::ReadWrite;
    };
    for (auto [i, buffer] : llvm::enumerate(dispatch.getBuffers()))
      if (modeOf(i) != block::AccessMode::Write)
        readBuffer(buffer, id, int(i));
    for (auto [i, buffer] : llvm::enumerate(dispatch.getBuffers()))
      if (modeOf(i) != block::AccessMode::Read)
        writeBuffer(buffer, id, index);
  }

  void addForall(scf::ForallOp forall, const std::string &parent) {
    std::vector<Expr> grid;
    for (auto [d, bounds] : llvm::enumerate(
             llvm::zip(forall.getMixedLowerBound(), forall.getMixedUpperBound(),
                       forall.getMixedStep())))
      grid.push_back(tripCount(std::get<0>(bounds), std::get<1>(bounds),
                               std::get<2>(bounds), unsigned(d)));
    std::string id = addGroup(forall, NodeKind::Grid, parent, std::move(grid));
    addBlock(*forall.getBody(), id);
    // Each result is what was inserted into its output.
    for (Operation &op : forall.getTerminator().getYieldingOps())
      if (auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op))
        if (auto out = dyn_cast<BlockArgument>(insert.getDest()))
          alias(forall.getTiedOpResult(forall.getTiedOpOperand(out)),
                insert.getSource());
  }

  void addFor(scf::ForOp loop, const std::string &parent) {
    std::string id =
        addGroup(loop, NodeKind::Loop, parent,
                 {tripCount(loop.getLowerBound(), loop.getUpperBound(),
                            loop.getStep(), 0)});
    for (auto [argument, init] :
         llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
      alias(argument, init);
    addBlock(*loop.getBody(), id);
    for (auto [result, yielded] :
         llvm::zip(loop.getResults(), loop.getYieldedValues()))
      alias(result, yielded);
  }

  /// Draws the called scope in place of the call.
  bool addScopeCall(func::CallOp call, const std::string &parent) {
    auto scope = module.lookupSymbol<func::FuncOp>(call.getCallee());
    if (!scope || scope.isExternal() || !scope->hasAttr(tile::scopeAttrName) ||
        callDepth >= maxCallDepth)
      return false;
    ArrayAttr outer = instance;
    if (auto names = call->getAttrOfType<ArrayAttr>(tile::bindingsAttrName))
      instance = names;
    ++callDepth;
    std::string id = addGroup(call, NodeKind::Scope, parent, {});
    graph.nodes.back().label = scope.getName().str();
    for (auto [argument, operand] :
         llvm::zip(scope.getArguments(), call.getOperands())) {
      sources.erase(argument);
      alias(argument, operand);
    }
    addBlock(scope.getBody().front(), id);
    Operation *terminator = scope.getBody().front().getTerminator();
    for (auto [result, returned] :
         llvm::zip(call.getResults(), terminator->getOperands()))
      alias(result, returned);
    --callDepth;
    instance = outer;
    return true;
  }

  ModuleOp module;
  model::Graph graph;
  llvm::DenseMap<Value, Source> sources;
  llvm::DenseMap<Value, Source> lastWriter; ///< of a buffer
  llvm::DenseMap<Value, std::string> outputs;
  /// Of the kernel that is being drawn, by name: the last set of an event; by
  /// pipe: its last instruction, and the waits since then.
  std::map<std::string, std::string> events, lastOnPipe;
  std::map<std::string, std::vector<std::string>> waits;
  std::string barrier;                   ///< the last one
  llvm::StringMap<OperandRange> callers; ///< by what they call, the first
  llvm::StringMap<size_t> callCounts;    ///< by what they call
  llvm::StringMap<std::string> labels;   ///< of leaf nodes, by id
  llvm::StringMap<unsigned> idCount;
  ShownTypes shown;
  ArrayAttr instance; ///< bindings of the call that is being drawn
  std::string prefix;
  int callDepth = 0;
};

} // namespace

model::Graph buildGraph(ModuleOp module) { return Builder(module).build(); }

} // namespace tilewright::inspect
