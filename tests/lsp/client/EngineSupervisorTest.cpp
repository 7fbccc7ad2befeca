//===- EngineSupervisorTest.cpp -------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/client/EngineSupervisor.h"
#include "lsp/client/ProcessorWait.h"
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilewright;
using namespace tilewright::lsp;

namespace {

struct Front {
  std::mutex mutex;
  std::vector<std::string> events; ///< guarded by `mutex`
  EngineSupervisor engines;

  explicit Front(std::string program = FAKE_ENGINE)
      : engines([&] {
          EngineSupervisor::Options options;
          options.engine.program = program;
          options.cancelGrace = std::chrono::milliseconds(200);
          options.onEvent = [this](const std::string &what) {
            std::lock_guard lock(mutex);
            events.push_back(what);
          };
          return options;
        }()) {}

  /// What was logged, once there is anything.
  std::string log() {
    for (int i = 0; i < 500; ++i) {
      {
        std::lock_guard lock(mutex);
        std::string all;
        for (const std::string &event : events)
          all += event + "\n";
        if (!all.empty())
          return all;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return "";
  }

  struct Pending {
    int64_t id;
    std::future<Response> answer;
  };
  Pending ask(const std::string &uri, const char *method = method::ir,
              EngineRole role = EngineRole::Compile,
              std::chrono::milliseconds timeout = {}) {
    auto promise = std::make_shared<std::promise<Response>>();
    EngineSupervisor::Call call;
    call.role = role;
    call.method = method;
    call.params = {{"uri", uri}, {"stage", "tile"}};
    call.timeout = timeout;
    call.done = [promise](Response r) { promise->set_value(std::move(r)); };
    auto future = promise->get_future();
    return {engines.call(std::move(call)), std::move(future)};
  }
};

std::string textOf(Front::Pending pending) {
  Response response = pending.answer.get();
  if (response.error)
    return "error " + response.error->diagnostic().code + " " +
           response.error->message;
  return response.result.value("text", "");
}

std::string codeOf(Front::Pending pending) {
  Response response = pending.answer.get();
  if (!response.error)
    return "ok";
  if (response.error->code == ErrorCode::RequestCancelled)
    return "cancelled";
  return response.error->diagnostic().code;
}

} // namespace

TEST_CASE("texts reach the engine, with their edits") {
  Front front;
  front.engines.open("file:///a", 1, "hello world");
  CHECK(textOf(front.ask("file:///a")) == "// tile\nhello world");
  front.engines.change("file:///a", 2, {{0, 5, "goodbye"}, {0, 1, "G"}});
  CHECK(textOf(front.ask("file:///a")) == "// tile\nGoodbye world");
  CHECK(front.engines.starts(EngineRole::Compile) == 1);
  CHECK(front.engines.starts(EngineRole::Language) == 0);
  // The other engine gets the text as it is now.
  CHECK(textOf(front.ask("file:///a", method::ir, EngineRole::Language)) ==
        "// tile\nGoodbye world");
}

TEST_CASE("a death costs its request alone and names the input") {
  Front front;
  front.engines.open("file:///good.mlir", 1, "good @slow 50");
  front.engines.open("file:///bad.mlir", 1, "@whisper out of luck\n@crash");
  std::vector<Front::Pending> good;
  for (int i = 0; i < 3; ++i)
    good.push_back(front.ask("file:///good.mlir"));
  Front::Pending bad = front.ask("file:///bad.mlir");
  good.push_back(front.ask("file:///good.mlir"));
  Response failed = bad.answer.get();
  REQUIRE(failed.error);
  model::Diagnostic diagnostic = failed.error->diagnostic();
  CHECK(diagnostic.code == "TW0601");
  CHECK(diagnostic.uri == "file:///bad.mlir");
  CHECK(diagnostic.message ==
        "the compiler was ended by signal 6 (Aborted) while it worked on "
        "tilewright/ir on /bad.mlir");
  CHECK(diagnostic.hint.find("out of luck") != std::string::npos);
  for (auto &pending : good)
    CHECK(textOf(std::move(pending)) == "// tile\ngood @slow 50");
  CHECK(codeOf(front.ask("file:///good.mlir")) == "ok");
}

TEST_CASE("several culprits in flight each fail alone") {
  Front front;
  front.engines.open("file:///good", 1, "good @slow 30");
  front.engines.open("file:///bad", 1, "@slow 30\n@crash");
  front.engines.open("file:///exits", 1, "@exit 5");
  auto a = front.ask("file:///bad"), b = front.ask("file:///good"),
       c = front.ask("file:///exits"), d = front.ask("file:///good"),
       e = front.ask("file:///bad");
  CHECK(codeOf(std::move(a)) == "TW0601");
  CHECK(codeOf(std::move(b)) == "ok");
  CHECK(codeOf(std::move(c)) == "TW0601");
  CHECK(codeOf(std::move(d)) == "ok");
  CHECK(codeOf(std::move(e)) == "TW0601");
}

TEST_CASE("a text that kills the engine when opened harms no other") {
  Front front;
  front.engines.open("file:///bad", 1, "@crash-open");
  front.engines.open("file:///good", 1, "good");
  for (int i = 0; i < 2; ++i) {
    auto bad = front.ask("file:///bad");
    auto good = front.ask("file:///good");
    CHECK(codeOf(std::move(bad)) == "TW0601");
    CHECK(codeOf(std::move(good)) == "ok");
  }
  // Mended, it works.
  front.engines.change("file:///bad", 2, {{0, 11, "fine"}});
  CHECK(textOf(front.ask("file:///bad")) == "// tile\nfine");
}

TEST_CASE("kill -9 from outside fails the request; the next one works") {
  Front front;
  front.engines.open("file:///a", 1, "@slow 5000");
  auto pending = front.ask("file:///a");
  while (front.engines.enginePid(EngineRole::Compile) < 0)
    std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ::kill(front.engines.enginePid(EngineRole::Compile), SIGKILL);
  std::string text = textOf(std::move(pending));
  CHECK(text.find("TW0601") != std::string::npos);
  CHECK(text.find("signal 9") != std::string::npos);
  CHECK(text.find("/a") != std::string::npos);
  front.engines.change("file:///a", 2, {{0, 10, "quick"}});
  CHECK(textOf(front.ask("file:///a")) == "// tile\nquick");
  CHECK(front.engines.starts(EngineRole::Compile) == 2);
}

TEST_CASE("the death of an idle engine costs no request") {
  Front front;
  front.engines.open("file:///a", 1, "text");
  CHECK(textOf(front.ask("file:///a")) == "// tile\ntext");
  for (int round = 0; round < 20; ++round) {
    // At once, and when the death may have been noticed or not.
    ::kill(front.engines.enginePid(EngineRole::Compile), SIGKILL);
    std::this_thread::sleep_for(std::chrono::microseconds(round * round * 50));
    CHECK(textOf(front.ask("file:///a")) == "// tile\ntext");
  }
  CHECK(front.engines.starts(EngineRole::Compile) == 21);
}

TEST_CASE("a text too long to be read before it kills is tried once more") {
  Front front;
  front.engines.open("file:///good", 1, "good");
  front.engines.open("file:///long", 1,
                     "@crash-open" + std::string(4000000, ' '));
  CHECK(codeOf(front.ask("file:///good")) == "ok");
  CHECK(codeOf(front.ask("file:///long")) == "TW0601");
  CHECK(front.engines.starts(EngineRole::Compile) <= 2);
}

TEST_CASE("cancels") {
  Front front;
  front.engines.open("file:///slow", 1, "@slow 5000");
  front.engines.open("file:///hang", 1, "@hang");
  front.engines.open("file:///good", 1, "@slow 100");
  auto begin = std::chrono::steady_clock::now();

  SECTION("one that is heeded costs nothing") {
    auto pending = front.ask("file:///slow");
    front.engines.cancel(pending.id);
    CHECK(codeOf(std::move(pending)) == "cancelled");
    CHECK(front.engines.starts(EngineRole::Compile) == 1);
  }
  SECTION("one that is not heeded kills, and the others are answered") {
    auto hang = front.ask("file:///hang");
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    auto other = front.ask("file:///slow");
    front.engines.cancel(hang.id);
    CHECK(codeOf(std::move(hang)) == "cancelled");
    front.engines.cancel(other.id);
    CHECK(codeOf(std::move(other)) == "cancelled");
    auto good = front.ask("file:///good");
    CHECK(codeOf(std::move(good)) == "ok");
    CHECK(front.engines.starts(EngineRole::Compile) == 2);
  }
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  CHECK(took.count() < 3);
}

TEST_CASE("a hang is ended after the call's time and named") {
  Front front;
  front.engines.open("file:///hang", 1, "@hang");
  front.engines.open("file:///good", 1, "@slow 300");
  auto hang = front.ask("file:///hang", method::hover, EngineRole::Language,
                        std::chrono::milliseconds(100));
  auto good = front.ask("file:///good", method::hover, EngineRole::Language);
  Response response = hang.answer.get();
  REQUIRE(response.error);
  CHECK(response.error->diagnostic().code == "TW0602");
  CHECK(response.error->message.find("/hang") != std::string::npos);
  CHECK(codeOf(std::move(good)) == "ok");
}

TEST_CASE("the log tells what an engine was at work on when it ended") {
  Front front;
  front.engines.open("file:///a/bad.mlir", 1, "@whisper so long\n@crash");
  front.engines.open("file:///a/hang.mlir", 1, "@hang");
  front.engines.open("file:///a/good.mlir", 1, "@slow 5000");
  SECTION("one that died") {
    CHECK(codeOf(front.ask("file:///a/bad.mlir", method::stages)) == "TW0601");
    std::string log = front.log();
    INFO(log);
    CHECK(log.find("signal 6") != std::string::npos);
    CHECK(log.find("at work on tilewright/stages on /a/bad.mlir") !=
          std::string::npos);
    CHECK(log.find("so long") != std::string::npos);
  }
  SECTION("one that did not answer in time") {
    CHECK(codeOf(front.ask("file:///a/hang.mlir", method::hover,
                           EngineRole::Compile,
                           std::chrono::milliseconds(100))) == "TW0602");
    std::string log = front.log();
    INFO(log);
    CHECK(log.find("tilewright/hover on /a/hang.mlir, which did not end in "
                   "time") != std::string::npos);
  }
  SECTION("one that heeded no cancel, among others in flight") {
    auto good = front.ask("file:///a/good.mlir");
    auto hang = front.ask("file:///a/hang.mlir", method::diff);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    front.engines.cancel(hang.id);
    CHECK(codeOf(std::move(hang)) == "cancelled");
    std::string log = front.log();
    INFO(log);
    CHECK(log.find("tilewright/diff on /a/hang.mlir, which did not heed a "
                   "cancel") != std::string::npos);
    CHECK(log.find("good.mlir") == std::string::npos);
    front.engines.cancel(good.id);
    CHECK(codeOf(std::move(good)) == "cancelled");
  }
}

TEST_CASE("time in which the machine stood still is no hang") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  // A front of its own, which can be stopped with its engine.
  pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    Front front;
    front.engines.open("file:///warm", 1, "warm");
    front.engines.open("file:///slow", 1, "@slow 600");
    codeOf(front.ask("file:///warm"));
    auto slow = front.ask("file:///slow", method::ir, EngineRole::Compile,
                          std::chrono::milliseconds(4000));
    pid_t engine = front.engines.enginePid(EngineRole::Compile);
    [[maybe_unused]] ssize_t n = ::write(ends[1], &engine, sizeof engine);
    bool answered = codeOf(std::move(slow)) == "ok";
    ::_exit(answered && front.engines.starts(EngineRole::Compile) == 1 ? 0 : 1);
  }
  pid_t engine = -1;
  REQUIRE(::read(ends[0], &engine, sizeof engine) == sizeof engine);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  for (pid_t each : {child, engine})
    CHECK(::kill(each, SIGSTOP) == 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(5000));
  for (pid_t each : {child, engine})
    CHECK(::kill(each, SIGCONT) == 0);
  int status = -1;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("an engine that got no processor is waited for, yet not for ever") {
  ProcessorWait wait;
  CHECK(wait.since(::getpid()).count() == 0);
  // More threads than any machine has cores for: some must wait.
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4 * std::thread::hardware_concurrency(); ++i)
    threads.emplace_back([&] {
      while (!stop)
        ;
    });
  wait.since(::getpid());
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  auto waited = wait.since(::getpid());
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
  if (std::ifstream("/proc/self/schedstat"))
    CHECK(waited > std::chrono::milliseconds(50));
  // Of another process nothing is known yet, of none never anything.
  CHECK(wait.since(::getppid()).count() == 0);
  CHECK(wait.since(-1).count() == 0);
}

TEST_CASE("garbage from the engine ends it") {
  Front front;
  front.engines.open("file:///g", 1, "@garbage");
  front.engines.open("file:///j", 1, "@badjson @hang");
  front.engines.open("file:///good", 1, "good");
  CHECK(codeOf(front.ask("file:///g")) == "TW0604");
  CHECK(codeOf(front.ask("file:///j")) == "TW0604");
  CHECK(codeOf(front.ask("file:///good")) == "ok");
}

TEST_CASE("an engine that cannot be started, or is none") {
  Front missing("/nowhere/tilewright-engine");
  missing.engines.open("file:///a", 1, "a");
  CHECK(codeOf(missing.ask("file:///a")) == "TW0603");
  CHECK(codeOf(missing.ask("file:///a")) == "TW0603");
  Front wrong("/bin/false");
  wrong.engines.open("file:///a", 1, "a");
  CHECK(codeOf(wrong.ask("file:///a")) == "TW0601");
}

TEST_CASE("errors of the engine arrive as they are; progress too") {
  Front front;
  front.engines.open("file:///e", 1, "@error shapes differ");
  Response response = front.ask("file:///e").answer.get();
  REQUIRE(response.error);
  CHECK(response.error->diagnostic().code == "TW0199");
  CHECK(response.error->diagnostic().range == model::TextRange{0, 1});

  front.engines.open("file:///p", 1, "@progress");
  std::promise<void> done;
  std::vector<std::string> messages;
  EngineSupervisor::Call call;
  call.method = method::stages;
  call.params = {{"uri", "file:///p"}};
  call.progress = [&](const std::string &message, std::optional<double> part) {
    messages.push_back(message + " " + std::to_string(part.value_or(-1)));
  };
  call.done = [&](Response) { done.set_value(); };
  front.engines.call(std::move(call));
  done.get_future().wait();
  REQUIRE(messages.size() == 2);
  CHECK(messages[0] == "halfway 0.500000");
}

TEST_CASE("the end of a front does not wait for its engines") {
  auto begin = std::chrono::steady_clock::now();
  std::future<Response> answer;
  {
    Front front;
    front.engines.open("file:///hang", 1, "@hang");
    answer = front.ask("file:///hang").answer;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  CHECK(answer.get().error->code == ErrorCode::ConnectionClosed);
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  CHECK(took.count() < 2);
}
