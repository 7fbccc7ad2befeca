//===- Debouncer.h - acting when a burst of events is over ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace tilewright::lsp {

/// Runs an action for a key once that key has been quiet for a while. Actions
/// run one after another in a thread of this class. Thread-safe.
class Debouncer {
public:
  Debouncer();
  /// Drops what is pending; waits for an action that runs.
  ~Debouncer();
  Debouncer(const Debouncer &) = delete;
  Debouncer &operator=(const Debouncer &) = delete;

  /// Runs `action` after `delay`, unless something else is scheduled for `key`
  /// before: that then takes its place.
  void schedule(const std::string &key, std::chrono::milliseconds delay,
                std::function<void()> action);
  void drop(const std::string &key);
  /// As the destructor; what is scheduled afterwards never runs.
  void stop();

private:
  struct Entry {
    std::chrono::steady_clock::time_point due;
    std::function<void()> action;
  };

  void work();

  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Entry> entries;
  bool stopping = false;
  std::thread thread;
};

} // namespace tilewright::lsp
