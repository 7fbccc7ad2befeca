//===- WorkerPool.h - threads that run requests -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tilewright::lsp {

/// A fixed number of threads and a queue, first come first served. Threads
/// start with the first job. The destructor drops what has not begun and waits
/// for what has.
class WorkerPool {
public:
  explicit WorkerPool(int threads, size_t stackBytes = 0);
  ~WorkerPool();
  WorkerPool(const WorkerPool &) = delete;
  WorkerPool &operator=(const WorkerPool &) = delete;

  void run(std::function<void()> job);

private:
  void work();
  static void *entry(void *self);

  int threads;
  size_t stackBytes; ///< of each thread; 0 = the system's default
  std::mutex mutex;
  std::condition_variable ready;
  std::deque<std::function<void()>> queue;
  std::vector<pthread_t> running;
  int idle = 0;
  bool stopping = false;
};

} // namespace tilewright::lsp
