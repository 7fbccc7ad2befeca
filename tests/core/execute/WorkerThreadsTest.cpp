//===- WorkerThreadsTest.cpp - threads that wait close by -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/WorkerThreads.h"
#include <catch2/catch.hpp>
#include <set>

using namespace tilewright::execute;

TEST_CASE("work is over when all that came have done it") {
  for (int count : {1, 2, 3, 8}) {
    WorkerThreads threads(count);
    auto caller = std::this_thread::get_id();
    std::vector<int64_t> sums(size_t(count), 0); // plain memory: TSan watches
    std::atomic<int> inside = 0, left = 0, misplaced = 0;
    for (int call = 0; call < 500; ++call) {
      left = 20;
      threads.run([&](int self) {
        ++inside;
        misplaced += (self == 0) != (std::this_thread::get_id() == caller);
        while (left.fetch_sub(1) > 0)
          ++sums[size_t(self)];
        --inside;
      });
      REQUIRE(inside == 0);
      REQUIRE(misplaced == 0);
    }
    int64_t total = 0;
    for (int64_t sum : sums)
      total += sum;
    CHECK(total == 500 * 20);
  }
}

TEST_CASE("others come while the caller works, also after a sleep") {
  WorkerThreads threads(2);
  for (int call = 0; call < 3; ++call) {
    std::atomic<bool> came = false;
    threads.run([&](int self) {
      if (self == 1)
        came = true;
      auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (!came && std::chrono::steady_clock::now() < limit)
        std::this_thread::yield();
    });
    CHECK(came);
    // Longer than a thread looks before it sleeps.
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  }
}

TEST_CASE("nobody is waited for who is late") {
  WorkerThreads threads(4);
  // The others are not there yet when the first calls are over.
  for (int call = 0; call < 1000; ++call) {
    int mine = 0;
    threads.run([&](int self) {
      if (self == 0)
        ++mine;
    });
    REQUIRE(mine == 1);
  }
}

TEST_CASE("patience ends") {
  for (bool spins : {false, true}) {
    Patience patience(spins);
    auto begin = std::chrono::steady_clock::now();
    while (patience.wait())
      ;
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
    patience.reset();
    CHECK(patience.wait());
  }
}
