//===- WorkerThreads.h - threads that wait close by -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace tilewright::execute {

/// Waiting that begins close by and ends asleep. To wake a sleeping thread
/// costs tens of microseconds, as much as a small matrix product; so who waits
/// looks again and again for a while first. Where there are more threads than
/// processors it gives its own up at once.
class Patience {
public:
  explicit Patience(bool spins) : spins(spins) {}
  /// Waits a moment; false once it is time to sleep.
  bool wait();
  void reset() { turns = 0; }

private:
  bool spins;
  uint32_t turns = 0;
  std::chrono::steady_clock::time_point begin;
};

/// The calling thread and `count` - 1 others that do one thing together, again
/// and again. The others are started by the first call.
class WorkerThreads {
public:
  explicit WorkerThreads(int count);
  ~WorkerThreads();
  WorkerThreads(const WorkerThreads &) = delete;
  WorkerThreads &operator=(const WorkerThreads &) = delete;

  int count() const { return number; }
  /// Whether each thread can have a processor of its own.
  bool spins() const { return eachHasProcessor; }

  /// Calls work(0) here and work(i) on each other thread that comes before
  /// work(0) is done: nobody is waited for who still sleeps. Returns when all
  /// that came are done. `work` must not throw.
  void run(const std::function<void(int)> &work);

private:
  // Who is inside of a call, whether it is open, and its number, in one word,
  // so that nobody enters a call that has ended.
  static constexpr uint64_t openBit = 1, insideOne = 2,
                            roundOne = uint64_t(1) << 32;
  static uint64_t insideOf(uint64_t state) {
    return state % roundOne / insideOne;
  }

  void attend(int self);

  const int number;
  const bool eachHasProcessor;
  std::atomic<uint64_t> state = 0;
  std::atomic<uint32_t> calls = 0; ///< what sleepers wait for to change
  std::atomic<bool> leaving = false;
  const std::function<void(int)> *current = nullptr;
  std::vector<std::thread> threads;
};

} // namespace tilewright::execute
