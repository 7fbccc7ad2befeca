//===- RowsCost.cpp - what one block of elementwise code costs ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block is a tile of rows; every operation of the kernel goes over what it
// runs along.
//
// Cores with several pipes (vector: MTE2, VEC, MTE3):
//
//   MTE2 = for each tensor read, bytes / rate + start, for each piece of a row
//   VEC  = for each operation, elements / rate + start, for each piece
//   MTE3 = for each tensor written, bytes / rate + start
//   block = smooth(MTE2, VEC, MTE3) where the buffers have a second copy, else
//           their sum
//   fill  = MTE2 of the first piece
//
// Cores with one pipe:
//
//   compute = for each operation, elements / rate
//   memory  = bytes read and written / rate, from the caches where everything
//             fits them; each reduction after the first reads its rows again,
//             from the inner cache where a row fits that, else the outer one
//   block = smooth(compute, memory) with p = 2
//
//===----------------------------------------------------------------------===//
#include "core/estimate/BlockCost.h"

namespace tilewright::estimate {
namespace {

using decision::TileProblem;

class RowsModel : public BlockModel {
public:
  RowsModel(const TileProblem &problem, const model::TileSizes &sizes,
            const target::Target &target, const target::Placement &placement)
      : problem(problem), target(target),
        tiles(decision::resolveTiles(problem, sizes, target)) {
    core = placement.core;
    const target::CoreKind *kind = target.core(core);
    onePipe = !kind || kind->pipes.size() <= 1;
    peak = target.rate("elementwise", "f32");
    if (onePipe) {
      std::string unit = core + "." +
                         (kind && !kind->pipes.empty() ? kind->pipes[0].name
                                                       : std::string("CORE"));
      computing = engine(unit + ": elementwise");
      loading = engine(unit + ": load");
      storing = engine(unit + ": store");
      Caches caches = cachesOf(target);
      toUnit = move("GM", caches.outer);
      toMemory = move(caches.outer, "GM");
      again = move(caches.outer, caches.inner);
      bool near = fitsCaches(problem, target);
      nearRate = moveRate(target, caches.outer, caches.inner);
      loadRate = near ? nearRate : moveRate(target, "GM", caches.outer);
      storeRate = near ? moveRate(target, caches.inner, caches.outer)
                       : moveRate(target, caches.outer, "GM");
      innerBytes = double(target.usableBytes(caches.inner));
      for (const TileProblem::Work &work : problem.work)
        reductions += work.op == "reduction";
      return;
    }
    std::vector<target::Stop> path = target.operandPath("elementwise", 0);
    auto leg = [&](const target::Move *found, size_t &pipe, size_t &way,
                   double &rate, double &start) {
      if (!found)
        return;
      pipe = engine(found->core + "." + found->pipe);
      way = move(found->from, found->to);
      rate = std::max(found->bytesPerSecond.value, 1.0);
      start = found->seconds.value;
    };
    if (path.size() > 1)
      leg(target.move(path[0].level, path[1].level), loading, toUnit, loadRate,
          loadStart);
    if (placement.result.size() > 1)
      leg(target.move(placement.result[0].level, placement.result[1].level),
          storing, toMemory, storeRate, storeStart);
    computing = engine(core + "." + target.pipeOf("elementwise", "f32"));
    int64_t bytes = 0;
    for (const decision::BufferUse &use :
         decision::bufferUses(problem, sizes, target))
      bytes += use.bytes;
    doubled = 2 * bytes <= target.usableBytes(placement.result.front().level);
  }

  BlockCost of(std::span<const int64_t> sizes) const override {
    BlockCost cost;
    // Rows that are cut take each instruction once a piece.
    double pieces = 1;
    for (size_t d = 0; d < problem.dims.size(); ++d)
      if (!problem.dims[d].parallel)
        pieces *= double(ceilDiv(
            sizes[d], std::clamp<int64_t>(tiles.outer[d], 1, sizes[d])));
    double read = 0, written = 0, reads = 0, writes = 0;
    for (const TileProblem::Tensor &tensor : problem.tensors) {
      double bytes =
          elementsAlong(tensor.along, sizes) * double(tensor.elementBytes);
      (tensor.written ? written : read) += bytes;
      (tensor.written ? writes : reads) += 1;
    }
    cost.bytes[toUnit] = read;
    cost.bytes[toMemory] += written;
    double compute = 0;
    for (const TileProblem::Work &work : problem.work) {
      double elements = elementsAlong(work.along, sizes);
      cost.flop += elements;
      if (const target::ComputeRate *rate = target.rate(work.op, work.dtype))
        compute += elements / std::max(rate->perSecond.value, 1.0) +
                   pieces * rate->seconds.value;
    }
    cost.seconds[computing] = compute;
    cost.seconds[loading] += read / loadRate + pieces * reads * loadStart;
    cost.seconds[storing] += written / storeRate + writes * storeStart;
    if (onePipe) {
      double row = 1;
      for (size_t d = 0; d < problem.dims.size(); ++d)
        if (!problem.dims[d].parallel)
          row *= double(sizes[d]);
      double rereads = std::max<double>(0, double(reductions));
      if (row * 4 > innerBytes && rereads > 0) {
        cost.bytes[again] = rereads * read;
        cost.seconds[loading] += rereads * read / nearRate;
      }
      double side[] = {compute, cost.seconds[loading] + cost.seconds[storing]};
      cost.steady = smoothMaximum(side, 2);
      return cost;
    }
    cost.fill = cost.seconds[loading] / pieces;
    std::span<const double> used(cost.seconds.data(), engines.size());
    if (doubled)
      cost.steady = smoothMaximum(used, 14);
    else
      for (double seconds : used)
        cost.steady += seconds;
    return cost;
  }

private:
  const TileProblem &problem;
  const target::Target &target;
  decision::ResolvedTiles tiles;
  size_t loading = 0, storing = 0, computing = 0;
  size_t toUnit = 0, toMemory = 0, again = 0;
  double loadRate = 1e12, storeRate = 1e12, nearRate = 1e12;
  double loadStart = 0, storeStart = 0, innerBytes = 0;
  int reductions = 0;
};

} // namespace

std::unique_ptr<BlockModel> rowsModel(const TileProblem &problem,
                                      const model::TileSizes &sizes,
                                      const target::Target &target) {
  const target::Placement *placement = target.placement("elementwise");
  if (!placement || placement->result.empty())
    return nullptr;
  return std::make_unique<RowsModel>(problem, sizes, target, *placement);
}

} // namespace tilewright::estimate
