//===- ProcessorWait.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/client/ProcessorWait.h"
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>

namespace tilewright::lsp {

std::chrono::nanoseconds ProcessorWait::since(pid_t of) {
  bool first = process != of;
  process = of;
  std::map<pid_t, int64_t> now;
  int64_t longest = 0;
  std::error_code error;
  std::filesystem::directory_iterator threads(
      "/proc/" + std::to_string(of) + "/task", error);
  for (; !error && threads != std::filesystem::directory_iterator();
       threads.increment(error)) {
    std::string name = threads->path().filename().string();
    pid_t thread = 0;
    std::from_chars(name.data(), name.data() + name.size(), thread);
    // Nanoseconds run, nanoseconds waited, time slices.
    int64_t ran = 0, waiting = 0;
    std::ifstream file(threads->path() / "schedstat");
    if (!(file >> ran >> waiting))
      continue;
    now[thread] = waiting;
    if (auto before = waited.find(thread); !first && before != waited.end())
      longest = std::max(longest, waiting - before->second);
  }
  waited = std::move(now);
  return std::chrono::nanoseconds(longest);
}

} // namespace tilewright::lsp
