//===- ScopeGroups.cpp - which operations are one scope -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/ScopeGroups.h"
#include "core/decision/DefaultTiles.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/pass/tile/AttentionMask.h"
#include "core/pass/tile/AttentionScope.h"
#include "core/pass/tile/CoreChoice.h"
#include "core/pass/tile/FoldViews.h"
#include "core/pass/tile/ScopeCost.h"
#include "core/pass/tile/ScopeProblem.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <cstdio>
#include <set>
#include <utility>

using namespace mlir;

namespace tilewright::pass {

StringRef baseKey(StringRef key) {
  size_t segment = key.rfind('/');
  return key.take_front(
      key.find_first_of(".:#", segment == StringRef::npos ? 0 : segment));
}

namespace {

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") +
            (ShapedType::isDynamic(size) ? "?" : std::to_string(size));
  return text.empty() ? "one element" : text;
}

std::string timeText(double seconds) {
  char text[32];
  if (seconds < 1e-3)
    std::snprintf(text, sizeof text, "%.1f us", seconds * 1e6);
  else
    std::snprintf(text, sizeof text, "%.2f ms", seconds * 1e3);
  return text;
}

std::string nameOf(Operation *op) {
  StringRef key = primaryKey(op);
  return key.empty() ? op->getName().stripDialect().str() : key.str();
}

class Grouper {
public:
  Grouper(Block &block, const target::Target &target,
          const decision::PinsFile &pins)
      : block(block), target(target), pins(pins), cost(target) {
    for (Operation &op : block)
      position[&op] = ops.size(), ops.push_back(&op);
    groupOf.assign(ops.size(), none);
    const target::Placement *matmul = target.placement("matmul");
    const target::Placement *vector = target.placement("elementwise");
    if (matmul)
      matmulCore = matmul->core;
    if (vector) {
      vectorCore = vector->core;
      rowLevel = vector->result.front().level;
      rowBudget = target.usableBytes(rowLevel);
    }
    for (const model::Pin &pin : pins.pins) {
      anyPins |= pin.kind == "scope";
      anyCorePins |= pin.kind == "core";
    }
  }

  ScopeGroups run() {
    findAttentions();
    for (unsigned i = 0; i < ops.size(); ++i) {
      if (attentionOps.contains(i)) {
        if (auto it = attentions.find(i); it != attentions.end()) {
          addGroup(std::move(it->second));
          readPin(i);
        }
        continue;
      }
      std::optional<ScopeSpace> space = spaceOf(ops[i]);
      if (!space)
        continue;
      Group group;
      group.ops = {i};
      group.space = *space;
      addGroup(std::move(group));
      readPin(i);
      joinProducers(i);
      joinSiblings(i);
    }
    tryAgain();
    return finish();
  }

private:
  static constexpr unsigned none = ~0u;
  /// Longer chains are cut: kernels stay of a size that compiles fast and that
  /// a person can read.
  static constexpr size_t maxOps = 256;
  /// One kernel that is estimated to take so much longer than two is still
  /// preferred: the estimate does not tell less apart (docs/performance.md:
  /// defaults are within some percent of the fastest), and one moves fewer
  /// bytes and starts once.
  static constexpr double closeCall = 1.05;
  /// Groups between two that would join.
  static constexpr unsigned maxDistance = 2048;

  struct Group {
    SmallVector<unsigned> ops; ///< empty once merged into another
    ScopeSpace space;
    double bytes = 0; ///< read from and written to global memory
    bool attention = false;
    std::optional<decision::KeyBand> visibleKeys;
    std::optional<double> seconds; ///< once asked for
  };

  /// Why two groups were not joined.
  struct Refusal {
    unsigned producer, consumer; ///< operations
    bool reads = false;          ///< what the producer makes
    bool legal = false;          ///< it would work, but not pay
    std::string reason;
    double bytes = 0; ///< that joining would have saved
  };

  struct Pinned {
    const model::Pin *pin = nullptr;
    bool apart = false; ///< from all
    SmallVector<std::string> apartFrom, fuse;
  };

  void addGroup(Group group) {
    unsigned id = groups.size();
    group.bytes = groupBytes(group.ops);
    for (unsigned op : group.ops)
      groupOf[op] = id;
    groups.push_back(std::move(group));
    rank.push_back(order.size());
    order.push_back(id);
  }

  /// Attentions are groups where their result is made; all of what they hold
  /// leads there and nowhere else.
  void findAttentions() {
    if (matmulCore != vectorCore || matmulCore.empty())
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
      Attention &found = *match.attention;
      if (llvm::any_of(found.ops,
                       [&](Operation *each) {
                         return attentionOps.contains(position[each]);
                       }) ||
          pinnedInParts(found))
        continue;
      Group group;
      for (Operation *each : found.ops) {
        group.ops.push_back(position[each]);
        attentionOps.insert(position[each]);
      }
      group.space = attentionSpace(found);
      group.attention = true;
      group.visibleKeys = visibleKeys(found);
      attentions[position[found.result.getDefiningOp()]] = std::move(group);
    }
  }

  /// Whether a person wants parts of an attention in kernels of their own.
  bool pinnedInParts(const Attention &found) {
    if (!anyPins)
      return false;
    bool apart = false;
    for (Operation *op : found.ops) {
      readPin(position[op]);
      auto it = pinned.find(position[op]);
      if (it == pinned.end())
        continue;
      apart |= it->second.apart;
      for (Operation *other : found.ops)
        apart |= other != op && names(it->second.apartFrom, position[other]);
    }
    return apart;
  }

  //===--------------------------------------------------------------------===//
  // Who may join
  //===--------------------------------------------------------------------===//

  /// What computes `value`, also if it is a view of what is computed.
  static Operation *throughViews(Value value) {
    Operation *def = value.getDefiningOp();
    while (def && isView(def))
      def = def->getOperand(0).getDefiningOp();
    return def;
  }

  /// The group that computes `value`; `none` if no group of this block does.
  unsigned groupMaking(Value value) {
    Operation *def = throughViews(value);
    return def && def->getBlock() == &block ? groupOf[position[def]] : none;
  }

  void joinProducers(unsigned i) {
    SmallVector<std::pair<bool, unsigned>> candidates;
    for (Value operand : ops[i]->getOperands())
      if (unsigned group = groupMaking(operand); group != none)
        candidates.push_back(
            {groups[group].space.kind == OpRole::Matmul, group});
    // Matmuls first, as small operations line up with them; then the nearest: a
    // chain goes on where it left off.
    llvm::sort(candidates, std::greater<>());
    candidates.erase(llvm::unique(candidates), candidates.end());
    for (auto [matmul, candidate] : candidates)
      if (candidate != groupOf[i] && !groups[candidate].ops.empty())
        tryJoin(candidate, groupOf[i], i, /*reads=*/true);
  }

  /// What did not pay for one operation may for it and those that it was joined
  /// with since.
  void tryAgain() {
    for (bool grew = true; grew;) {
      grew = false;
      std::vector<Refusal> before = std::exchange(refusals, {});
      for (Refusal &refusal : before) {
        unsigned producer = groupOf[refusal.producer],
                 consumer = groupOf[refusal.consumer];
        if (producer == consumer)
          continue;
        if (!refusal.legal)
          refusals.push_back(std::move(refusal));
        else
          grew |= tryJoin(producer, consumer, refusal.consumer, refusal.reads,
                          refusal.producer);
      }
    }
  }

  void joinSiblings(unsigned i) {
    Operation *op = ops[i];
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (!type || (operand.getDefiningOp() &&
                    roleOf(operand.getDefiningOp()) == OpRole::Fill))
        continue;
      SmallVector<unsigned, 4> &before = readers[operand];
      for (unsigned reader : llvm::reverse(before)) {
        unsigned other = groupOf[reader];
        if (other == groupOf[i] || !alike(ops[reader], op, type))
          continue;
        tryJoin(other, groupOf[i], i, /*reads=*/false, reader);
      }
      if (before.empty() || before.back() != i) {
        // The last few are enough: they have joined those before them.
        if (before.size() == 4)
          before.erase(before.begin());
        before.push_back(i);
      }
    }
  }

  /// Whether two operations go over `shared` in the same way, and all of it.
  static bool alike(Operation *a, Operation *b, RankedTensorType shared) {
    OpRole role = roleOf(a), other = roleOf(b);
    if (role == OpRole::Matmul || other == OpRole::Matmul)
      return areSiblings(a, b);
    auto whole = [&](Operation *op, OpRole kind) {
      return kind == OpRole::Reduction ||
             (kind == OpRole::Elementwise &&
              cast<RankedTensorType>(op->getResult(0).getType()).getShape() ==
                  shared.getShape());
    };
    return whole(a, role) && whole(b, other);
  }

  bool tryJoin(unsigned a, unsigned b, unsigned consumer, bool reads,
               unsigned reader = none) {
    if (rank[a] > rank[b])
      std::swap(a, b);
    Refusal refusal;
    refusal.consumer = consumer;
    refusal.reads = reads;
    refusal.producer =
        reads ? groups[groupOf[consumer] == a ? b : a].ops.front() : reader;
    if (reads)
      for (Value operand : ops[consumer]->getOperands())
        if (unsigned group = groupMaking(operand); group != none &&
                                                   group != groupOf[consumer] &&
                                                   (group == a || group == b))
          refusal.producer = position[throughViews(operand)];
    if (join(a, b, refusal))
      return true;
    refusals.push_back(std::move(refusal));
    return false;
  }

  bool join(unsigned a, unsigned b, Refusal &refusal) {
    Group &first = groups[a], &second = groups[b];
    if (first.ops.size() + second.ops.size() > maxOps) {
      refusal.reason = "kernels are cut at " + std::to_string(maxOps) +
                       " operations: these would be " +
                       std::to_string(first.ops.size() + second.ops.size());
      return false;
    }
    bool wanted = false;
    if (anyPins) {
      if (const model::Pin *pin = pinnedApart(a, b)) {
        refusal.reason = "pinned apart";
        refusal.legal = true;
        used.insert(pin);
        return false;
      }
      wanted = pinnedTogether(a, b);
    }
    if (anyCorePins && second.ops.size() == 1)
      wanted |= corePinOf(ops[second.ops.front()]) == matmulCore;
    Group joined;
    std::merge(first.ops.begin(), first.ops.end(), second.ops.begin(),
               second.ops.end(), std::back_inserter(joined.ops));
    SmallVector<Operation *> members;
    for (unsigned op : joined.ops)
      members.push_back(ops[op]);
    std::optional<ScopeSpace> space = legalSpace(a, b, members, refusal.reason);
    if (!space || !fitsOnChip(*space, members, refusal.reason) ||
        makesCycle(a, b, refusal.reason))
      return false;
    joined.space = *space;
    joined.bytes = groupBytes(joined.ops);
    double saved = first.bytes + second.bytes - joined.bytes;
    if (!wanted) {
      double apart = seconds(first) + seconds(second), one = seconds(joined);
      if (one > apart * closeCall) {
        refusal.legal = true;
        refusal.bytes = saved;
        refusal.reason =
            "one kernel would take " + timeText(one) + " instead of " +
            timeText(apart) + whySlower(first, second, joined, members) +
            ", though it saves " + decision::formatBytes(int64_t(saved)) +
            " of global memory traffic (estimated)";
        return false;
      }
    }
    merge(a, b, std::move(joined));
    return true;
  }

  std::string whySlower(const Group &first, const Group &second,
                        const Group &joined, ArrayRef<Operation *> members) {
    if (!operandPrologues(members).empty())
      return ": every tile that reads it would compute it again";
    double before = std::min(cost.tasks(first.space), cost.tasks(second.space));
    double after = cost.tasks(joined.space);
    double most = std::max(cost.tasks(first.space), cost.tasks(second.space));
    if (after <= before && after < most)
      return ": " + std::to_string(int64_t(after)) +
             " tiles side by side instead of " + std::to_string(int64_t(most));
    if (joined.space.matmuls > 1)
      return ": " + std::to_string(joined.space.matmuls) +
             " accumulators leave room for smaller tiles only";
    return {};
  }

  /// Whether an operation of type `Op` inside leads to `op` through others.
  template <typename Op>
  static bool computedFrom(Operation *op,
                           const llvm::SmallPtrSetImpl<Operation *> &inside) {
    llvm::SmallPtrSet<Operation *, 16> seen;
    SmallVector<Operation *> work = {op};
    while (!work.empty())
      for (Value operand : work.pop_back_val()->getOperands()) {
        Operation *def = operand.getDefiningOp();
        if (!def || !inside.contains(def) || !seen.insert(def).second)
          continue;
        if (isa<Op>(def))
          return true;
        work.push_back(def);
      }
    return false;
  }

  static SmallVector<Operation *> without(ArrayRef<Operation *> ops,
                                          ArrayRef<Operation *> others) {
    SmallVector<Operation *> rest;
    llvm::copy_if(ops, std::back_inserter(rest), [&](Operation *op) {
      return !llvm::is_contained(others, op);
    });
    return rest;
  }

  /// The space of two groups as one scope, or the reason there is none.
  std::optional<ScopeSpace> legalSpace(unsigned a, unsigned b,
                                       ArrayRef<Operation *> members,
                                       std::string &why) {
    const ScopeSpace &x = groups[a].space, &y = groups[b].space;
    auto mixed = [&](const ScopeSpace &space) {
      return space.kind == OpRole::Matmul;
    };
    for (unsigned group : {a, b})
      if (groups[group].attention) {
        why = nameOf(groups[group].space.root) +
              " is the end of an attention, whose kernel goes through the keys "
              "tile by tile";
        return std::nullopt;
      }
    for (const ScopeSpace *space : {&x, &y})
      if (space->kind == OpRole::Other) {
        why = space->root->getName().stripDialect().str() +
              " moves whole tensors and is a scope of its own";
        return std::nullopt;
      }
    if (mixed(x) != mixed(y) && matmulCore != vectorCore &&
        !storesCast(a, b, why)) {
      if (!why.empty())
        return std::nullopt;
      why = matmulCore + " and " + vectorCore +
            " cores differ: what a matmul makes reaches other operations "
            "through global memory";
      return std::nullopt;
    }
    llvm::SmallPtrSet<Operation *, 16> inside(members.begin(), members.end());
    for (Operation *op : members)
      for (Value operand : op->getOperands())
        if (Operation *view = operand.getDefiningOp();
            view && isView(view) && inside.contains(throughViews(operand))) {
          why = nameOf(op) + " reads it under another shape, as " +
                nameOf(view) + " names it";
          return std::nullopt;
        }
    SmallVector<Operation *> prologues;
    if (mixed(x) || mixed(y)) {
      prologues = operandPrologues(members);
      llvm::SmallPtrSet<Operation *, 16> before(prologues.begin(),
                                                prologues.end());
      for (Operation *op : members) {
        bool matmul = isa<tw::MatmulOp>(op);
        if (!matmul && !before.contains(op))
          continue;
        for (Value operand : op->getOperands()) {
          Operation *def = operand.getDefiningOp();
          if (!def || !inside.contains(def) || before.contains(def))
            continue;
          if (!matmul || roleOf(def) != OpRole::Elementwise ||
              computedFrom<tw::MatmulOp>(def, inside))
            why = "every tile of " + nameOf(op) +
                  " reads whole rows or columns of " + nameOf(def);
          else
            why = nameOf(def) + " is also read elsewhere, so that it is stored "
                                "anyway";
          return std::nullopt;
        }
      }
      // All of one group on the way into the other's matmul.
      for (unsigned group : {a, b})
        if (llvm::all_of(groups[group].ops,
                         [&](unsigned op) { return before.contains(ops[op]); }))
          return groups[group == a ? b : a].space;
    }
    bool reads = llvm::any_of(groups[b].ops, [&](unsigned op) {
      return llvm::any_of(ops[op]->getOperands(), [&](Value operand) {
        return groupMaking(operand) == a;
      });
    });
    std::optional<ScopeSpace> joined = joinSpaces(x, y, reads);
    if (!joined) {
      if (mixed(x) && mixed(y))
        why = "the matmuls differ in sizes, types or in how they read what "
              "they share";
      else if (mixed(x) != mixed(y) &&
               (x.kind == OpRole::Reduction || y.kind == OpRole::Reduction))
        why = "a reduction needs whole rows, of which a tile of the matmul has "
              "a part";
      else if (reads && x.drops)
        why = "the reduction drops its axes, so that its result does not lie "
              "along those of " +
              nameOf(y.root) + "; keepdims would do";
      else
        why = "tiles over " + shapeText(x.shape) + " and over " +
              shapeText(y.shape) +
              " do not serve each other: elements would be computed again";
      return std::nullopt;
    }
    Operation *obstacle = nullptr;
    if (failed(commonSpace(without(members, prologues), &obstacle))) {
      why = (obstacle ? nameOf(obstacle) : nameOf(y.root)) +
            " does not lie along the tiles of the others";
      return std::nullopt;
    }
    if (joined->recomputes)
      // Each tile makes the small values again, so that none can be stored.
      for (Operation *op : members)
        if (!llvm::is_contained(prologues, op) &&
            cast<RankedTensorType>(op->getResult(0).getType()).getShape() !=
                ArrayRef(joined->shape) &&
            !isa<tw::MatmulOp>(op) &&
            llvm::any_of(op->getUsers(), [&](Operation *user) {
              return !inside.contains(user);
            })) {
          why = nameOf(op) + " is also read elsewhere, and every tile would "
                             "compute and store it again";
          return std::nullopt;
        }
    return joined;
  }

  /// Whether `b` is no more than a conversion that the store of `a`'s matmul
  /// does; `why` not where that is all that hinders it.
  bool storesCast(unsigned a, unsigned b, std::string &why) const {
    if (groups[a].space.kind != OpRole::Matmul || groups[b].ops.size() != 1)
      return false;
    Operation *cast = ops[groups[b].ops.front()];
    std::string reason;
    if (!isStoredCast(cast, target, &reason)) {
      if (isa<tw::CastOp>(cast) &&
          cast->getOperand(0).getDefiningOp<tw::MatmulOp>())
        why = reason;
      return false;
    }
    if (corePinOf(cast) == vectorCore) {
      why = "pinned to " + vectorCore + " cores";
      return false;
    }
    return true;
  }

  /// The kind of core a person wants for `op`; empty if none is named.
  std::string corePinOf(Operation *op) const {
    if (!anyCorePins)
      return {};
    const model::Pin *pin =
        pins.find(baseKey(primaryKey(op)).str(), target.name, "core");
    return pin && pin->value.is_string() ? pin->value.get<std::string>()
                                         : std::string();
  }

  /// Whether a row of the space fits, if rows have to be whole.
  bool fitsOnChip(const ScopeSpace &space, ArrayRef<Operation *> members,
                  std::string &why) const {
    if (space.kind != OpRole::Reduction || reducesInOnePass(members, space))
      return true;
    int64_t whole = space.wholePoints();
    if (ShapedType::isDynamic(whole)) {
      if (!space.free.any())
        why = "all elements of a size only known at run time would have to be "
              "in one tile";
      return space.free.any();
    }
    // A row is held a few times over: operands, what is between, the result.
    constexpr int64_t copies = 3, elementBytes = 4;
    if (!rowBudget || whole <= rowBudget / (copies * elementBytes))
      return true;
    why = "a row of " + std::to_string(whole) + " elements, held " +
          std::to_string(copies) + " times, needs " +
          decision::formatBytes(whole * copies * elementBytes) + " of " +
          decision::formatBytes(rowBudget) + " of " + rowLevel;
    return false;
  }

  //===--------------------------------------------------------------------===//
  // Cost
  //===--------------------------------------------------------------------===//

  /// Bytes of what the operations read from others, each once, and of what
  /// others read of them.
  double groupBytes(ArrayRef<unsigned> members) const {
    llvm::SmallPtrSet<Operation *, 16> inside;
    for (unsigned op : members)
      inside.insert(ops[op]);
    llvm::SmallPtrSet<Value, 16> counted;
    double bytes = 0;
    for (unsigned op : members) {
      for (Value operand : ops[op]->getOperands()) {
        Operation *def = operand.getDefiningOp();
        if (!isa<RankedTensorType>(operand.getType()) ||
            (def && (inside.contains(def) || roleOf(def) == OpRole::Fill)) ||
            !counted.insert(operand).second)
          continue;
        bytes += tensorBytes(operand);
      }
      for (Value result : ops[op]->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !inside.contains(user);
            }))
          bytes += tensorBytes(result);
    }
    return bytes;
  }

  /// Of the kernel that a group alone would become, with the tiles that are
  /// the fastest by the estimate; what no tiles can compute takes forever.
  double seconds(Group &group) {
    if (group.seconds)
      return *group.seconds;
    SmallVector<Operation *> members;
    for (unsigned op : group.ops)
      members.push_back(ops[op]);
    if (group.attention) {
      // Its steps are not laid out yet.
      double compute = 0;
      for (Operation *op : members)
        compute += cost.computeSeconds(op);
      group.seconds = cost.seconds(group.space.kind, compute, group.bytes,
                                   cost.tasks(group.space));
      return *group.seconds;
    }
    ScopeBody body;
    body.space = group.space;
    body.prologues = operandPrologues(members);
    body.ops = without(members, body.prologues);
    double found = decision::defaultTiles(problemOf(body, ""), target).seconds;
    group.seconds = found > 0 ? found : 1e9;
    return *group.seconds;
  }

  //===--------------------------------------------------------------------===//
  // The order of groups
  //===--------------------------------------------------------------------===//

  template <typename Visit> void visitProducers(unsigned group, Visit visit) {
    for (unsigned op : groups[group].ops)
      for (Value operand : ops[op]->getOperands()) {
        unsigned producer = groupMaking(operand);
        if (producer != none && producer != group)
          visit(producer);
      }
  }

  /// Whether a path leads from `a` to `b`, which stands behind it, through a
  /// third. Leaves the groups between them that lead to `b` in `between`.
  bool makesCycle(unsigned a, unsigned b, std::string &why) {
    between.clear();
    if (rank[b] - rank[a] > maxDistance) {
      why = "more than " + std::to_string(maxDistance) +
            " scopes lie between them";
      return true;
    }
    SmallVector<unsigned> work = {b};
    unsigned through = none;
    while (!work.empty()) {
      unsigned group = work.pop_back_val();
      visitProducers(group, [&](unsigned producer) {
        if (producer == a && group != b)
          through = group;
        if (rank[producer] > rank[a] && between.insert(producer).second)
          work.push_back(producer);
      });
      if (through != none) {
        why = "would make a circle: " + nameOf(groups[through].space.root) +
              " reads the one and is needed by the other";
        return true;
      }
    }
    return false;
  }

  /// `a` takes in `b`. What leads to `b` moves in front of them both.
  void merge(unsigned a, unsigned b, Group joined) {
    unsigned begin = rank[a], end = rank[b];
    SmallVector<unsigned> before, after;
    for (unsigned at = begin + 1; at < end; ++at)
      if (order[at] != none)
        (between.count(order[at]) ? before : after).push_back(order[at]);
    unsigned at = begin;
    auto place = [&](unsigned group) {
      order[at] = group;
      rank[group] = at++;
    };
    for (unsigned group : before)
      place(group);
    place(a);
    for (unsigned group : after)
      place(group);
    for (; at <= end; ++at)
      order[at] = none;
    while (order.back() == none)
      order.pop_back();
    for (unsigned op : groups[b].ops)
      groupOf[op] = a;
    groups[a] = std::move(joined);
    groups[b].ops.clear();
  }

  //===--------------------------------------------------------------------===//
  // Pins
  //===--------------------------------------------------------------------===//

  void readPin(unsigned i) {
    if (!anyPins)
      return;
    StringRef key = baseKey(primaryKey(ops[i]));
    const model::Pin *pin = pins.find(key.str(), target.name, "scope");
    if (!pin)
      return;
    Pinned entry;
    entry.pin = pin;
    auto names = [](const nlohmann::json &value, SmallVector<std::string> &to) {
      if (value.is_string())
        to.push_back(value.get<std::string>());
      else if (value.is_array())
        for (const nlohmann::json &each : value)
          if (each.is_string())
            to.push_back(each.get<std::string>());
    };
    if (pin->value.is_object()) {
      if (auto it = pin->value.find("apart"); it != pin->value.end()) {
        entry.apart = it->is_boolean() && it->get<bool>();
        names(*it, entry.apartFrom);
      }
      if (auto it = pin->value.find("fuse"); it != pin->value.end())
        names(*it, entry.fuse);
    }
    used.insert(pin);
    if (!entry.apart && entry.apartFrom.empty() && entry.fuse.empty()) {
      if (reported.insert(pin).second) {
        model::Diagnostic problem;
        problem.code = "TW0212";
        problem.severity = model::Severity::Warning;
        problem.key = key.str();
        problem.message =
            "scope pin of " + pin->key +
            " says neither what to fuse nor what to keep apart: " +
            pin->value.dump().substr(0, 80);
        problem.hint = "write {\"fuse\": [\"KEY\"]}, {\"apart\": [\"KEY\"]} "
                       "or {\"apart\": true}";
        diagnostics.push_back(std::move(problem));
      }
      return;
    }
    pinned[i] = std::move(entry);
  }

  bool names(ArrayRef<std::string> globs, unsigned op) const {
    StringRef key = baseKey(primaryKey(ops[op]));
    return llvm::any_of(globs, [&](const std::string &glob) {
      return decision::matchesGlob(glob, key.str());
    });
  }

  const model::Pin *pinnedApart(unsigned a, unsigned b) const {
    for (auto [from, to] : {std::pair(a, b), std::pair(b, a)})
      for (unsigned op : groups[from].ops) {
        auto it = pinned.find(op);
        if (it == pinned.end())
          continue;
        StringRef own = baseKey(primaryKey(ops[op]));
        for (unsigned other : groups[to].ops)
          if (baseKey(primaryKey(ops[other])) != own &&
              (it->second.apart || names(it->second.apartFrom, other)))
            return it->second.pin;
      }
    return nullptr;
  }

  bool pinnedTogether(unsigned a, unsigned b) const {
    for (auto [from, to] : {std::pair(a, b), std::pair(b, a)})
      for (unsigned op : groups[from].ops)
        if (auto it = pinned.find(op); it != pinned.end())
          for (unsigned other : groups[to].ops)
            if (names(it->second.fuse, other))
              return true;
    return false;
  }

  /// Whether what the pin of `op` asks for has come true: all that it names and
  /// that there is. What names nobody asks for nothing.
  bool isObeyed(unsigned op) const {
    const Pinned &entry = pinned.find(op)->second;
    StringRef own = baseKey(primaryKey(ops[op]));
    bool any = entry.apart;
    for (unsigned other = 0; other < ops.size(); ++other) {
      if (groupOf[other] == none || baseKey(primaryKey(ops[other])) == own)
        continue;
      bool together = groupOf[other] == groupOf[op];
      bool fuse = names(entry.fuse, other);
      if (!fuse && !names(entry.apartFrom, other))
        continue;
      if (together != fuse)
        return false;
      any = true;
    }
    return any;
  }

  void reportPins(ArrayRef<const Refusal *> kept) {
    for (auto &[op, entry] : pinned) {
      if (entry.fuse.empty() || reported.count(entry.pin))
        continue;
      for (unsigned other = 0; other < ops.size(); ++other) {
        if (groupOf[other] == none || groupOf[other] == groupOf[op] ||
            !names(entry.fuse, other) ||
            baseKey(primaryKey(ops[other])) == baseKey(primaryKey(ops[op])))
          continue;
        std::string why = "neither reads what the other makes or reads";
        for (const Refusal *refusal : kept) {
          unsigned x = groupOf[refusal->producer],
                   y = groupOf[refusal->consumer];
          if (std::minmax(x, y) == std::minmax(groupOf[op], groupOf[other]))
            why = refusal->reason;
        }
        model::Diagnostic problem;
        problem.code = "TW0213";
        problem.severity = model::Severity::Warning;
        problem.key = baseKey(primaryKey(ops[op])).str();
        problem.message = "scope pin of " + entry.pin->key +
                          " is not obeyed: " + problem.key + " and " +
                          baseKey(primaryKey(ops[other])).str() +
                          " are not fused: " + why;
        reported.insert(entry.pin);
        diagnostics.push_back(std::move(problem));
        break;
      }
    }
  }

  //===--------------------------------------------------------------------===//
  // What came out
  //===--------------------------------------------------------------------===//

  std::vector<std::string> keysIn(const Group &group) const {
    std::vector<std::string> keys;
    std::set<StringRef> seen;
    for (unsigned op : group.ops)
      for (StringRef key : keysOf(ops[op]))
        if (seen.insert(baseKey(key)).second)
          keys.push_back(baseKey(key).str());
    return keys;
  }

  ScopeGroups finish() {
    // The last word on each pair of groups.
    llvm::MapVector<std::pair<unsigned, unsigned>, const Refusal *> last;
    for (const Refusal &refusal : refusals) {
      unsigned x = groupOf[refusal.producer], y = groupOf[refusal.consumer];
      if (x != y)
        last[std::minmax(x, y)] = &refusal;
    }
    SmallVector<const Refusal *> kept;
    std::vector<SmallVector<const Refusal *>> ofGroup(groups.size());
    for (auto &[pair, refusal] : last) {
      kept.push_back(refusal);
      ofGroup[groupOf[refusal->consumer]].push_back(refusal);
    }
    if (anyPins)
      reportPins(kept);

    ScopeGroups result;
    for (unsigned id : order) {
      if (id == none)
        continue;
      Group &group = groups[id];
      // What is alone says so where a person asked for it.
      if (group.ops.size() > 1 || !ofGroup[id].empty() ||
          (pinned.contains(group.ops.front()) && isObeyed(group.ops.front())))
        result.decisions.push_back(decide(group, ofGroup[id]));
      result.groups.push_back(
          {group.ops, group.space, group.attention, group.visibleKeys});
    }
    result.ops = std::move(ops);
    result.diagnostics = std::move(diagnostics);
    result.usedPins.assign(used.begin(), used.end());
    return result;
  }

  model::Decision decide(const Group &group,
                         ArrayRef<const Refusal *> refused) const {
    model::Decision decision;
    decision.key = primaryKey(group.space.root).str();
    decision.target = target.name;
    decision.kind = "scope";
    decision.value = {{"fused", keysIn(group)}};
    if (group.ops.size() == 1) {
      decision.reason = "alone in its kernel";
    } else {
      double apart = 0;
      for (unsigned op : group.ops)
        apart += groupBytes({op});
      decision.reason =
          std::to_string(group.ops.size()) + " operations in one kernel move " +
          decision::formatBytes(int64_t(group.bytes)) + " instead of " +
          decision::formatBytes(int64_t(apart)) + " through global memory";
      decision.metrics.push_back({"bytes saved", apart - group.bytes, "bytes"});
    }
    decision.metrics.push_back({"bytes moved", group.bytes, "bytes"});
    for (unsigned op : group.ops)
      if (auto it = pinned.find(op); it != pinned.end() && isObeyed(op)) {
        decision.origin = model::DecisionOrigin::Pinned;
        const std::string &note = it->second.pin->note;
        decision.reason += note.empty() ? "; pinned" : "; pinned: " + note;
        break;
      }
    for (const Refusal *refusal : refused) {
      model::Alternative other;
      other.value = {{"fuse", nameOf(ops[refusal->producer])}};
      other.legal = refusal->legal;
      other.reason = nameOf(ops[refusal->consumer]) + " not with " +
                     nameOf(ops[refusal->producer]) + ": " + refusal->reason;
      if (refusal->bytes > 0)
        other.metrics.push_back({"bytes saved", refusal->bytes, "bytes"});
      decision.weighed.push_back(std::move(other));
    }
    return decision;
  }

  Block &block;
  const target::Target &target;
  const decision::PinsFile &pins;
  ScopeCost cost;
  std::vector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> position;
  SmallVector<unsigned> groupOf; ///< for each operation
  std::vector<Group> groups;
  SmallVector<unsigned> order; ///< groups behind those they read; `none`: gap
  SmallVector<unsigned> rank;  ///< of each group in `order`
  llvm::DenseSet<unsigned> between;
  llvm::DenseMap<unsigned, Group> attentions; ///< by the operation they end at
  llvm::DenseSet<unsigned> attentionOps;
  llvm::DenseMap<Value, SmallVector<unsigned, 4>> readers;
  std::vector<Refusal> refusals;
  std::string matmulCore, vectorCore, rowLevel;
  int64_t rowBudget = 0;
  bool anyPins = false, anyCorePins = false;
  llvm::MapVector<unsigned, Pinned> pinned;
  std::set<const model::Pin *> used, reported;
  std::vector<model::Diagnostic> diagnostics;
};

} // namespace

ScopeGroups groupOperations(Block &block, const target::Target &target,
                            const decision::PinsFile &pins) {
  return Grouper(block, target, pins).run();
}

} // namespace tilewright::pass
