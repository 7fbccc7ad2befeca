//===- BuildTasks.cpp - what waits for what -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/execution/BuildTasks.h"
#include "core/dialect/Key.h"
#include "core/pass/block/JoinProgram.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/MapVector.h"
#include <array>
#include <map>

using namespace mlir;

namespace tilewright::pass {
namespace {

/// One use of a buffer by a dispatch.
struct Use {
  unsigned dispatch;
  block::AccessMode mode;
  AffineMap map; ///< null: all of it
  ArrayRef<int64_t> sizes;
};

bool writes(block::AccessMode mode) { return mode != block::AccessMode::Read; }

/// If `expr` is scale * d + offset with scale > 0 over exactly one dimension.
struct Linear {
  unsigned dim;
  int64_t scale, offset;
};
std::optional<Linear> linear(AffineExpr expr) {
  int64_t offset = 0, scale = 1;
  while (true) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return Linear{dim.getPosition(), scale, offset};
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    auto constant =
        binary ? dyn_cast<AffineConstantExpr>(binary.getRHS()) : nullptr;
    if (!constant)
      return std::nullopt;
    if (binary.getKind() == AffineExprKind::Add)
      offset += scale * constant.getValue();
    else if (binary.getKind() == AffineExprKind::Mul && constant.getValue() > 0)
      scale *= constant.getValue();
    else
      return std::nullopt;
    expr = binary.getLHS();
  }
}

std::optional<int64_t> constantOf(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  return std::nullopt;
}

class Depender {
public:
  explicit Depender(block::ProgramOp program) : program(program) {
    llvm::append_range(dispatches,
                       program.getBody().getOps<block::DispatchOp>());
  }

  void run() {
    llvm::MapVector<Value, SmallVector<Use>> uses;
    for (auto [i, dispatch] : llvm::enumerate(dispatches))
      for (auto [n, buffer] : llvm::enumerate(dispatch.getBuffers())) {
        Use use{unsigned(i), block::AccessMode::ReadWrite, AffineMap(), {}};
        if (auto accesses = dispatch.getAccess()) {
          auto access = cast<block::AccessAttr>((*accesses)[n]);
          use.mode = access.getMode();
          use.map = access.getMap();
          use.sizes = access.getSizes();
        }
        uses[block::underlyingBuffer(buffer)].push_back(use);
      }
    SmallVector<llvm::SetVector<Attribute>> found(dispatches.size());
    for (auto &[buffer, list] : uses) {
      if (llvm::none_of(list, [](const Use &use) { return writes(use.mode); }))
        continue;
      for (size_t later = 0; later < list.size(); ++later)
        for (size_t earlier = 0; earlier < later; ++earlier) {
          const Use &a = list[earlier], &b = list[later];
          if (a.dispatch == b.dispatch || (!writes(a.mode) && !writes(b.mode)))
            continue;
          if (block::DependencyAttr dependency = between(a, b))
            found[b.dispatch].insert(dependency);
        }
    }
    for (auto [i, dispatch] : llvm::enumerate(dispatches)) {
      // By producer; bounds of the same producer in the order of its buffers.
      SmallVector<std::tuple<int64_t, size_t, Attribute>> order;
      for (auto [n, attr] : llvm::enumerate(found[i]))
        order.push_back(
            {cast<block::DependencyAttr>(attr).getProducer(), n, attr});
      llvm::sort(order, [](const auto &a, const auto &b) {
        return std::pair(std::get<0>(a), std::get<1>(a)) <
               std::pair(std::get<0>(b), std::get<1>(b));
      });
      SmallVector<Attribute> sorted;
      for (auto &entry : order)
        sorted.push_back(std::get<2>(entry));
      if (sorted.empty())
        dispatch.removeDependenciesAttr();
      else
        dispatch.setDependenciesAttr(
            ArrayAttr::get(program.getContext(), sorted));
    }
  }

private:
  /// Tasks of a producer: from `lower` up to, not including, `upper`; null maps
  /// if the two never touch the same elements.
  struct Bounds {
    AffineMap lower, upper;
  };

  /// Tasks of `a` that the task of `b` at a grid point waits for; null if the
  /// two never touch the same elements. Equal layers ask the same again and
  /// again.
  block::DependencyAttr between(const Use &a, const Use &b) {
    auto producer = dispatches[a.dispatch], consumer = dispatches[b.dispatch];
    auto [known, isNew] = bounds.try_emplace(
        {a.map.getAsOpaquePointer(), a.sizes.data(), b.map.getAsOpaquePointer(),
         b.sizes.data(), producer.getStaticGridAttr().getAsOpaquePointer(),
         consumer.getStaticGridAttr().getAsOpaquePointer()});
    if (isNew)
      known->second = boundsOf(a, b);
    if (!known->second.lower)
      return nullptr;
    return block::DependencyAttr::get(program.getContext(), a.dispatch,
                                      known->second.lower, known->second.upper);
  }

  Bounds boundsOf(const Use &a, const Use &b) {
    MLIRContext *context = program.getContext();
    auto producer = dispatches[a.dispatch], consumer = dispatches[b.dispatch];
    unsigned producerRank = producer.getStaticGrid().size();
    unsigned consumerRank = consumer.getStaticGrid().size();
    AffineExpr zero = getAffineConstantExpr(0, context);
    SmallVector<AffineExpr> lower(producerRank, zero), upper;
    for (int64_t size : producer.getStaticGrid())
      upper.push_back(getAffineConstantExpr(
          ShapedType::isDynamic(size) ? std::numeric_limits<int32_t>::max()
                                      : size,
          context));
    if (a.map && b.map) {
      SmallVector<bool> bound(producerRank, false);
      for (unsigned d = 0; d < a.map.getNumResults(); ++d) {
        AffineExpr from = b.map.getResult(d);
        int64_t readSize = b.sizes[d], writeSize = a.sizes[d];
        std::optional<int64_t> fixedWrite = constantOf(a.map.getResult(d));
        std::optional<int64_t> fixedRead = constantOf(from);
        if (fixedWrite && fixedRead &&
            (*fixedRead >= *fixedWrite + writeSize ||
             *fixedWrite >= *fixedRead + readSize))
          return {}; // apart whatever the grid point
        std::optional<Linear> write = linear(a.map.getResult(d));
        if (!write || bound[write->dim])
          continue;
        // scale * p + offset < from + readSize and
        // scale * p + offset + writeSize > from.
        AffineExpr last = from + readSize - write->offset;
        AffineExpr first = from - (write->offset + writeSize);
        upper[write->dim] =
            simplifyAffineExpr(last.ceilDiv(write->scale), consumerRank, 0);
        lower[write->dim] = simplifyAffineExpr(first.floorDiv(write->scale) + 1,
                                               consumerRank, 0);
        if (auto constant = constantOf(lower[write->dim]);
            constant && *constant < 0)
          lower[write->dim] = zero;
        // Nothing of the producer's grid reaches so far.
        std::optional<int64_t> low = constantOf(lower[write->dim]);
        int64_t size = producer.getStaticGrid()[write->dim];
        if (low && !ShapedType::isDynamic(size) && *low >= size)
          return {};
        if (std::optional<int64_t> high = constantOf(upper[write->dim]);
            high && *high <= 0)
          return {};
        if (std::optional<int64_t> high = constantOf(upper[write->dim]);
            high && !ShapedType::isDynamic(size) && *high > size)
          upper[write->dim] = getAffineConstantExpr(size, context);
        bound[write->dim] = true;
      }
    }
    return {AffineMap::get(consumerRank, 0, lower, context),
            AffineMap::get(consumerRank, 0, upper, context)};
  }

  block::ProgramOp program;
  SmallVector<block::DispatchOp> dispatches;
  /// By maps and sizes (uniqued, as they are of attributes) and the grids.
  std::map<std::array<const void *, 6>, Bounds> bounds;
};

struct BuildTasksPass : PassWrapper<BuildTasksPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BuildTasksPass)
  StringRef getArgument() const override { return "build-tasks"; }
  StringRef getDescription() const override {
    return "join scopes into programs and state what waits for what";
  }
  void runOnOperation() override {
    if (failed(buildTasks(getOperation())))
      signalPassFailure();
  }
};

} // namespace

void setDependencies(block::ProgramOp program) { Depender(program).run(); }

LogicalResult buildTasks(ModuleOp module) {
  if (failed(joinProgram(module)))
    return failure();
  for (auto program : module.getOps<block::ProgramOp>())
    setDependencies(program);
  return success();
}

std::unique_ptr<Pass> createBuildTasksPass() {
  return std::make_unique<BuildTasksPass>();
}

std::vector<DispatchCount> countTasks(block::ProgramOp program) {
  std::vector<DispatchCount> counts;
  for (auto dispatch : program.getBody().getOps<block::DispatchOp>()) {
    DispatchCount count;
    count.kernel = dispatch.getKernel().str();
    for (StringRef key : keysOf(dispatch))
      count.keys.push_back(key.str());
    count.tasks = 1;
    for (int64_t size : dispatch.getStaticGrid()) {
      count.grid.push_back(size);
      count.tasks = ShapedType::isDynamic(size) ? 0 : count.tasks * size;
    }
    counts.push_back(std::move(count));
  }
  return counts;
}

} // namespace tilewright::pass
