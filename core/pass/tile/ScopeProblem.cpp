//===- ScopeProblem.cpp - a scope as a tile decision sees it --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/ScopeProblem.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/dialect/Weights.h"
#include "core/pass/tile/AttentionMask.h"
#include "core/pass/tile/AttentionScope.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilewright::pass {

static int64_t elementBytes(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (!element.isIntOrFloat())
    return 8;
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

static int64_t knownExtent(int64_t size) {
  return ShapedType::isDynamic(size) ? -1 : size;
}

/// The values alive on chip at the worst moment of one tile.
static std::vector<decision::TileProblem::Buffer>
peakBuffers(const ScopeBody &body) {
  const ScopeSpace &space = body.space;
  unsigned rank = space.shape.size();
  llvm::DenseMap<Operation *, unsigned> position;
  for (auto [i, op] : llvm::enumerate(body.ops))
    position[op] = i;

  struct Life {
    unsigned first, last;
    decision::TileProblem::Buffer buffer;
    int64_t weight;
  };
  llvm::MapVector<Value, Life> lives;
  auto describe = [&](Value value, ArrayRef<int> dims, std::string name,
                      unsigned at) {
    decision::TileProblem::Buffer buffer;
    buffer.name = std::move(name);
    buffer.elementBytes = elementBytes(value.getType());
    buffer.along.assign(rank, false);
    int64_t weight = buffer.elementBytes;
    for (int d : dims)
      if (d >= 0 && d < int(rank)) {
        buffer.along[d] = true;
        weight *= std::max<int64_t>(1, knownExtent(space.shape[d]));
      }
    lives.insert({value, {at, at, std::move(buffer), weight}});
  };
  for (auto [i, op] : llvm::enumerate(body.ops)) {
    for (auto [n, operand] : llvm::enumerate(op->getOperands())) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      if (!type)
        continue;
      if (auto it = lives.find(operand); it != lives.end()) {
        it->second.last = i;
        continue;
      }
      SmallVector<int> dims;
      for (auto [d, size] : llvm::enumerate(type.getShape())) {
        int along = int(rank) - int(type.getRank()) + int(d);
        dims.push_back(size == 1 ? -1 : along);
      }
      std::string name = "operand";
      if (auto argument = dyn_cast<BlockArgument>(operand))
        name += std::to_string(argument.getArgNumber());
      describe(operand, dims, name, i);
    }
    std::string name = primaryKey(op).str();
    name = name.substr(name.rfind('/') + 1);
    if (name.empty())
      name = op->getName().stripDialect().str();
    SmallVector<int> dims;
    if (space.kind == OpRole::Other)
      for (unsigned d = 0; d < rank; ++d)
        dims.push_back(d);
    else
      dims = resultDims(op, space);
    describe(op->getResult(0), dims, name, i);
    // Written over an operand that ends here and is as large.
    if (roleOf(op) == OpRole::Elementwise) {
      Life &result = lives.find(op->getResult(0))->second;
      for (Value operand : op->getOperands()) {
        auto it = lives.find(operand);
        if (it == lives.end() || it->second.weight != result.weight)
          continue;
        bool ends = llvm::all_of(operand.getUsers(), [&](Operation *user) {
          return position.count(user) && position[user] <= i;
        });
        if (ends && it->second.last == i && i > 0 && it->second.first < i) {
          it->second.last = i - 1;
          break;
        }
      }
    }
  }
  // A result that leaves the scope stays until its store.
  for (auto &[value, life] : lives)
    if (value.getDefiningOp() && position.count(value.getDefiningOp()))
      if (llvm::any_of(value.getUsers(),
                       [&](Operation *user) { return !position.count(user); }))
        life.last = body.ops.size();

  unsigned worst = 0;
  int64_t most = -1;
  for (unsigned at = 0; at <= body.ops.size(); ++at) {
    int64_t total = 0;
    for (auto &[value, life] : lives)
      if (life.first <= at && at <= life.last)
        total += life.weight;
    if (total > most)
      most = total, worst = at;
  }
  std::vector<decision::TileProblem::Buffer> buffers;
  for (auto &[value, life] : lives)
    if (life.first <= worst && worst <= life.last)
      buffers.push_back(life.buffer);
  return buffers;
}

static std::string typeName(Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << getElementTypeOrSelf(value.getType());
  return text;
}

/// Whether `op`, on the way into a matmul, goes into the left operand.
static bool feedsLhs(Operation *op) {
  while (!op->use_empty()) {
    OpOperand &use = *op->use_begin();
    if (isa<tw::MatmulOp>(use.getOwner()))
      return use.getOperandNumber() == 0;
    op = use.getOwner();
  }
  return false;
}

/// What the tasks compute, read and write besides matmuls and their operands.
static void describeWork(const ScopeBody &body,
                         decision::TileProblem &problem) {
  const ScopeSpace &space = body.space;
  size_t rank = space.shape.size();
  auto none = [&] { return std::vector<bool>(problem.dims.size(), false); };
  // Aligned at the last dimension of the space; one element runs along none.
  auto alongOf = [&](Value value) {
    std::vector<bool> along = none();
    if (auto type = dyn_cast<RankedTensorType>(value.getType()))
      for (auto [d, size] : llvm::enumerate(type.getShape())) {
        int at = int(rank) - int(type.getRank()) + int(d);
        if (at >= 0 && size != 1)
          along[size_t(at)] = true;
      }
    return along;
  };
  auto whole = [&] {
    std::vector<bool> along = none();
    std::fill(along.begin(), along.begin() + rank, true);
    return along;
  };
  llvm::DenseSet<Operation *> inside(body.ops.begin(), body.ops.end());
  inside.insert(body.prologues.begin(), body.prologues.end());
  // Along which dimensions a tile of a matmul's operand runs.
  auto operandSide = [&](bool lhs) {
    std::vector<bool> along = none();
    for (size_t d = 0; d + 2 < rank; ++d)
      along[d] = true;
    along[lhs ? rank - 2 : rank - 1] = true;
    along[rank] = true; // k
    return along;
  };
  llvm::DenseSet<Value> read;
  auto reads = [&](Operation *op, const std::vector<bool> *along) {
    for (Value operand : op->getOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.getType());
      Operation *from = operand.getDefiningOp();
      // Constants and views are read from where they lie.
      if (!type ||
          (from && (inside.contains(from) || roleOf(from) == OpRole::Fill)) ||
          !read.insert(operand).second)
        continue;
      std::string name = "operand";
      if (auto argument = dyn_cast<BlockArgument>(operand))
        name += std::to_string(argument.getArgNumber());
      problem.tensors.push_back(
          {name, elementBytes(type), along ? *along : alongOf(operand), false});
    }
  };
  for (Operation *op : body.prologues) {
    std::vector<bool> along = operandSide(feedsLhs(op));
    if (op->getNumOperands())
      problem.work.push_back(
          {std::string(targetClassOf(op)), typeName(op->getOperand(0)), along});
  }
  for (Operation *op : body.ops) {
    if (roleOf(op) == OpRole::Fill || op->getNumResults() == 0)
      continue;
    if (!isa<tw::MatmulOp>(op) && op->getNumOperands()) {
      bool other = space.kind == OpRole::Other;
      decision::TileProblem::Work work;
      work.op = targetClassOf(op);
      work.dtype = typeName(op->getOperand(0));
      if (other)
        work.along = whole();
      else if (roleOf(op) == OpRole::Reduction)
        work.along = alongOf(op->getOperand(0));
      else {
        work.along = none();
        for (int d : resultDims(op, space))
          if (d >= 0)
            work.along[size_t(d)] = true;
      }
      problem.work.push_back(std::move(work));
      // What is rearranged is read as often as it is written.
      std::vector<bool> all = whole();
      reads(op, other ? &all : nullptr);
    }
    for (Value value : op->getResults()) {
      if (llvm::all_of(
              value.getUsers(),
              [&](Operation *user) { return inside.contains(user); }) ||
          !isa<RankedTensorType>(value.getType()))
        continue;
      std::string name = primaryKey(op).str();
      decision::TileProblem::Tensor tensor{name.substr(name.rfind('/') + 1),
                                           elementBytes(value.getType()),
                                           none(), true};
      if (space.kind == OpRole::Other)
        tensor.along = whole();
      else
        for (int d : resultDims(op, space))
          if (d >= 0)
            tensor.along[size_t(d)] = true;
      problem.tensors.push_back(std::move(tensor));
    }
  }
}

/// Whether operand `index` of all matmuls is a weight that pack-weights packs:
/// a matrix that is the same in all runs, and that nobody else reads.
static bool areWeights(const ScopeBody &body, unsigned index) {
  return llvm::all_of(body.ops, [&](Operation *op) {
    if (!isa<tw::MatmulOp>(op))
      return true;
    Value operand = op->getOperand(index);
    if (cast<RankedTensorType>(operand.getType()).getRank() != 2 ||
        !operand.hasOneUse())
      return false;
    auto argument = dyn_cast<BlockArgument>(operand);
    if (!argument)
      return operand.getDefiningOp()->hasTrait<OpTrait::ConstantLike>();
    auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return func && func.getArgAttr(argument.getArgNumber(), weightAttrName);
  });
}

decision::TileProblem problemOf(const ScopeBody &body, std::string key) {
  if (auto func = dyn_cast<func::FuncOp>(body.space.root->getParentOp()))
    if (std::optional<Attention> attention = attentionOf(func)) {
      decision::TileProblem problem =
          attentionProblem(*attention, std::move(key));
      problem.visibleKeys = visibleKeysOf(func);
      return problem;
    }
  decision::TileProblem problem;
  problem.key = std::move(key);
  const ScopeSpace &space = body.space;
  for (unsigned d = 0; d < space.shape.size(); ++d)
    problem.dims.push_back(
        {space.dimName(d), knownExtent(space.shape[d]), bool(space.free[d])});
  if (auto matmul = dyn_cast<tw::MatmulOp>(space.root)) {
    problem.matmul = true;
    problem.dims.push_back({"k", knownExtent(matmul.getK()), false});
    problem.lhsBytes = elementBytes(matmul.getLhs().getType());
    problem.rhsBytes = elementBytes(matmul.getRhs().getType());
    problem.resultBytes = elementBytes(matmul.getType());
    llvm::raw_string_ostream stream(problem.dtype = "");
    stream << getElementTypeOrSelf(matmul.getLhs().getType());
    problem.matmuls = std::max(1u, space.matmuls);
    for (Operation *op : body.ops)
      if (auto other = dyn_cast<tw::MatmulOp>(op))
        problem.sharedLhs &= other.getLhs() == matmul.getLhs();
    auto prologueBytes = [&](Value operand) -> int64_t {
      return llvm::is_contained(body.prologues, operand.getDefiningOp())
                 ? elementBytes(operand.getType())
                 : 0;
    };
    problem.lhsTransposed = matmul.getTransposeLhs();
    problem.rhsTransposed = matmul.getTransposeRhs();
    problem.lhsWeight = areWeights(body, 0);
    problem.rhsWeight = areWeights(body, 1);
    problem.lhsPrologueBytes = prologueBytes(matmul.getLhs());
    problem.rhsPrologueBytes = prologueBytes(matmul.getRhs());
    if (getElementTypeOrSelf(matmul.getLhs().getType()).isF32() &&
        !matmul.getTransposeLhs() && !problem.lhsPrologueBytes)
      problem.lhsRowBytes =
          4 * std::max<int64_t>(0, knownExtent(matmul.getK()));
    if (getElementTypeOrSelf(matmul.getRhs().getType()).isF32() &&
        !matmul.getTransposeRhs() && !problem.rhsPrologueBytes &&
        !problem.rhsWeight)
      problem.rhsRowBytes =
          4 * std::max<int64_t>(0, knownExtent(matmul.getN()));
    describeWork(body, problem);
    return problem;
  }
  problem.buffers = peakBuffers(body);
  problem.sequentialRows = reducesInOnePass(body.ops, space);
  for (Operation *op : body.ops) {
    auto reduce = dyn_cast<tw::ReduceOp>(op);
    problem.computesRows |= !reduce && runsAlongRows(op, space);
    if (!reduce || !problem.sequentialRows)
      continue;
    // What is carried, and a narrow piece as f32.
    decision::TileProblem::Buffer carried{"carried", 4, {}};
    for (unsigned d = 0; d < space.shape.size(); ++d)
      carried.along.push_back(space.free[d]);
    problem.pieceBuffers.push_back(carried);
    if (elementBytes(reduce.getInput().getType()) < 4 &&
        isa<FloatType>(getElementTypeOrSelf(reduce.getInput().getType())))
      problem.pieceBuffers.push_back(
          {"widened", 4, std::vector<bool>(space.shape.size(), true)});
  }
  describeWork(body, problem);
  return problem;
}

DictionaryAttr sizesAttr(MLIRContext *context, const model::TileSizes &sizes) {
  Builder builder(context);
  SmallVector<NamedAttribute> levels;
  for (const auto &[level, dims] : sizes) {
    SmallVector<NamedAttribute> entries;
    for (const auto &[dim, size] : dims)
      entries.push_back(
          builder.getNamedAttr(dim, builder.getI64IntegerAttr(size)));
    levels.push_back(
        builder.getNamedAttr(level, builder.getDictionaryAttr(entries)));
  }
  return builder.getDictionaryAttr(levels);
}

model::TileSizes sizesFrom(Attribute attr) {
  model::TileSizes sizes;
  auto levels = dyn_cast_or_null<DictionaryAttr>(attr);
  if (!levels)
    return sizes;
  for (NamedAttribute level : levels)
    if (auto dims = dyn_cast<DictionaryAttr>(level.getValue()))
      for (NamedAttribute dim : dims)
        if (auto size = dyn_cast<IntegerAttr>(dim.getValue()))
          if (size.getInt() > 0)
            sizes[level.getName().str()][dim.getName().str()] = size.getInt();
  return sizes;
}

} // namespace tilewright::pass
