//===- KeptMemoryTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/KeptMemory.h"
#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <malloc.h>
#include <memory>
#include <string>
#include <vector>

using namespace tilewright::lsp;

/// Resident memory of this process that no file is behind, in KiB.
static long residentKiB() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "RssAnon:") {
      long value = 0;
      status >> value;
      return value;
    }
  return 0;
}

/// Pieces that come from an arena, not from mappings of their own.
static void useMemory(size_t megabytes) {
  std::vector<std::unique_ptr<char[]>> pieces;
  for (size_t i = 0; i < megabytes * 16; ++i) {
    pieces.emplace_back(new char[65536]);
    std::memset(pieces.back().get(), 1, 65536);
  }
}

TEST_CASE("free memory is kept while at work and given back at rest") {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return; // another allocator
#endif
#endif
  constexpr size_t megabytes = 64;
  constexpr long most = long(megabytes) * 1024;
  ::malloc_trim(0);
  long before = residentKiB();
  KeptMemory kept(256 << 20, std::chrono::milliseconds(200));
  useMemory(megabytes);
  CHECK(residentKiB() > before + most * 3 / 4);
  // Nobody asks for it again.
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (residentKiB() > before + most / 4 &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(residentKiB() <= before + most / 4);
}
