//===- ChildProcess.h - a program run as a child ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/protocol/ByteStream.h"
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <thread>
#include <utility>
#include <vector>

namespace tilewright::lsp {

/// How a process ended.
struct ExitStatus {
  int code = 0;   ///< exit code, if it ended by itself
  int signal = 0; ///< the signal that ended it, or 0

  bool clean() const { return code == 0 && signal == 0; }
  /// "exited with code 3", "was ended by signal 9 (Killed)".
  std::string str() const;
};

/// A child in a process group of its own, with its standard input and output
/// joined to one stream and its standard error drained; the last of that is
/// kept. No descriptor of ours leaks into it. Thread-safe.
class ChildProcess {
public:
  struct Options {
    std::string program; ///< a path; PATH is searched if it has no '/'
    std::vector<std::string> arguments;
    /// Set in addition to our own environment.
    std::vector<std::pair<std::string, std::string>> environment;
    /// Also gets what the child writes to standard error, piece by piece, from
    /// a thread of this class.
    std::function<void(std::string_view)> onStderr;
  };

  /// Null and `error` ("No such file or directory") if it cannot be started.
  static std::unique_ptr<ChildProcess> spawn(const Options &options,
                                             std::string &error);
  /// Kills it and all it has started, and waits.
  ~ChildProcess();
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &operator=(const ChildProcess &) = delete;

  pid_t pid() const { return child; }
  /// Its standard input and output. Once.
  std::unique_ptr<ByteStream> takeStream() { return std::move(stream); }
  /// Sends a signal to the child and everything in its process group.
  void kill(int signal = SIGKILL);
  /// Empty on timeout.
  std::optional<ExitStatus> wait(std::chrono::milliseconds timeout);
  /// The last bytes it wrote to standard error, at most 16 KiB.
  std::string stderrTail() const;

private:
  ChildProcess() = default;
  void watch();

  pid_t child = -1;
  int errorFd = -1;
  int exitFd = -1; ///< pidfd
  std::unique_ptr<ByteStream> stream;
  std::function<void(std::string_view)> onStderr;
  std::thread watcher;
  mutable std::mutex mutex;
  std::condition_variable ended;
  std::optional<ExitStatus> status;
  std::string tail;
};

} // namespace tilewright::lsp
