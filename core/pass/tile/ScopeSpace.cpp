//===- ScopeSpace.cpp - what a scope iterates over ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/ScopeSpace.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/pass/tile/AttentionScope.h"
#include "core/pass/tile/FoldViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/TilingInterface.h"

using namespace mlir;

namespace tilewright::pass {

static bool isSplat(Operation *op) {
  DenseElementsAttr value;
  return matchPattern(op, m_Constant(&value)) && value.isSplat();
}

OpRole roleOf(Operation *op) {
  if (isa<tw::MatmulOp>(op))
    return OpRole::Matmul;
  if (isa<tw::ReduceOp>(op))
    return OpRole::Reduction;
  if (tw::isElementwise(op))
    return OpRole::Elementwise;
  if (isa<tw::FullOp, tensor::EmptyOp>(op))
    return OpRole::Fill;
  if (isa<arith::ConstantOp>(op) &&
      isa<RankedTensorType>(op->getResult(0).getType()))
    return isSplat(op) ? OpRole::Fill : OpRole::None;
  if (isa<linalg::FillOp>(op) &&
      matchPattern(op->getOperand(0), m_Constant()) &&
      op->getOperand(1).getDefiningOp<tensor::EmptyOp>())
    return OpRole::Fill;
  if (isa<tensor::DimOp, tensor::CastOp>(op) || isView(op))
    return OpRole::None;
  for (Type type : op->getResultTypes())
    if (isa<TensorType>(type))
      return OpRole::Other;
  return OpRole::None;
}

std::string_view targetClassOf(Operation *op) {
  if (isa<tw::MatmulOp, block::MatmulOp>(op))
    return "matmul";
  if (isa<tw::ReduceOp, block::ReduceOp>(op))
    return "reduction";
  if (isa<tw::CastOp, block::CastOp>(op))
    return "cast";
  if (isa<tw::ExpOp, tw::LogOp, tw::TanhOp, tw::ErfOp, tw::SigmoidOp,
          tw::SiluOp, tw::GeluOp, tw::PowOp, tw::SqrtOp, tw::RsqrtOp>(op))
    return "transcendental";
  if (auto unary = dyn_cast<block::UnaryOp>(op))
    switch (unary.getKind()) {
    case block::UnaryKind::Neg:
    case block::UnaryKind::Abs:
    case block::UnaryKind::Relu:
    case block::UnaryKind::Reciprocal:
      return "elementwise";
    default:
      return "transcendental";
    }
  if (auto binary = dyn_cast<block::BinaryOp>(op))
    if (binary.getKind() == block::BinaryKind::Pow)
      return "transcendental";
  return "elementwise";
}

std::string ScopeSpace::dimName(unsigned d) const {
  if (kind == OpRole::Matmul) {
    unsigned batches = shape.size() - 2;
    if (d < batches)
      return "b" + std::to_string(d);
    return d == batches ? "m" : "n";
  }
  return "d" + std::to_string(d);
}

int64_t ScopeSpace::wholePoints() const {
  int64_t points = 1;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (free[d])
      continue;
    if (ShapedType::isDynamic(size))
      return ShapedType::kDynamic;
    points *= size;
  }
  return points;
}

std::optional<ScopeSpace> spaceOf(Operation *op) {
  ScopeSpace space;
  space.root = op;
  space.kind = roleOf(op);
  switch (space.kind) {
  case OpRole::None:
  case OpRole::Fill:
    return std::nullopt;
  case OpRole::Reduction: {
    auto reduce = cast<tw::ReduceOp>(op);
    auto input = cast<RankedTensorType>(reduce.getInput().getType());
    space.shape = llvm::to_vector(input.getShape());
    space.free.resize(space.shape.size(), true);
    for (int64_t axis : reduce.getNormalizedAxes())
      space.free.reset(axis);
    space.full = space.free;
    // Losing leading axes only, the result still lines up at the last one.
    int lastReduced = space.free.find_last_unset();
    int firstKept = space.free.find_first();
    space.drops = !reduce.getKeepdims() && lastReduced >= 0 && firstKept >= 0 &&
                  firstKept < lastReduced;
    return space;
  }
  case OpRole::Other:
    // What says itself how it iterates is believed.
    if (auto tileable = dyn_cast<TilingInterface>(op)) {
      OpBuilder builder(op);
      for (Range range : tileable.getIterationDomain(builder))
        space.shape.push_back(
            getConstantIntValue(range.size).value_or(ShapedType::kDynamic));
      for (utils::IteratorType type : tileable.getLoopIteratorTypes())
        space.free.push_back(type == utils::IteratorType::parallel);
      space.full = space.free;
      return space;
    }
    [[fallthrough]];
  default: {
    auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
    if (!type)
      return std::nullopt;
    space.shape = llvm::to_vector(type.getShape());
    space.free.resize(space.shape.size(), true);
    space.full = space.free;
    space.matmuls = space.kind == OpRole::Matmul;
    return space;
  }
  }
}

/// `space` with leading dimensions of one element up to `rank`.
static ScopeSpace widened(ScopeSpace space, unsigned rank) {
  unsigned extra = rank - space.shape.size();
  space.shape.insert(space.shape.begin(), extra, 1);
  auto shift = [&](llvm::SmallBitVector &bits) {
    llvm::SmallBitVector wide(rank, true);
    for (unsigned d = 0; d < bits.size(); ++d)
      wide[d + extra] = bits[d];
    bits = wide;
  };
  shift(space.free);
  shift(space.full);
  return space;
}

bool areSiblings(Operation *matmul, Operation *other) {
  auto a = dyn_cast<tw::MatmulOp>(matmul), b = dyn_cast<tw::MatmulOp>(other);
  if (!a || !b || a.getAcc() || b.getAcc() ||
      a.getType().getShape() != b.getType().getShape() ||
      a.getK() != b.getK() || ShapedType::isDynamic(a.getK()) ||
      a.getTransposeLhs() != b.getTransposeLhs() ||
      a.getTransposeRhs() != b.getTransposeRhs())
    return false;
  auto sameType = [](Value x, Value y) {
    return getElementTypeOrSelf(x.getType()) ==
           getElementTypeOrSelf(y.getType());
  };
  // Not both: equal products would become one.
  return (a.getLhs() == b.getLhs()) != (a.getRhs() == b.getRhs()) &&
         sameType(a.getLhs(), b.getLhs()) && sameType(a.getRhs(), b.getRhs()) &&
         sameType(a.getResult(), b.getResult());
}

SmallVector<Operation *> operandPrologues(ArrayRef<Operation *> ops) {
  llvm::SmallPtrSet<Operation *, 16> members(ops.begin(), ops.end());
  llvm::SmallPtrSet<Operation *, 16> found;
  SmallVector<Operation *> result;
  // Users stand behind what they use.
  for (Operation *op : llvm::reverse(ops)) {
    if (roleOf(op) != OpRole::Elementwise || op->use_empty())
      continue;
    bool all = llvm::all_of(op->getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      return found.contains(user) ||
             (members.contains(user) && isa<tw::MatmulOp>(user) &&
              use.getOperandNumber() < 2);
    });
    if (all) {
      found.insert(op);
      result.push_back(op);
    }
  }
  std::reverse(result.begin(), result.end());
  return result;
}

/// Whether a value of `shape` can be read, or made, on tiles of `space` along
/// all of its dimensions but those of one element.
static bool linesUp(ArrayRef<int64_t> shape, ArrayRef<int64_t> space) {
  if (shape.size() > space.size())
    return false;
  for (auto [size, extent] : llvm::zip(shape, space.take_back(shape.size())))
    if (size != extent && size != 1)
      return false;
  return true;
}

std::optional<ScopeSpace> joinSpaces(const ScopeSpace &producer,
                                     const ScopeSpace &consumer, bool reads) {
  if (producer.kind == OpRole::Other || consumer.kind == OpRole::Other ||
      (reads && producer.drops))
    return std::nullopt;
  bool left = producer.kind == OpRole::Matmul,
       right = consumer.kind == OpRole::Matmul;
  if (left && right) {
    if (!areSiblings(producer.root, consumer.root))
      return std::nullopt;
    ScopeSpace joined = producer;
    joined.matmuls += consumer.matmuls;
    joined.recomputes |= consumer.recomputes;
    return joined;
  }
  if (left || right) {
    // What is computed on tiles of a matmul's result: as large as that, or
    // smaller and beside it.
    const ScopeSpace &matmul = left ? producer : consumer;
    const ScopeSpace &other = left ? consumer : producer;
    if (other.kind != OpRole::Elementwise)
      return std::nullopt;
    ScopeSpace joined = matmul;
    if (other.shape == matmul.shape)
      return joined;
    // A result that others read along more dimensions is no tile of theirs.
    if ((left && reads) || !linesUp(other.shape, matmul.shape))
      return std::nullopt;
    joined.recomputes = true;
    return joined;
  }
  unsigned rank = std::max(producer.shape.size(), consumer.shape.size());
  ScopeSpace a = widened(producer, rank), b = widened(consumer, rank);
  ScopeSpace joined = a;
  joined.root = b.kind == OpRole::Reduction || a.kind != OpRole::Reduction
                    ? b.root
                    : a.root;
  joined.kind = a.kind == OpRole::Reduction || b.kind == OpRole::Reduction
                    ? OpRole::Reduction
                    : OpRole::Elementwise;
  joined.drops = b.drops || (!reads && a.drops);
  joined.free &= b.free;
  for (unsigned d = 0; d < rank; ++d) {
    int64_t x = a.shape[d], y = b.shape[d];
    // What a reduction left as 1 may be stretched to another extent than it was
    // reduced from, or be reduced again: then one tile cannot serve both.
    bool bothReduce =
        a.kind == OpRole::Reduction && b.kind == OpRole::Reduction;
    if (x != y && ((x != 1 && y != 1) || bothReduce))
      return std::nullopt;
    joined.shape[d] = x == 1 ? y : x;
    joined.full[d] = a.full[d] && b.full[d] && x == y;
    if (joined.free[d] && !joined.full[d])
      return std::nullopt;
  }
  return joined;
}

SmallVector<int> resultDims(Operation *op, const ScopeSpace &space) {
  SmallVector<int> dims;
  unsigned rank = space.shape.size();
  if (auto reduce = dyn_cast<tw::ReduceOp>(op)) {
    unsigned inputRank =
        cast<RankedTensorType>(reduce.getInput().getType()).getRank();
    SmallVector<int64_t> axes = reduce.getNormalizedAxes();
    for (unsigned d = 0; d < inputRank; ++d) {
      bool reduced = llvm::is_contained(axes, int64_t(d));
      if (reduced && reduce.getKeepdims())
        dims.push_back(-1);
      else if (!reduced)
        dims.push_back(rank - inputRank + d);
    }
    return dims;
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  // What says itself how it iterates need not have a dimension for each of its
  // result's: a softmax that is not written out has rows only.
  if (type.getRank() > int64_t(rank))
    return SmallVector<int>(type.getRank(), -1);
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    unsigned d = rank - type.getRank() + i;
    dims.push_back(size == 1 && space.shape[d] != 1 ? -1 : int(d));
  }
  return dims;
}

bool runsAlongRows(Operation *op, const ScopeSpace &space) {
  return llvm::any_of(resultDims(op, space), [&](int d) {
    return d >= 0 && !space.free[d] && space.shape[d] != 1;
  });
}

bool reducesInOnePass(ArrayRef<Operation *> ops, const ScopeSpace &space) {
  if (space.kind != OpRole::Reduction)
    return false;
  unsigned rank = space.shape.size();
  llvm::SmallPtrSet<Operation *, 16> inside(ops.begin(), ops.end());
  llvm::SmallPtrSet<Operation *, 16> reduced; // from reductions on
  for (Operation *op : ops) {
    bool after = llvm::any_of(op->getOperands(), [&](Value operand) {
      return reduced.contains(operand.getDefiningOp());
    });
    if (auto reduce = dyn_cast<tw::ReduceOp>(op)) {
      Type element = getElementTypeOrSelf(reduce.getInput().getType());
      // Sums of narrow types are carried in f32; other numbers as they are.
      bool carried = isa<FloatType>(element)
                         ? element.getIntOrFloatBitWidth() <= 32
                         : element.getIntOrFloatBitWidth() >= 8 &&
                               element.getIntOrFloatBitWidth() <= 32 &&
                               reduce.getKind() != tw::ReduceKind::Mean;
      if (after || !carried)
        return false;
      auto input = cast<RankedTensorType>(reduce.getInput().getType());
      unsigned first = rank - input.getRank();
      SmallVector<int64_t> axes = reduce.getNormalizedAxes();
      for (unsigned d = 0; d < rank; ++d) {
        if (space.free[d] || space.shape[d] == 1)
          continue;
        if (d < first || input.getDimSize(d - first) != space.shape[d] ||
            !llvm::is_contained(axes, int64_t(d - first)))
          return false;
      }
      reduced.insert(op);
      continue;
    }
    if (after) {
      if (runsAlongRows(op, space))
        return false;
      reduced.insert(op);
    } else if (runsAlongRows(op, space) &&
               !llvm::all_of(op->getUsers(), [&](Operation *user) {
                 return inside.contains(user);
               })) {
      return false;
    }
  }
  return !reduced.empty();
}

FailureOr<ScopeSpace> commonSpace(ArrayRef<Operation *> ops,
                                  Operation **obstacle) {
  // What is beside a matmul lines up with it, not with each other.
  SmallVector<Operation *> sorted;
  for (bool matmuls : {true, false})
    llvm::copy_if(ops, std::back_inserter(sorted), [&](Operation *op) {
      return isa<tw::MatmulOp>(op) == matmuls;
    });
  // What does not line up yet may do so once a reduction makes rows whole: a
  // single element beside them, for one. It waits for the others.
  std::optional<ScopeSpace> space;
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!sorted.empty()) {
    SmallVector<Operation *> waiting;
    for (Operation *op : sorted) {
      std::optional<ScopeSpace> own = spaceOf(op);
      if (!space) {
        space = own;
        seen.insert(op);
        continue;
      }
      bool reads = llvm::any_of(op->getOperands(), [&](Value operand) {
        return seen.contains(operand.getDefiningOp());
      });
      // Inside a scope the order of operations says nothing about who feeds
      // whom; either way round will do.
      std::optional<ScopeSpace> joined = joinSpaces(*space, *own, reads);
      if (!joined)
        joined = joinSpaces(*own, *space, false);
      if (!joined) {
        waiting.push_back(op);
        continue;
      }
      seen.insert(op);
      space = joined;
    }
    if (waiting.size() == sorted.size()) {
      if (obstacle)
        *obstacle = waiting.front();
      return failure();
    }
    sorted = std::move(waiting);
  }
  if (!space)
    return failure();
  return *space;
}

FailureOr<ScopeBody> analyseScope(Operation *func) {
  ScopeBody body;
  if (auto scope = dyn_cast<func::FuncOp>(func))
    if (std::optional<Attention> attention = attentionOf(scope)) {
      body.ops = attention->ops;
      body.space = attentionSpace(*attention);
      return body;
    }
  Region &region = cast<FunctionOpInterface>(func).getFunctionBody();
  SmallVector<Operation *> ops;
  for (Operation &op : region.front())
    if (spaceOf(&op))
      ops.push_back(&op);
  body.prologues = operandPrologues(ops);
  llvm::SmallPtrSet<Operation *, 16> before(body.prologues.begin(),
                                            body.prologues.end());
  llvm::erase_if(ops, [&](Operation *op) { return before.contains(op); });
  body.ops.assign(ops.begin(), ops.end());
  Operation *obstacle = nullptr;
  FailureOr<ScopeSpace> space = commonSpace(ops, &obstacle);
  if (failed(space)) {
    if (obstacle)
      obstacle->emitError()
          << "cannot be computed tile by tile together with the operations "
             "before it in this scope [TW0304]";
    return failure();
  }
  body.space = *space;
  return body;
}

OpFoldResult sizeOf(OpBuilder &builder, Location loc, Value value,
                    int64_t dim) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.isDynamicDim(dim))
    return builder.getIndexAttr(type.getDimSize(dim));
  Operation *op = value.getDefiningOp();
  OpRole role = op ? roleOf(op) : OpRole::None;
  if (role == OpRole::Elementwise) {
    // A `?` never stretches: some operand has it at the same place.
    for (Value operand : op->getOperands()) {
      auto operandType = cast<RankedTensorType>(operand.getType());
      int64_t d = dim - type.getRank() + operandType.getRank();
      if (d >= 0 && operandType.getDimSize(d) != 1)
        return sizeOf(builder, loc, operand, d);
    }
  } else if (auto matmul = dyn_cast_or_null<tw::MatmulOp>(op)) {
    int64_t rank = type.getRank();
    auto lhs = cast<RankedTensorType>(matmul.getLhs().getType());
    auto rhs = cast<RankedTensorType>(matmul.getRhs().getType());
    if (dim == rank - 2)
      return sizeOf(builder, loc, matmul.getLhs(),
                    lhs.getRank() - (matmul.getTransposeLhs() ? 1 : 2));
    if (dim == rank - 1)
      return sizeOf(builder, loc, matmul.getRhs(),
                    rhs.getRank() - (matmul.getTransposeRhs() ? 2 : 1));
    int64_t l = dim - rank + lhs.getRank();
    if (l >= 0 && lhs.getDimSize(l) != 1)
      return sizeOf(builder, loc, matmul.getLhs(), l);
    return sizeOf(builder, loc, matmul.getRhs(), dim - rank + rhs.getRank());
  } else if (auto reduce = dyn_cast_or_null<tw::ReduceOp>(op)) {
    if (reduce.getKeepdims())
      return sizeOf(builder, loc, reduce.getInput(), dim);
    SmallVector<int64_t> axes = reduce.getNormalizedAxes();
    int64_t input = 0;
    for (int64_t left = dim;; ++input) {
      if (llvm::is_contained(axes, input))
        continue;
      if (left-- == 0)
        break;
    }
    return sizeOf(builder, loc, reduce.getInput(), input);
  } else if (auto full = dyn_cast_or_null<tw::FullOp>(op)) {
    return full.getDynamicSizes()[type.getDynamicDimIndex(dim)];
  } else if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op)) {
    return empty.getDynamicSizes()[type.getDynamicDimIndex(dim)];
  } else if (op) {
    ReifiedRankedShapedTypeDims dims;
    if (succeeded(reifyResultShapes(builder, op, dims)) &&
        cast<OpResult>(value).getResultNumber() < dims.size()) {
      OpFoldResult size = dims[cast<OpResult>(value).getResultNumber()][dim];
      auto asValue = dyn_cast<Value>(size);
      auto dimOp = asValue ? asValue.getDefiningOp<tensor::DimOp>() : nullptr;
      if (!dimOp || !dimOp.getConstantIndex())
        return size;
      return sizeOf(builder, loc, dimOp.getSource(), *dimOp.getConstantIndex());
    }
  }
  return builder.createOrFold<tensor::DimOp>(loc, value, dim);
}

} // namespace tilewright::pass
