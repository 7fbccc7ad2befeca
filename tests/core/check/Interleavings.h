//===- Interleavings.h - every order the pipes may take ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/check/KernelTrace.h"
#include <string>

namespace tilewright::test {

struct Enumeration {
  /// What goes wrong in some order; empty: nothing in any.
  std::string wrong;
  bool complete = true; ///< false: stopped at `maxStates`, and `wrong` is empty
  size_t states = 0;
};

/// Tries every order of a trace's steps: an instruction reads all it reads at
/// once, and later writes all it writes at once; everything else may come
/// between. Orders that lead to the same state (how far each pipe is, which
/// events are set, who wrote each byte last) go on as one: what can follow is
/// the same. Knows nothing of happens-before; what it gives is by trying.
Enumeration enumerate(const check::KernelTrace &trace,
                      size_t maxStates = 2000000);

} // namespace tilewright::test
