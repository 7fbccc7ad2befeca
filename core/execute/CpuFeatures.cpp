//===- CpuFeatures.cpp - what a CPU can do --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/CpuFeatures.h"
#include "core/target/MatrixTiles.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include <algorithm>
#include <vector>

namespace tilewright::execute {

CpuFeatures hostCpu() {
  CpuFeatures cpu;
  cpu.triple = llvm::sys::getDefaultTargetTriple();
  cpu.cpu = llvm::Triple(cpu.triple).isX86() ? "x86-64" : "generic";
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> parts;
  for (auto &feature : features)
    parts.push_back((feature.second ? "+" : "-") + feature.first().str());
  std::sort(parts.begin(), parts.end());
  for (const std::string &part : parts)
    cpu.features += (cpu.features.empty() ? "" : ",") + part;
  auto has = [&](const char *name) { return features.lookup(name); };
  cpu.fma = has("fma");
  if (has("avx512f") && has("avx512bw") && has("avx512vl") && has("avx512dq"))
    cpu.vectorBytes = 64;
  else if (has("avx2"))
    cpu.vectorBytes = 32;
  cpu.bf16Dot = cpu.vectorBytes == 64 && has("avx512bf16");
  cpu.matrixTiles = cpu.vectorBytes == 64 && has("amx-tile") &&
                    has("amx-bf16") && target::mayUseMatrixTiles();
  return cpu;
}

CpuFeatures genericCpu() {
  CpuFeatures cpu;
  cpu.triple = "x86_64-unknown-linux-gnu";
  cpu.cpu = "x86-64";
  cpu.features = "+avx,+avx2,+bmi,+bmi2,+cx16,+f16c,+fma,+lzcnt,+movbe,+popcnt,"
                 "+sahf,+sse3,+sse4.1,+sse4.2,+ssse3,+xsave";
  cpu.vectorBytes = 32;
  cpu.fma = true;
  return cpu;
}

CpuFeatures amxCpu() {
  CpuFeatures cpu = genericCpu();
  cpu.features += ",+amx-bf16,+amx-tile,+avx512bf16,+avx512bw,+avx512cd,"
                  "+avx512dq,+avx512f,+avx512vl";
  cpu.vectorBytes = 64;
  cpu.bf16Dot = cpu.matrixTiles = true;
  return cpu;
}

} // namespace tilewright::execute
