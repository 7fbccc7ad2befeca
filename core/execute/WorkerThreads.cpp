//===- WorkerThreads.cpp - threads that wait close by ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/WorkerThreads.h"

namespace tilewright::execute {

/// Tells the processor that this is a loop that waits.
static void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#else
  std::this_thread::yield();
#endif
}

bool Patience::wait() {
  constexpr uint32_t yields = 16, looks = 64;
  constexpr std::chrono::microseconds longEnough(1000);
  if (!spins) {
    std::this_thread::yield();
    return ++turns < yields;
  }
  pause();
  if (turns++ % looks)
    return true;
  auto now = std::chrono::steady_clock::now();
  if (turns == 1)
    begin = now;
  return now - begin < longEnough;
}

WorkerThreads::WorkerThreads(int count)
    : number(count),
      eachHasProcessor(count <= int(std::thread::hardware_concurrency())) {}

WorkerThreads::~WorkerThreads() {
  leaving = true;
  calls.fetch_add(1);
  calls.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

void WorkerThreads::attend(int self) {
  uint32_t seen = 0; // calls that this thread knows of
  Patience patience(eachHasProcessor);
  while (true) {
    uint32_t now = calls.load(std::memory_order_acquire);
    if (leaving.load(std::memory_order_relaxed))
      return;
    if (now == seen) {
      if (!patience.wait())
        calls.wait(seen);
      continue;
    }
    seen = now;
    uint64_t was = state.load(std::memory_order_acquire);
    while (was & openBit) {
      if (!state.compare_exchange_weak(was, was + insideOne,
                                       std::memory_order_acq_rel,
                                       std::memory_order_acquire))
        continue;
      (*current)(self);
      state.fetch_sub(insideOne, std::memory_order_release);
      break;
    }
    patience.reset();
  }
}

void WorkerThreads::run(const std::function<void(int)> &work) {
  if (number == 1)
    return work(0);
  for (int i = int(threads.size()) + 1; i < number; ++i)
    threads.emplace_back([this, i] { attend(i); });
  current = &work;
  uint64_t round = state.load(std::memory_order_relaxed) / roundOne + 1;
  state.store(round * roundOne + openBit, std::memory_order_release);
  calls.fetch_add(1, std::memory_order_release);
  calls.notify_all();
  work(0);
  state.fetch_and(~openBit, std::memory_order_acq_rel);
  Patience patience(eachHasProcessor);
  // A thread that is inside has seen that the work is over.
  while (insideOf(state.load(std::memory_order_acquire)))
    if (!patience.wait())
      std::this_thread::yield();
}

} // namespace tilewright::execute
