//===- EstimateTest.cpp - the closed form, by hand and by its properties --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/estimate/Estimate.h"
#include "Problems.h"
#include "core/decision/DefaultTiles.h"
#include <chrono>
#include <cmath>

using namespace tilewright;
using namespace tilewright::testing;
using estimate::estimateKernel;
using estimate::estimateSeconds;
using estimate::Setting;

static Setting cubeTiles(int64_t m, int64_t n, int64_t k, int64_t outerK) {
  Setting setting;
  setting.sizes = {{"L1", {{"m", m}, {"n", n}, {"k", outerK}}},
                   {"L0", {{"m", m}, {"n", n}, {"k", k}}}};
  return setting;
}

static const model::EngineTime *engineOf(const model::Estimate &estimate,
                                         const std::string &name) {
  for (const model::EngineTime &engine : estimate.engines)
    if (engine.engine == name)
      return &engine;
  return nullptr;
}

TEST_CASE("a matmul on ascend-a3 by hand") {
  // 512 x 1536 x 1024 of f16 into f32, tiles 128 x 256, k 64 in steps of 256:
  // 4 x 6 = 24 blocks, one a core.
  const target::Target &a3 = *shipped("ascend-a3");
  model::Estimate estimate = estimateKernel(
      matmul(512, 1536, 1024, "f16", 2, 4), cubeTiles(128, 256, 64, 256), a3);
  CHECK(estimate.tasks == 24);
  CHECK(estimate.waves == 1);
  CHECK(estimate.cores == 24);
  CHECK(estimate.coreUse > 0.7);
  CHECK(estimate.flop == 2.0 * 512 * 1536 * 1024);
  // Each block loads (128 + 256) x 1024 x 2 bytes and stores 128 x 256 x 4.
  double loads = 24 * 384 * 1024 * 2.0, stores = 512 * 1536 * 4.0;
  CHECK(estimate.globalBytes == loads + stores);
  CHECK(estimate.intensity == Approx(estimate.flop / (loads + stores)));
  double load = 384 * 1024 * 2 / 165e9 + 4 * 2 * 25e-9;
  CHECK(engineOf(estimate, "cube.MTE2")->seconds == Approx(load));
  // 16 steps of 512 cycles and 12.
  double unit = 16 * (512 + 12) / 1.85e9;
  CHECK(engineOf(estimate, "cube.CUBE")->seconds == Approx(unit).epsilon(1e-4));
  double extract =
      128 * 1024 * 2 / 473.52e9 + 256 * 1024 * 2 / 236.76e9 + 16 * 2 * 25e-9;
  CHECK(engineOf(estimate, "cube.MTE1")->seconds == Approx(extract));
  double store = 128 * 256 * 4 / 134e9;
  CHECK(engineOf(estimate, "cube.FIXP")->seconds == Approx(store));
  // One copy of the accumulators (128 KiB): the unit waits for the store.
  double chain = unit + 16 * 16e-9 + store;
  double first = 128 * 256 * 2 / 165e9 + 25e-9 + 256 * 256 * 2 / 165e9 + 25e-9 +
                 128 * 64 * 2 / 473.52e9 + 25e-9 + 256 * 64 * 2 / 236.76e9 +
                 25e-9;
  double longest = std::max(load, chain);
  double smooth = longest * std::pow(std::pow(load / longest, 14) +
                                         std::pow(chain / longest, 14) +
                                         std::pow(extract / longest, 14),
                                     1.0 / 14);
  double core = 9.7e-6 + 4.61111e-7 + first + smooth;
  CHECK(estimate.seconds == Approx(core).epsilon(0.01));
  // On-chip room, with two copies of the operands.
  int64_t l1 = 0, l0c = 0;
  for (const model::BufferRoom &buffer : estimate.buffers) {
    if (buffer.level == "L1")
      l1 += buffer.bytes * buffer.copies;
    if (buffer.level == "L0C")
      l0c += buffer.bytes * buffer.copies;
  }
  CHECK(l1 == 2 * (128 + 256) * 256 * 2);
  CHECK(l0c == 128 * 256 * 4);
  CHECK(estimateSeconds(matmul(512, 1536, 1024, "f16", 2, 4),
                        cubeTiles(128, 256, 64, 256), a3) == estimate.seconds);
}

TEST_CASE("a matmul on a CPU by hand") {
  // 60 x 64 x 256 of f32 in one task: 10 x 4 blocks of 6 x 16.
  const target::Target &cpu = *shipped("cpu-generic");
  Setting setting;
  setting.sizes = {{"cache2", {{"m", 60}, {"n", 64}, {"k", 256}}}};
  model::Estimate estimate =
      estimateKernel(matmul(60, 64, 256, "f32", 4, 4), setting, cpu);
  CHECK(estimate.tasks == 1);
  CHECK(estimate.coreUse < 0.26);
  CHECK(engineOf(estimate, "any.CORE: multiply")->seconds ==
        Approx(2.0 * 60 * 64 * 256 / 96e9));
  // All of it fits the caches: packed from there to there, nothing is read
  // besides.
  CHECK(engineOf(estimate, "any.CORE: pack")->seconds ==
        Approx(1.6 * 2 * (60 + 64) * 256 * 4 / 60e9));
  CHECK_FALSE(engineOf(estimate, "any.CORE: load"));
  // A result of 61 rows computes a block of rows more.
  setting.sizes["cache2"]["m"] = 61;
  model::Estimate ragged =
      estimateKernel(matmul(61, 64, 256, "f32", 4, 4), setting, cpu);
  CHECK(engineOf(ragged, "any.CORE: multiply")->seconds ==
        Approx(2.0 * 66 * 64 * 256 / 96e9));
}

TEST_CASE("rows a page apart take longer to pack") {
  const target::Target &cpu = *shipped("cpu-generic");
  Setting setting;
  setting.sizes = {{"cache2", {{"m", 60}, {"n", 512}, {"k", 256}}}};
  decision::TileProblem problem = matmul(60, 512, 1024, "f32", 4, 4);
  problem.lhsRowBytes = 4096 + 64;
  auto packing = [&] {
    model::Estimate estimate = estimateKernel(problem, setting, cpu);
    return engineOf(estimate, "any.CORE: pack")->seconds;
  };
  double beside = packing();
  problem.lhsRowBytes = 4096;
  CHECK(packing() - beside == Approx(6.4 * 60 * 1024 * 4 / 60e9));
}

TEST_CASE("what a cache that all cores share holds comes from there") {
  target::Target cpu = *shipped("cpu-generic");
  Setting setting;
  setting.sizes = {{"cache2", {{"d0", 8}}}};
  decision::TileProblem problem = exponential(1024, 1024); // 8 MiB
  model::Estimate far = estimateKernel(problem, setting, cpu);
  target::Level shared = *cpu.level("cache2");
  shared.name = "cache3";
  shared.core = "";
  shared.usable.value = shared.capacity.value = 16 << 20;
  shared.sharedBandwidth.value = 4 * 20e9;
  cpu.levels.insert(cpu.levels.begin() + 1, shared);
  target::Move move = *cpu.move("GM", "cache2");
  move.from = "cache3";
  move.bytesPerSecond.value = 40e9;
  cpu.moves.push_back(move);
  std::swap(move.from, move.to);
  cpu.moves.push_back(move);
  model::Estimate near = estimateKernel(problem, setting, cpu);
  // 20 GB/s of each of four cores at it together.
  CHECK(engineOf(near, "any.CORE: load")->seconds ==
        Approx((4 << 20) / 80e9).epsilon(0.05));
  CHECK(near.seconds < far.seconds);
  CHECK(engineOf(near, "cache3"));
  // Twice as much is not there.
  model::Estimate large = estimateKernel(exponential(4096, 1024), setting, cpu);
  CHECK_FALSE(engineOf(large, "cache3"));
}

TEST_CASE("an elementwise kernel by hand") {
  // exp of 1024 x 1024 f32 in tiles of 8 x 1024 on 48 vector cores.
  const target::Target &a3 = *shipped("ascend-a3");
  Setting setting;
  setting.sizes = {{"UB", {{"d0", 8}, {"d1", 1024}}}};
  setting.merge = 1;
  model::Estimate estimate =
      estimateKernel(exponential(1024, 1024), setting, a3);
  CHECK(estimate.tasks == 128);
  CHECK(estimate.waves == 3);
  CHECK(estimate.globalBytes == 2 * 4 * 1024 * 1024);
  double one = 8 * 1024 * 4 / 108.341e9 + 6.6e-7;
  CHECK(engineOf(estimate, "vector.MTE2")->seconds == Approx(3 * one));
  CHECK(estimate.bound == "start and dispatch");
  // Loads of 0.66 us each: larger tiles have fewer.
  setting.merge = 0;
  Setting large = setting;
  large.sizes["UB"]["d0"] = 16;
  CHECK(estimateSeconds(exponential(1024, 1024), large, a3) <
        estimateSeconds(exponential(1024, 1024), setting, a3));
}

TEST_CASE("more work, less bandwidth or fewer cores never take less time") {
  for (const char *name : {"ascend-a3", "ascend-a5", "cpu-generic"}) {
    target::Target target = *shipped(name);
    for (int64_t m : {8, 100, 512, 3000})
      for (int64_t n : {16, 96, 1000, 4096})
        for (int64_t k : {16, 250, 1024, 5000}) {
          CAPTURE(name, m, n, k);
          decision::TileProblem problem = matmul(m, n, k, "f16", 2, 4);
          Setting setting;
          setting.sizes = decision::defaultTiles(problem, target).sizes;
          double seconds = estimateSeconds(problem, setting, target);
          CHECK(std::isfinite(seconds));
          CHECK(seconds > 0);
          // Deeper, with the same tiles.
          CHECK(estimateSeconds(matmul(m, n, 2 * k, "f16", 2, 4), setting,
                                target) >= seconds);
          // Larger results.
          CHECK(estimateSeconds(matmul(m, n, k, "f16", 2, 8), setting,
                                target) >= seconds);
          target::Target slow = target;
          for (target::Move &move : slow.moves)
            move.bytesPerSecond.value /= 3;
          CHECK(estimateSeconds(problem, setting, slow) >= seconds);
          target::Target slower = target;
          for (target::ComputeRate &rate : slower.rates)
            rate.perSecond.value /= 3;
          CHECK(estimateSeconds(problem, setting, slower) >= seconds);
          target::Target few = target;
          for (target::CoreKind &core : few.cores)
            core.count.value = std::ceil(core.count.value / 3);
          setting.merge = 1;
          CHECK(estimateSeconds(problem, setting, few) >=
                estimateSeconds(problem, setting, target) * 0.999);
        }
  }
}

TEST_CASE("bytes and flop of a grid add up, whatever the tiles") {
  const target::Target &cpu = *shipped("cpu-generic");
  decision::TileProblem problem = matmul(1000, 777, 300, "f32", 4, 4);
  for (int64_t m : {6, 60, 333, 1000})
    for (int64_t n : {16, 100, 777}) {
      Setting setting;
      setting.merge = 1;
      setting.sizes = {{"cache2", {{"m", m}, {"n", n}, {"k", 300}}}};
      model::Estimate estimate = estimateKernel(problem, setting, cpu);
      CAPTURE(m, n);
      CHECK(estimate.flop == Approx(2.0 * 1000 * 777 * 300));
      // Every row of tiles reads B anew, every column of tiles A.
      int64_t rows = (1000 + m - 1) / m, columns = (777 + n - 1) / n;
      CHECK(estimate.globalBytes ==
            Approx(4.0 * (columns * 1000.0 * 300 + rows * 777.0 * 300 +
                          1000.0 * 777)));
      CHECK(estimate.tasks == rows * columns);
      CHECK(estimate.coreUse > 0);
      CHECK(estimate.coreUse <= 1);
    }
}

TEST_CASE("odd problems have estimates, too") {
  const target::Target &a3 = *shipped("ascend-a3");
  // Sizes known at run time only.
  decision::TileProblem dynamic = matmul(-1, 512, 64, "f16", 2, 4);
  model::Estimate estimate =
      estimateKernel(dynamic, cubeTiles(128, 256, 64, 64), a3);
  CHECK(estimate.tasks == 0);
  REQUIRE(estimate.assumptions.size() == 1);
  CHECK(estimate.assumptions[0] ==
        "m is known at run time only; 1024 are assumed");
  CHECK(estimate.seconds > 0);
  // No sizes, absurd sizes.
  CHECK(estimateSeconds(matmul(512, 512, 512, "f16", 2, 4), {}, a3) > 0);
  CHECK(std::isfinite(estimateSeconds(
      matmul(INT64_C(1) << 40, INT64_C(1) << 20, 1, "f16", 2, 4),
      cubeTiles(1, 1, 1, 1), a3)));
  CHECK(std::isfinite(estimateSeconds(matmul(1, 1, 1, "f16", 2, 4),
                                      cubeTiles(1 << 30, 1 << 30, 1 << 30, 16),
                                      a3)));
  // A target that places nothing.
  target::Target empty;
  empty.name = "none";
  estimate = estimateKernel(matmul(1, 1, 1, "f16", 2, 4), {}, empty);
  CHECK(estimate.seconds == 0);
  CHECK(estimate.assumptions.size() == 1);
}

TEST_CASE("four hundred points take milliseconds") {
  const target::Target &a3 = *shipped("ascend-a3");
  decision::TileProblem problem = matmul(6144, 6144, 6144, "f16", 2, 4);
  double least = 1e9;
  for (int round = 0; round < 7; ++round) {
    auto begin = std::chrono::steady_clock::now();
    double sum = 0;
    for (int64_t m = 16; m <= 320; m += 16)
      for (int64_t n = 16; n <= 320; n += 16)
        sum += estimateSeconds(problem, cubeTiles(m, n, 64, 256), a3);
    CHECK(sum > 0);
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - begin;
    least = std::min(least, taken.count());
  }
  std::printf("400 estimates: %.2f ms\n", least * 1e3);
  CHECK(least < 0.05);
}

TEST_CASE("a batch is as many matrices, each with tasks of its own") {
  const target::Target &a3 = *shipped("ascend-a3");
  decision::TileProblem one = matmul(512, 512, 512, "f16", 2, 4), batch = one;
  batch.dims.insert(batch.dims.begin(), {"b0", 24});
  Setting setting = cubeTiles(128, 256, 64, 256);
  setting.merge = 1;
  model::Estimate single = estimateKernel(one, setting, a3),
                  many = estimateKernel(batch, setting, a3);
  CHECK(single.tasks == 8);
  CHECK(many.tasks == 24 * 8);
  CHECK(many.flop == 24 * single.flop);
  CHECK(many.globalBytes == 24 * single.globalBytes);
  CHECK(many.seconds > 2 * single.seconds);
}
