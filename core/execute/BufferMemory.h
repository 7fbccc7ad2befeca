//===- BufferMemory.h - memory of a program's buffers -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>

namespace tilewright::execute {

/// Zero bytes, 64-byte aligned, from huge pages where the system gives them.
/// Pages come into being where they are first written: by the workers.
class BufferMemory {
public:
  BufferMemory() = default;
  /// data() is null if so much cannot be had (and `bytes` is not 0).
  explicit BufferMemory(int64_t bytes);
  ~BufferMemory();
  BufferMemory(BufferMemory &&other) noexcept;
  BufferMemory &operator=(BufferMemory &&other) noexcept;

  void *data() const { return memory; }
  int64_t size() const { return bytes; }

private:
  void *memory = nullptr;
  int64_t bytes = 0;
  size_t mapped = 0;
};

} // namespace tilewright::execute
