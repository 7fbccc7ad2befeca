//===- TaskRelease.cpp - what a task costs beside its work ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of empty tasks: a chain, in which each task waits for the one
// before; a fan, in which many wait for one; lanes, chains beside each other;
// and a single task. Prints the time of a run over its tasks, at 1, 2 and 8
// threads.
//
//===----------------------------------------------------------------------===//
#include "core/execute/TaskRuntime.h"
#include "tests/bench/BenchLine.h"
#include <cstdlib>

using namespace tilewright;
using namespace tilewright::execute;
using Op = IndexMap::Op;

static void nothing(void *const *, const int64_t *, void *) {}

/// Task g of a dispatch waits for task g of the one before, or for all of it.
static CompiledProgram program(int64_t dispatches, int64_t width, bool whole) {
  CompiledProgram made;
  for (int64_t i = 0; i < dispatches; ++i) {
    ProgramDispatch dispatch;
    dispatch.name = "d" + std::to_string(i);
    dispatch.grid = {whole && i % 2 == 0 ? 1 : width};
    if (i) {
      ProgramDependency dependency;
      dependency.producer = i - 1;
      int64_t before = made.dispatches.back().grid[0];
      std::vector<int64_t> lower = {int64_t(Op::Constant), 0},
                           upper = {int64_t(Op::Constant), before};
      if (!whole) {
        lower = {int64_t(Op::Input), 0};
        upper = {int64_t(Op::Input), 0, int64_t(Op::Constant), 1,
                 int64_t(Op::Add)};
      }
      dependency.lower.addResult(lower, 1);
      dependency.upper.addResult(upper, 1);
      dispatch.dependencies.push_back(dependency);
    }
    made.dispatches.push_back(std::move(dispatch));
  }
  return made;
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? std::atoi(argv[1]) : 15;
  struct Shape {
    const char *name;
    int64_t dispatches, width;
    bool whole;
  };
  for (Shape shape :
       {Shape{"one task", 1, 1, false}, Shape{"chain of 2000", 2000, 1, false},
        Shape{"fan of 2000 from one, 10 times", 20, 2000, true},
        Shape{"16 lanes of 200", 200, 16, false}}) {
    CompiledProgram compiled =
        program(shape.dispatches, shape.width, shape.whole);
    std::vector<KernelFunction> kernels(compiled.dispatches.size(), nothing);
    for (int threads : {1, 2, 8}) {
      TaskRuntime::Options options;
      options.threads = threads;
      TaskRuntime runtime(compiled, kernels, options);
      std::vector<double> times;
      for (int round = 0; round < rounds; ++round) {
        if (!runtime.run({}))
          return 1;
        times.push_back(double(runtime.nanoseconds()) /
                        double(compiled.tasks()));
      }
      bench::Line line;
      line.name = std::string(shape.name) + ", a task, " +
                  std::to_string(threads) +
                  (threads == 1 ? " thread" : " threads");
      line.unit = "ns";
      line.measured(times);
      line.print();
    }
  }
}
