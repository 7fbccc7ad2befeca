//===- BlockInterpreter.cpp - runs the Block graph as it stands -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/BlockInterpreter.h"
#include "core/execute/BlockDecoder.h"
#include "core/execute/InterleavedCore.h"
#include "core/execute/RunError.h"
#include <atomic>
#include <mutex>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace tilewright::execute {

std::variant<BlockInterpreter, model::Diagnostic>
BlockInterpreter::create(mlir::ModuleOp module, llvm::StringRef program,
                         Options options) {
  auto decoded = decodeBlock(module, program, options.levelBytes);
  if (auto *diagnostic = std::get_if<model::Diagnostic>(&decoded))
    return std::move(*diagnostic);
  BlockInterpreter interpreter;
  interpreter.code = std::make_shared<const BlockCode>(
      std::move(std::get<BlockCode>(decoded)));
  interpreter.options = std::move(options);
  return interpreter;
}

ArgumentType BlockInterpreter::argumentType(size_t i) const {
  ArgumentType type;
  Element element = code->program.elements[i];
  type.dtype = nameOf(element);
  type.shape = code->program.shapes[i];
  type.bytes = bytesOf(element);
  for (int64_t size : type.shape)
    type.bytes *= size;
  return type;
}

std::vector<ArgumentType> BlockInterpreter::inputs() const {
  std::vector<ArgumentType> types;
  for (int i = 0; i < code->program.buffers - code->results; ++i)
    types.push_back(argumentType(size_t(i)));
  return types;
}

std::vector<ArgumentType> BlockInterpreter::results() const {
  std::vector<ArgumentType> types;
  for (int i = code->program.buffers - code->results; i < code->program.buffers;
       ++i)
    types.push_back(argumentType(size_t(i)));
  return types;
}

namespace {

/// Keeps the error of the first task, whichever thread met it first.
class FirstError {
public:
  void report(int64_t task, model::Diagnostic diagnostic) {
    std::lock_guard lock(mutex);
    if (task < first) {
      first = task;
      error = std::move(diagnostic);
    }
  }
  bool before(int64_t task) const { return first < task; }
  void rethrow() {
    if (!error)
      return;
    RunError out("", "");
    out.diagnostic = std::move(*error);
    throw out;
  }

private:
  std::mutex mutex;
  std::atomic<int64_t> first = std::numeric_limits<int64_t>::max();
  std::optional<model::Diagnostic> error;
};

} // namespace

std::optional<model::Diagnostic>
BlockInterpreter::run(std::span<const std::span<const std::byte>> inputs,
                      std::span<const std::span<std::byte>> results) const try {
  const RoutineCode &program = code->program;
  if (inputs.size() + results.size() != size_t(program.buffers) ||
      results.size() != size_t(code->results))
    throw RunError("TW0543",
                   "the program takes " +
                       std::to_string(program.buffers - code->results) +
                       " inputs and " + std::to_string(code->results) +
                       " results; " + std::to_string(inputs.size()) + " and " +
                       std::to_string(results.size()) + " were given");
  std::vector<View> arguments;
  for (size_t i = 0; i < size_t(program.buffers); ++i) {
    bool input = i < inputs.size();
    // Inputs are only read: the program's accesses say so.
    auto bytes =
        input ? std::span<std::byte>(const_cast<std::byte *>(inputs[i].data()),
                                     inputs[i].size())
              : results[i - inputs.size()];
    for (int64_t size : program.shapes[i])
      if (size < 0)
        throw RunError("TW0543",
                       "argument " + std::to_string(i) + " has a dynamic size");
    ArgumentType type = argumentType(i);
    if (int64_t(bytes.size()) != type.bytes)
      throw RunError("TW0543", "argument " + std::to_string(i) + " has " +
                                   std::to_string(bytes.size()) + " bytes of " +
                                   std::to_string(type.bytes));
    arguments.push_back(
        View::whole(bytes.data(), program.elements[i], program.shapes[i]));
  }

  tbb::task_arena arena(options.threads > 0 ? options.threads
                                            : tbb::info::default_concurrency());
  tbb::enumerable_thread_specific<std::unique_ptr<BlockMachine>> machines;
  auto dispatch = [&](const StepCode &step, const RoutineCode &kernel,
                      std::vector<View> buffers, std::vector<int64_t> grid) {
    int64_t tasks = 1;
    for (int64_t size : grid)
      if (size < 0 || __builtin_mul_overflow(tasks, size, &tasks))
        throw RunError("TW0542",
                       "the grid of @" + kernel.name +
                           " has a size that is negative or too "
                           "large",
                       step.key);
    FirstError error;
    auto runTasks = [&](const tbb::blocked_range<int64_t> &range) {
      std::unique_ptr<BlockMachine> &machine = machines.local();
      if (!machine)
        machine = std::make_unique<BlockMachine>(*code);
      std::vector<int64_t> point(grid.size());
      for (int64_t task = range.begin(); task < range.end(); ++task) {
        if (error.before(task))
          return;
        int64_t rest = task;
        for (size_t d = grid.size(); d-- > 0;) {
          point[d] = rest % grid[d];
          rest /= grid[d];
        }
        try {
          if (options.cancelled && options.cancelled())
            throw RunError("TW0544", "cancelled", step.key);
          if (options.interleaved)
            InterleavedCore(*code, *machine)
                .runKernel(
                    kernel, buffers, point,
                    Schedule::number(options.firstSchedule + uint64_t(task),
                                     options.seed));
          else
            machine->runKernel(kernel, buffers, point);
        } catch (RunError &failure) {
          failure.diagnostic.message +=
              " (task " + std::to_string(task) + " of @" + kernel.name + ")";
          error.report(task, std::move(failure.diagnostic));
        }
      }
    };
    arena.execute([&] {
      tbb::parallel_for(tbb::blocked_range<int64_t>(0, tasks), runTasks);
    });
    error.rethrow();
  };
  BlockMachine(*code).runProgram(program, arguments, dispatch);
  return std::nullopt;
} catch (RunError &error) {
  return std::move(error.diagnostic);
}

} // namespace tilewright::execute
