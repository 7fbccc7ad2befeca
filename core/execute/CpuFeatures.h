//===- CpuFeatures.h - what a CPU can do ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace tilewright::execute {

/// The machine that code is generated for.
struct CpuFeatures {
  std::string triple;
  std::string cpu;          ///< a baseline name of LLVM's; features come below
  std::string features;     ///< LLVM's form, "+avx2,+fma,…"
  int64_t vectorBytes = 16; ///< of the widest vector register used
  bool fma = false;
  bool bf16Dot = false; ///< AVX512_BF16: sums of two products of bf16 a lane
  /// AMX for bf16, which this process may use (core/target/MatrixTiles.h).
  bool matrixTiles = false;

  /// Lanes of a vector of `bytes`-wide elements.
  int64_t lanes(int64_t bytes) const { return vectorBytes / bytes; }
};

/// The machine this process runs on, by the features it reports and the
/// operating system enables; never by its name, which virtual machines invent.
CpuFeatures hostCpu();

/// A fixed machine (x86-64 with AVX2 and FMA), so that what is generated for it
/// is the same everywhere.
CpuFeatures genericCpu();

/// A fixed machine with AMX for bf16 (as Sapphire Rapids has it), likewise.
CpuFeatures amxCpu();

} // namespace tilewright::execute
