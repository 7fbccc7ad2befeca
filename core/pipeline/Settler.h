//===- Settler.h - turns what was kept into bytecode ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/pipeline/KeptModule.h"
#include <condition_variable>
#include <deque>
#include <thread>
#include <vector>

namespace tilewright {

/// A thread that settles modules in the background, oldest first; those nobody
/// needs any more are skipped. What is left to settle when it is destroyed
/// stays as it is.
class Settler {
public:
  Settler();
  void add(const std::vector<std::shared_ptr<const KeptModule>> &modules);
  /// Lets go of `modules`, which takes as long as to make them.
  void drop(std::vector<std::shared_ptr<const KeptModule>> modules);

private:
  void work(std::stop_token stop);

  std::mutex mutex;
  std::condition_variable_any wake;
  std::deque<std::weak_ptr<const KeptModule>> waiting;
  std::vector<std::shared_ptr<const KeptModule>> dropped;
  std::jthread thread; ///< last: it uses the others
};

} // namespace tilewright
