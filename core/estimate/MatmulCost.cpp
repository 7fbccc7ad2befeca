//===- MatmulCost.cpp - what one block of a matmul costs ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block is m x n elements of the result over all of k, K. kO and kI are the
// depths of a step of the outer and of the inner tile, eA and eB the bytes of
// an element.
//
// Cores with several pipes (cube: MTE2, MTE1, CUBE, FIXP work side by side):
//
//   MTE2 = K/kO steps of (m kO eA / rate + start) + (n kO eB / rate + start)
//   MTE1 = K/kI steps of the same from L1 to L0A and L0B
//   CUBE = K/kI of (2 m n kI / rate + start + event), m, n, kI rounded up to
//   the
//          unit's granule
//   FIXP = m n eC / rate
//   block = smooth(MTE2, MTE1, CUBE); where there is no room for a second
//           accumulator, and for the operands of a second block beside those of
//           the first, the next product waits for the store: smooth(MTE2, MTE1,
//           CUBE + FIXP). Without a second copy of the operands their moves and
//           the unit follow each other.
//   An operand of which all of k stays comes in two
//   loads: the first step's part, and the rest behind the other operand's
//   first step. The second step waits for it: if that, the other steps and the
//   last one's way are longer than block + fill, the block takes so much more.
//   fill  = with h the way of the first step to an engine and t that of the
//           last one from it to global memory, the most of h + engine + t over
//           the engines, less the longest engine
//
// A load from global memory takes at least the target's `pieceSeconds` for each
// piece that lies side by side there. Of blocks of a task beside each other the
// second and further ones do not load the operand that they share again, if
// its whole depth is loaded at a time.
//
// The rates of ascend targets come from published matrix products: with them
// the closed form is within 2 % of the two published A3 rows (1536 cubed 38.8
// us, 6144 cubed 1506 us); see docs/estimates.md.
//
// Cores with one pipe and a packed micro-kernel of R x C accumulators:
//
//   pack  = 1.6 times (m eA + n eB) K / rate from where the operands are
//           (homeOf) and (m + n) K 4 / rate to the second cache, but for a
//           weight, which was packed before, and a left operand that is read as
//           it lies; 2 instead of 4 here and below for panels that stay bf16
//   load  = what is not packed / rate from where it is
//           Left rows a page apart take, as they meet in the same places of
//           the caches, 6.4 m K eA / rate of the second cache longer.
//   multiply = 2 M N K / rate, M and N rounded up to multiples of R and C
//   panels = where panels of R and C rows do not fit the first cache, what is
//           read from the second besides: M N K 4 (1/R + 1/C) / rate
//   sums  = each step of kI reads and writes m n sums: 4 m n K/kI / rate, as
//           half of that hides, and 60 cycles for each R x C of them
//   store = m n eC / rate to memory
//   block = smooth(multiply, panels) with p = 3, as caches fetch ahead, and
//           the sum of the others; what is loaded from the core's own caches is
//           part of that smooth maximum, of what is loaded from elsewhere 0.4
//           do not hide
//
// With few rows or one column nothing is packed, and the time is the longer of
// reading the large operand and multiplying.
//
//===----------------------------------------------------------------------===//
#include "core/estimate/BlockCost.h"

namespace tilewright::estimate {
namespace {

using decision::TileProblem;

/// What epilogues compute and tasks read and write besides the operands.
double workSeconds(const TileProblem &problem, std::span<const int64_t> sizes,
                   const target::Target &target) {
  double seconds = 0;
  for (const TileProblem::Work &work : problem.work)
    if (const target::ComputeRate *rate = target.rate(work.op, work.dtype))
      seconds += elementsAlong(work.along, sizes) /
                     std::max(rate->perSecond.value, 1.0) +
                 rate->seconds.value;
  return seconds;
}

double tensorBytes(const TileProblem &problem, std::span<const int64_t> sizes,
                   bool written) {
  double bytes = 0;
  bool any = false;
  for (const TileProblem::Tensor &tensor : problem.tensors) {
    any |= tensor.written;
    if (tensor.written == written)
      bytes += elementsAlong(tensor.along, sizes) * double(tensor.elementBytes);
  }
  if (written && !any) {
    size_t m = problem.dims.size() - 3;
    bytes =
        double(sizes[m] * sizes[m + 1] * problem.resultBytes * problem.matmuls);
  }
  return bytes;
}

class MatmulModel : public BlockModel {
protected:
  MatmulModel(const TileProblem &problem, const target::Target &target)
      : problem(problem), target(target), m(problem.dims.size() - 3) {
    peak = target.rate("matmul", problem.dtype);
    lhsCopies = problem.sharedLhs ? 1 : problem.matmuls;
    rhsCopies = problem.sharedLhs ? problem.matmuls : 1;
  }

  double flopRate() const {
    return peak ? std::max(peak->perSecond.value, 1.0) : 1e12;
  }

  const TileProblem &problem;
  const target::Target &target;
  decision::ResolvedTiles tiles;
  size_t m; ///< position of m; n and k follow
  int64_t lhsCopies = 1, rhsCopies = 1;
};

/// Pipes side by side.
class PipedMatmul : public MatmulModel {
public:
  PipedMatmul(const TileProblem &problem, const target::Target &target,
              const target::Placement &placement)
      : MatmulModel(problem, target) {
    core = placement.core;
    auto add = [&](std::vector<Leg> &legs, const std::string &from,
                   const std::string &to) {
      const target::Move *found = target.move(from, to);
      if (!found)
        return;
      std::string pipe = found->core + "." + found->pipe;
      legs.push_back({engine(pipe), move(from, to), found,
                      std::max(found->bytesPerSecond.value, 1.0),
                      found->seconds.value});
    };
    for (size_t operand = 0; operand < 2; ++operand) {
      std::vector<target::Stop> path = target.operandPath("matmul", operand);
      for (size_t i = 1; i < path.size(); ++i)
        add(operand ? rhs : lhs, path[i - 1].level, path[i].level);
      if (path.size() > 2)
        outerLevel = path[1].level;
    }
    for (size_t i = 1; i < placement.result.size(); ++i)
      add(result, placement.result[i - 1].level, placement.result[i].level);
    unit = engine(peak ? peak->core + "." + peak->pipe : core);
    if (!placement.result.empty())
      sums = placement.result.front().level;
  }

  void use(const decision::ResolvedTiles &given, bool ideal) override {
    tiles = given;
    best = ideal;
    // Two copies of what is moved in turn, where there is room. A second
    // accumulator is for a second block, which has operands of its own.
    doubled = accumulatorsDoubled = true;
    isStaying = {};
    single.clear();
    if (ideal)
      return;
    std::vector<decision::BufferUse> uses =
        decision::bufferUses(problem, tiles, target);
    // What stays is there once, if there is no room for the next one.
    size_t depth = m + 2;
    int64_t extent = extentOf(problem.dims[depth]);
    for (size_t operand : {0, 1})
      isStaying[operand] =
          tiles.stays[operand] >= extent && tiles.outer[depth] < extent;
    for (const decision::BufferUse &use : uses) {
      int64_t bytes = 0, once = 0;
      for (const decision::BufferUse &other : uses)
        if (other.level == use.level) {
          bytes += other.bytes;
          bool left = other.name == "lhs", right = other.name == "rhs";
          bool outermost = !lhs.empty() && use.level == outerLevel;
          if (outermost && ((left && isStaying[0]) || (right && isStaying[1])))
            once += other.bytes;
        }
      int64_t usable = target.usableBytes(use.level);
      int64_t twice = 2 * bytes;
      if (once && twice > usable) {
        single = {use.level, isStaying[0] ? "lhs" : "rhs"};
        twice -= once;
      }
      accumulatorsDoubled &= (use.level == sums ? twice : 2 * twice) <= usable;
      doubled &= use.level == sums || twice <= usable;
    }
  }

  BlockCost of(std::span<const int64_t> sizes, size_t shared) const override {
    BlockCost cost;
    int64_t rows = sizes[m], columns = sizes[m + 1], depth = sizes[m + 2];
    int64_t outer =
        best ? depth : std::clamp<int64_t>(tiles.outer[m + 2], 1, depth);
    int64_t inner =
        best ? depth : std::clamp<int64_t>(tiles.inner[m + 2], 1, outer);
    double inSteps = double(ceilDiv(depth, inner));
    // The way of the first step to the unit, and what one step takes there.
    std::array<double, maxEngines> first{}, step{};
    // The loads of what stays, and the engine that does them.
    double stayingLoad = 0;
    size_t stayingAt = maxEngines;
    auto load = [&](const std::vector<Leg> &legs, size_t operand, int64_t along,
                    int64_t elementBytes, int64_t copies, bool depthRuns,
                    bool once) {
      for (size_t i = 0; i < legs.size(); ++i) {
        const Leg &leg = legs[i];
        bool last = i + 1 == legs.size();
        int64_t deep =
            last ? inner
                 : std::min(depth, std::max(outer, tiles.stays[operand]));
        double steps = double(ceilDiv(depth, deep));
        bool stays = i == 0 && !last && !best && isStaying[operand];
        if (stays)
          steps = 2; // the first step's part, and the rest
        double bytes = double(along * elementBytes * copies) * double(depth);
        double piece =
            i ? 0 : double((depthRuns ? deep : along) * elementBytes);
        double each = moveSeconds(*leg.way, bytes, piece);
        // What all blocks of a task load alike is loaded by the first.
        if (!once || i > 0) {
          cost.seconds[leg.engine] += each + steps * double(copies) * leg.start;
          cost.bytes[leg.move] += bytes;
        }
        if (stays) {
          if (!once) {
            stayingLoad += each + steps * double(copies) * leg.start;
            stayingAt = leg.engine;
            first[leg.engine] += each * double(outer) / double(depth) +
                                 double(copies) * leg.start;
          }
          continue;
        }
        if (!best) {
          double one = each / steps + double(copies) * leg.start;
          first[leg.engine] += one;
          step[leg.engine] += one;
        }
      }
    };
    // Along n the left operand is the same, along m the right one, if the
    // whole depth is there at a time.
    auto whole = [&](size_t operand) {
      return std::max(outer, best ? 0 : tiles.stays[operand]) >= depth &&
             keepsOperand();
    };
    load(lhs, 0, rows, problem.lhsBytes, lhsCopies, !problem.lhsTransposed,
         whole(0) && shared == m + 1);
    load(rhs, 1, columns, problem.rhsBytes, rhsCopies, problem.rhsTransposed,
         whole(1) && shared == m);
    std::array<int64_t, 3> granule =
        peak ? peak->granule : std::array<int64_t, 3>{1, 1, 1};
    double each = peak ? peak->seconds.value : 0;
    int64_t wholeSteps = depth / inner, rest = depth % inner;
    double product = 2.0 * double(problem.matmuls) *
                     double(roundUp(rows, granule[0])) *
                     double(roundUp(columns, granule[1])) *
                     double(wholeSteps * roundUp(inner, granule[2]) +
                            (rest ? roundUp(rest, granule[2]) : 0));
    double unitSeconds =
        product / flopRate() + double(problem.matmuls) * inSteps * each;
    double gaps =
        double(problem.matmuls) * inSteps * target.scheduling.event.value;
    cost.seconds[unit] += unitSeconds;
    cost.flop = 2.0 * double(problem.matmuls) * double(rows) * double(columns) *
                double(depth);
    double stored = tensorBytes(problem, sizes, /*written=*/true);
    double storeSeconds = 0;
    size_t store = maxEngines;
    for (const Leg &leg : result) {
      cost.bytes[leg.move] += stored;
      cost.seconds[leg.engine] += stored / leg.rate + leg.start;
      storeSeconds += stored / leg.rate + leg.start;
      store = leg.engine;
    }
    std::array<double, maxEngines> side = cost.seconds;
    side[unit] += gaps;
    bool stores = !accumulatorsDoubled && store < maxEngines;
    if (stores) {
      side[unit] += storeSeconds;
      side[store] -= storeSeconds;
    }
    std::span<const double> used(side.data(), engines.size());
    if (!doubled) {
      for (double seconds : used)
        cost.steady += seconds;
      return cost;
    }
    cost.steady = smoothMaximum(used, 14);
    if (best)
      return cost;
    // Each engine begins when the first step has come to it, and what it did
    // last goes on to the end.
    double head = 0, most = 0, longest = 0;
    double lastStep = (unitSeconds + gaps) / inSteps + storeSeconds;
    auto passes = [&](size_t engine, double after) {
      longest = std::max(longest, head + side[engine] + after);
      most = std::max(most, side[engine]);
    };
    double loads = 0;
    for (size_t i = 0; i < engines.size(); ++i)
      if (i != unit && i != store)
        loads += step[i];
    for (size_t i = 0; i < engines.size(); ++i) {
      if (i == unit || i == store || first[i] == 0)
        continue;
      loads -= step[i];
      passes(i, loads + lastStep);
      head += first[i];
    }
    passes(unit, stores ? 0 : storeSeconds);
    cost.fill = longest - most;
    if (stayingAt < maxEngines) {
      double outerSteps = double(ceilDiv(depth, outer));
      std::array<double, maxEngines> rest = side;
      rest[stayingAt] -= stayingLoad;
      for (double &seconds : rest)
        seconds *= 1 - 1 / outerSteps;
      double end =
          stayingLoad + step[stayingAt] +
          smoothMaximum(std::span<const double>(rest.data(), engines.size()),
                        14) +
          lastStep;
      cost.steady += std::max(0.0, end - cost.steady - cost.fill);
    }
    return cost;
  }

private:
  struct Leg {
    size_t engine, move;
    const target::Move *way;
    double rate, start;
  };

  /// Whether one operand finds room beside two copies of the other, where it is
  /// loaded to, so that it stays.
  bool keepsOperand() const { return doubled; }

  std::vector<Leg> lhs, rhs, result;
  std::string sums;                ///< where they are kept
  std::string outerLevel;          ///< of the operands' outer tiles
  std::array<bool, 2> isStaying{}; ///< operands that stay, all of k
  size_t unit = 0;
  bool best = false;
};

/// One pipe: packed panels and a micro-kernel.
class PackedMatmul : public MatmulModel {
public:
  PackedMatmul(const TileProblem &problem, const target::Target &target,
               const target::Placement &placement)
      : MatmulModel(problem, target) {
    core = placement.core;
    onePipe = true;
    inPlace = decision::readsInPlace(problem, target);
    const target::RegisterBlock &block = target.blockFor(problem.dtype);
    rows = std::max<int64_t>(1, block.rows);
    columns = std::max<int64_t>(1, block.columns);
    panelBytes = block.multiple > 1 ? double(problem.rhsBytes) : 4;
    std::string unit = core + ".CORE";
    if (const target::CoreKind *kind = target.core(core);
        kind && !kind->pipes.empty())
      unit = core + "." + kind->pipes.front().name;
    loading = engine(unit + ": load");
    packing = engine(unit + ": pack");
    multiplying = engine(unit + ": multiply");
    streaming = engine(unit + ": panels");
    summing = engine(unit + ": sums");
    computing = engine(unit + ": elementwise");
    storing = engine(unit + ": store");
    Caches caches = cachesOf(target);
    toOuter = move("GM", caches.outer);
    toInner = move(caches.outer, caches.inner);
    toMemory = move(caches.outer, "GM");
    innerBytes = double(target.usableBytes(caches.inner));
    outerBytes = double(target.capacityBytes(caches.outer));
    nearRate = moveRate(target, caches.outer, caches.inner);
    Home home = homeOf(problem, target);
    fromAfar = home.where != Home::Where::OwnCaches;
    // Rows a page apart meet in the same places of the caches.
    if (problem.lhsRowBytes > 0 && problem.lhsRowBytes % 4096 == 0)
      conflicts = pageConflicts;
    loadRate = home.load;
    storeRate = home.store;
    // Sums that the outer cache has no room for are in the next one.
    const target::Level *shared = target.sharedCache();
    spillRate =
        std::min(nearRate, moveRate(target, shared ? shared->name : "GM",
                                    caches.outer, loadRate));
  }

  void use(const decision::ResolvedTiles &given, bool ideal) override {
    tiles = given;
    best = ideal;
    leftStays = decision::leftInPlace(problem, tiles.outer[m + 1], target);
    lhsOnce = decision::packedOnce(problem, 0, leftStays, target);
    rhsOnce = decision::packedOnce(problem, 1, leftStays, target);
  }

  BlockCost of(std::span<const int64_t> sizes, size_t shared) const override {
    BlockCost cost;
    double bm = double(sizes[m]), bn = double(sizes[m + 1]),
           depth = double(sizes[m + 2]);
    double products = double(problem.matmuls);
    double lhsElements = bm * depth * double(lhsCopies);
    double rhsElements = bn * depth * double(rhsCopies);
    double kc =
        best ? depth
             : double(std::clamp<int64_t>(tiles.inner[m + 2], 1,
                                          std::max<int64_t>(1, sizes[m + 2])));
    // What blocks of a task have in common is packed by the first, if all of
    // its depth is there at a time.
    bool whole = kc >= depth && !inPlace;
    bool lhsKept = whole && shared == m + 1, rhsKept = whole && shared == m;
    // Panels packed before are of f32, or stay as they are.
    double lhsBytes = lhsOnce ? panelBytes : double(problem.lhsBytes);
    double rhsBytes = rhsOnce ? panelBytes : double(problem.rhsBytes);
    // Operands that are packed first come in meanwhile, the others while the
    // unit multiplies.
    bool lhsPacks = !inPlace && !lhsOnce && !leftStays;
    bool rhsPacks = !inPlace && !rhsOnce;
    double lhsRead = lhsKept ? 0 : lhsElements * lhsBytes;
    double rhsRead = rhsKept ? 0 : rhsElements * rhsBytes;
    double packedFrom = (lhsPacks ? lhsRead : 0) + (rhsPacks ? rhsRead : 0);
    double read = lhsRead + rhsRead + tensorBytes(problem, sizes, false);
    double stored = tensorBytes(problem, sizes, true);
    cost.flop = 2 * products * bm * bn * depth;
    cost.bytes[toOuter] = read;
    cost.bytes[toMemory] = stored;
    cost.seconds[loading] = (read - packedFrom) / loadRate +
                            (leftStays ? conflicts : 0) * lhsRead / nearRate;
    cost.seconds[storing] = stored / storeRate;
    cost.seconds[computing] = workSeconds(problem, sizes, target);
    if (inPlace) {
      cost.seconds[multiplying] = cost.flop / flopRate();
      double side[] = {cost.seconds[loading], cost.seconds[multiplying]};
      cost.steady = smoothMaximum(side, 2) + cost.seconds[storing] +
                    cost.seconds[computing];
      return cost;
    }
    double wholeM = double(roundUp(sizes[m], rows));
    double wholeN = double(roundUp(sizes[m + 1], columns));
    double packed = (lhsPacks && !lhsKept ? lhsElements : 0) +
                    (rhsPacks && !rhsKept ? rhsElements : 0);
    packed *= panelBytes;
    cost.seconds[packing] =
        packSlowdown * (packedFrom / loadRate + packed / nearRate) +
        (lhsPacks ? conflicts : 0) * lhsRead / nearRate;
    double near = packed;
    cost.seconds[multiplying] =
        2 * products * wholeM * wholeN * depth / flopRate();
    if (double(rows + columns) * kc * panelBytes > innerBytes && !best) {
      double streamed = products * wholeM * wholeN * depth * panelBytes *
                        (1 / double(rows) + 1 / double(columns));
      near += streamed;
      cost.seconds[streaming] = streamed / nearRate;
    }
    // Sums beside the panels in the second cache, or beyond it.
    double steps = std::ceil(depth / kc);
    double sums = products * bm * bn * 4;
    double sumRate =
        best || sums + (wholeM + wholeN) * kc * panelBytes <= outerBytes
            ? nearRate
            : spillRate;
    double sumBlocks =
        products * wholeM / double(rows) * wholeN / double(columns);
    cost.seconds[summing] =
        sumShare * 2 * sums * steps / sumRate +
        blockCycles * sumBlocks * steps / std::max(target.clock.value, 1e9);
    near += 2 * sums * steps;
    cost.bytes[toInner] = near;
    // Reading the own caches hides behind the arithmetic, reading others
    // hardly.
    double side[] = {fromAfar ? 0 : cost.seconds[loading],
                     cost.seconds[multiplying], cost.seconds[streaming]};
    cost.steady = smoothMaximum(side, 3) +
                  (fromAfar ? loadShare * cost.seconds[loading] : 0) +
                  cost.seconds[packing] + cost.seconds[summing] +
                  cost.seconds[computing] + cost.seconds[storing];
    return cost;
  }

private:
  // Read off 60 tiles each of a product of 768 cubed and of an FFN of 512 x
  // 1024 x 1408 in f32 on two cores with AVX-512 (tests/bench/choice_rank.py):
  // how much longer than copying it takes to pack rows, as how many bytes read
  // from the second cache each byte of rows a page apart counts besides, and
  // that half of reading and writing the sums hides behind the arithmetic and
  // more than half of loading. Cycles of the micro-kernel for each block of
  // sums besides: off the depths of 64 to 208 of a product of 2048 cubed.
  static constexpr double packSlowdown = 1.6, pageConflicts = 6.4,
                          sumShare = 0.5, loadShare = 0.4, blockCycles = 60;

  bool inPlace = false, best = false;
  bool leftStays = false, lhsOnce = false, rhsOnce = false;
  int64_t rows = 1, columns = 1;
  double panelBytes = 4; ///< of an element
  size_t loading, packing, multiplying, streaming, summing, computing, storing;
  size_t toOuter, toInner, toMemory;
  double innerBytes = 0, outerBytes = 0;
  double loadRate = 1, spillRate = 1, nearRate = 1, storeRate = 1;
  double conflicts = 0;
  bool fromAfar = false; ///< operands are not in the cores' own caches
};

} // namespace

std::unique_ptr<BlockModel> matmulModel(const decision::TileProblem &problem,
                                        const target::Target &target) {
  const target::Placement *placement = target.placement("matmul");
  if (!placement || problem.dims.size() < 3)
    return nullptr;
  const target::CoreKind *kind = target.core(placement->core);
  if (kind && kind->pipes.size() > 1)
    return std::make_unique<PipedMatmul>(problem, target, *placement);
  return std::make_unique<PackedMatmul>(problem, target, *placement);
}

} // namespace tilewright::estimate
