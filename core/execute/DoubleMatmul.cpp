//===- DoubleMatmul.cpp - matrix products summed in double ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/DoubleMatmul.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <tbb/blocked_range2d.h>
#include <tbb/parallel_for.h>
#include <vector>

namespace tilewright::execute {

namespace {

// A block of a and one of b fit in a second-level cache together.
constexpr int64_t blockM = 64, blockN = 192, blockK = 256;

/// MR x NR sums over `depth` of packed panels, added to c. Written so that the
/// sums stay in registers whatever the instruction set of the caller is.
template <int MR, int NR, int Lanes>
[[gnu::always_inline]] inline void
microKernel(int64_t depth, const double *__restrict a,
            const double *__restrict b, double *__restrict sums) {
  typedef double Vector __attribute__((vector_size(Lanes * sizeof(double))));
  constexpr int vectors = NR / Lanes;
  Vector acc[MR][vectors] = {};
  for (int64_t p = 0; p < depth; ++p) {
    Vector row[vectors];
#pragma clang loop unroll(full)
    for (int v = 0; v < vectors; ++v)
      std::memcpy(&row[v], b + p * NR + v * Lanes, sizeof(Vector));
#pragma clang loop unroll(full)
    for (int i = 0; i < MR; ++i) {
      double value = a[p * MR + i];
#pragma clang loop unroll(full)
      for (int v = 0; v < vectors; ++v)
        acc[i][v] += value * row[v];
    }
  }
  for (int i = 0; i < MR; ++i)
    for (int v = 0; v < vectors; ++v)
      std::memcpy(sums + i * NR + v * Lanes, &acc[i][v], sizeof(Vector));
}

using MicroKernel = void (*)(int64_t, const double *, const double *, double *);

/// A micro-kernel and the panel widths it wants.
struct Kernel {
  MicroKernel run;
  int mr, nr;
};

void baseKernel(int64_t depth, const double *a, const double *b, double *sums) {
  microKernel<4, 4, 2>(depth, a, b, sums);
}
#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void avx2Kernel(int64_t depth, const double *a,
                                            const double *b, double *sums) {
  microKernel<4, 12, 4>(depth, a, b, sums);
}
[[gnu::target("avx512f,fma")]] void
avx512Kernel(int64_t depth, const double *a, const double *b, double *sums) {
  microKernel<8, 24, 8>(depth, a, b, sums);
}
#endif

Kernel chooseKernel() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {avx512Kernel, 8, 24};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {avx2Kernel, 4, 12};
#endif
  return {baseKernel, 4, 4};
}

/// `count` elements from `at`, `stride` apart, as doubles, `spread` apart.
template <typename T, typename F>
void convert(const std::byte *data, int64_t at, int64_t stride, int64_t count,
             double *into, int64_t spread, F toDouble) {
  const T *from = reinterpret_cast<const T *>(data) + at;
  for (int64_t i = 0; i < count; ++i)
    into[i * spread] = toDouble(from[i * stride]);
}

void convert(const MatrixView &view, int64_t at, int64_t stride, int64_t count,
             double *into, int64_t spread) {
  auto plain = [](auto value) { return double(value); };
  switch (view.element) {
  case Element::F64:
    return convert<double>(view.data, at, stride, count, into, spread, plain);
  case Element::F32:
    return convert<float>(view.data, at, stride, count, into, spread, plain);
  case Element::F16:
    return convert<uint16_t>(view.data, at, stride, count, into, spread,
                             fromF16);
  case Element::BF16:
    return convert<uint16_t>(view.data, at, stride, count, into, spread,
                             fromBf16);
  case Element::I1:
    return convert<uint8_t>(view.data, at, stride, count, into, spread, plain);
  case Element::I8:
    return convert<int8_t>(view.data, at, stride, count, into, spread, plain);
  case Element::I16:
    return convert<int16_t>(view.data, at, stride, count, into, spread, plain);
  case Element::I32:
    return convert<int32_t>(view.data, at, stride, count, into, spread, plain);
  case Element::I64:
    return convert<int64_t>(view.data, at, stride, count, into, spread, plain);
  }
}

/// Panels of `width` of the outer dimension, each `depth` x `width`, padded
/// with zeros. Outer index o and depth index p are at o * outer + p * inner.
void pack(const MatrixView &view, int64_t begin, int64_t outerBegin,
          int64_t outerCount, int64_t outer, int64_t inner, int64_t depth,
          int width, bool magnitudes, double *into) {
  int64_t panels = (outerCount + width - 1) / width;
  for (int64_t panel = 0; panel < panels; ++panel) {
    int64_t first = panel * width;
    int64_t valid = std::min<int64_t>(width, outerCount - first);
    double *to = into + panel * depth * width;
    if (valid < width)
      std::fill(to, to + depth * width, 0.0);
    int64_t at = begin + (outerBegin + first) * outer;
    // Along whichever direction lies together in memory.
    if (outer == 1)
      for (int64_t p = 0; p < depth; ++p)
        convert(view, at + p * inner, 1, valid, to + p * width, 1);
    else
      for (int64_t o = 0; o < valid; ++o)
        convert(view, at + o * outer, inner, depth, to + o, width);
  }
  if (magnitudes)
    for (int64_t i = 0; i < panels * depth * width; ++i)
      into[i] = std::fabs(into[i]);
}

} // namespace

bool multiplyAdd(int64_t m, int64_t n, int64_t k, MatrixView a, MatrixView b,
                 double *c, bool magnitudes, const std::atomic<bool> *cancel) {
  const Kernel kernel = chooseKernel();
  auto cancelled = [&] {
    return cancel && cancel->load(std::memory_order_relaxed);
  };
  auto block = [&](int64_t i0, int64_t mc, int64_t j0, int64_t nc) {
    auto rounded = [](int64_t size, int width) {
      return (size + width - 1) / width * width;
    };
    std::vector<double> packedA(rounded(mc, kernel.mr) * blockK);
    std::vector<double> packedB(rounded(nc, kernel.nr) * blockK);
    double sums[8 * 24];
    for (int64_t p0 = 0; p0 < k && !cancelled(); p0 += blockK) {
      int64_t depth = std::min(blockK, k - p0);
      pack(a, p0 * a.columnStride, i0, mc, a.rowStride, a.columnStride, depth,
           kernel.mr, magnitudes, packedA.data());
      pack(b, p0 * b.rowStride, j0, nc, b.columnStride, b.rowStride, depth,
           kernel.nr, magnitudes, packedB.data());
      for (int64_t j = 0; j < nc; j += kernel.nr)
        for (int64_t i = 0; i < mc; i += kernel.mr) {
          kernel.run(depth, packedA.data() + i * depth,
                     packedB.data() + j * depth, sums);
          int64_t rows = std::min<int64_t>(kernel.mr, mc - i);
          int64_t columns = std::min<int64_t>(kernel.nr, nc - j);
          for (int64_t r = 0; r < rows; ++r)
            for (int64_t s = 0; s < columns; ++s)
              c[(i0 + i + r) * n + j0 + j + s] += sums[r * kernel.nr + s];
        }
    }
  };
  int64_t rowBlocks = (m + blockM - 1) / blockM;
  int64_t columnBlocks = (n + blockN - 1) / blockN;
  tbb::parallel_for(
      tbb::blocked_range2d<int64_t>(0, rowBlocks, 1, 0, columnBlocks, 1),
      [&](const tbb::blocked_range2d<int64_t> &range) {
        for (int64_t i = range.rows().begin(); i < range.rows().end(); ++i)
          for (int64_t j = range.cols().begin(); j < range.cols().end(); ++j)
            if (!cancelled())
              block(i * blockM, std::min(blockM, m - i * blockM), j * blockN,
                    std::min(blockN, n - j * blockN));
      });
  return !cancelled();
}

} // namespace tilewright::execute
