//===- FirstTouchTest.cpp - memory comes into being where it is used ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system takes a page from the node of the processor that first writes it.
// So buffers must not be written before the workers do, and what a worker packs
// must lie in memory that only it has written.
//
//===----------------------------------------------------------------------===//
#include "core/execute/BufferMemory.h"
#include "core/execute/TaskRuntime.h"
#include <catch2/catch.hpp>
#include <cstring>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <vector>

using namespace tilewright::execute;

namespace {

/// Bytes of a mapping that are in memory.
int64_t resident(void *memory, int64_t bytes) {
  constexpr int64_t page = 4096;
  std::vector<unsigned char> pages(size_t(bytes / page));
  REQUIRE(::mincore(memory, size_t(bytes), pages.data()) == 0);
  int64_t count = 0;
  for (unsigned char each : pages)
    count += each & 1;
  return count * page;
}

constexpr int64_t scratchBytes = 4 << 20;
std::mutex mutex;
struct Scratch {
  void *memory = nullptr;
  int64_t before = 0; ///< bytes in memory when the first task got it
};
std::map<std::thread::id, Scratch> scratchOf;
bool changed = false;

void packingTask(void *const *, const int64_t *, void *scratch) {
  {
    std::lock_guard lock(mutex);
    Scratch &own = scratchOf[std::this_thread::get_id()];
    if (!own.memory)
      own = {scratch, resident(scratch, scratchBytes)};
    changed |= own.memory != scratch;
  }
  std::memset(scratch, 1, scratchBytes);
  // Long enough for the others to come.
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

} // namespace

TEST_CASE("a buffer has no pages until they are written") {
  constexpr int64_t bytes = 64 << 20, hugePage = 2 << 20;
  BufferMemory buffer(bytes);
  REQUIRE(buffer.data());
  CHECK(resident(buffer.data(), bytes) == 0);
  // Who writes a half of it brings that half, up to a huge page.
  std::thread([&] { std::memset(buffer.data(), 1, bytes / 2); }).join();
  CHECK(resident(buffer.data(), bytes) >= bytes / 2);
  CHECK(resident(buffer.data(), bytes) <= bytes / 2 + hugePage);
}

TEST_CASE("each worker packs into memory of its own that it writes first") {
  CompiledProgram program;
  ProgramDispatch dispatch;
  dispatch.name = "pack";
  dispatch.grid = {64};
  dispatch.scratchBytes = scratchBytes;
  program.dispatches.push_back(dispatch);
  TaskRuntime::Options options;
  options.threads = 2;
  TaskRuntime runtime(program, {packingTask}, options);
  scratchOf.clear();
  changed = false;
  REQUIRE(runtime.run({}));
  REQUIRE(runtime.run({}));
  CHECK_FALSE(changed);
  REQUIRE(scratchOf.size() == 2);
  const Scratch &a = scratchOf.begin()->second,
                &b = std::next(scratchOf.begin())->second;
  // Apart by as much as each may use, and untouched when first handed out.
  int64_t apart = static_cast<char *>(a.memory) - static_cast<char *>(b.memory);
  CHECK(std::abs(apart) >= scratchBytes);
  CHECK(a.before <= 4096); // the allocator's own note may share a page
  CHECK(b.before <= 4096);
}
