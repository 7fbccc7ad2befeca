//===- ChooseTiles.cpp - fix the tile sizes of every scope ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/ChooseTiles.h"
#include "core/decision/AttentionTiles.h"
#include "core/decision/DefaultTiles.h"
#include "core/decision/Legality.h"
#include "core/decision/SplitReduction.h"
#include "core/decision/TaskScheduler.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/pass/tile/ScopeProblem.h"
#include "core/pass/tile/SplitDepths.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"
#include <fstream>
#include <set>

using namespace mlir;

namespace tilewright::pass {

namespace {

class Chooser {
public:
  Chooser(ModuleOp module, const target::Target &target,
          const ChooseTilesOptions &options)
      : module(module), target(target), options(options), symbols(module) {
    module.walk([&](func::CallOp call) {
      if (call->hasAttr(tile::bindingsAttrName))
        calls[call.getCallee()].push_back(call);
    });
  }

  FailureOr<ChosenTiles> run() {
    for (auto func : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (func->hasAttr(tile::scopeAttrName) && failed(chooseFor(func)))
        return failure();
    reportUnusedPins();
    return std::move(result);
  }

private:
  LogicalResult chooseFor(func::FuncOp func) {
    FailureOr<ScopeBody> body = analyseScope(func);
    if (failed(body))
      return failure();
    Operation *root = body->space.root;
    StringRef relative = primaryKey(root);
    double budget = 1.0;
    if (auto it = options.budgets.find(func.getSymName().str());
        it != options.budgets.end())
      budget = it->second;
    decision::TileProblem problem = problemOf(*body, relative.str());
    bool depthDecided = problem.matmul || problem.attention ||
                        llvm::any_of(body->ops, [](Operation *op) {
                          return op->hasAttr(depthPartAttrName);
                        });
    decision::TileChoice chosen =
        decision::defaultTiles(problem, target, budget);
    auto shared = std::make_shared<const decision::TileProblem>(problem);
    const nlohmann::json chosenValue = chosen.sizes;
    const DictionaryAttr chosenSizes =
        sizesAttr(func.getContext(), chosen.sizes);

    Scheduled unpinned; // of the function's instances
    // Instances by the sizes they get; the first group keeps the function.
    llvm::MapVector<ArrayAttr, SmallVector<func::CallOp>> bySizes;
    auto decide = [&](ArrayAttr bindings) {
      problem.key = boundKey(relative, bindings);
      std::vector<std::string> keys;
      if (bindings)
        for (Attribute name : bindings)
          if (auto text = dyn_cast<StringAttr>(name))
            keys.push_back(text.str());
      model::Decision decision;
      decision.key = problem.key;
      decision.target = target.name;
      decision.kind = "tile";
      decision.value = chosenValue;
      model::TileSizes sizes = chosen.sizes;
      decision.reason = chosen.reason;
      decision.weighed = chosen.weighed;
      decision.metrics = chosen.metrics;
      const model::Pin *pin = pinFor(problem.key);
      if (pin)
        applyPin(*pin, decision::shownProblem(problem, problem.key, keys),
                 chosen, sizes, decision);
      if (pin)
        decision.value = sizes;
      result.decisions.push_back(std::move(decision));
      // The depth of matmuls has been split, or not, before scopes were formed.
      int64_t parts = 1;
      if (depthDecided)
        (void)pinFor(problem.key, "split_k");
      else
        parts = split(problem, sizes);
      decision::TiledScope scope;
      scope.budget = budget;
      scope.key = problem.key;
      scope.keys = std::move(keys);
      scope.problem = shared;
      scope.sizes = sizes;
      scope.defaults = chosen.sizes;
      scope.parts = parts;
      decision::TaskSchedule tasks = schedule(problem, sizes, parts, unpinned);
      scope.merge = tasks.merge;
      scope.strip = tasks.strip;
      scope.mergePinned = scheduler.mergePinned;
      scope.stripPinned = scheduler.orderPinned;
      result.scopes.push_back(std::move(scope));
      MLIRContext *context = func.getContext();
      return ArrayAttr::get(context,
                            {pin ? sizesAttr(context, sizes) : chosenSizes,
                             laterPins(context, problem, tasks),
                             Builder(context).getI64IntegerAttr(parts)});
    };
    auto apply = [](func::FuncOp func, Operation *root, ArrayAttr decided) {
      root->setAttr(tile::sizesAttrName, decided[0]);
      if (!cast<DictionaryAttr>(decided[1]).empty())
        func->setAttr(pinsAttrName, decided[1]);
      if (cast<IntegerAttr>(decided[2]).getInt() > 1)
        root->setAttr(tile::splitAttrName, decided[2]);
    };
    auto instances = calls.find(func.getSymName());
    if (instances == calls.end()) {
      apply(func, root, decide(nullptr));
      return success();
    }
    for (func::CallOp call : instances->second)
      bySizes[decide(call->getAttrOfType<ArrayAttr>(tile::bindingsAttrName))]
          .push_back(call);
    bool first = true;
    for (auto &[sizes, users] : bySizes) {
      if (first) {
        apply(func, root, sizes);
        first = false;
        continue;
      }
      func::FuncOp copy = func.clone();
      symbols.insert(copy, std::next(Block::iterator(func)));
      FailureOr<ScopeBody> copied = analyseScope(copy);
      if (failed(copied))
        return failure();
      copy->removeAttr(pinsAttrName);
      apply(copy, copied->space.root, sizes);
      for (func::CallOp user : users)
        user.setCallee(copy.getSymName());
    }
    return success();
  }

  /// The number of parts the rows of a scope are cut into, with its decision
  /// where there is anything to tell.
  int64_t split(const decision::TileProblem &problem,
                const model::TileSizes &sizes) {
    decision::SplitChoice chosen =
        decision::defaultSplit(problem, sizes, target);
    model::Decision decision;
    decision.key = problem.key;
    decision.target = target.name;
    decision.kind = "split_k";
    decision.reason = chosen.reason;
    int64_t parts = chosen.count;
    const model::Pin *pin = pinFor(problem.key, "split_k");
    if (pin) {
      model::Diagnostic why;
      if (std::optional<int64_t> pinned =
              decision::readSplit(problem, pin->value, why)) {
        parts = *pinned;
        decision.origin = model::DecisionOrigin::Pinned;
        decision.reason = pin->note.empty() ? "pinned" : "pinned: " + pin->note;
        model::Alternative byDefault;
        byDefault.value = chosen.count;
        byDefault.reason =
            "the default" + (chosen.reason.empty() ? "" : ": " + chosen.reason);
        decision.weighed.push_back(std::move(byDefault));
      } else {
        why.message = "split_k pin of " + problem.key +
                      " is not obeyed, the default is used: " + why.message;
        result.diagnostics.push_back(std::move(why));
      }
    }
    decision.value = parts;
    if (parts > 1 || decision.origin == model::DecisionOrigin::Pinned)
      result.decisions.push_back(std::move(decision));
    return parts;
  }

  /// How blocks become tasks without a pin, with the decisions that say so.
  struct Scheduled {
    bool known = false;
    model::TileSizes sizes;
    int64_t parts = 1;
    decision::TaskSchedule tasks;
    std::vector<model::Decision> decisions;
  };

  /// Equal instances without pins are decided once.
  decision::TaskSchedule schedule(const decision::TileProblem &problem,
                                  const model::TileSizes &sizes, int64_t parts,
                                  Scheduled &unpinned) {
    decision::TaskScheduler::Pins pins{pinFor(problem.key, "merge"),
                                       pinFor(problem.key, "order")};
    bool plain = !pins.merge && !pins.order;
    if (plain && unpinned.known && unpinned.sizes == sizes &&
        unpinned.parts == parts) {
      scheduler.mergePinned = scheduler.orderPinned = false;
      for (model::Decision decision : unpinned.decisions) {
        decision.key = problem.key;
        result.decisions.push_back(std::move(decision));
      }
      return unpinned.tasks;
    }
    size_t before = result.decisions.size();
    decision::TaskSchedule tasks = scheduler.run(problem, sizes, parts, pins);
    if (plain)
      unpinned = {true,
                  sizes,
                  parts,
                  tasks,
                  {result.decisions.begin() + std::ptrdiff_t(before),
                   result.decisions.end()}};
    return tasks;
  }

  /// What passes over the scope obey: pins, and how blocks become tasks.
  DictionaryAttr laterPins(MLIRContext *context,
                           const decision::TileProblem &problem,
                           const decision::TaskSchedule &tasks) {
    const std::string &key = problem.key;
    NamedAttrList pins, copies;
    OpBuilder builder(context);
    for (const char *operand : {"all", "0", "1"}) {
      std::string subject =
          std::string(operand) == "all" ? key : key + "#" + operand;
      const model::Pin *pin =
          operand[0] == 'a'
              ? pinFor(subject, "buffers")
              : options.pins.find(subject, target.name, "buffers");
      if (!pin || (operand[0] != 'a' && decision::matchesGlob(pin->key, key)))
        continue;
      used.insert(pin);
      model::Diagnostic why;
      if (std::optional<int64_t> value =
              decision::pinnedCount(*pin, key, 16, why))
        copies.set(operand, builder.getI64IntegerAttr(*value));
      else
        result.diagnostics.push_back(std::move(why));
    }
    if (!copies.empty())
      pins.set("buffers", copies.getDictionary(context));
    if (tasks.merge > 1) {
      // Grids have the parallel dimensions.
      int64_t at = 0;
      for (int d = 0; d < tasks.dim; ++d)
        at += problem.dims[size_t(d)].parallel;
      pins.set("merge", builder.getDenseI64ArrayAttr({at, tasks.merge}));
    }
    if (tasks.strip > 1)
      pins.set("order", builder.getI64IntegerAttr(tasks.strip));
    return pins.getDictionary(context);
  }

  const model::Pin *pinFor(const std::string &key,
                           const std::string &kind = "tile") {
    const model::Pin *pin = options.pins.find(key, target.name, kind);
    if (!pin) {
      // A pin of the whole ("p") also means its part that roots the scope.
      size_t segment = key.rfind('/');
      size_t dot = key.find('.', segment == std::string::npos ? 0 : segment);
      if (dot != std::string::npos)
        pin = options.pins.find(key.substr(0, dot), target.name, kind);
    }
    if (pin)
      used.insert(pin);
    return pin;
  }

  /// The sizes in force with a pin. What it leaves open stays as chosen, but m
  /// and n of the levels above the registers go together.
  model::TileSizes merge(const model::TileSizes &pinned,
                         const model::TileSizes &chosen,
                         const decision::TileProblem &problem) {
    model::TileSizes merged = chosen;
    for (const auto &[level, dims] : pinned)
      for (const auto &[dim, size] : dims) {
        merged[level][dim] = size;
        if (dim != "k")
          for (auto &[other, otherDims] : merged)
            if (const target::Level *memory = target.level(other);
                (!memory || memory->kind != "register") &&
                otherDims.count(dim) && !pinnedAt(pinned, other, dim))
              otherDims[dim] = size;
      }
    // A depth pinned inside must divide into what is outside it.
    int64_t outer = 0;
    if (const target::Placement *placement = target.placement("matmul");
        placement && problem.matmul)
      for (const target::TileLevel &level : placement->tileLevels)
        if (auto it = merged.find(level.name);
            it != merged.end() && it->second.count("k")) {
          int64_t &k = it->second["k"];
          if (outer && k > outer && !pinnedAt(pinned, level.name, "k"))
            k = outer;
          outer = k;
        }
    // An operand stays by default as long as that goes with the rest and the
    // pin does not give all of the level: as a setting out of `whatif`, in
    // which nothing stays if it does not say so.
    for (auto &[level, dims] : merged) {
      bool whole = pinnedAt(pinned, level, "m") &&
                   pinnedAt(pinned, level, "n") && pinnedAt(pinned, level, "k");
      for (const char *dim : {"k#0", "k#1"})
        if (model::Diagnostic unused;
            dims.count(dim) && !pinnedAt(pinned, level, dim) &&
            (whole || !decision::isLegal(problem, merged, target, unused)))
          dims.erase(dim);
    }
    return merged;
  }

  void applyPin(const model::Pin &pin, const decision::TileProblem &problem,
                const decision::TileChoice &chosen, model::TileSizes &sizes,
                model::Decision &decision) {
    model::Diagnostic why;
    why.key = problem.key;
    why.severity = model::Severity::Warning;
    std::optional<model::TileSizes> pinned =
        decision::readTileSizes(pin.value, why);
    if (pinned) {
      auto complete = [&](const model::TileSizes &pin) {
        return merge(pin, sizes, problem);
      };
      if (decision::isLegalPin(problem, *pinned, complete, target, why)) {
        model::TileSizes merged = complete(*pinned);
        sizes = merged;
        decision.origin = model::DecisionOrigin::Pinned;
        decision.reason = pin.note.empty() ? "pinned" : "pinned: " + pin.note;
        model::Alternative byDefault;
        byDefault.value = chosen.sizes;
        byDefault.reason = "the default: " + chosen.reason;
        decision.weighed.insert(decision.weighed.begin(), byDefault);
        decision.metrics.clear();
        for (const decision::BufferUse &use :
             decision::bufferUses(problem, merged, target))
          decision.metrics.push_back({use.level + " " + use.name,
                                      double(use.bytes), "bytes",
                                      model::Origin::Estimated});
        if (int64_t tasks = decision::taskCount(problem, merged, target))
          decision.metrics.push_back(
              {"tasks", double(tasks), "", model::Origin::Estimated});
        if (std::optional<double> skipped =
                decision::skippedSteps(problem, merged, target))
          decision.metrics.push_back(
              {"skipped steps", *skipped, "share", model::Origin::Estimated});
        return;
      }
    }
    model::Alternative refused;
    refused.value = pin.value;
    refused.legal = false;
    refused.reason = why.message;
    decision.weighed.insert(decision.weighed.begin(), refused);
    why.message = "pin of " + problem.key +
                  " is not obeyed, the default is used: " + why.message;
    result.diagnostics.push_back(std::move(why));
  }

  static bool pinnedAt(const model::TileSizes &pinned, const std::string &level,
                       const std::string &dim) {
    auto it = pinned.find(level);
    return it != pinned.end() && it->second.count(dim);
  }

  /// The operation that decides the tiles of the scope with `key` in it; empty
  /// if none does.
  std::string rootOf(const std::string &key) {
    for (auto &[callee, users] : calls)
      for (func::CallOp call : users) {
        std::set<std::string> names;
        for (Attribute name :
             call->getAttrOfType<ArrayAttr>(tile::bindingsAttrName))
          names.insert(cast<StringAttr>(name).getValue().str());
        if (!names.contains(key))
          continue;
        for (const model::Decision &decision : result.decisions)
          if (decision.kind == "tile" && names.contains(decision.key))
            return decision.key;
      }
    return {};
  }

  void reportUnusedPins() {
    std::set<std::string> keys;
    bool collected = false;
    for (const model::Pin &pin : options.pins.pins) {
      bool known = pin.kind == "tile" || pin.kind == "buffers" ||
                   pin.kind == "merge" || pin.kind == "order" ||
                   pin.kind == "split_k";
      if (!known || used.count(&pin) ||
          !decision::matchesGlob(pin.target, target.name))
        continue;
      if (!collected) {
        collected = true;
        for (auto &[callee, users] : calls)
          for (func::CallOp call : users)
            for (Attribute name :
                 call->getAttrOfType<ArrayAttr>(tile::bindingsAttrName))
              keys.insert(cast<StringAttr>(name).getValue().str());
      }
      // A more specific pin may have been preferred.
      bool shadowed = false;
      const std::string *matched = nullptr, *whole = nullptr;
      size_t sign = pin.key.rfind('#');
      for (const model::Decision &decision : result.decisions)
        shadowed |= decision::matchesGlob(pin.key, decision.key);
      for (const std::string &key : keys) {
        if (decision::matchesGlob(pin.key, key))
          matched = &key;
        if (sign != std::string::npos &&
            decision::matchesGlob(pin.key.substr(0, sign), key))
          whole = &key;
      }
      if (shadowed)
        continue;
      model::Diagnostic diagnostic = decision::missingKeyReport(
          pin, "pin of " + pin.key,
          matched ? decision::MissingKey([](std::string_view) {
            return std::string("the operation is fused into a scope whose "
                               "tiles another operation decides");
          })
                  : options.missing);
      if (matched) {
        diagnostic.key = *matched;
        std::string root = rootOf(*matched);
        diagnostic.hint = root.empty() ? "pin the root of the scope"
                                       : "pin " + root + ", which decides them";
      } else if (whole) {
        // The operation is there; what the pin adds to its key is not.
        diagnostic.key = *whole;
        diagnostic.message = "pin of " + pin.key + " has no effect: " + *whole +
                             " has no operand " + pin.key.substr(sign + 1) +
                             " that waits in buffers of its own";
        diagnostic.hint = "operands count from 0; 'tilewright explain FILE " +
                          *whole + "' lists those with buffers";
      }
      result.diagnostics.push_back(std::move(diagnostic));
    }
  }

  ModuleOp module;
  const target::Target &target;
  const ChooseTilesOptions &options;
  SymbolTable symbols;
  llvm::MapVector<StringRef, SmallVector<func::CallOp>> calls;
  std::set<const model::Pin *> used;
  ChosenTiles result;
  decision::TaskScheduler scheduler{target, result.decisions,
                                    result.diagnostics};
};

struct ChooseTilesPass : TargetPass<ChooseTilesPass> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ChooseTilesPass)
  ChooseTilesPass(TargetPtr target, ChooseTilesOptions options)
      : TargetPass(std::move(target)), options(std::move(options)) {}
  ChooseTilesPass(const ChooseTilesPass &other)
      : TargetPass(other), options(other.options) {}
  StringRef getArgument() const override { return "choose-tiles"; }
  StringRef getDescription() const override {
    return "fix the tile sizes of every scope";
  }
  void runOnOperation() override {
    if (!pinsPath.empty()) {
      std::ifstream file(pinsPath);
      std::string text((std::istreambuf_iterator<char>(file)), {});
      model::Diagnostic problem;
      std::optional<decision::PinsFile> pins =
          decision::PinsFile::parse(text, problem);
      if (!pins) {
        getOperation().emitError()
            << problem.message << " [" << problem.code << "]";
        return signalPassFailure();
      }
      options.pins = *pins;
    }
    FailureOr<ChosenTiles> chosen =
        chooseTiles(getOperation(), *machine, options);
    if (failed(chosen))
      return signalPassFailure();
    for (const model::Diagnostic &diagnostic : chosen->diagnostics) {
      InFlightDiagnostic emitted =
          diagnostic.severity == model::Severity::Information
              ? getOperation().emitRemark()
              : getOperation().emitWarning();
      emitted << diagnostic.message;
      if (!diagnostic.hint.empty())
        emitted << "; " << diagnostic.hint;
      emitted << " [" << diagnostic.code << "]";
    }
  }

  ChooseTilesOptions options;
  Option<std::string> pinsPath{*this, "pins",
                               llvm::cl::desc("path of a pins file")};
};

} // namespace

FailureOr<ChosenTiles> chooseTiles(ModuleOp module,
                                   const target::Target &target,
                                   const ChooseTilesOptions &options) {
  return Chooser(module, target, options).run();
}

std::unique_ptr<Pass> createChooseTilesPass(TargetPtr target,
                                            ChooseTilesOptions options) {
  return std::make_unique<ChooseTilesPass>(std::move(target),
                                           std::move(options));
}

} // namespace tilewright::pass
