//===- DebouncerTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/Debouncer.h"
#include <atomic>
#include <catch2/catch.hpp>
#include <future>

using namespace tilewright::lsp;
using std::chrono::milliseconds;

TEST_CASE("of a burst only the last action runs, keys do not wait for others") {
  Debouncer debouncer;
  std::atomic<int> ran = 0;
  std::promise<int> last, other;
  for (int i = 1; i <= 50; ++i)
    debouncer.schedule("a", milliseconds(60), [&, i] {
      ++ran;
      last.set_value(i);
    });
  debouncer.schedule("b", milliseconds(0), [&] { other.set_value(1); });
  CHECK(other.get_future().get() == 1);
  CHECK(ran == 0);
  CHECK(last.get_future().get() == 50);
  CHECK(ran == 1);
}

TEST_CASE("what was dropped does not run") {
  std::atomic<int> ran = 0;
  {
    Debouncer debouncer;
    debouncer.schedule("a", milliseconds(10), [&] { ++ran; });
    debouncer.drop("a");
    debouncer.schedule("b", milliseconds(10000), [&] { ++ran; });
    std::this_thread::sleep_for(milliseconds(40));
  }
  CHECK(ran == 0);
}
