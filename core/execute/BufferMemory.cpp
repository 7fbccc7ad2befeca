//===- BufferMemory.cpp - memory of a program's buffers -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/BufferMemory.h"
#include <sys/mman.h>
#include <utility>

namespace tilewright::execute {

static constexpr size_t hugePage = size_t(2) << 20;

BufferMemory::BufferMemory(int64_t size) : bytes(size) {
  size_t wanted = size_t(size < 64 ? 64 : size);
  // Rounded up, so that a large buffer can lie in huge pages to its end.
  mapped = wanted >= hugePage ? (wanted + hugePage - 1) / hugePage * hugePage
                              : (wanted + 4095) / 4096 * 4096;
  void *at = ::mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) {
    mapped = 0;
    return;
  }
  memory = at;
  if (mapped >= hugePage)
    ::madvise(memory, mapped, MADV_HUGEPAGE); // a wish: its failure costs speed
}

BufferMemory::~BufferMemory() {
  if (memory)
    ::munmap(memory, mapped);
}

BufferMemory::BufferMemory(BufferMemory &&other) noexcept
    : memory(std::exchange(other.memory, nullptr)),
      bytes(std::exchange(other.bytes, 0)),
      mapped(std::exchange(other.mapped, 0)) {}

BufferMemory &BufferMemory::operator=(BufferMemory &&other) noexcept {
  std::swap(memory, other.memory);
  std::swap(bytes, other.bytes);
  std::swap(mapped, other.mapped);
  return *this;
}

} // namespace tilewright::execute
