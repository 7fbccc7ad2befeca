//===- AttentionCost.cpp - what one block of an attention costs -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block is m rows of queries; it goes through all n keys in steps of nI, and
// keeps scores, weights and result on chip. d and v are the columns of the keys
// and of the values, R x C the micro-kernel's block. Cores with one pipe only:
// elsewhere an attention is a chain of kernels.
//
//   load     = (m d eQ + n d eK + n v eV) / rate of memory
//   pack     = n (d + v) 4 / rate from the outer to the inner cache
//   multiply = 2 M N (d + v) / rate, M and N rounded up to R and C
//   softmax  = for each operation on scores, M N / rate; a step costs each row
//              100 elements more, as it waits for itself
//   rescale  = steps m v / rate: the result so far, seen from a new maximum
//   store    = m v e / rate
//   block    = their sum
//
// Of a mask known beforehand, n counts the keys of the steps it leaves, on
// average; the last wave waits for the block that has most of them.
//
//===----------------------------------------------------------------------===//
#include "core/estimate/BlockCost.h"

namespace tilewright::estimate {
namespace {

using decision::TileProblem;

class AttentionModel : public BlockModel {
public:
  AttentionModel(const TileProblem &problem, const target::Target &target,
                 const target::Placement &placement)
      : problem(problem), target(target) {
    core = placement.core;
    onePipe = true;
    peak = target.rate("matmul", "f32");
    const target::CoreKind *kind = target.core(core);
    std::string unit = core + "." +
                       (kind && !kind->pipes.empty() ? kind->pipes[0].name
                                                     : std::string("CORE"));
    loading = engine(unit + ": load");
    packing = engine(unit + ": pack");
    multiplying = engine(unit + ": multiply");
    softmax = engine(unit + ": softmax");
    rescaling = engine(unit + ": rescale");
    storing = engine(unit + ": store");
    Caches caches = cachesOf(target);
    toOuter = move("GM", caches.outer);
    toInner = move(caches.outer, caches.inner);
    toMemory = move(caches.outer, "GM");
    nearRate = moveRate(target, caches.outer, caches.inner);
    Home home = homeOf(problem, target);
    loadRate = home.load;
    storeRate = home.store;
    for (size_t i = 0; i < problem.dims.size(); ++i)
      for (const auto &[name, at] :
           {std::pair("m", &m), {"n", &n}, {"d", &d}, {"v", &v}})
        if (problem.dims[i].name == name)
          *at = i;
  }

  void use(const decision::ResolvedTiles &given, bool) override {
    tiles = given;
    taken = longestTaken = 1;
    int64_t rows = extentOf(problem.dims[m]), keys = extentOf(problem.dims[n]);
    int64_t rowTile = std::clamp<int64_t>(tiles.outer[m], 1, rows);
    int64_t keyTile = std::clamp<int64_t>(tiles.inner[n], 1, keys);
    if (!problem.visibleKeys || keyTile >= keys)
      return;
    double all = double(ceilDiv(keys, keyTile));
    double tasks = double(ceilDiv(rows, rowTile));
    decision::StepCount steps = decision::countSteps(*problem.visibleKeys, rows,
                                                     rowTile, keys, keyTile);
    taken = double(steps.total) / (tasks * all);
    longestTaken = double(steps.most) / all;
  }

  double longest() const override {
    return taken > 0 ? longestTaken / taken : 1;
  }

  BlockCost of(std::span<const int64_t> sizes, size_t) const override {
    BlockCost cost;
    int64_t rows = std::max<int64_t>(1, target.registerBlock.rows);
    int64_t columns = std::max<int64_t>(1, target.registerBlock.columns);
    int64_t step = std::clamp<int64_t>(tiles.inner[n], 1, sizes[n]);
    // Steps and keys that the mask leaves to see.
    double steps = double(ceilDiv(sizes[n], step)) * taken;
    double keys =
        double(sizes[n] / step * roundUp(step, columns) +
               (sizes[n] % step ? roundUp(sizes[n] % step, columns) : 0)) *
        taken;
    double seen = double(sizes[n]) * taken;
    double queries = double(roundUp(sizes[m], rows));
    double depth = double(sizes[d] + sizes[v]);
    double read = 0, written = 0;
    for (const TileProblem::Tensor &tensor : problem.tensors)
      (tensor.written ? written : read) +=
          elementsAlong(tensor.along, sizes) * double(tensor.elementBytes) *
          (n < tensor.along.size() && tensor.along[n] ? taken : 1);
    auto perSecond = [&](const std::string &op, const std::string &dtype) {
      const target::ComputeRate *rate = target.rate(op, dtype);
      return rate ? std::max(rate->perSecond.value, 1.0) : 1e12;
    };
    double elementRate = perSecond("elementwise", "f32");
    cost.flop = 2 * double(sizes[m]) * seen * depth;
    cost.bytes[toOuter] = read;
    cost.bytes[toMemory] = written;
    cost.bytes[toInner] = seen * depth * 4;
    cost.seconds[loading] = read / loadRate;
    cost.seconds[packing] = cost.bytes[toInner] / nearRate;
    cost.seconds[multiplying] =
        2 * queries * keys * depth / perSecond("matmul", "f32");
    double scores = double(sizes[m]) * seen;
    for (const TileProblem::Work &work : problem.work)
      cost.seconds[softmax] += scores / perSecond(work.op, work.dtype);
    cost.seconds[softmax] +=
        double(sizes[m]) * steps * 50 / std::max(target.clock.value, 1e9);
    cost.seconds[rescaling] =
        steps * double(sizes[m]) * double(sizes[v]) / elementRate;
    cost.seconds[storing] = written / storeRate;
    for (size_t i = 0; i < engines.size(); ++i)
      cost.steady += cost.seconds[i];
    return cost;
  }

private:
  const TileProblem &problem;
  const target::Target &target;
  decision::ResolvedTiles tiles;
  /// Share of the steps over the keys that a task takes on average, where a
  /// mask hides the rest, and that the longest one takes.
  double taken = 1, longestTaken = 1;
  size_t m = 0, n = 0, d = 0, v = 0;
  size_t loading, packing, multiplying, softmax, rescaling, storing;
  size_t toOuter, toInner, toMemory;
  double loadRate = 1, nearRate = 1, storeRate = 1;
};

} // namespace

std::unique_ptr<BlockModel> attentionModel(const TileProblem &problem,
                                           const target::Target &target) {
  const target::Placement *placement = target.placement("elementwise");
  if (!placement || placement->result.empty())
    return nullptr;
  return std::make_unique<AttentionModel>(problem, target, *placement);
}

} // namespace tilewright::estimate
