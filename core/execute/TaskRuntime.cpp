//===- TaskRuntime.cpp - runs a program's tasks as inputs get ready -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task waits for one other at a time. A worker that looks at a task goes
// through the tasks it depends on, in order, until it meets one that is not
// done, and hangs the task on that one's list of waiters; whoever finishes that
// one goes on with the search from there. So an edge is looked at once, there
// are no lists of edges, and a task needs three words.
//
// Who has finished a task takes the first of those it made ready itself, so
// that it finds its inputs in this core's cache, and puts the others into its
// own queue. Who has nothing looks into its queue, then at the next task in
// program order that nobody has looked at, then into the queues of others.
//
//===----------------------------------------------------------------------===//
#include "core/execute/TaskRuntime.h"
#include "core/execute/GridOrder.h"
#include "core/execute/WorkerThreads.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>

namespace tilewright::execute {

namespace {

using Clock = std::chrono::steady_clock;

/// Head of a task's list of waiters: a task number, or one of these.
constexpr int32_t noWaiter = -1;
constexpr int32_t finished = -2;

/// Tasks that are ready: the worker it belongs to takes the latest, others the
/// earliest. The lock is held for a few instructions.
class ReadyQueue {
public:
  bool empty() const { return size.load(std::memory_order_relaxed) == 0; }
  void push(int32_t task) {
    Guard guard(lock);
    tasks.push_back(task);
    size.store(int32_t(tasks.size() - first), std::memory_order_relaxed);
  }
  /// A task, or noWaiter.
  int32_t takeLatest() {
    return take([&] {
      int32_t task = tasks.back();
      tasks.pop_back();
      return task;
    });
  }
  int32_t takeEarliest() {
    return take([&] { return tasks[first++]; });
  }
  void clear() {
    tasks.clear();
    first = 0;
    size = 0;
  }

private:
  struct Guard {
    std::atomic_flag &lock;
    explicit Guard(std::atomic_flag &lock) : lock(lock) {
      while (lock.test_and_set(std::memory_order_acquire))
        std::this_thread::yield();
    }
    ~Guard() { lock.clear(std::memory_order_release); }
  };
  template <typename Take> int32_t take(Take take) {
    if (empty())
      return noWaiter;
    Guard guard(lock);
    if (tasks.size() == first)
      return noWaiter;
    int32_t task = take();
    if (tasks.size() == first) {
      tasks.clear();
      first = 0;
    }
    size.store(int32_t(tasks.size() - first), std::memory_order_relaxed);
    return task;
  }

  std::atomic<int32_t> size = 0;
  std::atomic_flag lock = ATOMIC_FLAG_INIT;
  std::vector<int32_t> tasks;
  size_t first = 0; ///< of `tasks`; those before it are taken
};

/// What each worker has of its own, written first by the worker.
struct alignas(64) Worker {
  void *scratch = nullptr;
  std::vector<TaskRecord> records;
  ReadyQueue ready;
  ~Worker() { std::free(scratch); }
};

} // namespace

struct TaskRuntime::Impl {
  const CompiledProgram &program;
  std::vector<KernelFunction> kernels;
  Options options;
  size_t scratchBytes = 0;

  /// First task of each dispatch, and one past the last of all.
  std::vector<int32_t> firstTask;
  int32_t total = 0;
  std::unique_ptr<std::atomic<int32_t>[]> waiters; ///< list heads
  std::unique_ptr<int32_t[]> nextWaiter; ///< links; owned by who holds the task
  /// How many of its producers a task has found done.
  std::unique_ptr<uint32_t[]> searched;
  std::unique_ptr<int32_t[]> waitedFor;
  /// Tasks of each dispatch not done yet.
  std::unique_ptr<std::atomic<int32_t>[]> remaining;
  std::atomic<int32_t> openDispatches = 0; ///< that have tasks not done yet

  std::vector<Worker> workers;
  std::span<void *const> buffers;
  std::vector<std::vector<void *>> pointers; ///< kernel arguments by dispatch
  std::atomic<int32_t> cursor = 0; ///< first task nobody has looked at
  std::atomic<bool> stop = false;
  /// Workers asleep, what they wait for to change, and whether one has been
  /// called and has not looked around yet.
  std::atomic<int32_t> sleepers = 0;
  std::atomic<uint32_t> news = 0;
  std::atomic<bool> calling = false;
  std::mutex failureLock;
  std::exception_ptr failure;
  bool onceDone = false; ///< what is done once for all runs is done
  Clock::time_point start;
  int64_t elapsed = 0;
  WorkerThreads threads; ///< last: nobody works while the rest is destroyed

  Impl(const CompiledProgram &program, std::vector<KernelFunction> kernels,
       Options given)
      : program(program), kernels(std::move(kernels)), options(given),
        workers(size_t(threadCount(given))), threads(threadCount(given)) {
    for (const ProgramDispatch &dispatch : program.dispatches) {
      firstTask.push_back(total);
      total += int32_t(dispatch.tasks());
      scratchBytes = std::max(scratchBytes, size_t(dispatch.scratchBytes));
    }
    firstTask.push_back(total);
    waiters = std::make_unique<std::atomic<int32_t>[]>(size_t(total));
    nextWaiter = std::make_unique<int32_t[]>(size_t(total));
    searched = std::make_unique<uint32_t[]>(size_t(total));
    waitedFor = std::make_unique<int32_t[]>(size_t(total));
    remaining =
        std::make_unique<std::atomic<int32_t>[]>(program.dispatches.size());
    pointers.resize(program.dispatches.size());
  }

  static int threadCount(const Options &options) {
    return options.threads > 0
               ? options.threads
               : std::max(1, int(std::thread::hardware_concurrency()));
  }

  int dispatchOf(int32_t task) const {
    // The last dispatch that starts at or before the task; empty ones start
    // where the next does.
    auto it = std::upper_bound(firstTask.begin(), firstTask.end(), task);
    return int(it - firstTask.begin()) - 1;
  }

  static void point(const ProgramDispatch &dispatch, int64_t task,
                    int64_t *out) {
    gridPoint(dispatch.grid, dispatch.strip, task, out);
  }

  /// The producers a task waits for under one dependency: a box of the
  /// producer's grid.
  struct Box {
    int64_t lower[maxGridRank], size[maxGridRank];
    int64_t count = 1;
    size_t rank = 0;
  };
  Box boxOf(const ProgramDependency &dependency,
            std::span<const int64_t> at) const {
    const ProgramDispatch &producer =
        program.dispatches[size_t(dependency.producer)];
    Box box;
    box.rank = producer.grid.size();
    for (size_t d = 0; d < box.rank; ++d) {
      box.lower[d] = std::max<int64_t>(0, dependency.lower.evaluate(d, at));
      int64_t upper =
          std::min(producer.grid[d], dependency.upper.evaluate(d, at));
      box.size[d] = std::max<int64_t>(0, upper - box.lower[d]);
      box.count *= box.size[d];
    }
    return box;
  }
  int32_t taskInBox(const ProgramDependency &dependency, const Box &box,
                    int64_t i) const {
    const ProgramDispatch &producer =
        program.dispatches[size_t(dependency.producer)];
    int64_t at[maxGridRank];
    for (size_t d = box.rank; d-- > 0;) {
      at[d] = box.lower[d] + i % box.size[d];
      i /= box.size[d];
    }
    return firstTask[size_t(dependency.producer)] +
           int32_t(gridNumber(producer.grid, producer.strip, at));
  }

  /// True if everything `task` waits for is done. Else it now hangs on one that
  /// is not, and somebody else may have it already; or it was done for all
  /// runs.
  bool ready(int32_t task) {
    int dispatchNumber = dispatchOf(task);
    const ProgramDispatch &dispatch =
        program.dispatches[size_t(dispatchNumber)];
    if (dispatch.once && onceDone)
      return false;
    if (dispatch.dependencies.empty())
      return true;
    int64_t at[maxGridRank];
    point(dispatch, task - firstTask[size_t(dispatchNumber)], at);
    std::span<const int64_t> grid(at, dispatch.grid.size());
    int64_t skip = searched[size_t(task)], passed = 0;
    for (const ProgramDependency &dependency : dispatch.dependencies) {
      Box box = boxOf(dependency, grid);
      int64_t i = std::max<int64_t>(0, skip - passed);
      passed += box.count;
      // All of the producer is done: nothing to look at one by one.
      if (i < box.count && remaining[size_t(dependency.producer)].load(
                               std::memory_order_acquire) == 0)
        continue;
      for (; i < box.count; ++i) {
        int32_t producer = taskInBox(dependency, box, i);
        int32_t head =
            waiters[size_t(producer)].load(std::memory_order_acquire);
        while (head != finished) {
          nextWaiter[size_t(task)] = head;
          searched[size_t(task)] = uint32_t(passed - box.count + i + 1);
          waitedFor[size_t(task)] = producer;
          if (waiters[size_t(producer)].compare_exchange_weak(
                  head, task, std::memory_order_acq_rel,
                  std::memory_order_acquire))
            return false;
        }
      }
    }
    return true;
  }

  /// Runs a ready task, then those it made ready.
  void runFrom(int32_t task, int self) {
    while (task >= 0) {
      if (stop.load(std::memory_order_relaxed))
        return;
      if (options.cancelled && options.cancelled())
        return end();
      execute(task, self);
      int dispatch = dispatchOf(task);
      int32_t waiting =
          waiters[size_t(task)].exchange(finished, std::memory_order_acq_rel);
      bool last = remaining[size_t(dispatch)].fetch_sub(
                      1, std::memory_order_acq_rel) == 1;
      int32_t next = noWaiter;
      while (waiting >= 0) {
        int32_t after = nextWaiter[size_t(waiting)];
        if (ready(waiting)) {
          // The earliest in program order goes first.
          if (next >= 0 && next < waiting)
            offer(waiting, self);
          else {
            if (next >= 0)
              offer(next, self);
            next = waiting;
          }
        }
        waiting = after;
      }
      if (last && openDispatches.fetch_sub(1, std::memory_order_acq_rel) == 1)
        return wakeAll();
      task = next;
    }
  }

  void offer(int32_t task, int self) {
    workers[size_t(self)].ready.push(task);
    wakeOne();
  }

  /// Calls a sleeper to what was just made ready.
  void wakeOne() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_relaxed) == 0 || calling.exchange(true))
      return;
    news.fetch_add(1);
    news.notify_one();
  }

  void wakeAll() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (sleepers.load(std::memory_order_relaxed) == 0)
      return;
    news.fetch_add(1);
    news.notify_all();
  }

  /// Ends the run early.
  void end() {
    stop = true;
    wakeAll();
  }

  bool over() const {
    return stop.load(std::memory_order_relaxed) ||
           openDispatches.load(std::memory_order_acquire) == 0;
  }
  bool anythingToDo() const {
    return cursor.load(std::memory_order_relaxed) < total ||
           std::any_of(
               workers.begin(), workers.end(),
               [](const Worker &worker) { return !worker.ready.empty(); });
  }

  /// A ready task, or noWaiter; looks at one task nobody has looked at.
  int32_t find(int self) {
    int32_t task = workers[size_t(self)].ready.takeLatest();
    if (task >= 0)
      return task;
    while (cursor.load(std::memory_order_relaxed) < total) {
      task = cursor.fetch_add(1, std::memory_order_relaxed);
      if (task < total && ready(task))
        return task;
    }
    for (size_t i = 1; i < workers.size(); ++i) {
      task = workers[(size_t(self) + i) % workers.size()].ready.takeEarliest();
      if (task >= 0)
        return task;
    }
    return noWaiter;
  }

  void work(int self) {
    Patience patience(threads.spins());
    while (!over()) {
      int32_t task = find(self);
      if (task >= 0) {
        // One that was called calls the next where there is more to do.
        if (sleepers.load(std::memory_order_relaxed) && anythingToDo())
          wakeOne();
        runFrom(task, self);
        patience.reset();
        continue;
      }
      if (patience.wait())
        continue;
      uint32_t seen = news;
      sleepers.fetch_add(1);
      calling = false; // who calls from here on calls this one too
      std::atomic_thread_fence(std::memory_order_seq_cst);
      if (!over() && !anythingToDo())
        news.wait(seen);
      sleepers.fetch_sub(1);
      calling = false;
      patience.reset();
    }
  }

  void execute(int32_t task, int self) {
    int dispatchNumber = dispatchOf(task);
    const ProgramDispatch &dispatch =
        program.dispatches[size_t(dispatchNumber)];
    Worker &own = workers[size_t(self)];
    if (!own.scratch && scratchBytes) {
      own.scratch =
          std::aligned_alloc(4096, (scratchBytes + 4095) / 4096 * 4096);
      if (!own.scratch)
        throw std::bad_alloc();
    }
    int64_t at[maxGridRank];
    int64_t number = task - firstTask[size_t(dispatchNumber)];
    point(dispatch, number, at);
    Clock::time_point begin;
    if (options.record)
      begin = Clock::now();
    kernels[size_t(dispatchNumber)](pointers[size_t(dispatchNumber)].data(), at,
                                    own.scratch);
    if (!options.record)
      return;
    TaskRecord record;
    record.dispatch = dispatchNumber;
    record.worker = self;
    record.task = number;
    record.begin = (begin - start).count();
    record.end = (Clock::now() - start).count();
    record.waitedFor = waitedFor[size_t(task)];
    own.records.push_back(record);
  }

  bool run(std::span<void *const> given) {
    buffers = given;
    int32_t open = 0;
    for (size_t i = 0; i < program.dispatches.size(); ++i) {
      pointers[i].clear();
      for (const BufferReference &reference : program.dispatches[i].buffers)
        pointers[i].push_back(
            static_cast<std::byte *>(buffers[size_t(reference.buffer)]) +
            reference.byteOffset);
      bool left = !(program.dispatches[i].once && onceDone);
      remaining[i].store(left ? int32_t(program.dispatches[i].tasks()) : 0,
                         std::memory_order_relaxed);
      for (int32_t task = firstTask[i]; task < firstTask[i + 1]; ++task)
        waiters[size_t(task)].store(left ? noWaiter : finished,
                                    std::memory_order_relaxed);
      open += left && program.dispatches[i].tasks() > 0;
    }
    for (int32_t task = 0; task < total; ++task) {
      searched[size_t(task)] = 0;
      waitedFor[size_t(task)] = -1;
    }
    openDispatches = open;
    for (Worker &worker : workers) {
      worker.records.clear();
      worker.ready.clear();
    }
    cursor = 0;
    stop = false;
    failure = nullptr;
    start = Clock::now();
    auto guarded = [this](int self) {
      try {
        work(self);
      } catch (...) {
        std::lock_guard guard(failureLock);
        failure = std::current_exception();
        end();
      }
    };
    if (total <= 1)
      guarded(0); // nothing to share out: no other thread is woken
    else
      threads.run(guarded);
    elapsed = (Clock::now() - start).count();
    if (failure)
      std::rethrow_exception(failure);
    onceDone |= !stop;
    return !stop;
  }
};

TaskRuntime::TaskRuntime(const CompiledProgram &program,
                         std::vector<KernelFunction> kernels, Options options)
    : impl(std::make_unique<Impl>(program, std::move(kernels),
                                  std::move(options))) {}

TaskRuntime::~TaskRuntime() = default;

bool TaskRuntime::run(std::span<void *const> buffers) {
  return impl->run(buffers);
}

int TaskRuntime::threads() const { return int(impl->workers.size()); }

int64_t TaskRuntime::nanoseconds() const { return impl->elapsed; }

std::vector<TaskRecord> TaskRuntime::records() const {
  std::vector<TaskRecord> all;
  for (const Worker &worker : impl->workers)
    all.insert(all.end(), worker.records.begin(), worker.records.end());
  std::sort(all.begin(), all.end(), [](const auto &a, const auto &b) {
    return std::tie(a.begin, a.dispatch, a.task) <
           std::tie(b.begin, b.dispatch, b.task);
  });
  return all;
}

model::Trace TaskRuntime::traceOf(const std::vector<TaskRecord> &sorted,
                                  int64_t allFlows) const {
  model::Trace trace;
  trace.origin = model::Origin::Measured;
  trace.target = impl->program.target;
  for (int i = 0; i < threads(); ++i)
    trace.tracks.push_back({i, -1, "core " + std::to_string(i)});
  std::vector<int64_t> eventOf(size_t(impl->total), -1);
  for (const TaskRecord &record : sorted) {
    const ProgramDispatch &dispatch =
        impl->program.dispatches[size_t(record.dispatch)];
    model::TraceEvent event;
    event.id = int64_t(trace.events.size());
    event.track = record.worker;
    event.begin = record.begin;
    event.end = record.end;
    event.name = dispatch.name;
    event.keys = dispatch.keys;
    event.grid.resize(dispatch.grid.size());
    Impl::point(dispatch, record.task, event.grid.data());
    eventOf[size_t(impl->firstTask[size_t(record.dispatch)] + record.task)] =
        event.id;
    trace.events.push_back(std::move(event));
  }
  // Count first: whether they are few is only known then.
  auto forEachEdge = [&](auto visit) {
    int64_t edges = 0;
    for (const TaskRecord &record : sorted) {
      const ProgramDispatch &dispatch =
          impl->program.dispatches[size_t(record.dispatch)];
      int64_t at[maxGridRank];
      Impl::point(dispatch, record.task, at);
      for (const ProgramDependency &dependency : dispatch.dependencies) {
        Impl::Box box = impl->boxOf(dependency, {at, dispatch.grid.size()});
        edges += box.count;
        if (edges > allFlows)
          return false;
        for (int64_t i = 0; i < box.count; ++i)
          visit(impl->taskInBox(dependency, box, i),
                impl->firstTask[size_t(record.dispatch)] + record.task);
      }
    }
    return true;
  };
  auto add = [&](int64_t from, int64_t to) {
    if (eventOf[size_t(from)] >= 0 && eventOf[size_t(to)] >= 0)
      trace.flows.push_back({eventOf[size_t(from)], eventOf[size_t(to)]});
  };
  if (!forEachEdge(add)) {
    trace.flows.clear();
    for (const TaskRecord &record : sorted)
      if (record.waitedFor >= 0)
        add(record.waitedFor,
            impl->firstTask[size_t(record.dispatch)] + record.task);
  }
  return trace;
}

} // namespace tilewright::execute
