//===- Cancel.h - telling work that nobody waits for it ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace tilewright::lsp {

/// Shared between who waits and who works. Copies are the same token.
/// Thread-safe.
class CancelToken {
public:
  CancelToken() : state(std::make_shared<State>()) {}

  bool cancelled() const { return state->flag.load(std::memory_order_relaxed); }
  /// The bare flag, for code that knows nothing of this class. Lives as long
  /// as any copy of the token.
  const std::atomic<bool> &flag() const { return state->flag; }

  /// Sets the flag and runs the callbacks, once.
  void cancel() const {
    std::vector<std::function<void()>> run;
    {
      std::lock_guard lock(state->mutex);
      if (state->flag.exchange(true))
        return;
      run.swap(state->callbacks);
    }
    for (auto &callback : run)
      callback();
  }

  /// Runs `callback` when cancelled, in the cancelling thread; at once if that
  /// has already happened.
  void onCancel(std::function<void()> callback) const {
    {
      std::lock_guard lock(state->mutex);
      if (!state->flag) {
        state->callbacks.push_back(std::move(callback));
        return;
      }
    }
    callback();
  }

private:
  struct State {
    std::atomic<bool> flag = false;
    std::mutex mutex;
    std::vector<std::function<void()>> callbacks;
  };
  std::shared_ptr<State> state;
};

} // namespace tilewright::lsp
