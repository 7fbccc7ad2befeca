//===- SplitDepths.cpp - long sums of matmuls in parts --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/SplitDepths.h"
#include "core/decision/DefaultTiles.h"
#include "core/decision/SplitReduction.h"
#include "core/dialect/Key.h"
#include "core/pass/tile/AttentionScope.h"
#include "core/pass/tile/ScopeCost.h"
#include "core/pass/tile/ScopeGroups.h"
#include "core/pass/tile/ScopeProblem.h"
#include <cmath>

using namespace mlir;

namespace tilewright::pass {
namespace {

/// No part is shorter by default: its product would be over before it is worth
/// the room for its sums.
constexpr int64_t leastDepth = 256;
constexpr int64_t mostParts = 64;
/// What splitting has to gain: a share of the time, and starts of tasks.
constexpr double leastShare = 0.1, leastDispatches = 4;

class Splitter {
public:
  Splitter(func::FuncOp func, const target::Target &target,
           const decision::PinsFile &pins)
      : func(func), target(target), pins(pins), cost(target) {
    for (const model::Pin &pin : pins.pins)
      anyPins |= pin.kind == "split_k";
  }

  DepthSplits run() {
    const target::Placement *placement = target.placement("matmul");
    if (!placement)
      return std::move(result);
    cores = std::max<int64_t>(1, target.coreCount(placement->core));
    SmallVector<tw::MatmulOp> matmuls(func.front().getOps<tw::MatmulOp>());
    for (tw::MatmulOp op : matmuls)
      if (AttentionMatch match = matchAttention(op); match.attention)
        inAttention.insert(match.attention->ops.begin(),
                           match.attention->ops.end());
    for (tw::MatmulOp op : matmuls)
      consider(op);
    return std::move(result);
  }

private:
  void consider(tw::MatmulOp op) {
    std::string key = baseKey(primaryKey(op)).str();
    int64_t parts = 1;
    model::Decision decision;
    const model::Pin *pin =
        anyPins ? pins.find(key, target.name, "split_k") : nullptr;
    if (!pin || !obey(*pin, op, key, parts, decision)) {
      parts = inAttention.contains(op) ? 1 : byProfit(op, decision.reason);
      if (parts == 1)
        return;
    }
    decision.key = key;
    decision.target = target.name;
    decision.kind = "split_k";
    decision.value = parts;
    result.decisions.push_back(std::move(decision));
    if (parts > 1)
      split(op, parts);
  }

  //===--------------------------------------------------------------------===//
  // Into how many parts
  //===--------------------------------------------------------------------===//

  static bool isStatic(tw::MatmulOp op) {
    return llvm::all_of(op->getOperandTypes(),
                        [](Type type) {
                          return cast<RankedTensorType>(type).hasStaticShape();
                        }) &&
           op.getType().hasStaticShape();
  }

  bool obey(const model::Pin &pin, tw::MatmulOp op, const std::string &key,
            int64_t &parts, model::Decision &decision) {
    result.usedPins.insert(&pin);
    model::Diagnostic why;
    why.key = key;
    why.severity = model::Severity::Warning;
    auto refuse = [&](const char *code, const std::string &reason,
                      std::string hint = {}) {
      why.code = code;
      why.hint = std::move(hint);
      why.message = "split_k pin of " + key +
                    " is not obeyed, the default is used: " + reason;
      result.diagnostics.push_back(std::move(why));
      return false;
    };
    if (!pin.value.is_number_integer() || pin.value.get<double>() < 1 ||
        pin.value.get<double>() > 65536)
      return refuse("TW0214", "split_k is " + pin.value.dump().substr(0, 40) +
                                  "; a number of parts from 1 to 65536 is "
                                  "meant");
    parts = pin.value.get<int64_t>();
    if (parts > 1) {
      if (!isStatic(op))
        return refuse("TW0215", "its sizes are only known at run time");
      if (inAttention.contains(op))
        return refuse("TW0215", "it is part of an attention, which goes "
                                "through its keys step by step");
      int64_t depth = op.getK();
      if (parts > depth || depth % parts)
        return refuse("TW0215",
                      "parts are equal, and " + std::to_string(parts) +
                          " does not divide k = " + std::to_string(depth),
                      decision::nearestParts(parts, [&](int64_t count) {
                        return count <= depth && depth % count == 0;
                      }));
    }
    decision.origin = model::DecisionOrigin::Pinned;
    decision.reason = pin.note.empty() ? "pinned" : "pinned: " + pin.note;
    model::Alternative byDefault;
    std::string reason;
    byDefault.value = inAttention.contains(op) ? 1 : byProfit(op, reason);
    byDefault.reason = "the default" + (reason.empty() ? "" : ": " + reason);
    decision.weighed.push_back(std::move(byDefault));
    return true;
  }

  struct Estimate {
    double seconds = 0;
    int64_t tasks = 1;
  };

  /// Of the products alone.
  Estimate products(decision::TileProblem problem, int64_t parts) const {
    size_t batches = problem.dims.size() - 3;
    if (parts > 1) {
      problem.dims.back().extent /= parts;
      problem.dims.insert(problem.dims.begin() + std::ptrdiff_t(batches),
                          {"b" + std::to_string(batches), parts, true});
      problem.resultBytes = 4;
    }
    decision::TileChoice choice = decision::defaultTiles(problem, target);
    Estimate estimate;
    estimate.seconds = std::numeric_limits<double>::infinity();
    for (const model::Metric &metric : choice.metrics)
      if (metric.name == "seconds")
        estimate.seconds = metric.value;
    estimate.tasks = decision::taskCount(problem, choice.sizes, target);
    return estimate;
  }

  int64_t byProfit(tw::MatmulOp op, std::string &reason) {
    if (!isStatic(op) || op.getAcc() || op.getK() < 2 * leastDepth)
      return 1;
    ScopeBody body;
    body.ops = {op};
    std::optional<ScopeSpace> space = spaceOf(op);
    if (!space)
      return 1;
    body.space = *space;
    decision::TileProblem problem = problemOf(body, "");
    Estimate whole = products(problem, 1);
    if (whole.tasks < 1 || whole.tasks * 2 > cores)
      return 1;
    double elements = double(op.getType().getNumElements());
    const target::ComputeRate *rate = target.rate("reduction", "f32");
    int64_t best = 1;
    Estimate bestEstimate = whole;
    for (int64_t parts = 2;
         parts <= std::min(mostParts, op.getK() / leastDepth); ++parts) {
      if (op.getK() % parts || whole.tasks * parts > 2 * cores)
        continue;
      Estimate split = products(problem, parts);
      double sums = elements * double(parts);
      split.seconds +=
          cost.seconds(OpRole::Reduction,
                       rate ? sums / std::max(1.0, rate->perSecond.value) : 0,
                       4 * (2 * sums + elements), std::ceil(elements / 1024));
      if (split.seconds < bestEstimate.seconds) {
        best = parts;
        bestEstimate = split;
      }
    }
    double gain = whole.seconds - bestEstimate.seconds;
    if (gain < leastShare * whole.seconds ||
        gain < leastDispatches * target.scheduling.dispatch.value)
      return 1;
    reason = std::to_string(whole.tasks) +
             (whole.tasks == 1 ? " tile keeps " : " tiles keep ") +
             std::to_string(whole.tasks) + " of " + std::to_string(cores) +
             " cores busy; in " + std::to_string(best) +
             " parts of k = " + std::to_string(op.getK() / best) + ", " +
             std::to_string(bestEstimate.tasks) + " tasks do, estimated " +
             std::to_string(std::lround(
                 100 * (1 - bestEstimate.seconds / whole.seconds))) +
             " % less time with the sum of the parts";
    return best;
  }

  //===--------------------------------------------------------------------===//
  // The parts
  //===--------------------------------------------------------------------===//

  /// `operand` as a batch of parts along k, which is its last dimension or,
  /// with `depthFirst`, the one before.
  Value partsOf(OpBuilder &builder, Location loc, Value operand,
                bool depthFirst, int64_t parts) {
    auto type = cast<RankedTensorType>(operand.getType());
    int64_t rank = type.getRank(), at = rank - (depthFirst ? 2 : 1);
    SmallVector<int64_t> shape(type.getShape());
    shape[size_t(at)] /= parts;
    shape.insert(shape.begin() + at, parts);
    Value cut = builder.create<tw::ReshapeOp>(loc, type.clone(shape), operand);
    if (depthFirst)
      return cut;
    // The parts in front of the other dimension of the matrix.
    SmallVector<int64_t> order =
        llvm::to_vector(llvm::seq<int64_t>(0, rank + 1));
    std::swap(order[size_t(rank) - 1], order[size_t(rank) - 2]);
    SmallVector<int64_t> moved;
    for (int64_t d : order)
      moved.push_back(shape[size_t(d)]);
    return builder.create<tw::TransposeOp>(loc, type.clone(moved), cut,
                                           builder.getDenseI64ArrayAttr(order));
  }

  void split(tw::MatmulOp op, int64_t parts) {
    OpBuilder builder(op);
    auto at = [&](StringRef part) { return keyPart(op.getLoc(), part); };
    Value lhs = partsOf(builder, at("lhs_parts"), op.getLhs(),
                        op.getTransposeLhs(), parts);
    Value rhs = partsOf(builder, at("rhs_parts"), op.getRhs(),
                        !op.getTransposeRhs(), parts);
    RankedTensorType type = op.getType();
    int64_t axis = type.getRank() - 2;
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin() + axis, parts);
    auto wide = cast<RankedTensorType>(type.clone(builder.getF32Type()));
    auto products = builder.create<tw::MatmulOp>(
        at("parts"), wide.clone(shape), lhs, rhs, /*acc=*/Value(),
        op.getTransposeLhsAttr(), op.getTransposeRhsAttr());
    bool last = type == wide && !op.getAcc();
    auto reduce = builder.create<tw::ReduceOp>(
        last ? op.getLoc() : at("sum"), wide, products, tw::ReduceKind::Sum,
        ArrayRef<int64_t>{axis}, false);
    for (Operation *part : {products.getOperation(), reduce.getOperation()})
      part->setAttr(depthPartAttrName, builder.getUnitAttr());
    Value sum = reduce;
    if (Value start = op.getAcc()) {
      if (start.getType() != wide)
        start = builder.create<tw::CastOp>(at("wide_acc"), start,
                                           builder.getF32Type());
      sum = builder.create<tw::AddOp>(
          type == wide ? op.getLoc() : at("wide_result"), wide, sum, start);
    }
    if (type != wide)
      sum = builder.create<tw::CastOp>(op.getLoc(), type, sum);
    op.getResult().replaceAllUsesWith(sum);
    op.erase();
  }

  func::FuncOp func;
  const target::Target &target;
  const decision::PinsFile &pins;
  ScopeCost cost;
  bool anyPins = false;
  int64_t cores = 1;
  llvm::DenseSet<Operation *> inAttention;
  DepthSplits result;
};

} // namespace

DepthSplits splitDepths(func::FuncOp func, const target::Target &target,
                        const decision::PinsFile &pins) {
  return Splitter(func, target, pins).run();
}

} // namespace tilewright::pass
