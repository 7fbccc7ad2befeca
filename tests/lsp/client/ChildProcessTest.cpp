//===- ChildProcessTest.cpp -----------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/client/ChildProcess.h"
#include <catch2/catch.hpp>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

using namespace tilewright::lsp;

namespace {

std::unique_ptr<ChildProcess> shell(const std::string &script) {
  ChildProcess::Options options;
  options.program = "/bin/sh";
  options.arguments = {"-c", script};
  std::string error;
  auto process = ChildProcess::spawn(options, error);
  INFO(error);
  REQUIRE(process);
  return process;
}

std::string readAll(ByteStream &stream) {
  std::string text;
  char buffer[4096];
  while (size_t got = stream.read(buffer, sizeof buffer))
    text.append(buffer, got);
  return text;
}

} // namespace

TEST_CASE("a child's streams and end are seen") {
  auto process = shell("read line; echo got $line; echo oops >&2; exit 3");
  auto stream = process->takeStream();
  CHECK(stream->write("hello\n"));
  CHECK(readAll(*stream) == "got hello\n");
  auto status = process->wait(std::chrono::seconds(10));
  REQUIRE(status);
  CHECK(status->code == 3);
  CHECK(status->str() == "exited with code 3");
  CHECK(process->stderrTail() == "oops\n");
  CHECK_FALSE(stream->write(std::string(1000000, 'x'))); // and no SIGPIPE
}

TEST_CASE("a flood on standard error does not block the child") {
  auto process = shell("head -c 3000000 /dev/zero >&2; echo done");
  auto stream = process->takeStream();
  CHECK(readAll(*stream) == "done\n");
  CHECK(process->stderrTail().size() <= 16384);
}

TEST_CASE("no descriptor of ours is open in the child") {
  // What we were started with ourselves is passed on, and no more.
  auto before = readAll(*shell("ls /proc/self/fd | wc -l")->takeStream());
  int leak = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  auto one = shell("sleep 30");
  auto two = shell("ls /proc/self/fd | wc -l");
  CHECK(readAll(*two->takeStream()) == before);
  ::close(leak);
}

TEST_CASE("a kill reaches what the child started") {
  auto process = shell("sleep 1000 & echo $!; wait");
  auto stream = process->takeStream();
  char buffer[32];
  size_t got = stream->read(buffer, sizeof buffer);
  pid_t grandchild = std::stoi(std::string(buffer, got));
  CHECK(::kill(grandchild, 0) == 0);
  process->kill();
  auto status = process->wait(std::chrono::seconds(10));
  REQUIRE(status);
  CHECK(status->signal == SIGKILL);
  // The grandchild is reparented; it is gone or a zombie of whoever reaps.
  bool gone = false;
  for (int i = 0; i < 200 && !gone; ++i) {
    gone = ::kill(grandchild, 0) != 0;
    if (!gone) {
      char state = 0;
      std::string path = "/proc/" + std::to_string(grandchild) + "/stat";
      if (FILE *file = std::fopen(path.c_str(), "r")) {
        gone = std::fscanf(file, "%*d %*s %c", &state) == 1 && state == 'Z';
        std::fclose(file);
      }
    }
    ::usleep(5000);
  }
  CHECK(gone);
}

TEST_CASE("a program that is not there is an error") {
  ChildProcess::Options options;
  options.program = "/nowhere/at-all";
  std::string error;
  CHECK_FALSE(ChildProcess::spawn(options, error));
  CHECK(error == "No such file or directory");
}
