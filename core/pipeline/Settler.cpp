//===- Settler.cpp - turns what was kept into bytecode --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/Settler.h"

namespace tilewright {

Settler::Settler()
    : thread([this](std::stop_token stop) { work(std::move(stop)); }) {}

void Settler::add(
    const std::vector<std::shared_ptr<const KeptModule>> &modules) {
  if (modules.empty())
    return;
  {
    std::lock_guard lock(mutex);
    waiting.insert(waiting.end(), modules.begin(), modules.end());
  }
  wake.notify_one();
}

void Settler::drop(std::vector<std::shared_ptr<const KeptModule>> modules) {
  if (modules.empty())
    return;
  {
    std::lock_guard lock(mutex);
    std::move(modules.begin(), modules.end(), std::back_inserter(dropped));
  }
  wake.notify_one();
}

void Settler::work(std::stop_token stop) {
  while (true) {
    std::shared_ptr<const KeptModule> next;
    std::vector<std::shared_ptr<const KeptModule>> gone;
    {
      std::unique_lock lock(mutex);
      if (!wake.wait(lock, stop,
                     [&] { return !waiting.empty() || !dropped.empty(); }) ||
          stop.stop_requested())
        return;
      std::swap(gone, dropped);
      if (gone.empty()) {
        next = waiting.front().lock();
        waiting.pop_front();
      }
    }
    if (next)
      next->settle();
  }
}

} // namespace tilewright
