//===- FormScopes.cpp - group operations into kernel families -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/FormScopes.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/dialect/Weights.h"
#include "core/pass/tile/AttentionMask.h"
#include "core/pass/tile/AttentionScope.h"
#include "core/pass/tile/CoreChoice.h"
#include "core/pass/tile/FoldViews.h"
#include "core/pass/tile/MergeHeads.h"
#include "core/pass/tile/ScopeGroups.h"
#include "core/pass/tile/SplitDepths.h"
#include "core/pass/tile/StageAttention.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include <fstream>

using namespace mlir;

namespace tilewright::pass {
namespace {

/// Makes the keys of one scope relative, in order of first appearance.
class Bindings {
public:
  Location relative(Location loc) { return relative(loc, keysOf(loc)); }

  /// Of a value made again in many scopes, only what concerns this one: else
  /// equal scopes would differ by the keys of all others.
  Location relativeClone(Location loc) {
    SmallVector<StringRef> keys = keysOf(loc), own;
    for (StringRef key : keys)
      if (indices.count(baseKey(key)))
        own.push_back(key);
    if (own.empty() && !keys.empty())
      own.push_back(keys.front());
    return relative(loc, own);
  }

  ArrayAttr attribute(MLIRContext *context) {
    SmallVector<Attribute> names;
    for (auto &[key, index] : indices)
      names.push_back(StringAttr::get(context, key));
    return ArrayAttr::get(context, names);
  }

private:
  Location relative(Location loc, ArrayRef<StringRef> keys) {
    MLIRContext *context = loc.getContext();
    SmallVector<Location> parts;
    for (StringRef key : keys) {
      StringRef base = baseKey(key), part = key.drop_front(base.size());
      auto index =
          indices.insert({base, unsigned(indices.size())}).first->second;
      parts.push_back(withKey(UnknownLoc::get(context),
                              "$" + std::to_string(index) + part.str()));
    }
    if (parts.empty())
      return UnknownLoc::get(context);
    return fuseKeys(context, parts);
  }

  llvm::MapVector<StringRef, unsigned> indices;
};

class Outliner {
public:
  Outliner(ModuleOp module) : module(module), symbols(module) {}

  LogicalResult outline(func::FuncOp func, const ScopeGroups &grouping,
                        const ScopeGroup &group, Operation *insertBefore) {
    MLIRContext *context = module.getContext();
    llvm::SmallPtrSet<Operation *, 16> members;
    for (unsigned op : group.ops)
      members.insert(grouping.ops[op]);

    // Cheap values and views are made again inside; their own operands may
    // come along.
    llvm::SetVector<Operation *> cloned;
    llvm::SetVector<Value> inputs;
    std::function<void(Operation *)> collect = [&](Operation *op) {
      for (Value operand : op->getOperands()) {
        Operation *def = operand.getDefiningOp();
        if (def && members.contains(def))
          continue;
        if (def && (roleOf(def) == OpRole::Fill || isView(def) ||
                    (def->hasTrait<OpTrait::ConstantLike>() &&
                     !isa<TensorType>(operand.getType())))) {
          if (!cloned.contains(def)) {
            collect(def);
            cloned.insert(def);
          }
          continue;
        }
        inputs.insert(operand);
      }
    };
    for (unsigned op : group.ops)
      collect(grouping.ops[op]);

    SmallVector<Value> outputs;
    for (unsigned op : group.ops)
      for (Value result : grouping.ops[op]->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !members.contains(user);
            }))
          outputs.push_back(result);

    Bindings bindings;
    Operation *root = group.space.root;
    bindings.relative(root->getLoc()); // `$0` is the root's key
    for (unsigned op : group.ops)
      bindings.relative(grouping.ops[op]->getLoc());

    OpBuilder builder(context);
    SmallVector<Type> resultTypes = llvm::to_vector(
        llvm::map_range(outputs, [](Value v) { return v.getType(); }));
    auto type = builder.getFunctionType(
        llvm::to_vector(
            llvm::map_range(inputs, [](Value v) { return v.getType(); })),
        resultTypes);
    OwningOpRef<func::FuncOp> scope =
        func::FuncOp::create(bindings.relative(root->getLoc()), "scope", type);
    scope->setPrivate();
    scope.get()->setAttr(tile::scopeAttrName, builder.getUnitAttr());
    if (group.attention)
      scope.get()->setAttr(attentionAttrName, builder.getUnitAttr());
    if (group.visibleKeys)
      scope.get()->setAttr(visibleKeysAttrName,
                           toAttribute(*group.visibleKeys, context));
    Block *body = scope->addEntryBlock();
    builder.setInsertionPointToStart(body);
    IRMapping mapping;
    for (auto [input, argument] : llvm::zip(inputs, body->getArguments())) {
      mapping.map(input, argument);
      argument.setLoc(UnknownLoc::get(context));
      if (isWeight(func, input))
        scope->setArgAttr(argument.getArgNumber(), weightAttrName,
                          builder.getUnitAttr());
    }
    for (Operation *op : cloned) {
      Operation *clone = builder.clone(*op, mapping);
      clone->setLoc(bindings.relativeClone(op->getLoc()));
    }
    for (unsigned op : group.ops)
      builder.clone(*grouping.ops[op], mapping)->walk([&](Operation *inner) {
        inner->setLoc(bindings.relative(inner->getLoc()));
      });
    SmallVector<Value> returned;
    for (Value output : outputs)
      returned.push_back(mapping.lookup(output));
    builder.create<func::ReturnOp>(scope->getLoc(), returned);
    if (group.attention)
      mergeHeads(scope.get());
    repairKeys(scope.get());

    func::FuncOp callee = shared(func, root, std::move(scope));
    builder.setInsertionPoint(insertBefore);
    // The keys of what comes out first: they name the results.
    SmallVector<Location> locs;
    for (Value output : outputs)
      locs.push_back(output.getLoc());
    for (unsigned op : group.ops)
      locs.push_back(grouping.ops[op]->getLoc());
    auto call = builder.create<func::CallOp>(fuseKeys(context, locs),
                                             callee.getSymName(), resultTypes,
                                             inputs.getArrayRef());
    call->setAttr(tile::bindingsAttrName, bindings.attribute(context));
    // The call's location is that of all it does.
    if (outputs.size() > 1) {
      SmallVector<std::string> keys;
      for (Value output : outputs) {
        auto result = cast<OpResult>(output);
        keys.push_back(primaryKey(result.getOwner()).str());
        if (unsigned number = result.getResultNumber())
          keys.back() += ":" + std::to_string(number);
      }
      call->setAttr(tile::resultsAttrName,
                    builder.getStrArrayAttr(
                        SmallVector<StringRef>(keys.begin(), keys.end())));
    }
    for (auto [output, result] : llvm::zip(outputs, call.getResults()))
      output.replaceUsesWithIf(result, [&](OpOperand &use) {
        return !members.contains(use.getOwner());
      });
    return success();
  }

private:
  static bool isWeight(func::FuncOp func, Value input) {
    if (auto argument = dyn_cast<BlockArgument>(input))
      return argument.getOwner() == &func.front() &&
             func.getArgAttr(argument.getArgNumber(), weightAttrName);
    return input.getDefiningOp()->hasTrait<OpTrait::ConstantLike>();
  }

  /// The function that `scope` is equal to, or `scope` under a name of its own.
  func::FuncOp shared(func::FuncOp func, Operation *root,
                      OwningOpRef<func::FuncOp> scope) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    OpPrintingFlags flags;
    flags.enableDebugInfo(true, false).useLocalScope();
    scope->print(stream, flags);
    auto [entry, isNew] = bodies.try_emplace(text);
    if (!isNew)
      return entry->second;

    StringRef key = primaryKey(root);
    auto [prefix, name] = key.rsplit('/');
    std::string symbol = func.getSymName().str() + ".";
    if (key.empty())
      symbol += root->getName().stripDialect();
    else if (key.starts_with(func.getSymName().str() + "/"))
      symbol = key.str();
    else
      symbol += (name.empty() ? prefix : name).str();
    std::replace(symbol.begin(), symbol.end(), '/', '.');
    scope->setSymName(symbol);
    func::FuncOp op = scope.release();
    symbols.insert(op); // renames on a clash
    entry->second = op;
    return op;
  }

  ModuleOp module;
  SymbolTable symbols;
  llvm::StringMap<func::FuncOp> bodies;
};

/// A returned value that no scope made (an argument, a constant, a value
/// returned twice) needs a copy into the buffer of its own.
void copyReturned(func::FuncOp func) {
  auto ret = cast<func::ReturnOp>(func.front().getTerminator());
  llvm::SmallPtrSet<Value, 4> seen;
  OpBuilder builder(ret);
  for (OpOperand &operand : ret->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    Operation *def = operand.get().getDefiningOp();
    bool made =
        def && roleOf(def) != OpRole::None && roleOf(def) != OpRole::Fill;
    if (seen.insert(operand.get()).second && made)
      continue;
    SmallVector<int64_t> offsets(type.getRank(), 0);
    // The whole of it, as a slice: moves elements and computes nothing. Each
    // copy has a key of its own: they hold other values.
    std::string part = "result" + std::to_string(operand.getOperandNumber());
    auto slice = builder.create<tw::SliceOp>(
        keyPart(ret.getLoc(), part), type, operand.get(),
        builder.getDenseI64ArrayAttr(offsets),
        builder.getDenseI64ArrayAttr(type.getShape()), nullptr);
    operand.set(slice);
  }
}

/// A matrix unit with memories of its own takes its operands from global
/// memory only: what is the same everywhere has to be written there first.
void writeFilledOperands(func::FuncOp func, const target::Target &target) {
  const target::Placement *placement = target.placement("matmul");
  if (!placement || placement->result.empty() ||
      target.isCache(placement->result.front().level))
    return;
  OpBuilder builder(func.getContext());
  for (auto matmul : llvm::to_vector(func.front().getOps<tw::MatmulOp>()))
    for (unsigned i : {0u, 1u}) {
      Value operand = matmul->getOperand(i);
      Operation *def = operand.getDefiningOp();
      if (!def || roleOf(def) != OpRole::Fill)
        continue;
      auto type = cast<RankedTensorType>(operand.getType());
      SmallVector<int64_t> offsets(type.getRank(), 0);
      builder.setInsertionPoint(matmul);
      auto slice = builder.create<tw::SliceOp>(
          keyPart(matmul.getLoc(), i ? "rhs" : "lhs"), type, operand,
          builder.getDenseI64ArrayAttr(offsets),
          builder.getDenseI64ArrayAttr(type.getShape()), nullptr);
      matmul->setOperand(i, slice);
    }
}

LogicalResult checkFunction(func::FuncOp func) {
  if (!func.getBody().hasOneBlock())
    return func.emitError() << "has several blocks; operators are one straight "
                               "list of tensor operations [TW0303]";
  for (Operation &op : func.front()) {
    if (op.getNumRegions() && !isa<linalg::LinalgOp>(op))
      return op.emitError()
             << "has a region; control flow is not compiled yet, "
                "write the operations out [TW0303]";
    if (isa<func::CallOp>(op))
      return op.emitError() << "calls a function; put its operations here "
                               "instead [TW0303]";
    for (Type type : op.getResultTypes())
      if (isa<UnrankedTensorType>(type))
        return op.emitError() << "makes a tensor of unknown rank [TW0303]";
  }
  for (BlockArgument argument : func.getArguments()) {
    if (argument.use_empty() || isa<ShapedType, IndexType>(argument.getType()))
      continue;
    std::string type = debugString(argument.getType());
    return emitError(argument.getLoc())
           << "is a number of type " << type
           << ", and kernels are given tensors only: make it tensor<" << type
           << "> and take the number with tensor.extract [TW0303]";
  }
  return success();
}

} // namespace

FailureOr<FormedScopes> formScopes(ModuleOp module,
                                   const target::Target &target,
                                   const decision::PinsFile &pins,
                                   const decision::MissingKey &missing) {
  Outliner outliner(module);
  FormedScopes result;
  for (auto func : llvm::to_vector(module.getOps<func::FuncOp>())) {
    if (func.isExternal() || func->hasAttr(tile::scopeAttrName))
      continue;
    // Outlined before: nothing is left to group.
    if (llvm::any_of(func.front(), [](Operation &op) {
          return op.hasAttr(tile::bindingsAttrName);
        }))
      continue;
    if (failed(checkFunction(func)))
      return failure();
    CoreChoice cores(func, target, pins);
    cores.obeyPins();
    copyReturned(func);
    writeFilledOperands(func, target);
    DepthSplits splits = splitDepths(func, target, pins);
    llvm::append_range(result.decisions, splits.decisions);
    llvm::append_range(result.diagnostics, splits.diagnostics);
    stageAttentions(func, target);
    ScopeGroups grouping = groupOperations(func.front(), target, pins);
    llvm::append_range(result.decisions, grouping.decisions);
    llvm::append_range(result.diagnostics, grouping.diagnostics);
    result.usedPins.insert(grouping.usedPins.begin(), grouping.usedPins.end());
    cores.tell(grouping);
    llvm::append_range(result.decisions, cores.decisions);
    llvm::append_range(result.diagnostics, cores.diagnostics);
    result.usedPins.insert(cores.usedPins.begin(), cores.usedPins.end());
    // Calls go in front of the return, in an order that follows the data.
    Operation *terminator = func.front().getTerminator();
    for (const ScopeGroup &group : grouping.groups)
      if (failed(outliner.outline(func, grouping, group, terminator)))
        return failure();
    // Nothing refers to the outlined operations any more but each other.
    for (const ScopeGroup &group : llvm::reverse(grouping.groups))
      for (unsigned op : llvm::reverse(group.ops))
        grouping.ops[op]->dropAllUses();
    for (const ScopeGroup &group : grouping.groups)
      for (unsigned op : group.ops)
        grouping.ops[op]->erase();
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(func.front())))
      if (op.use_empty() && (roleOf(&op) == OpRole::Fill ||
                             isa<tw::ReshapeOp, tw::TransposeOp>(op)))
        op.erase(); // was made again in every scope that uses it
    // Index arithmetic on sizes of results now stands before their calls.
    if (!sortTopologically(&func.front()))
      return func.emitError() << "sizes depend on results in a circle once "
                                 "operations are grouped [TW0303]";
    repairKeys(func);
  }
  for (const model::Pin &pin : pins.pins) {
    if ((pin.kind != "scope" && pin.kind != "core") ||
        result.usedPins.count(&pin) ||
        !decision::matchesGlob(pin.target, target.name))
      continue;
    result.diagnostics.push_back(decision::missingKeyReport(
        pin, pin.kind + " pin of " + pin.key, missing));
  }
  return result;
}

namespace {
struct FormScopesPass : TargetPass<FormScopesPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FormScopesPass)
  using TargetPass::TargetPass;
  FormScopesPass() = default;
  FormScopesPass(const FormScopesPass &other) : TargetPass(other) {}
  StringRef getArgument() const override { return "form-scopes"; }
  StringRef getDescription() const override {
    return "group tensor operations into scopes, one kernel family each";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<func::FuncDialect, tile::TileDialect, tw::TensorDialect>();
  }
  void runOnOperation() override {
    decision::PinsFile pins;
    if (!pinsPath.empty()) {
      std::ifstream file(pinsPath);
      std::string text((std::istreambuf_iterator<char>(file)), {});
      model::Diagnostic problem;
      std::optional<decision::PinsFile> read =
          decision::PinsFile::parse(text, problem);
      if (!read) {
        getOperation().emitError()
            << problem.message << " [" << problem.code << "]";
        return signalPassFailure();
      }
      pins = *read;
    }
    FailureOr<FormedScopes> formed = formScopes(getOperation(), *machine, pins);
    if (failed(formed))
      return signalPassFailure();
    for (const model::Diagnostic &diagnostic : formed->diagnostics)
      getOperation().emitWarning()
          << diagnostic.message << " [" << diagnostic.code << "]";
    if (!remarks)
      return;
    for (const model::Decision &decision : formed->decisions) {
      mlir::emitRemark(getOperation().getLoc())
          << decision.key << ": " << decision.reason;
      for (const model::Alternative &other : decision.weighed)
        mlir::emitRemark(getOperation().getLoc()) << other.reason;
    }
  }

  Option<std::string> pinsPath{*this, "pins",
                               llvm::cl::desc("path of a pins file")};
  Option<bool> remarks{*this, "remarks",
                       llvm::cl::desc("say what was not fused and why")};
};
} // namespace

std::unique_ptr<Pass> createFormScopesPass(TargetPtr target) {
  return std::make_unique<FormScopesPass>(std::move(target));
}

} // namespace tilewright::pass
