//===- MatrixTiles.h - the tile registers of AMX ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace tilewright::target {

/// Whether a processor has tile registers, products of bf16 on them, and a
/// system that saves them. `leaf7Edx`: EDX of CPUID leaf 7, subleaf 0; `xcr0`:
/// the state components that the system has switched on.
bool hasMatrixTiles(uint32_t leaf7Edx, uint64_t xcr0);

/// Whether this process may use the tile registers of the machine it runs on.
/// Linux gives them only to processes that ask, because they enlarge what is
/// saved of each thread; the first call asks, for all threads. False as well
/// where the processor has none.
bool mayUseMatrixTiles();

} // namespace tilewright::target
