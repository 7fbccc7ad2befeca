//===- GraphDraft.cpp - a stage's graph before it is written out ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/inspect/GraphDraft.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/BoundKeys.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/inspect/DispatchGrid.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace tilewright::inspect {

using model::Expr;
using model::NodeKind;
using What = DraftNode::What;

int32_t GraphDraft::add(DraftNode node) {
  node.copy = copies[llvm::xxh3_64bits(baseIdOf(node).str())]++;
  nodes.push_back(node);
  return int32_t(nodes.size() - 1);
}

void GraphDraft::nameArgument(Operation *function, unsigned number,
                              std::string name) {
  argumentNames[{function, number}] = std::move(name);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

StringRef GraphDraft::primaryKeyOf(Operation *op) const {
  auto [known, isNew] = primaryKeys.try_emplace(op->getLoc());
  if (isNew)
    known->second = primaryKey(op);
  return known->second;
}

/// True for what computes the tensor its key names; moves, fills and the like
/// only serve it.
static bool computes(Operation *op) {
  if (isa<block::MoveOp, block::FillOp, block::AllocOp, block::SetEventOp,
          block::WaitEventOp, block::BarrierOp, tile::MoveOp>(op))
    return false;
  StringRef dialect = op->getName().getDialectNamespace();
  return dialect == "tw" || dialect == "linalg" || isa<block::DispatchOp>(op) ||
         block::isInstruction(op) ||
         (op->getNumRegions() == 0 && dialect != "tensor" &&
          dialect != "arith" && dialect != "memref");
}

static StringRef labelOfKind(NodeKind kind) {
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

std::string GraphDraft::argumentName(const DraftNode &node) const {
  auto named = argumentNames.find({node.op, node.number});
  return named == argumentNames.end() || named->second.empty()
             ? "arg" + std::to_string(node.number)
             : named->second;
}

llvm::SmallString<128> GraphDraft::baseIdOf(const DraftNode &node) const {
  llvm::SmallString<128> id;
  auto nameOfFunction = [&] {
    return SymbolTable::getSymbolName(node.op).getValue();
  };
  switch (node.what) {
  case What::Function:
    id += isa<block::KernelOp>(node.op) ? "kernel:" : "function:";
    id += nameOfFunction();
    return id;
  case What::Argument:
    id += node.kind == NodeKind::Input ? "input:" : "output:";
    id += nameOfFunction();
    id += '/';
    id += argumentName(node);
    return id;
  case What::Returned:
    id += "output:";
    id += nameOfFunction();
    id += '/';
    id += std::to_string(node.number);
    return id;
  case What::Group:
    id += labelOfKind(node.kind);
    id += ':';
    break;
  case What::Leaf:
    break;
  }
  StringRef key = primaryKeyOf(node.op),
            name = node.op->getName().getStringRef();
  if (key.empty()) {
    id += name;
    return id;
  }
  if (node.instance && key.starts_with("$"))
    id += boundKey(key, node.instance);
  else
    id += key;
  if (node.what == What::Leaf && !computes(node.op)) {
    id += '~';
    id += name;
  }
  return id;
}

std::string GraphDraft::idOf(size_t i) const {
  std::string id = baseIdOf(nodes[i]).str().str();
  if (nodes[i].copy)
    id += "@" + std::to_string(nodes[i].copy + 1);
  return id;
}

std::string GraphDraft::keyOf(size_t i) const {
  const DraftNode &node = nodes[i];
  if (node.what == What::Returned)
    return {};
  if (node.what == What::Argument) {
    SmallVector<StringRef> keys = keysOf(
        cast<FunctionOpInterface>(node.op).getArgument(node.number).getLoc());
    return keys.empty() ? std::string() : keys.front().str();
  }
  return boundKey(primaryKeyOf(node.op), node.instance);
}

static std::vector<std::string> keysFor(Operation *op, ArrayAttr instance) {
  std::vector<std::string> result;
  for (StringRef key : keysOf(op))
    result.push_back(boundKey(key, instance));
  return result;
}

std::string GraphDraft::labelOf(const DraftNode &node) const {
  switch (node.what) {
  case What::Function:
    return SymbolTable::getSymbolName(node.op).getValue().str();
  case What::Argument:
    return argumentName(node);
  case What::Returned:
    return "result" + std::to_string(node.number);
  case What::Group:
    if (auto call = dyn_cast<func::CallOp>(node.op))
      return call.getCallee().str();
    return labelOfKind(node.kind).str();
  case What::Leaf:
    break;
  }
  // A move is best called after what it brings, which comes before it.
  const DraftNode *named = &node;
  while (named->behind >= 0)
    named = &nodes[named->behind];
  if (named->what != What::Leaf)
    return labelOf(*named);
  StringRef key = primaryKeyOf(named->op);
  if (key.empty())
    return named->op->getName().getStringRef().str();
  std::string bound = boundKey(key, named->instance);
  return bound.substr(bound.rfind('/') + 1);
}

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

model::TensorType GraphDraft::tensorType(Type type, Value value) {
  model::TensorType result = shown.of(type);
  if (value)
    if (auto move = value.getDefiningOp<tile::MoveOp>()) {
      result.level = move.getLevel().str();
      if (move.getLayout())
        result.layout = shown.textOf(*move.getLayout());
    }
  return result;
}

/// Attributes a person asks about; what other fields show already is left out.
void GraphDraft::addAttributes(model::Node &node, Operation *op) {
  // All that a dispatch has of its own is among those, and to put its
  // attributes into one dictionary costs more than the rest of the node.
  DictionaryAttr attributes = isa<block::DispatchOp>(op)
                                  ? op->getDiscardableAttrDictionary()
                                  : op->getAttrDictionary();
  for (NamedAttribute attr : attributes) {
    StringRef name = attr.getName();
    if (name == "operandSegmentSizes" || name == "sym_name" ||
        name == "function_type" || name == "static_grid" || name == "access" ||
        name == "dependencies" || name == "kernel" || name == "callee" ||
        name.starts_with("static_") || name == tile::bindingsAttrName ||
        name == tile::resultsAttrName || name == tile::scopeAttrName)
      continue;
    node.attributes.emplace_back(name.str(),
                                 isa<UnitAttr>(attr.getValue())
                                     ? "true"
                                     : shown.textOf(attr.getValue()));
  }
}

/// Results, then the buffers that are written.
void GraphDraft::addResults(model::Node &node, Operation *op) {
  for (OpResult result : op->getResults())
    node.results.push_back(tensorType(result.getType(), result));
  for (Value buffer : writtenBuffers(op))
    node.results.push_back(tensorType(buffer.getType()));
}

static Expr tripCount(OpFoldResult lower, OpFoldResult upper, OpFoldResult step,
                      unsigned dim) {
  auto lb = getConstantIntValue(lower), ub = getConstantIntValue(upper),
       st = getConstantIntValue(step);
  if (lb && ub && st && *st > 0)
    return Expr((*ub - *lb + *st - 1) / *st);
  return Expr::symbol("n" + std::to_string(dim));
}

static std::vector<Expr> gridOf(Operation *op) {
  std::vector<Expr> grid;
  if (auto forall = dyn_cast<scf::ForallOp>(op)) {
    for (auto [d, bounds] : llvm::enumerate(
             llvm::zip(forall.getMixedLowerBound(), forall.getMixedUpperBound(),
                       forall.getMixedStep())))
      grid.push_back(tripCount(std::get<0>(bounds), std::get<1>(bounds),
                               std::get<2>(bounds), unsigned(d)));
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    grid.push_back(tripCount(loop.getLowerBound(), loop.getUpperBound(),
                             loop.getStep(), 0));
  } else if (auto dispatch = dyn_cast<block::DispatchOp>(op)) {
    grid = dispatchGrid(dispatch);
  }
  return grid;
}

//===----------------------------------------------------------------------===//
// Nodes and edges
//===----------------------------------------------------------------------===//

model::Node GraphDraft::node(size_t i) {
  const DraftNode &draft = nodes[i];
  model::Node node;
  node.id = idOf(i);
  node.kind = draft.kind;
  node.label = labelOf(draft);
  switch (draft.what) {
  case What::Function:
    node.op = draft.op->getName().getStringRef().str();
    node.keys = keysFor(draft.op, {});
    addAttributes(node, draft.op);
    break;
  case What::Argument: {
    BlockArgument argument =
        cast<FunctionOpInterface>(draft.op).getArgument(draft.number);
    node.op = draft.kind == NodeKind::Input ? "input" : "output";
    for (StringRef key : keysOf(argument.getLoc()))
      node.keys.push_back(key.str());
    node.results.push_back(tensorType(argument.getType()));
    break;
  }
  case What::Returned: {
    Operation *terminator = cast<FunctionOpInterface>(draft.op)
                                .getFunctionBody()
                                .front()
                                .getTerminator();
    node.op = "output";
    node.results.push_back(
        tensorType(terminator->getOperand(draft.number).getType()));
    break;
  }
  case What::Group:
    node.op = draft.op->getName().getStringRef().str();
    node.keys = keysFor(draft.op, draft.instance);
    node.grid = gridOf(draft.op);
    break;
  case What::Leaf:
    node.op = draft.op->getName().getStringRef().str();
    node.keys = keysFor(draft.op, draft.instance);
    addAttributes(node, draft.op);
    addResults(node, draft.op);
    if (auto dispatch = dyn_cast<block::DispatchOp>(draft.op)) {
      node.op = dispatch.getKernel().str();
      node.grid = gridOf(draft.op);
    }
    break;
  }
  return node;
}

model::Edge GraphDraft::edge(size_t i) {
  const DraftEdge &draft = edges[i];
  model::Edge edge;
  edge.fromPort = draft.fromPort;
  edge.toPort = draft.toPort;
  edge.kind = draft.kind;
  if (draft.type)
    edge.type = tensorType(draft.type, draft.value);
  if (auto wait = dyn_cast_or_null<block::WaitEventOp>(draft.wait))
    edge.label =
        (wait.getFrom() + "→" + wait.getTo() + " #" + Twine(wait.getId()))
            .str();
  return edge;
}

SmallVector<Value> writtenBuffers(Operation *op) {
  SmallVector<Value> written;
  if (block::isInstruction(op)) {
    llvm::append_range(written, block::accessesOf(op).writes);
  } else if (auto dispatch = dyn_cast<block::DispatchOp>(op)) {
    for (auto [i, buffer] : llvm::enumerate(dispatch.getBuffers()))
      if (accessMode(dispatch, i) != block::AccessMode::Read)
        written.push_back(buffer);
  }
  return written;
}

block::AccessMode accessMode(block::DispatchOp dispatch, size_t i) {
  auto accesses = dispatch.getAccess();
  return accesses ? cast<block::AccessAttr>((*accesses)[i]).getMode()
                  : block::AccessMode::ReadWrite;
}

} // namespace tilewright::inspect
