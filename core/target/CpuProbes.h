//===- CpuProbes.h - short measurements of this machine ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>

namespace tilewright::target {

/// The widest f32 vectors this machine has, in the order of preference.
enum class VectorUnit { Avx512, Avx2Fma, Sse, Portable };
VectorUnit vectorUnit();

/// f32 flop/s of `threads` threads doing only multiply-adds in registers,
/// together. The best of `rounds` rounds of about 1 ms:
/// short, so that some of them run undisturbed on a busy machine.
double measurePeakFlops(int threads, int rounds = 40);

/// What sums products of bf16 in f32, in the order of preference.
enum class Bf16Unit {
  MatrixTiles, ///< AMX: 16 x 16 sums of 32 products each
  Dot,         ///< AVX512_BF16: 16 sums of 2 products each
  None
};
Bf16Unit bf16Unit();

/// Flop/s of one thread doing only such products in registers, as above; 0
/// without a unit for them.
double measureBf16Flops(int rounds = 40);

/// Bytes copied per second, each of `threads` threads copying `bytes` of its
/// own again and again; the sum over the threads. The best of `rounds`.
double measureCopyBandwidth(size_t bytes, int threads, int rounds = 12);

/// Core clock in hertz, from a chain of dependent additions.
double measureClock(int rounds = 40);

} // namespace tilewright::target
