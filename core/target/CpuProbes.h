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

/// Bytes copied per second, each of `threads` threads copying `bytes` of its
/// own again and again; the sum over the threads. The best of `rounds`.
double measureCopyBandwidth(size_t bytes, int threads, int rounds = 12);

/// Core clock in hertz, from a chain of dependent additions.
double measureClock(int rounds = 40);

} // namespace tilewright::target
