//===- ChildProcess.cpp - a program run as a child ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/client/ChildProcess.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tilewright::lsp {

std::string ExitStatus::str() const {
  if (signal) {
    std::string text = "was ended by signal " + std::to_string(signal);
    if (const char *name = ::sigdescr_np(signal))
      text += std::string(" (") + name + ")";
    return text;
  }
  return "exited with code " + std::to_string(code);
}

std::unique_ptr<ChildProcess> ChildProcess::spawn(const Options &options,
                                                  std::string &error) {
  int ends[2], errors[2];
  // A socket pair instead of two pipes: writing to a dead child is then an
  // error code and not SIGPIPE, whatever the program has set.
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    error = std::strerror(errno);
    return nullptr;
  }
  if (::pipe2(errors, O_CLOEXEC) != 0) {
    error = std::strerror(errno);
    ::close(ends[0]);
    ::close(ends[1]);
    return nullptr;
  }

  std::vector<std::string> words{options.program};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);

  std::vector<std::string> settings;
  for (char **entry = environ; *entry; ++entry) {
    std::string_view text = *entry;
    std::string_view name = text.substr(0, text.find('='));
    bool replaced = false;
    for (auto &[key, value] : options.environment)
      replaced |= key == name;
    if (!replaced)
      settings.emplace_back(text);
  }
  for (auto &[key, value] : options.environment)
    settings.push_back(key + "=" + value);
  std::vector<char *> envp;
  for (std::string &setting : settings)
    envp.push_back(setting.data());
  envp.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  ::posix_spawn_file_actions_adddup2(&actions, errors[1], 2);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none, defaults;
  ::sigemptyset(&none);
  ::sigemptyset(&defaults);
  for (int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD})
    ::sigaddset(&defaults, signal);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  // A group of its own: a kill reaches what it started too, and Ctrl-C in a
  // terminal reaches us alone, who then decide.
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  int failure = ::posix_spawnp(&pid, options.program.c_str(), &actions,
                               &attributes, argv.data(), envp.data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  ::close(ends[1]);
  ::close(errors[1]);
  if (failure != 0) {
    error = std::strerror(failure);
    ::close(ends[0]);
    ::close(errors[0]);
    return nullptr;
  }

  std::unique_ptr<ChildProcess> process(new ChildProcess);
  process->child = pid;
  process->errorFd = errors[0];
  process->exitFd = static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  process->stream = std::make_unique<FdStream>(ends[0], ends[0], true);
  process->onStderr = options.onStderr;
  process->watcher = std::thread([self = process.get()] { self->watch(); });
  return process;
}

void ChildProcess::watch() {
  char buffer[4096];
  bool errorsOpen = true;
  auto drain = [&](bool block) {
    while (errorsOpen) {
      pollfd fd = {errorFd, POLLIN, 0};
      if (!block && ::poll(&fd, 1, 0) <= 0)
        return;
      ssize_t got = ::read(errorFd, buffer, sizeof buffer);
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0) {
        errorsOpen = false;
        return;
      }
      std::string_view piece(buffer, got);
      {
        std::lock_guard lock(mutex);
        tail += piece;
        if (tail.size() > 32768)
          tail.erase(0, tail.size() - 16384);
      }
      if (onStderr)
        onStderr(piece);
      block = false;
    }
  };
  while (true) {
    // Without a pidfd (old kernels) the exit is asked for every 20 ms.
    pollfd fds[] = {{errorsOpen ? errorFd : -1, POLLIN, 0},
                    {exitFd, POLLIN, 0}};
    ::poll(fds, 2, exitFd >= 0 ? -1 : 20);
    if (fds[0].revents)
      drain(true);
    if (exitFd >= 0 && !fds[1].revents)
      continue;
    int code = 0;
    pid_t reaped;
    {
      // Under the lock, so that kill() never hits a reused pid.
      std::lock_guard lock(mutex);
      reaped = ::waitpid(child, &code, WNOHANG);
      if (reaped == child || (reaped < 0 && errno == ECHILD)) {
        // What it started must not outlive it.
        ::kill(-child, SIGKILL);
        ExitStatus result;
        if (reaped == child && WIFSIGNALED(code))
          result.signal = WTERMSIG(code);
        else if (reaped == child)
          result.code = WEXITSTATUS(code);
        status = result;
      }
    }
    if (status) {
      drain(false);
      ended.notify_all();
      return;
    }
  }
}

ChildProcess::~ChildProcess() {
  kill(SIGKILL);
  watcher.join();
  ::close(errorFd);
  if (exitFd >= 0)
    ::close(exitFd);
}

void ChildProcess::kill(int signal) {
  std::lock_guard lock(mutex);
  if (!status)
    ::kill(-child, signal);
}

std::optional<ExitStatus>
ChildProcess::wait(std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex);
  ended.wait_for(lock, timeout, [&] { return status.has_value(); });
  return status;
}

std::string ChildProcess::stderrTail() const {
  std::lock_guard lock(mutex);
  return tail.size() > 16384 ? tail.substr(tail.size() - 16384) : tail;
}

} // namespace tilewright::lsp
