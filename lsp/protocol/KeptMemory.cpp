//===- KeptMemory.cpp - pages kept from one request to the next -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/KeptMemory.h"
#include <algorithm>
#include <ctime>
#include <malloc.h>

namespace tilewright::lsp {

using std::chrono::nanoseconds;
using std::chrono::seconds;

/// What a process uses that only waits, and this check itself.
static constexpr nanoseconds idleUse(20'000'000);
/// Larger pieces are mapped one by one; the C library takes no larger bound.
static constexpr int mappedFrom = 32 << 20;

static nanoseconds processorTime() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return seconds(now.tv_sec) + nanoseconds(now.tv_nsec);
}

KeptMemory::KeptMemory(size_t bytes, std::chrono::milliseconds restAfter)
    : restAfter(restAfter) {
  ::mallopt(M_MMAP_THRESHOLD, mappedFrom);
  ::mallopt(M_TRIM_THRESHOLD, int(std::min<size_t>(bytes, size_t(1) << 30)));
  watcher = std::thread([this] { giveBackAtRest(); });
}

KeptMemory::~KeptMemory() {
  {
    std::lock_guard lock(mutex);
    ended = true;
  }
  ending.notify_all();
  watcher.join();
}

void KeptMemory::giveBackAtRest() {
  std::unique_lock lock(mutex);
  nanoseconds before(0);
  bool worked = false;
  while (!ending.wait_for(lock, restAfter, [&] { return ended; })) {
    nanoseconds now = processorTime();
    if (now - before > idleUse) {
      worked = true;
    } else if (worked) {
      ::malloc_trim(0);
      worked = false;
      now = processorTime(); // trimming is no work
    }
    before = now;
  }
}

} // namespace tilewright::lsp
