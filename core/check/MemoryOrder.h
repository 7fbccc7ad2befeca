//===- MemoryOrder.h - what must happen before what -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel is right if in every order that its pipes may take each instruction
// reads what it reads when all run one after the other and each buffer has room
// of its own. For a read R of bytes that W wrote, that is: W happens before R,
// and every other write of these bytes happens before W or after R. (Were one
// not ordered, some order would put it between the two.) So a write that nobody
// reads need not be ordered with others.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/check/KernelTrace.h"

namespace tilewright::check {

/// Entry `first` must happen before entry `second`.
struct OrderNeeded {
  enum Kind : uint8_t {
    Read,      ///< `second` reads what `first` writes
    Overwrite, ///< `second` overwrites what `first` reads
    Write      ///< both write what `reader` reads of `second`
  } kind;
  int first, second;
  int reader = -1; ///< -1: whoever reads it when the kernel has ended
};

/// A read that is wrong in whatever order.
struct WrongRead {
  int reader;
  int buffer;
  int64_t begin, end; ///< bytes of the memory
  int space;
  int writer = -1;     ///< of these bytes through this buffer; -1: none
  int overwriter = -1; ///< through another one, later
};

struct MemoryOrder {
  std::vector<OrderNeeded> needed; ///< each pair once, different pipes only
  std::vector<WrongRead> wrong;    ///< one for each reader and buffer
};

MemoryOrder memoryOrderOf(const KernelTrace &trace);

/// The first bytes that both entries touch, one of them writing: begin, end,
/// space. `end` 0 if there are none.
Touch sharedBytes(const KernelTrace &trace, int a, int b);

} // namespace tilewright::check
