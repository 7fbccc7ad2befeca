//===- CpuProbes.cpp - short measurements of this machine -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops are assembly, so that they measure the machine and not how this
// file was compiled: debug and sanitizer builds give the same figures.
//
//===----------------------------------------------------------------------===//
#include "core/target/CpuProbes.h"
#include "core/target/MatrixTiles.h"
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

using namespace tilewright::target;
using Clock = std::chrono::steady_clock;

static double secondsBetween(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

//===----------------------------------------------------------------------===//
// Multiply-adds in registers
//===----------------------------------------------------------------------===//

#if defined(__x86_64__)

// Twelve independent accumulators hide the latency of the multiply-add.
#define TW_TWELVE(OP)                                                          \
  OP(2) OP(3) OP(4) OP(5) OP(6) OP(7) OP(8) OP(9) OP(10) OP(11) OP(12) OP(13)
#define TW_CLOBBERS                                                            \
  "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7",        \
      "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14"

static void multiplyAddAvx512(int64_t count) {
#define TW_CLEAR(R) "vpxord %%zmm" #R ", %%zmm" #R ", %%zmm" #R "\n"
#define TW_FMA(R) "vfmadd231ps %%zmm0, %%zmm1, %%zmm" #R "\n"
  asm volatile(TW_CLEAR(0) TW_CLEAR(1) TW_TWELVE(TW_CLEAR) "1:\n" //
               TW_TWELVE(TW_FMA) "dec %0\n"
                                 "jnz 1b\n"
                                 "vzeroupper\n"
               : "+r"(count)
               :
               : TW_CLOBBERS);
#undef TW_CLEAR
#undef TW_FMA
}

static void multiplyAddAvx2(int64_t count) {
#define TW_CLEAR(R) "vxorps %%ymm" #R ", %%ymm" #R ", %%ymm" #R "\n"
#define TW_FMA(R) "vfmadd231ps %%ymm0, %%ymm1, %%ymm" #R "\n"
  asm volatile(TW_CLEAR(0) TW_CLEAR(1) TW_TWELVE(TW_CLEAR) "1:\n" //
               TW_TWELVE(TW_FMA) "dec %0\n"
                                 "jnz 1b\n"
                                 "vzeroupper\n"
               : "+r"(count)
               :
               : TW_CLOBBERS);
#undef TW_CLEAR
#undef TW_FMA
}

static void multiplyAddSse(int64_t count) {
#define TW_CLEAR(R) "xorps %%xmm" #R ", %%xmm" #R "\n"
#define TW_FMA(R)                                                              \
  "movaps %%xmm0, %%xmm14\n"                                                   \
  "mulps %%xmm1, %%xmm14\n"                                                    \
  "addps %%xmm14, %%xmm" #R "\n"
  asm volatile(TW_CLEAR(0) TW_CLEAR(1) TW_TWELVE(TW_CLEAR) "1:\n" //
               TW_TWELVE(TW_FMA) "dec %0\n"
                                 "jnz 1b\n"
               : "+r"(count)
               :
               : TW_CLOBBERS);
#undef TW_CLEAR
#undef TW_FMA
}

static void dotBf16(int64_t count) {
#define TW_CLEAR(R) "vpxord %%zmm" #R ", %%zmm" #R ", %%zmm" #R "\n"
#define TW_DOT(R) "vdpbf16ps %%zmm0, %%zmm1, %%zmm" #R "\n"
  asm volatile(TW_CLEAR(0) TW_CLEAR(1) TW_TWELVE(TW_CLEAR) "1:\n" //
               TW_TWELVE(TW_DOT) "dec %0\n"
                                 "jnz 1b\n"
                                 "vzeroupper\n"
               : "+r"(count)
               :
               : TW_CLOBBERS);
#undef TW_CLEAR
#undef TW_DOT
}

/// Four tiles of sums, two of each operand, as in a product of matrices.
static void tilesBf16(int64_t count) {
  alignas(64) uint8_t form[64] = {1};
  for (int i = 0; i < 8; ++i) {
    form[16 + 2 * i] = 64;
    form[48 + i] = 16;
  }
  asm volatile("ldtilecfg %1\n"
               "1:\n"
               "tdpbf16ps %%tmm6, %%tmm4, %%tmm0\n"
               "tdpbf16ps %%tmm7, %%tmm4, %%tmm1\n"
               "tdpbf16ps %%tmm6, %%tmm5, %%tmm2\n"
               "tdpbf16ps %%tmm7, %%tmm5, %%tmm3\n"
               "dec %0\n"
               "jnz 1b\n"
               "tilerelease\n"
               : "+r"(count)
               : "m"(form)
               : "cc");
}

Bf16Unit tilewright::target::bf16Unit() {
  if (mayUseMatrixTiles())
    return Bf16Unit::MatrixTiles;
  return __builtin_cpu_supports("avx512bf16") ? Bf16Unit::Dot : Bf16Unit::None;
}

static void multiplyBf16(int64_t count) {
  if (bf16Unit() == Bf16Unit::MatrixTiles)
    tilesBf16(count);
  else
    dotBf16(count);
}

/// One addition after the other: one cycle each.
static void dependentAdditions(int64_t count) {
  uint64_t sum = 0;
  // Of a register to itself: some cores do additions of constants for free.
  asm volatile("1:\n"
               "add %1, %1\n add %1, %1\n add %1, %1\n add %1, %1\n"
               "add %1, %1\n add %1, %1\n add %1, %1\n add %1, %1\n"
               "dec %0\n"
               "jnz 1b\n"
               : "+r"(count), "+r"(sum)
               :
               : "cc");
}

VectorUnit tilewright::target::vectorUnit() {
  if (__builtin_cpu_supports("avx512f"))
    return VectorUnit::Avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return VectorUnit::Avx2Fma;
  return VectorUnit::Sse;
}

static void multiplyAdd(int64_t count) {
  switch (vectorUnit()) {
  case VectorUnit::Avx512:
    return multiplyAddAvx512(count);
  case VectorUnit::Avx2Fma:
    return multiplyAddAvx2(count);
  default:
    return multiplyAddSse(count);
  }
}

#else

using Vector4 = float __attribute__((vector_size(16)));

static void multiplyAdd(int64_t count) {
  Vector4 sums[16] = {};
  Vector4 a = {}, b = {};
  for (int64_t i = 0; i < count; ++i) {
    for (Vector4 &sum : sums)
      sum += a * b;
    asm volatile("" ::: "memory");
  }
  static volatile float sink;
  for (Vector4 &sum : sums)
    sink = sum[0];
}

static void dependentAdditions(int64_t count) {
  uint64_t sum = 0;
  for (int64_t i = 0; i < count * 8; ++i)
    asm volatile("" : "+r"(++sum));
}

VectorUnit tilewright::target::vectorUnit() { return VectorUnit::Portable; }

Bf16Unit tilewright::target::bf16Unit() { return Bf16Unit::None; }

static void multiplyBf16(int64_t) {}

#endif

/// Flop of one turn of the loop.
static double flopPerTurn() {
  switch (vectorUnit()) {
  case VectorUnit::Avx512:
    return 12 * 16 * 2;
  case VectorUnit::Avx2Fma:
    return 12 * 8 * 2;
  case VectorUnit::Sse:
    return 12 * 4 * 2;
  case VectorUnit::Portable:
    break;
  }
  return 16 * 4 * 2;
}

//===----------------------------------------------------------------------===//
// Rounds
//===----------------------------------------------------------------------===//

/// Runs `work(thread)` on all threads at once and returns the best time of a
/// round, from the common start to the end of the last.
template <typename Work>
static double bestRound(int threads, int rounds, Work work) {
  double best = 1e30;
  if (threads <= 1) {
    for (int round = 0; round < rounds; ++round) {
      Clock::time_point begin = Clock::now();
      work(0);
      best = std::min(best, secondsBetween(begin, Clock::now()));
    }
    return best;
  }
  Clock::time_point begin;
  // Each phase ends when all have come: before and after the work.
  bool atStart = true;
  std::barrier barrier(threads, [&]() noexcept {
    if (atStart)
      begin = Clock::now();
    else
      best = std::min(best, secondsBetween(begin, Clock::now()));
    atStart = !atStart;
  });
  auto run = [&](int thread) {
    for (int round = 0; round < rounds; ++round) {
      barrier.arrive_and_wait();
      work(thread);
      barrier.arrive_and_wait();
    }
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread)
    others.emplace_back(run, thread);
  run(0);
  for (std::thread &other : others)
    other.join();
  return best;
}

/// Turns of `work(count)` that take about `seconds`.
template <typename Work> static int64_t calibrate(double seconds, Work work) {
  int64_t count = 64;
  for (;;) {
    Clock::time_point begin = Clock::now();
    work(count);
    double taken = secondsBetween(begin, Clock::now());
    if (taken > seconds / 8 || count > (int64_t(1) << 40))
      return std::max<int64_t>(1,
                               static_cast<int64_t>(count * seconds / taken));
    count *= 4;
  }
}

/// More threads than processors compute no faster, but take turns at each
/// barrier: seconds for nothing.
static int usefulThreads(int threads) {
  int processors = std::max(1, int(std::thread::hardware_concurrency()));
  return std::clamp(threads, 1, processors);
}

double tilewright::target::measurePeakFlops(int threads, int rounds) {
  threads = usefulThreads(threads);
  int64_t count = calibrate(1e-3, multiplyAdd);
  double seconds = bestRound(threads, rounds, [=](int) { multiplyAdd(count); });
  return flopPerTurn() * static_cast<double>(count) * threads / seconds;
}

double tilewright::target::measureBf16Flops(int rounds) {
  double perTurn = 0;
  switch (bf16Unit()) {
  case Bf16Unit::MatrixTiles:
    perTurn = 4 * 16 * 16 * 32 * 2;
    break;
  case Bf16Unit::Dot:
    perTurn = 12 * 16 * 2 * 2;
    break;
  case Bf16Unit::None:
    return 0;
  }
  int64_t count = calibrate(1e-3, multiplyBf16);
  double seconds = bestRound(1, rounds, [=](int) { multiplyBf16(count); });
  return perTurn * static_cast<double>(count) / seconds;
}

double tilewright::target::measureCopyBandwidth(size_t bytes, int threads,
                                                int rounds) {
  threads = usefulThreads(threads);
  struct Buffers {
    std::vector<char> from, to;
  };
  std::vector<Buffers> buffers(threads);
  for (Buffers &own : buffers) {
    own.from.assign(bytes, 1);
    own.to.assign(bytes, 2);
  }
  auto copy = [&](int thread, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      std::memcpy(buffers[thread].to.data(), buffers[thread].from.data(),
                  bytes);
      asm volatile("" ::: "memory");
    }
  };
  int64_t count = calibrate(1e-3, [&](int64_t count) {
    // Large copies need no more than one turn to be measurable.
    copy(0, bytes > (4u << 20) ? 1 : count);
  });
  if (bytes > (4u << 20))
    count = 1;
  double seconds =
      bestRound(threads, rounds, [&](int thread) { copy(thread, count); });
  return static_cast<double>(bytes) * static_cast<double>(count) * threads /
         seconds;
}

double tilewright::target::measureClock(int rounds) {
  int64_t count = calibrate(1e-3, dependentAdditions);
  double seconds =
      bestRound(1, rounds, [=](int) { dependentAdditions(count); });
  return 8.0 * static_cast<double>(count) / seconds;
}
