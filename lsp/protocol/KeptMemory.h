//===- KeptMemory.h - pages kept from one request to the next ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A text of megabytes goes through half a dozen buffers on its way. Pages fresh
// from the system cost more than what is done with them (on virtual machines
// 4 to 17 us each, where a copy takes 0.4 us), and the C library gives back and
// asks for the same ones with each request. While a process is at work it
// keeps them; once it has rested, they go back.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>

namespace tilewright::lsp {

/// For the whole process, while it lives.
class KeptMemory {
public:
  /// Keeps up to about `bytes` that are free, for each thread's arena of the C
  /// library. So long without work is rest.
  explicit KeptMemory(size_t bytes, std::chrono::milliseconds restAfter =
                                        std::chrono::seconds(5));
  ~KeptMemory();
  KeptMemory(const KeptMemory &) = delete;
  KeptMemory &operator=(const KeptMemory &) = delete;

private:
  void giveBackAtRest();

  const std::chrono::milliseconds restAfter;
  std::mutex mutex;
  std::condition_variable ending;
  bool ended = false;
  std::thread watcher;
};

} // namespace tilewright::lsp
