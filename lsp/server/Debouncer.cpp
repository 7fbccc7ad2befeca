//===- Debouncer.cpp - acting when a burst of events is over --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/Debouncer.h"

namespace tilewright::lsp {

Debouncer::Debouncer() : thread([this] { work(); }) {}

Debouncer::~Debouncer() { stop(); }

void Debouncer::stop() {
  {
    std::lock_guard lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  if (thread.joinable())
    thread.join();
}

void Debouncer::schedule(const std::string &key,
                         std::chrono::milliseconds delay,
                         std::function<void()> action) {
  std::lock_guard lock(mutex);
  entries[key] = {std::chrono::steady_clock::now() + delay, std::move(action)};
  changed.notify_all();
}

void Debouncer::drop(const std::string &key) {
  std::lock_guard lock(mutex);
  entries.erase(key);
}

void Debouncer::work() {
  std::unique_lock lock(mutex);
  while (!stopping) {
    auto first = entries.end();
    for (auto it = entries.begin(); it != entries.end(); ++it)
      if (first == entries.end() || it->second.due < first->second.due)
        first = it;
    if (first == entries.end()) {
      changed.wait(lock);
    } else if (first->second.due > std::chrono::steady_clock::now()) {
      // A copy: the entry may be replaced while we wait.
      auto due = first->second.due;
      changed.wait_until(lock, due);
    } else {
      std::function<void()> action = std::move(first->second.action);
      entries.erase(first);
      lock.unlock();
      action();
      action = nullptr;
      lock.lock();
    }
  }
}

} // namespace tilewright::lsp
