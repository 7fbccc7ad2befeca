//===- ProcessorWait.h - how long a process got no processor ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <chrono>
#include <map>
#include <sys/types.h>

namespace tilewright::lsp {

/// Tells how long a process was ready to run and did not, on a machine that is
/// busy with others. From /proc/PID/task/*/schedstat; where there is none of
/// that, no time.
class ProcessorWait {
public:
  /// Of the thread that waited longest since the last call for the same
  /// process; zero at the first.
  std::chrono::nanoseconds since(pid_t process);

private:
  pid_t process = -1;
  std::map<pid_t, int64_t> waited; ///< nanoseconds, by thread
};

} // namespace tilewright::lsp
