//===- MatrixTiles.cpp - the tile registers of AMX ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/target/MatrixTiles.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tilewright::target {

bool hasMatrixTiles(uint32_t leaf7Edx, uint64_t xcr0) {
  // Intel's manual, volume 1, chapter 18: AMX-BF16 and AMX-TILE of leaf 7;
  // XTILECFG and XTILEDATA of XCR0.
  constexpr uint32_t bf16 = 1u << 22, tile = 1u << 24;
  constexpr uint64_t state = uint64_t(3) << 17;
  return (leaf7Edx & bf16) && (leaf7Edx & tile) && (xcr0 & state) == state;
}

static bool processorHasMatrixTiles() {
#if defined(__x86_64__)
  uint32_t a, b, c, d;
  constexpr uint32_t osxsave = 1u << 27;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & osxsave) ||
      !__get_cpuid_count(7, 0, &a, &b, &c, &d))
    return false;
  uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return hasMatrixTiles(d, uint64_t(high) << 32 | low);
#else
  return false;
#endif
}

bool mayUseMatrixTiles() {
  static const bool may = [] {
    if (!processorHasMatrixTiles())
      return false;
#if defined(__x86_64__) && defined(__linux__)
    // linux/Documentation/arch/x86/xstate.rst: asking for the component of the
    // tiles' data. Kernels before 5.16 know no such call and refuse.
    constexpr long requestPermission = 0x1023, tileData = 18;
    return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#else
    return false;
#endif
  }();
  return may;
}

} // namespace tilewright::target
