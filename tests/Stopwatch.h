//===- Stopwatch.h - time limits that hold on a busy machine ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <ctime>

namespace tilewright::testing {

/// How much slower the code under test is for what watches it.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr double slowdown = 10;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr double slowdown = 10;
#else
inline constexpr double slowdown = 1;
#endif
#else
inline constexpr double slowdown = 1;
#endif

/// Seconds of processor time since it was made, over `slowdown`: what else the
/// machine does, and sanitizers, are no fault of the code.
class Stopwatch {
public:
  enum class Of { Process, ThisThread };
  explicit Stopwatch(Of of = Of::Process) : of(of) { restart(); }
  void restart() { start = now(); }
  double seconds() const { return (now() - start) / slowdown; }
  double milliseconds() const { return seconds() * 1e3; }

private:
  double now() const {
    timespec time{};
    clock_gettime(of == Of::Process ? CLOCK_PROCESS_CPUTIME_ID
                                    : CLOCK_THREAD_CPUTIME_ID,
                  &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
  }
  Of of;
  double start = 0;
};

} // namespace tilewright::testing
