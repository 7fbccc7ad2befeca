//===- FormScopes.cpp - group operations into kernel families -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/FormScopes.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/pass/tile/AttentionScope.h"
#include "core/pass/tile/FoldViews.h"
#include "core/pass/tile/ScopeSpace.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tilewright::pass {
namespace {

/// Operations that will be one scope. Ids are indices in `Grouping::groups`;
/// a group that was merged away is empty and points to the one that has it.
struct Group {
  SmallVector<unsigned> ops; ///< positions in the function, ascending
  ScopeSpace space;
  bool attention = false; ///< two matmuls around a softmax
};

class Grouping {
public:
  Grouping(Block &block, const target::Target &target) : block(block) {
    for (Operation &op : block)
      position[&op] = ops.size(), ops.push_back(&op);
    groupOf.assign(ops.size(), none);
    const target::Placement *matmul = target.placement("matmul");
    const target::Placement *vector = target.placement("elementwise");
    fusesEpilogue = matmul && vector && matmul->core == vector->core;
    if (vector)
      rowBudget = target.usableBytes(vector->result.front().level);
  }

  /// The groups in an order in which each follows those it reads.
  SmallVector<Group> run() {
    formAttentions();
    for (unsigned i = 0; i < ops.size(); ++i) {
      if (groupOf[i] != none)
        continue;
      std::optional<ScopeSpace> space = spaceOf(ops[i]);
      if (!space)
        continue;
      unsigned id = groups.size();
      groups.push_back({{i}, *space});
      groupOf[i] = id;
      joinProducers(i);
    }
    return inOrder();
  }

private:
  static constexpr unsigned none = ~0u;
  /// Longer chains are cut: kernels stay of a size that compiles fast and that
  /// a person can read.
  static constexpr size_t maxOps = 256;

  /// The group that computes `value`, also if it is a view of what is computed;
  /// `none` if no group of this block does.
  unsigned groupMaking(Value value) {
    Operation *def = value.getDefiningOp();
    while (def && isView(def))
      def = def->getOperand(0).getDefiningOp();
    return def && def->getBlock() == &block ? groupOf[position[def]] : none;
  }

  /// Attentions are groups before anything else is.
  void formAttentions() {
    if (!fusesEpilogue)
      return;
    for (Operation *op : ops) {
      auto matmul = dyn_cast<tw::MatmulOp>(op);
      if (!matmul)
        continue;
      AttentionMatch match = matchAttention(matmul);
      if (!match.attention) {
        if (match.obstacle)
          match.obstacle->emitRemark()
              << "keeps two matmuls around a softmax from becoming one "
                 "attention: "
              << match.reason << " [TW0330]";
        continue;
      }
      if (llvm::any_of(match.attention->ops, [&](Operation *each) {
            return groupOf[position[each]] != none;
          }))
        continue;
      Group group;
      for (Operation *each : match.attention->ops) {
        group.ops.push_back(position[each]);
        groupOf[position[each]] = groups.size();
      }
      group.space = attentionSpace(*match.attention);
      group.attention = true;
      groups.push_back(std::move(group));
    }
  }

  void joinProducers(unsigned i) {
    // The nearest producer first: a chain goes on where it left off.
    SmallVector<unsigned> candidates;
    for (Value operand : ops[i]->getOperands())
      if (unsigned producer = groupMaking(operand); producer != none)
        candidates.push_back(producer);
    llvm::sort(candidates, std::greater<>());
    candidates.erase(llvm::unique(candidates), candidates.end());
    for (unsigned candidate : candidates) {
      unsigned own = groupOf[i];
      if (candidate == own || groups[candidate].ops.empty() ||
          groups[candidate].ops.size() + groups[own].ops.size() > maxOps)
        continue;
      std::optional<ScopeSpace> joined =
          joinSpaces(groups[candidate].space, groups[own].space);
      if (!joined || !worthwhile(*joined) || makesCycle(candidate, own))
        continue;
      Group &into = groups[candidate], &from = groups[own];
      into.space = *joined;
      SmallVector<unsigned> merged;
      std::merge(into.ops.begin(), into.ops.end(), from.ops.begin(),
                 from.ops.end(), std::back_inserter(merged));
      for (unsigned op : from.ops)
        groupOf[op] = candidate;
      into.ops = std::move(merged);
      from.ops.clear();
    }
  }

  /// Whether tiles of the joined space fit and leave something to compute side
  /// by side.
  bool worthwhile(const ScopeSpace &space) const {
    if (space.kind == OpRole::Matmul)
      return fusesEpilogue;
    int64_t whole = space.wholePoints();
    if (ShapedType::isDynamic(whole))
      return space.free.any();
    // A row is held a few times over: operands, what is between, the result.
    constexpr int64_t copies = 3, elementBytes = 4;
    if (rowBudget && whole > rowBudget / (copies * elementBytes))
      return false;
    return space.free.any() || whole <= 4096;
  }

  /// Whether a path leads from one of the two groups to the other through a
  /// third.
  bool makesCycle(unsigned a, unsigned b) {
    unsigned first = std::min(groups[a].ops.front(), groups[b].ops.front());
    llvm::SmallSetVector<unsigned, 16> seen;
    SmallVector<unsigned> work;
    auto visitProducers = [&](unsigned group) {
      for (unsigned op : groups[group].ops)
        for (Value operand : ops[op]->getOperands()) {
          unsigned producer = groupMaking(operand);
          if (producer == none || producer == group ||
              groups[producer].ops.back() < first)
            continue;
          if (seen.insert(producer))
            work.push_back(producer);
        }
    };
    visitProducers(a);
    visitProducers(b);
    // Direct edges between the two are fine.
    work.clear();
    SmallVector<unsigned> direct(seen.begin(), seen.end());
    seen.clear();
    for (unsigned group : direct)
      if (group != a && group != b && seen.insert(group))
        work.push_back(group);
    while (!work.empty()) {
      unsigned group = work.pop_back_val();
      visitProducers(group);
      if (seen.contains(a) || seen.contains(b))
        return true;
    }
    return false;
  }

  /// Merging can put a group before one it reads; sorts by depth first search.
  SmallVector<Group> inOrder() {
    SmallVector<Group> result;
    SmallVector<uint8_t> state(groups.size(), 0);
    // Explicit stack: chains of groups can be long.
    SmallVector<std::pair<unsigned, bool>> stack;
    for (unsigned root = 0; root < groups.size(); ++root) {
      if (groups[root].ops.empty())
        continue;
      stack.push_back({root, false});
      while (!stack.empty()) {
        auto [group, done] = stack.pop_back_val();
        if (done) {
          result.push_back(groups[group]);
          continue;
        }
        if (state[group]++)
          continue;
        stack.push_back({group, true});
        for (unsigned op : llvm::reverse(groups[group].ops))
          for (Value operand : ops[op]->getOperands())
            if (unsigned producer = groupMaking(operand);
                producer != none && !state[producer])
              stack.push_back({producer, false});
      }
    }
    return result;
  }

public:
  SmallVector<Operation *> ops;

private:
  Block &block;
  llvm::DenseMap<Operation *, unsigned> position;
  SmallVector<unsigned> groupOf; ///< for each operation
  SmallVector<Group> groups;
  bool fusesEpilogue = false;
  int64_t rowBudget = 0;
};

/// Splits a key into what an instance binds and the part made of it:
/// "attention/p.row_max" -> "attention/p", ".row_max".
std::pair<StringRef, StringRef> splitKey(StringRef key) {
  size_t segment = key.rfind('/');
  size_t end =
      key.find_first_of(".:#", segment == StringRef::npos ? 0 : segment);
  if (end == StringRef::npos)
    return {key, {}};
  return {key.take_front(end), key.drop_front(end)};
}

/// Makes the keys of one scope relative, in order of first appearance.
class Bindings {
public:
  Location relative(Location loc) { return relative(loc, keysOf(loc)); }

  /// Of a value made again in many scopes, only what concerns this one: else
  /// equal scopes would differ by the keys of all others.
  Location relativeClone(Location loc) {
    SmallVector<StringRef> keys = keysOf(loc), own;
    for (StringRef key : keys)
      if (indices.count(splitKey(key).first))
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
      auto [base, part] = splitKey(key);
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

  LogicalResult outline(func::FuncOp func, Grouping &grouping,
                        const Group &group, Operation *insertBefore) {
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
    Block *body = scope->addEntryBlock();
    builder.setInsertionPointToStart(body);
    IRMapping mapping;
    for (auto [input, argument] : llvm::zip(inputs, body->getArguments())) {
      mapping.map(input, argument);
      argument.setLoc(UnknownLoc::get(context));
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
    for (auto [output, result] : llvm::zip(outputs, call.getResults()))
      output.replaceUsesWithIf(result, [&](OpOperand &use) {
        return !members.contains(use.getOwner());
      });
    return success();
  }

private:
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
    // The whole of it, as a slice: moves elements and computes nothing.
    auto slice = builder.create<tw::SliceOp>(
        ret.getLoc(), type, operand.get(),
        builder.getDenseI64ArrayAttr(offsets),
        builder.getDenseI64ArrayAttr(type.getShape()), nullptr);
    operand.set(slice);
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
  return success();
}

} // namespace

LogicalResult formScopes(ModuleOp module, const target::Target &target) {
  Outliner outliner(module);
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
    copyReturned(func);
    Grouping grouping(func.front(), target);
    SmallVector<Group> groups = grouping.run();
    // Calls go in front of the return, in an order that follows the data.
    Operation *terminator = func.front().getTerminator();
    for (const Group &group : groups)
      if (failed(outliner.outline(func, grouping, group, terminator)))
        return failure();
    // Nothing refers to the outlined operations any more but each other.
    for (const Group &group : llvm::reverse(groups))
      for (unsigned op : llvm::reverse(group.ops))
        grouping.ops[op]->dropAllUses();
    for (const Group &group : groups)
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
  return success();
}

namespace {
struct FormScopesPass : TargetPass<FormScopesPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FormScopesPass)
  using TargetPass::TargetPass;
  StringRef getArgument() const override { return "form-scopes"; }
  StringRef getDescription() const override {
    return "group tensor operations into scopes, one kernel family each";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<func::FuncDialect, tile::TileDialect, tw::TensorDialect>();
  }
  void runOnOperation() override {
    if (failed(formScopes(getOperation(), *machine)))
      signalPassFailure();
  }
};
} // namespace

std::unique_ptr<Pass> createFormScopesPass(TargetPtr target) {
  return std::make_unique<FormScopesPass>(std::move(target));
}

} // namespace tilewright::pass
