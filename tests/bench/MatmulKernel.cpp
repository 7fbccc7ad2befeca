//===- MatmulKernel.cpp - speed of packed products on this machine --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles products as Block graphs, runs them, and prints one JSON line for
// each: the rate, and the multiply-add peak measured in the same round.
//
//===----------------------------------------------------------------------===//
#include "MatmulText.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/execute/ProgramCompiler.h"
#include "core/execute/ProgramRun.h"
#include "core/target/CpuProbes.h"
#include "mlir/Parser/Parser.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>

using namespace tilewright;

int main(int argc, char **argv) {
  int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  if (threads < 1 || rounds < 1) {
    std::cerr << "usage: matmul_kernel [THREADS [ROUNDS]]\n";
    return 2;
  }
  execute::CpuFeatures cpu = execute::hostCpu();
  int64_t rows = cpu.vectorBytes == 64 ? 12 : cpu.vectorBytes == 32 ? 6 : 4;
  int64_t columns = cpu.vectorBytes / 2;
  mlir::DialectRegistry registry;
  registry.insert<block::BlockDialect, tile::TileDialect,
                  mlir::memref::MemRefDialect, mlir::arith::ArithDialect,
                  mlir::scf::SCFDialect, mlir::affine::AffineDialect>();
  mlir::MLIRContext context(registry);
  for (int64_t size : {512, 1024, 2048}) {
    test::PackedMatmul text{size, size, size,   test::Element::F32, 240, 512,
                            256,  rows, columns};
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text.str(), &context);
    auto start = std::chrono::steady_clock::now();
    auto compiled = execute::compileProgram(*module, "", cpu);
    if (auto *error = std::get_if<model::Diagnostic>(&compiled)) {
      std::cerr << error->message << "\n";
      return 1;
    }
    double compileMs = std::chrono::duration<double, std::milli>(
                           std::chrono::steady_clock::now() - start)
                           .count();
    if (const char *path = std::getenv("MATMUL_KERNEL_PROGRAM"))
      std::get<execute::CompiledProgram>(compiled).write(path);
    auto loaded = execute::ProgramRun::load(
        std::move(std::get<execute::CompiledProgram>(compiled)));
    if (auto *error = std::get_if<model::Diagnostic>(&loaded)) {
      std::cerr << error->message << "\n";
      return 1;
    }
    auto &run = std::get<execute::ProgramRun>(loaded);
    for (size_t i = 0; i < 2; ++i) {
      auto *values = static_cast<float *>(run.data(i));
      for (int64_t j = 0; j < size * size; ++j)
        values[j] = float(j % 17) * 0.1f - 0.8f;
    }
    // Processor time beside wall time: on a machine that others use too, it
    // still tells how good the code is.
    auto processorMs = [] {
      timespec now;
      ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
      return double(now.tv_sec) * 1e3 + double(now.tv_nsec) * 1e-6;
    };
    double best = 1e300, peak = 0, bestProcessor = 1e300;
    for (int round = 0; round < rounds; ++round) {
      peak = std::max(peak, target::measurePeakFlops(threads, 5));
      double before = processorMs();
      best = std::min(best, run.run(threads, 1, false).milliseconds.front());
      bestProcessor = std::min(bestProcessor, processorMs() - before);
    }
    double gflops = 2e-6 * double(size) * double(size) * double(size) / best;
    std::cout << "{\"bench\": \"matmul_kernel\", \"size\": " << size
              << ", \"threads\": " << threads << ", \"rounds\": " << rounds
              << ", \"milliseconds\": " << best
              << ", \"processor_milliseconds\": " << bestProcessor
              << ", \"gflops\": " << gflops
              << ", \"peak_gflops\": " << peak * 1e-9
              << ", \"share\": " << gflops / (peak * 1e-9)
              << ", \"compile_ms\": " << compileMs << "}" << std::endl;
  }
}
