//===- MachineProbe.cpp - what the machine can do right now ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers each line on standard input with one JSON line: the FMA rate and the
// copy bandwidth of this moment. Benchmarks ask it between rounds, so that a
// round in which the machine was busy elsewhere can be told and voided.
//
//===----------------------------------------------------------------------===//
#include "core/target/CpuProbes.h"
#include <cstdlib>
#include <iostream>
#include <string>

int main(int argc, char **argv) {
  int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  if (threads < 1 || threads > 1024) {
    std::cerr << "usage: machine_probe THREADS\n";
    return 2;
  }
  std::string line;
  while (std::getline(std::cin, line)) {
    double gflops = tilewright::target::measurePeakFlops(threads, 10) * 1e-9;
    double copy =
        tilewright::target::measureCopyBandwidth(size_t(64) << 20, threads, 3) *
        1e-9;
    std::cout << "{\"gflops\": " << gflops << ", \"copy_gbs\": " << copy << "}"
              << std::endl;
  }
}
