//===- WorkerPool.cpp - threads that run requests -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/WorkerPool.h"
#include <algorithm>
#include <pthread.h>

namespace tilewright::lsp {

WorkerPool::WorkerPool(int threads, size_t stackBytes)
    : threads(std::max(1, threads)), stackBytes(stackBytes) {}

WorkerPool::~WorkerPool() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
    queue.clear();
  }
  ready.notify_all();
  for (pthread_t thread : running)
    ::pthread_join(thread, nullptr);
}

void *WorkerPool::entry(void *self) {
  static_cast<WorkerPool *>(self)->work();
  return nullptr;
}

void WorkerPool::run(std::function<void()> job) {
  std::lock_guard lock(mutex);
  if (stopping)
    return;
  queue.push_back(std::move(job));
  if (idle < static_cast<int>(queue.size()) &&
      static_cast<int>(running.size()) < threads) {
    // std::thread cannot be given a stack size, and deeply nested IR needs one.
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    if (stackBytes > 0)
      ::pthread_attr_setstacksize(&attributes, stackBytes);
    pthread_t thread;
    if (::pthread_create(&thread, &attributes, &WorkerPool::entry, this) == 0)
      running.push_back(thread);
    ::pthread_attr_destroy(&attributes);
  }
  ready.notify_one();
}

void WorkerPool::work() {
  std::unique_lock lock(mutex);
  while (true) {
    ++idle;
    ready.wait(lock, [&] { return stopping || !queue.empty(); });
    --idle;
    if (stopping)
      return;
    std::function<void()> job = std::move(queue.front());
    queue.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
}

} // namespace tilewright::lsp
