//===- TaskRuntimeTest.cpp - tasks start when their inputs are done -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/TaskRuntime.h"
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <random>
#include <thread>

using namespace tilewright::execute;
using Op = IndexMap::Op;

namespace {

/// Every task of dispatch d writes its sum of all it depends on, plus one, to
/// slot [its number] of buffer d: plain memory, so that TSan sees a task that
/// starts too early, and the result is wrong.
struct Slots {
  const CompiledProgram *program;
  std::vector<std::vector<int64_t>> values;
};
Slots *current = nullptr;
std::atomic<int> parallel = 0, most = 0;

void taskOf(size_t dispatch, const int64_t *grid) {
  int now = ++parallel;
  for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);)
    ;
  const ProgramDispatch &own = current->program->dispatches[dispatch];
  int64_t number = 0;
  for (size_t d = 0; d < own.grid.size(); ++d)
    number = number * own.grid[d] + grid[d];
  int64_t sum = 1;
  for (const ProgramDependency &dependency : own.dependencies) {
    const auto &producer =
        current->program->dispatches[size_t(dependency.producer)];
    for (int64_t p = 0; p < producer.tasks(); ++p) {
      int64_t rest = p;
      bool inside = true;
      for (size_t d = producer.grid.size(); d-- > 0;) {
        int64_t at = rest % producer.grid[d];
        rest /= producer.grid[d];
        std::span<const int64_t> point(grid, own.grid.size());
        inside &= dependency.lower.evaluate(d, point) <= at &&
                  at < dependency.upper.evaluate(d, point);
      }
      if (inside)
        sum += current->values[size_t(dependency.producer)][size_t(p)];
    }
  }
  current->values[dispatch][size_t(number)] = sum % 1000003;
  --parallel;
}

template <size_t dispatch>
void kernel(void *const *, const int64_t *grid, void *) {
  taskOf(dispatch, grid);
}

template <size_t... i>
std::vector<KernelFunction> kernels(std::index_sequence<i...>) {
  return {kernel<i>...};
}

CompiledProgram randomProgram(std::mt19937 &rng, size_t dispatches) {
  CompiledProgram program;
  for (size_t i = 0; i < dispatches; ++i) {
    ProgramDispatch dispatch;
    dispatch.name = "d" + std::to_string(i);
    size_t rank = rng() % 3;
    for (size_t d = 0; d < rank; ++d)
      dispatch.grid.push_back(int64_t(rng() % 12));
    for (int64_t &size : dispatch.grid)
      size += rng() % 8 != 0; // now and then an empty grid
    for (size_t p = 0; p < i; ++p) {
      if (rng() % 3)
        continue;
      ProgramDependency dependency;
      dependency.producer = int64_t(p);
      for (int64_t size : program.dispatches[p].grid) {
        // [g*a/b + c, … + width), or all of it; reaches out of the grid too.
        std::vector<int64_t> lower = {int64_t(Op::Constant),
                                      int64_t(rng() % 3) - 1};
        if (rank)
          lower = {int64_t(Op::Input), int64_t(rng() % rank),
                   int64_t(Op::Constant), 1 + int64_t(rng() % 3),
                   int64_t(rng() % 2 ? Op::Mul : Op::FloorDiv)};
        std::vector<int64_t> upper = lower;
        upper.insert(upper.end(), {int64_t(Op::Constant), int64_t(rng() % 4),
                                   int64_t(Op::Add)});
        if (rng() % 4 == 0) {
          lower = {int64_t(Op::Constant), 0};
          upper = {int64_t(Op::Constant), size};
        }
        REQUIRE(dependency.lower.addResult(lower, int64_t(rank)));
        REQUIRE(dependency.upper.addResult(upper, int64_t(rank)));
      }
      dispatch.dependencies.push_back(dependency);
    }
    program.dispatches.push_back(dispatch);
  }
  REQUIRE(program.inconsistency() == "");
  return program;
}

} // namespace

TEST_CASE("random programs give the same as in program order, traced or not") {
  std::mt19937 rng(12);
  for (int round = 0; round < 60; ++round) {
    CompiledProgram program = randomProgram(rng, 8);
    auto blank = [&] {
      Slots slots{&program, {}};
      for (const ProgramDispatch &dispatch : program.dispatches)
        slots.values.emplace_back(size_t(dispatch.tasks()), -1000);
      return slots;
    };
    Slots expected = blank();
    current = &expected;
    for (size_t d = 0; d < program.dispatches.size(); ++d) {
      const ProgramDispatch &dispatch = program.dispatches[d];
      for (int64_t task = 0; task < dispatch.tasks(); ++task) {
        std::vector<int64_t> at(dispatch.grid.size());
        int64_t rest = task;
        for (size_t i = at.size(); i-- > 0;) {
          at[i] = rest % dispatch.grid[i];
          rest /= dispatch.grid[i];
        }
        taskOf(d, at.data());
      }
    }
    for (int threads : {1, 2, 4}) {
      TaskRuntime::Options options;
      options.threads = threads;
      options.record = true;
      TaskRuntime runtime(program, kernels(std::make_index_sequence<8>()),
                          options);
      CHECK(runtime.threads() == threads);
      for (int again = 0; again < 2; ++again) {
        Slots slots = blank();
        current = &slots;
        most = 0;
        REQUIRE(runtime.run({}));
        CHECK(slots.values == expected.values);
        CHECK(most <= threads);
        CHECK(int64_t(runtime.records().size()) == program.tasks());
      }
      // Every flow points forward in time.
      tilewright::model::Trace trace = runtime.trace();
      CHECK(trace.tracks.size() == size_t(threads));
      for (const auto &flow : trace.flows)
        CHECK(trace.events[size_t(flow.from)].end <=
              trace.events[size_t(flow.to)].begin);
      for (const auto &flow : runtime.trace(/*allFlows=*/0).flows)
        CHECK(trace.events[size_t(flow.from)].end <=
              trace.events[size_t(flow.to)].begin);
      // What was kept of a run is its trace whatever ran since.
      auto kept = runtime.records();
      Slots slots = blank();
      current = &slots;
      REQUIRE(runtime.run({}));
      tilewright::model::Trace same = runtime.traceOf(kept);
      REQUIRE(same.events.size() == trace.events.size());
      for (size_t i = 0; i < same.events.size(); ++i) {
        CHECK(same.events[i].begin == trace.events[i].begin);
        CHECK(same.events[i].end == trace.events[i].end);
        CHECK(same.events[i].track == trace.events[i].track);
      }
    }
  }
}

TEST_CASE("tasks of a later dispatch run before an earlier one is done") {
  // Task i of d1 needs task i of d0 only; one task of d0 is slow.
  CompiledProgram program;
  program.dispatches.resize(2);
  program.dispatches[0].grid = program.dispatches[1].grid = {8};
  ProgramDependency dependency;
  dependency.lower.addResult({int64_t(Op::Input), 0}, 1);
  dependency.upper.addResult(
      {int64_t(Op::Input), 0, int64_t(Op::Constant), 1, int64_t(Op::Add)}, 1);
  program.dispatches[1].dependencies = {dependency};
  // The slow task lasts until all that need not wait for it are done; behind a
  // barrier they never would be, and it gives up.
  static std::atomic<int> quickDone;
  quickDone = 0;
  KernelFunction slow = [](void *const *, const int64_t *grid, void *) {
    auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (grid[0] == 0 && quickDone < 7 &&
           std::chrono::steady_clock::now() < limit)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  KernelFunction quick = [](void *const *, const int64_t *, void *) {
    ++quickDone;
  };
  TaskRuntime::Options options;
  options.threads = 2;
  options.record = true;
  TaskRuntime runtime(program, {slow, quick}, options);
  REQUIRE(runtime.run({}));
  int64_t slowEnd = 0;
  int before = 0;
  auto records = runtime.records();
  for (const TaskRecord &record : records)
    if (record.dispatch == 0 && record.task == 0)
      slowEnd = record.end;
  for (const TaskRecord &record : records)
    before += record.dispatch == 1 && record.begin < slowEnd;
  CHECK(before == 7);
}

TEST_CASE("a run that is cancelled ends early and the next one is whole") {
  CompiledProgram program;
  program.dispatches.resize(1);
  program.dispatches[0].grid = {1000};
  static std::atomic<int> ran;
  std::atomic<bool> cancel = false;
  TaskRuntime::Options options;
  options.threads = 2;
  options.cancelled = [&] { return cancel && ran >= 10; };
  TaskRuntime runtime(program,
                      {[](void *const *, const int64_t *, void *) { ++ran; }},
                      options);
  ran = 0;
  cancel = true;
  CHECK_FALSE(runtime.run({}));
  CHECK(ran < 1000);
  ran = 0;
  cancel = false;
  CHECK(runtime.run({}));
  CHECK(ran == 1000);
}

TEST_CASE("a task costs little", "[!mayfail]") {
  CompiledProgram program;
  program.dispatches.resize(2);
  program.dispatches[0].grid = program.dispatches[1].grid = {100000};
  ProgramDependency dependency;
  dependency.lower.addResult({int64_t(Op::Input), 0}, 1);
  dependency.upper.addResult(
      {int64_t(Op::Input), 0, int64_t(Op::Constant), 1, int64_t(Op::Add)}, 1);
  program.dispatches[1].dependencies = {dependency};
  KernelFunction nothing = [](void *const *, const int64_t *, void *) {};
  TaskRuntime::Options options;
  options.threads = 1;
  TaskRuntime runtime(program, {nothing, nothing}, options);
  double best = 1e9;
  for (int i = 0; i < 7; ++i) {
    REQUIRE(runtime.run({}));
    best = std::min(best, double(runtime.nanoseconds()) / 200000);
  }
  INFO("nanoseconds a task: " << best);
  CHECK(best < 2000);
}

TEST_CASE("what is done once is done by the first run that ends") {
  // Two tasks that pack, and four that read what they made.
  CompiledProgram program;
  program.dispatches.resize(2);
  program.dispatches[0].grid = {2};
  program.dispatches[0].once = true;
  program.dispatches[1].grid = {4};
  ProgramDependency dependency;
  dependency.lower.addResult({int64_t(Op::Constant), 0}, 1);
  dependency.upper.addResult({int64_t(Op::Constant), 2}, 1);
  program.dispatches[1].dependencies = {dependency};
  static std::atomic<int> packed, read, early;
  packed = read = early = 0;
  KernelFunction pack = [](void *const *, const int64_t *, void *) {
    ++packed;
  };
  KernelFunction use = [](void *const *, const int64_t *, void *) {
    early += packed < 2;
    ++read;
  };
  for (int threads : {1, 2, 4}) {
    packed = read = 0;
    bool cancel = true;
    TaskRuntime::Options options;
    options.threads = threads;
    options.record = true;
    options.cancelled = [&] { return cancel; };
    TaskRuntime runtime(program, {pack, use}, options);
    CHECK_FALSE(runtime.run({})); // ended too early to count
    packed = 0;
    cancel = false;
    for (int run = 1; run <= 3; ++run) {
      REQUIRE(runtime.run({}));
      CHECK(packed == 2);
      CHECK(read == 4 * run);
      CHECK(runtime.records().size() == (run == 1 ? 6u : 4u));
      runtime.trace();
    }
  }
  CHECK(early == 0);
}
