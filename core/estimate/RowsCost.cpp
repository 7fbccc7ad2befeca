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
//   fill  = MTE2 of the first piece, or what VEC and MTE3 have left to do after
//           the last load, by which engine is the longest
//
// Of blocks of a task beside each other, the second and further ones do not
// load again what runs along other dimensions only.
//
// Cores with one pipe:
//
//   compute = for each operation, elements / rate
//   memory  = bytes read and written / rate, from the caches where everything
//             fits them; each reduction after the first reads its rows again,
//             from the inner cache where a row fits that, else the outer one
//   block = smooth(compute, memory) with p = 2
//
// Where a piece that lies side by side in memory begins, a cache is not ahead:
// it costs as much as two lines of 64 bytes (assumed).
//
//===----------------------------------------------------------------------===//
#include "core/estimate/BlockCost.h"
#include <algorithm>

namespace tilewright::estimate {
namespace {

using decision::TileProblem;

class RowsModel : public BlockModel {
public:
  RowsModel(const TileProblem &problem, const target::Target &target,
            const target::Placement &placement)
      : problem(problem), target(target) {
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
      nearRate = moveRate(target, caches.outer, caches.inner);
      Home home = homeOf(problem, target);
      loadRate = home.load;
      storeRate = home.store;
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
    usable = target.usableBytes(placement.result.front().level);
  }

  void use(const decision::ResolvedTiles &given, bool ideal) override {
    tiles = given;
    doubled = true;
    if (onePipe || ideal)
      return;
    int64_t bytes = 0;
    for (const decision::BufferUse &use :
         decision::bufferUses(problem, tiles, target))
      bytes += use.bytes;
    doubled = 2 * bytes <= usable;
  }

  BlockCost of(std::span<const int64_t> sizes, size_t shared) const override {
    BlockCost cost;
    // Rows that are cut take each instruction once a piece.
    double pieces = 1;
    for (size_t d = 0; d < problem.dims.size(); ++d)
      if (!problem.dims[d].parallel)
        pieces *= double(ceilDiv(
            sizes[d], std::clamp<int64_t>(tiles.outer[d], 1, sizes[d])));
    double read = 0, written = 0, reads = 0, writes = 0, begun = 0;
    for (const TileProblem::Tensor &tensor : problem.tensors) {
      if (shared < tensor.along.size() && !tensor.along[shared] &&
          !tensor.written && !onePipe && doubled && pieces == 1)
        continue;
      double bytes =
          elementsAlong(tensor.along, sizes) * double(tensor.elementBytes);
      (tensor.written ? written : read) += bytes;
      (tensor.written ? writes : reads) += 1;
      if (onePipe && bytes > 0)
        begun += bytes / pieceBytes(tensor, sizes) * begunBytes;
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
      cost.seconds[loading] += begun / loadRate;
      double side[] = {compute, cost.seconds[loading] + cost.seconds[storing]};
      cost.steady = smoothMaximum(side, 2);
      return cost;
    }
    if (doubled) {
      double load = cost.seconds[loading], store = cost.seconds[storing];
      double path[] = {load + compute / pieces + store,
                       load / pieces + compute + store,
                       load / pieces + compute / pieces + store};
      cost.fill =
          *std::max_element(path, path + 3) - std::max({load, compute, store});
    }
    std::span<const double> used(cost.seconds.data(), engines.size());
    if (doubled)
      cost.steady = smoothMaximum(used, 14);
    else
      for (double seconds : used)
        cost.steady += seconds;
    return cost;
  }

private:
  /// What lies side by side in global memory, of a tensor's part in a block.
  double pieceBytes(const TileProblem::Tensor &tensor,
                    std::span<const int64_t> sizes) const {
    double bytes = double(tensor.elementBytes);
    for (size_t d = tensor.along.size(); d-- > 0;) {
      if (!tensor.along[d])
        continue;
      bytes *= double(sizes[d]);
      if (sizes[d] < extentOf(problem.dims[d]))
        break;
    }
    return bytes;
  }

  /// A cache is not ahead of the unit where a piece begins: two lines.
  static constexpr double begunBytes = 128;

  const TileProblem &problem;
  const target::Target &target;
  decision::ResolvedTiles tiles;
  size_t loading = 0, storing = 0, computing = 0;
  size_t toUnit = 0, toMemory = 0, again = 0;
  double loadRate = 1e12, storeRate = 1e12, nearRate = 1e12;
  double loadStart = 0, storeStart = 0, innerBytes = 0;
  int64_t usable = 0;
  int reductions = 0;
};

} // namespace

std::unique_ptr<BlockModel> rowsModel(const TileProblem &problem,
                                      const target::Target &target) {
  const target::Placement *placement = target.placement("elementwise");
  if (!placement || placement->result.empty())
    return nullptr;
  return std::make_unique<RowsModel>(problem, target, *placement);
}

} // namespace tilewright::estimate
