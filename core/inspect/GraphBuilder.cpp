//===- GraphBuilder.cpp - a module of any stage as a graph ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/inspect/GraphBuilder.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/DenseSet.h"
#include <map>

using namespace mlir;

namespace tilewright::inspect {

using model::NodeKind;
using What = DraftNode::What;

namespace {

/// Calls that are drawn inside each other are cut here; recursion is no error
/// in a picture.
constexpr int maxCallDepth = 8;

/// What a value is drawn as: a result of a node.
struct Source {
  int32_t node = 0;
  int port = 0;
};

class Builder {
public:
  explicit Builder(ArrayRef<ModuleOp> modules) : modules(modules) {}

  GraphDraft build() {
    for (ModuleOp module : modules)
      findCallers(module);
    for (ModuleOp module : modules)
      for (Operation &op : *module.getBody()) {
        if (auto func = dyn_cast<func::FuncOp>(op)) {
          if (!func.isExternal() && !isCalledScope(func))
            addFunction(func);
        } else if (auto function = dyn_cast<FunctionOpInterface>(op)) {
          if (!function.isExternal())
            addFunction(function);
        } else {
          addOperation(&op, -1);
        }
      }
    return std::move(draft);
  }

private:
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

  void connect(Value value, int32_t to, int toPort) {
    if (!flows(value.getType()))
      return;
    const Source *source = findSource(value);
    // The type of what is given, not of the part that is taken.
    addEdge(source, to, toPort, value.getType(), value);
  }

  /// None from nowhere, and none from a node to itself.
  void addEdge(const Source *source, int32_t to, int toPort, Type type,
               Value value = {}) {
    if (!source || source->node == to)
      return;
    DraftEdge edge;
    edge.from = source->node;
    edge.fromPort = source->port;
    edge.to = to;
    edge.toPort = toPort;
    edge.type = type;
    edge.value = value;
    draft.add(edge);
  }

  void addOrder(int32_t from, int32_t to) {
    DraftEdge edge;
    edge.from = from;
    edge.to = to;
    edge.kind = model::EdgeKind::Order;
    draft.add(edge);
  }

  void alias(Value value, Value of) {
    if (const Source *source = sourceOf(of))
      sources[value] = *source;
  }

  //===--------------------------------------------------------------------===//
  // Functions
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

  /// What scopes and kernels are given where they are first called; and the
  /// scopes.
  void findCallers(ModuleOp module) {
    module.walk([&](Operation *op) {
      if (auto call = dyn_cast<func::CallOp>(op))
        callers.try_emplace(call.getCallee(), call.getOperands());
      else if (auto dispatch = dyn_cast<block::DispatchOp>(op))
        callers.try_emplace(dispatch.getKernel(), dispatch.getBuffers());
      else if (auto func = dyn_cast<func::FuncOp>(op);
               func && func->hasAttr(tile::scopeAttrName) && !func.isExternal())
        scopes.try_emplace(func.getName(), func);
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

  void addFunction(FunctionOpInterface function) {
    bool isKernel = isa<block::KernelOp>(function);
    DraftNode group;
    group.what = What::Function;
    group.kind = isKernel                                 ? NodeKind::Kernel
                 : function->hasAttr(tile::scopeAttrName) ? NodeKind::Scope
                                                          : NodeKind::Function;
    group.op = function;
    int32_t id = draft.add(group);

    auto program = dyn_cast<block::ProgramOp>(function.getOperation());
    unsigned inputs = function.getNumArguments();
    if (program)
      inputs -= unsigned(program.getResultCount());
    auto addArgument = [&](BlockArgument argument, NodeKind kind) {
      DraftNode node;
      node.what = What::Argument;
      node.kind = kind;
      node.op = function;
      node.number = argument.getArgNumber();
      node.parent = id;
      draft.nameArgument(function, node.number,
                         nameOfArgument(function, node.number));
      int32_t added = draft.add(node);
      if (kind == NodeKind::Input)
        sources[argument] = {added, 0};
      else
        outputs[argument] = added;
    };
    llvm::DenseSet<Value> read, written;
    if (isKernel) {
      findAccesses(function, read, written);
      events.clear();
      lastOnPipe.clear();
      waits.clear();
      barrier = -1;
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
    addReturns(function, id);
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

  void addReturns(FunctionOpInterface function, int32_t parent) {
    Operation *terminator = function.getFunctionBody().front().getTerminator();
    for (OpOperand &operand : terminator->getOpOperands()) {
      DraftNode node;
      node.what = What::Returned;
      node.kind = NodeKind::Output;
      node.op = function;
      node.number = operand.getOperandNumber();
      node.parent = parent;
      connect(operand.get(), draft.add(node), 0);
    }
  }

  //===--------------------------------------------------------------------===//
  // Operations
  //===--------------------------------------------------------------------===//

  void addBlock(mlir::Block &body, int32_t parent) {
    for (Operation &op : body)
      addOperation(&op, parent);
  }

  int32_t addGroup(Operation *op, NodeKind kind, int32_t parent) {
    DraftNode group;
    group.what = What::Group;
    group.kind = kind;
    group.op = op;
    group.instance = instance;
    group.parent = parent;
    return draft.add(group);
  }

  void addOperation(Operation *op, int32_t parent) {
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

  void addLeaf(Operation *op, int32_t parent) {
    DraftNode node;
    node.op = op;
    node.instance = instance;
    node.parent = parent;
    node.kind = kindOf(op);
    if (node.kind == NodeKind::Move && op->getNumOperands() > 0)
      node.behind = nodeBehind(op->getOperand(0));
    int32_t id = draft.add(node);
    for (OpResult result : op->getResults())
      sources[result] = {id, int(result.getResultNumber())};

    if (block::isInstruction(op)) {
      if (StringRef pipe = block::pipeOf(op); !pipe.empty())
        enterPipe(pipe, id);
      return addBufferAccess(op, id);
    }
    if (auto dispatch = dyn_cast<block::DispatchOp>(op))
      return addDispatchAccess(dispatch, id);
    if (auto set = dyn_cast<block::SetEventOp>(op)) {
      events[{set.getFrom(), set.getTo(), set.getId()}] = id;
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
      auto found = events.find({wait.getFrom(), wait.getTo(), wait.getId()});
      if (found != events.end()) {
        DraftEdge edge;
        edge.from = found->second;
        edge.to = id;
        edge.kind = model::EdgeKind::Event;
        edge.wait = wait;
        draft.add(edge);
      }
      waits[wait.getTo()].push_back(id);
      return;
    }
    for (OpOperand &operand : op->getOpOperands())
      connect(operand.get(), id, int(operand.getOperandNumber()));
  }

  /// An event is set once its pipe has done what comes before.
  void followPipe(StringRef pipe, int32_t id) {
    auto last = lastOnPipe.find(pipe);
    if (last != lastOnPipe.end())
      addOrder(last->second, id);
    else if (barrier >= 0)
      addOrder(barrier, id);
  }

  /// The next instruction of a pipe comes after what the pipe was told to wait
  /// for.
  void enterPipe(StringRef pipe, int32_t id) {
    auto waiting = waits.find(pipe);
    if (waiting != waits.end()) {
      for (int32_t wait : waiting->second)
        addOrder(wait, id);
      waits.erase(waiting);
    }
    if (barrier >= 0 && !lastOnPipe.count(pipe))
      addOrder(barrier, id);
    lastOnPipe[pipe] = id;
  }

  /// The node that a tensor or a buffer's content comes from; -1: none.
  int32_t nodeBehind(Value value) {
    const Source *source = isa<MemRefType>(value.getType())
                               ? contentOf(block::underlyingBuffer(value))
                               : sourceOf(value);
    return source ? source->node : -1;
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

  /// The last writer of a buffer, or the argument or constant it is.
  const Source *contentOf(Value buffer) {
    auto writer = lastWriter.find(buffer);
    return writer != lastWriter.end() ? &writer->second : sourceOf(buffer);
  }

  void readBuffer(Value memref, int32_t to, int port) {
    addEdge(contentOf(block::underlyingBuffer(memref)), to, port,
            memref.getType());
  }

  void writeBuffers(Operation *op, int32_t from) {
    int port = int(op->getNumResults());
    for (Value memref : writtenBuffers(op)) {
      Value buffer = block::underlyingBuffer(memref);
      Source written{from, port++};
      lastWriter[buffer] = written;
      if (auto output = outputs.find(buffer); output != outputs.end())
        addEdge(&written, output->second, 0, memref.getType());
    }
  }

  void addBufferAccess(Operation *op, int32_t id) {
    for (auto [port, read] : llvm::enumerate(block::accessesOf(op).reads))
      readBuffer(read, id, int(port));
    writeBuffers(op, id);
  }

  void addDispatchAccess(block::DispatchOp dispatch, int32_t id) {
    for (auto [i, buffer] : llvm::enumerate(dispatch.getBuffers()))
      if (accessMode(dispatch, i) != block::AccessMode::Write)
        readBuffer(buffer, id, int(i));
    writeBuffers(dispatch, id);
  }

  void addForall(scf::ForallOp forall, int32_t parent) {
    int32_t id = addGroup(forall, NodeKind::Grid, parent);
    addBlock(*forall.getBody(), id);
    // Each result is what was inserted into its output.
    for (Operation &op : forall.getTerminator().getYieldingOps())
      if (auto insert = dyn_cast<tensor::ParallelInsertSliceOp>(op))
        if (auto out = dyn_cast<BlockArgument>(insert.getDest()))
          alias(forall.getTiedOpResult(forall.getTiedOpOperand(out)),
                insert.getSource());
  }

  void addFor(scf::ForOp loop, int32_t parent) {
    int32_t id = addGroup(loop, NodeKind::Loop, parent);
    for (auto [argument, init] :
         llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
      alias(argument, init);
    addBlock(*loop.getBody(), id);
    for (auto [result, yielded] :
         llvm::zip(loop.getResults(), loop.getYieldedValues()))
      alias(result, yielded);
  }

  /// Draws the called scope in place of the call.
  bool addScopeCall(func::CallOp call, int32_t parent) {
    auto called = scopes.find(call.getCallee());
    if (called == scopes.end() || callDepth >= maxCallDepth)
      return false;
    func::FuncOp scope = called->second;
    ArrayAttr outer = instance;
    if (auto names = call->getAttrOfType<ArrayAttr>(tile::bindingsAttrName))
      instance = names;
    ++callDepth;
    int32_t id = addGroup(call, NodeKind::Scope, parent);
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

  ArrayRef<ModuleOp> modules;
  GraphDraft draft;
  llvm::DenseMap<Value, Source> sources;
  llvm::DenseMap<Value, Source> lastWriter; ///< of a buffer
  llvm::DenseMap<Value, int32_t> outputs;
  /// Of the kernel that is being drawn: the last set of an event, by the pipes
  /// and the number; by pipe: its last instruction, and the waits since then.
  std::map<std::tuple<StringRef, StringRef, uint64_t>, int32_t> events;
  std::map<StringRef, int32_t> lastOnPipe;
  std::map<StringRef, std::vector<int32_t>> waits;
  int32_t barrier = -1;                  ///< the last one
  llvm::StringMap<OperandRange> callers; ///< by what they call, the first
  llvm::StringMap<func::FuncOp> scopes;
  ArrayAttr instance; ///< bindings of the call that is being drawn
  int callDepth = 0;
};

} // namespace

GraphDraft draftGraph(ArrayRef<ModuleOp> modules) {
  return Builder(modules).build();
}

model::Graph buildGraph(ModuleOp module) {
  GraphDraft draft = draftGraph(module);
  model::Diagnostic none; // only an unknown root is refused
  return std::move(*model::partOf(draft, {}, none));
}

} // namespace tilewright::inspect
