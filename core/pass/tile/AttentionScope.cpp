//===- AttentionScope.cpp - attention in its written-out form -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/AttentionScope.h"
#include "core/pass/tile/ScopeSpace.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tilewright::pass {

std::optional<double> fillValueOf(Operation *fill) {
  if (auto full = dyn_cast<tw::FullOp>(fill))
    return full.getValue().convertToDouble();
  Attribute value;
  if (auto filled = dyn_cast<linalg::FillOp>(fill)) {
    if (!matchPattern(filled.getInputs().front(), m_Constant(&value)))
      return std::nullopt;
  } else if (!matchPattern(fill, m_Constant(&value))) {
    return std::nullopt;
  }
  if (auto elements = dyn_cast<DenseElementsAttr>(value)) {
    if (!elements.isSplat())
      return std::nullopt;
    value = elements.getSplatValue<Attribute>();
  }
  if (auto real = dyn_cast<FloatAttr>(value))
    return real.getValueAsDouble();
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return integer.getType().isInteger(1)
               ? double(integer.getValue().getZExtValue())
               : double(integer.getValue().getSExtValue());
  return std::nullopt;
}

namespace {

/// What a value between the two matmuls is.
enum class Stage {
  Outside,  ///< does not depend on the scores
  Score,    ///< elementwise of the scores
  RowMax,   ///< of a row's maximum: any shift of the row
  Centered, ///< score minus shift, perhaps scaled
  Exp,      ///< the exponential, perhaps in another type
  Weight,   ///< linear in the exponential, element by element
  RowSum    ///< of a row's sum
};

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// A reduction of nothing but the last axis, which stays as 1.
bool reducesKeys(tw::ReduceOp reduce) {
  SmallVector<int64_t> axes = reduce.getNormalizedAxes();
  return reduce.getKeepdims() && axes.size() == 1 &&
         axes[0] == typeOf(reduce.getInput()).getRank() - 1;
}

/// One element for a whole row.
bool isPerRow(Value value) {
  RankedTensorType type = typeOf(value);
  return type.getRank() == 0 || type.getShape().back() == 1;
}

bool isFill(Value value) {
  Operation *def = value.getDefiningOp();
  return def && roleOf(def) == OpRole::Fill;
}

class Matcher {
public:
  explicit Matcher(tw::MatmulOp output) : output(output) {}

  AttentionMatch run() {
    AttentionMatch match;
    if (output.getAcc() || output.getTransposeLhs() || !collect())
      return match;
    for (tw::MatmulOp candidate : matmuls) {
      attention = Attention();
      attention.scores = candidate;
      attention.output = output;
      stages.clear();
      members.clear();
      outside.clear();
      obstacle = nullptr;
      changesShift = changesSum = false;
      if (classify() && normalizeAfter() && takeMasks() && keepsToItself()) {
        finish();
        match.attention = std::move(attention);
        return match;
      }
      // Only where a softmax is under way is it worth a word.
      if (attention.exp && obstacle && !match.obstacle) {
        match.obstacle = obstacle;
        match.reason = reason;
      }
    }
    return match;
  }

private:
  /// A chain longer than this is something else, and looking stays cheap.
  static constexpr size_t maxOps = 96;

  bool stop(Operation *op, std::string why) {
    if (!obstacle) {
      obstacle = op;
      reason = std::move(why);
    }
    return false;
  }

  /// Everything before the second matmul down to the first ones.
  bool collect() {
    SmallVector<Value> work = {output.getLhs()};
    llvm::SmallSetVector<Operation *, 32> seen;
    bool reduces = false;
    while (!work.empty()) {
      Operation *def = work.pop_back_val().getDefiningOp();
      if (!def || def->getBlock() != output->getBlock())
        continue;
      OpRole role = roleOf(def);
      if (role == OpRole::Matmul) {
        if (!llvm::is_contained(matmuls, cast<tw::MatmulOp>(def)))
          matmuls.push_back(cast<tw::MatmulOp>(def));
        continue;
      }
      if (role != OpRole::Elementwise && role != OpRole::Reduction)
        continue;
      if (!seen.insert(def))
        continue;
      if (seen.size() > maxOps)
        return false;
      reduces |= isa<tw::ExpOp>(def);
      llvm::append_range(work, def->getOperands());
    }
    if (!reduces || matmuls.empty() || matmuls.size() > 4)
      return false;
    between = seen.takeVector();
    llvm::sort(between, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    return true;
  }

  Stage stageOf(Value value) const {
    auto it = stages.find(value);
    return it == stages.end() ? Stage::Outside : it->second;
  }

  bool classify() {
    tw::MatmulOp scores = attention.scores;
    if (scores.getAcc())
      return false;
    stages[scores.getResult()] = Stage::Score;
    members.insert(scores);
    for (Operation *op : between) {
      if (llvm::all_of(op->getOperands(), [&](Value operand) {
            return stageOf(operand) == Stage::Outside;
          })) {
        if (roleOf(op) == OpRole::Elementwise)
          outside.push_back(op);
        continue;
      }
      bool understood = isa<tw::ReduceOp>(op)
                            ? reduction(cast<tw::ReduceOp>(op))
                            : elementwise(op);
      if (!understood)
        return false;
      members.insert(op);
    }
    Stage reached = stageOf(output.getLhs());
    if (reached != Stage::Exp && reached != Stage::Weight)
      return false;
    if (stageOf(output.getRhs()) != Stage::Outside)
      return stop(output, "its values come from its own scores");
    // What is the same everywhere has no place from which tiles could be read.
    if (isFill(scores.getLhs()) || isFill(scores.getRhs()) ||
        isFill(output.getRhs()))
      return stop(output, "its queries, keys or values are one constant");
    ArrayRef<int64_t> shape = scores.getType().getShape();
    if (output.getType().getShape().drop_back() != shape.drop_back())
      return stop(output, "its values stand for more matrices than its scores");
    // One row of keys for the whole of it.
    for (Value value : {attention.x, Value(attention.exp.getResult()),
                        Value(output.getLhs())})
      if (typeOf(value).getShape() != shape)
        return stop(
            value.getDefiningOp(),
            "it has another shape than the product of queries and keys");
    for (tw::MatmulOp matmul : {scores, output})
      for (Value operand :
           {matmul.getLhs(), matmul.getRhs(), matmul.getResult()}) {
        Type element = typeOf(operand).getElementType();
        if (!element.isF32() && !element.isF16() && !element.isBF16())
          return stop(matmul, "its elements are no f32, f16 or bf16");
      }
    return true;
  }

  bool reduction(tw::ReduceOp op) {
    Stage stage = stageOf(op.getInput());
    if (!reducesKeys(op))
      return stop(op, "it reduces other axes than the keys, or drops the axis");
    if (stage == Stage::Score && op.getKind() == tw::ReduceKind::Max) {
      attention.rowMax = op;
      stages[op.getResult()] = Stage::RowMax;
      return true;
    }
    if (stage == Stage::Exp && op.getKind() == tw::ReduceKind::Sum) {
      if (attention.rowSum)
        return stop(op, "it is a second sum of the weights");
      attention.rowSum = op;
      stages[op.getResult()] = Stage::RowSum;
      return true;
    }
    return stop(op, "it is neither the maximum of the scores nor the sum of "
                    "their exponentials");
  }

  bool elementwise(Operation *op) {
    // By what it takes in besides what is outside.
    Stage first = Stage::Outside, second = Stage::Outside;
    bool perRow = true;
    for (Value operand : op->getOperands()) {
      Stage stage = stageOf(operand);
      if (stage == Stage::Outside) {
        perRow &= isPerRow(operand);
        continue;
      }
      if (first == Stage::Outside)
        first = stage;
      else if (stage != first)
        second = stage;
    }
    auto becomes = [&](Stage stage, SmallVectorImpl<Operation *> *list) {
      stages[op->getResult(0)] = stage;
      if (list)
        list->push_back(op);
      return true;
    };
    bool both = second != Stage::Outside;
    auto mixes = [&](Stage a, Stage b) {
      return (first == a && second == b) || (first == b && second == a);
    };
    if (mixes(Stage::Score, Stage::RowMax)) {
      bool shifts =
          isa<tw::AddOp>(op) ||
          (isa<tw::SubOp>(op) && stageOf(op->getOperand(0)) == Stage::Score);
      if (!shifts)
        return stop(op, "it uses the row maximum for more than a shift");
      Value x = stageOf(op->getOperand(0)) == Stage::Score ? op->getOperand(0)
                                                           : op->getOperand(1);
      if (attention.x && attention.x != x)
        return stop(op, "it is a second shift of the scores");
      attention.x = x;
      return becomes(Stage::Centered, nullptr);
    }
    if (mixes(Stage::Exp, Stage::RowSum) ||
        mixes(Stage::Weight, Stage::RowSum)) {
      unsigned sum = stageOf(op->getOperand(0)) == Stage::RowSum ? 0 : 1;
      if (!isa<tw::MulOp>(op) && !(isa<tw::DivOp>(op) && sum == 1))
        return stop(op, "it uses the row sum for more than a division");
      if (attention.normalize)
        return stop(op, "it divides by the row sum again");
      attention.normalize = op;
      attention.divisorOperand = sum;
      return becomes(Stage::Weight, nullptr);
    }
    if (both)
      return stop(op, "it brings together what softmax keeps apart");
    switch (first) {
    case Stage::Score:
      if (auto exp = dyn_cast<tw::ExpOp>(op)) {
        // An exponential that nobody sums up is part of the scores.
        if (isSummed(exp)) {
          if (attention.exp)
            return stop(op, "it is a second exponential");
          attention.exp = exp;
          attention.x = exp.getInput();
          return becomes(Stage::Exp, nullptr);
        }
      }
      return becomes(Stage::Score, &attention.score);
    case Stage::RowMax:
      if (!perRow)
        return stop(op, "it turns the row maximum into more than one a row");
      changesShift |= !isa<tw::CastOp, tw::NegOp>(op);
      return becomes(Stage::RowMax, nullptr);
    case Stage::Centered:
      if (auto exp = dyn_cast<tw::ExpOp>(op)) {
        if (attention.exp)
          return stop(op, "it is a second exponential");
        attention.exp = exp;
        return becomes(Stage::Exp, nullptr);
      }
      if (isa<tw::CastOp>(op) || isPositiveFactor(op))
        return becomes(Stage::Centered, &attention.centered);
      return stop(op, "it stands between the shifted scores and their "
                      "exponential and is no positive factor");
    case Stage::Exp:
    case Stage::Weight: {
      if (isa<tw::CastOp>(op))
        return becomes(first, &attention.weight);
      bool linear = isa<tw::NegOp>(op) ||
                    (isa<tw::MulOp>(op) &&
                     (stageOf(op->getOperand(0)) == Stage::Outside) !=
                         (stageOf(op->getOperand(1)) == Stage::Outside)) ||
                    (isa<tw::DivOp>(op) &&
                     stageOf(op->getOperand(1)) == Stage::Outside) ||
                    masks(op);
      if (!linear)
        return stop(op, "it is not linear in the weights");
      return becomes(Stage::Weight, &attention.weight);
    }
    case Stage::RowSum:
      if (!perRow)
        return stop(op, "it turns the row sum into more than one a row");
      changesSum |= !isa<tw::CastOp, tw::ReciprocalOp>(op);
      return becomes(Stage::RowSum, &attention.divisor);
    case Stage::Outside:
      break;
    }
    return stop(op, "it has no place in a softmax");
  }

  /// Whether its result, perhaps in another type, is summed along the keys.
  static bool isSummed(tw::ExpOp exp) {
    SmallVector<Operation *> work(exp->getUsers());
    for (unsigned steps = 0; !work.empty() && steps < 16; ++steps) {
      Operation *user = work.pop_back_val();
      if (auto reduce = dyn_cast<tw::ReduceOp>(user))
        if (reduce.getKind() == tw::ReduceKind::Sum && reducesKeys(reduce))
          return true;
      if (isa<tw::CastOp>(user))
        llvm::append_range(work, user->getUsers());
    }
    return false;
  }

  bool isPositiveFactor(Operation *op) const {
    auto positive = [&](Value value) {
      if (!isFill(value))
        return false;
      std::optional<double> factor = fillValueOf(value.getDefiningOp());
      return factor && *factor > 0;
    };
    if (isa<tw::MulOp>(op))
      return positive(op->getOperand(0)) || positive(op->getOperand(1));
    return isa<tw::DivOp>(op) && positive(op->getOperand(1));
  }

  /// A select between the weights and nothing.
  bool masks(Operation *op) const {
    auto select = dyn_cast<tw::SelectOp>(op);
    if (!select || stageOf(select.getCondition()) != Stage::Outside)
      return false;
    auto zeroOrWeight = [&](Value value) {
      return stageOf(value) != Stage::Outside ||
             (isFill(value) && fillValueOf(value.getDefiningOp()) == 0.0);
    };
    return zeroOrWeight(select.getOnTrue()) &&
           zeroOrWeight(select.getOnFalse());
  }

  /// From the result of the second matmul on to the division, where that was
  /// not before it.
  bool normalizeAfter() {
    attention.result = output.getResult();
    members.insert(output);
    if (!attention.normalize) {
      // The sum is not on the way to the second matmul.
      for (Value value : exponentials())
        for (Operation *user : value.getUsers())
          if (auto reduce = dyn_cast<tw::ReduceOp>(user))
            if (!attention.rowSum && reduce.getKind() == tw::ReduceKind::Sum &&
                reducesKeys(reduce) &&
                reduce->getBlock() == output->getBlock()) {
              attention.rowSum = reduce;
              stages[reduce.getResult()] = Stage::RowSum;
              members.insert(reduce);
            }
      if (!attention.rowSum)
        return stop(attention.exp, "nothing sums its rows up");
      for (unsigned steps = 0; !attention.normalize; ++steps) {
        Value value = attention.result;
        if (!value.hasOneUse() || steps == 8)
          return stop(output, "its result is not divided by the row sums");
        Operation *user = *value.getUsers().begin();
        if (roleOf(user) != OpRole::Elementwise ||
            user->getBlock() != output->getBlock() ||
            typeOf(user->getResult(0)).getShape() !=
                output.getType().getShape())
          return stop(output, "its result is not divided by the row sums");
        for (unsigned i = 0; i < user->getNumOperands(); ++i)
          if (user->getOperand(i) != value &&
              isDivisor(user->getOperand(i), 0)) {
            if (!isa<tw::MulOp>(user) && !(isa<tw::DivOp>(user) && i == 1))
              return stop(user, "it uses the row sum for more than a division");
            attention.normalize = user;
            attention.divisorOperand = i;
          }
        attention.after.push_back(user);
        members.insert(user);
        attention.result = user->getResult(0);
      }
    }
    if (changesSum && changesShift)
      return stop(attention.normalize,
                  "both the row maximum and the row sum are "
                  "changed, so that the shift matters");
    return true;
  }

  SmallVector<Value> exponentials() {
    SmallVector<Value> values = {attention.exp.getResult()};
    for (size_t i = 0; i < values.size() && i < 8; ++i)
      for (Operation *user : values[i].getUsers())
        if (isa<tw::CastOp>(user))
          values.push_back(user->getResult(0));
    return values;
  }

  /// Whether `value` is made from the row sum; collects how.
  bool isDivisor(Value value, unsigned depth) {
    if (stageOf(value) == Stage::RowSum)
      return true;
    Operation *def = value.getDefiningOp();
    if (!def || depth == 8 || roleOf(def) != OpRole::Elementwise ||
        def->getBlock() != output->getBlock())
      return false;
    bool found = false;
    for (Value operand : def->getOperands())
      found |= isDivisor(operand, depth + 1);
    if (!found)
      return false;
    for (Value operand : def->getOperands())
      if (stageOf(operand) != Stage::RowSum && !isPerRow(operand))
        return false;
    changesSum |= !isa<tw::CastOp, tw::ReciprocalOp>(def);
    attention.divisor.push_back(def);
    stages[value] = Stage::RowSum;
    members.insert(def);
    return true;
  }

  /// What prepares masks and is read here only is computed here, tile by tile.
  bool takeMasks() {
    for (Operation *op : llvm::reverse(outside))
      if (llvm::all_of(op->getUsers(),
                       [&](Operation *user) { return members.contains(user); }))
        members.insert(op);
    return true;
  }

  bool keepsToItself() {
    for (Operation *op : members) {
      if (op->getResult(0) == attention.result)
        continue;
      for (Operation *user : op->getUsers())
        if (!members.contains(user))
          return stop(op, ("its result is also read by " +
                           user->getName().getStringRef() +
                           ", so that it has to be made as a whole")
                              .str());
    }
    return true;
  }

  void finish() {
    attention.ops = members.takeVector();
    auto inOrder = [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    };
    llvm::sort(attention.ops, inOrder);
    // Masks are prepared among the scores.
    llvm::SmallPtrSet<Operation *, 16> ours(attention.ops.begin(),
                                            attention.ops.end());
    for (Operation *op : outside)
      if (ours.contains(op))
        attention.score.push_back(op);
    llvm::sort(attention.score, inOrder);
    llvm::sort(attention.divisor, inOrder);
  }

  tw::MatmulOp output;
  SmallVector<tw::MatmulOp> matmuls;
  SmallVector<Operation *> between;
  SmallVector<Operation *> outside;
  Attention attention;
  llvm::DenseMap<Value, Stage> stages;
  llvm::SmallSetVector<Operation *, 32> members;
  bool changesShift = false, changesSum = false;
  Operation *obstacle = nullptr;
  std::string reason;
};

} // namespace

AttentionMatch matchAttention(tw::MatmulOp output) {
  return Matcher(output).run();
}

std::optional<Attention> attentionOf(func::FuncOp func) {
  if (!func->hasAttr(attentionAttrName))
    return std::nullopt;
  for (Operation &op : llvm::reverse(func.front()))
    if (auto matmul = dyn_cast<tw::MatmulOp>(op))
      if (AttentionMatch match = matchAttention(matmul); match.attention)
        return match.attention;
  return std::nullopt;
}

ScopeSpace attentionSpace(Attention &attention) {
  ScopeSpace space;
  space.root = attention.output;
  space.kind = OpRole::Other;
  space.shape = llvm::to_vector(attention.output.getType().getShape());
  space.free.resize(space.shape.size(), true);
  space.free.reset(space.shape.size() - 1);
  space.full = space.free;
  return space;
}

decision::TileProblem attentionProblem(Attention &attention, std::string key) {
  decision::TileProblem problem;
  problem.key = std::move(key);
  problem.attention = true;
  auto extent = [](int64_t size) {
    return ShapedType::isDynamic(size) ? int64_t(-1) : size;
  };
  auto bytes = [](Value value) {
    return int64_t(typeOf(value).getElementType().getIntOrFloatBitWidth() / 8);
  };
  ArrayRef<int64_t> scores = attention.scores.getType().getShape();
  size_t batches = scores.size() - 2;
  for (size_t d = 0; d < batches; ++d)
    problem.dims.push_back({"b" + std::to_string(d), extent(scores[d]), true});
  problem.dims.push_back({"m", extent(scores[batches]), true});
  problem.dims.push_back({"n", extent(scores[batches + 1]), false, true});
  problem.dims.push_back({"d", extent(attention.scores.getK()), false});
  problem.dims.push_back({"v", extent(attention.output.getN()), false});
  problem.lhsBytes = bytes(attention.scores.getLhs());
  problem.rhsBytes = bytes(attention.scores.getRhs());
  problem.resultBytes = bytes(attention.result);
  enum { M, N, D, V };
  auto buffer = [&](std::string name, std::initializer_list<int> along) {
    decision::TileProblem::Buffer each;
    each.name = std::move(name);
    each.along.assign(problem.dims.size(), false);
    for (int d : along)
      each.along[batches + size_t(d)] = true;
    problem.buffers.push_back(std::move(each));
  };
  // Packed panels are f32 whatever the operands are.
  buffer("q", {M, D});
  buffer("k", {N, D});
  buffer("v", {N, V});
  buffer("scores", {M, N});
  buffer("result", {M, V});
  // Per score: what is done on it, its exponential, and its sum.
  auto along = [&](std::initializer_list<int> dims) {
    std::vector<bool> result(problem.dims.size(), false);
    std::fill(result.begin(), result.begin() + batches, true);
    for (int d : dims)
      result[batches + size_t(d)] = true;
    return result;
  };
  for (size_t i = 0; i < attention.score.size() + attention.centered.size() +
                             attention.weight.size();
       ++i)
    problem.work.push_back({"elementwise", "f32", along({M, N})});
  problem.work.push_back({"transcendental", "f32", along({M, N})});
  problem.work.push_back({"reduction", "f32", along({M, N})});
  if (attention.rowMax)
    problem.work.push_back({"reduction", "f32", along({M, N})});
  auto tensor = [&](const char *name, Value value, std::vector<bool> dims,
                    bool written = false) {
    problem.tensors.push_back({name, bytes(value), std::move(dims), written});
  };
  tensor("q", attention.scores.getLhs(), along({M, D}));
  tensor("k", attention.scores.getRhs(), along({N, D}));
  tensor("v", attention.output.getRhs(), along({N, V}));
  tensor("result", attention.result, along({M, V}), true);
  return problem;
}

} // namespace tilewright::pass
