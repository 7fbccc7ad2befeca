//===- InterleavedTest.cpp - pipes that run at the same time --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/BlockInterpreter.h"
#include "core/execute/ByteMap.h"
#include "mlir/Parser/Parser.h"
#include "tests/core/check/KernelSource.h"
#include "tests/core/pass/PassPipeline.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <set>

using namespace mlir;
using namespace tilewright;

namespace {

struct Outcome {
  std::set<std::string> codes, messages; ///< over all schedules
  std::vector<float> result;             ///< of the last right one
};

Outcome run(const std::string &body, int schedules = 48) {
  auto context = test::makeContext();
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(test::kernelSource(body), &*context);
  REQUIRE(module);
  execute::BlockInterpreter::Options options;
  options.levelBytes = {{"UB", 4096}};
  options.interleaved = true;
  auto created = execute::BlockInterpreter::create(*module, "", options);
  REQUIRE(std::holds_alternative<execute::BlockInterpreter>(created));
  auto &interpreter = std::get<execute::BlockInterpreter>(created);
  std::vector<float> x(128), y(128);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i) / 64;
  auto in = std::as_bytes(std::span(x));
  auto to = std::as_writable_bytes(std::span(y));
  Outcome outcome;
  for (int i = 0; i < schedules; ++i) {
    interpreter.startAtSchedule(uint64_t(i));
    std::ranges::fill(y, NAN);
    if (auto error = interpreter.run({&in, 1}, {&to, 1})) {
      outcome.codes.insert(error->code);
      outcome.messages.insert(error->message);
    } else {
      outcome.result = y;
    }
  }
  return outcome;
}

std::string without(std::string body, const std::string &line) {
  size_t at = body.find(line + "\n");
  REQUIRE(at != std::string::npos);
  return body.erase(at, line.size() + 1);
}

std::string kernelNamed(const std::string &name) {
  for (auto &[candidate, body] : test::rightKernels())
    if (candidate == name)
      return body;
  FAIL("no kernel " << name);
  return {};
}

} // namespace

TEST_CASE("right kernels give the right result in every order") {
  for (const char *name : {"straight", "one buffer twice", "two buffers",
                           "double buffer", "rotating buffers", "branch"}) {
    INFO(name);
    Outcome outcome = run(kernelNamed(name));
    CHECK(outcome.codes.empty());
    REQUIRE(outcome.result.size() == 128);
    for (size_t i = 0; i < 128; ++i)
      CHECK(outcome.result[i] == Approx(std::exp(float(i) / 64)).epsilon(1e-5));
  }
}

TEST_CASE("a missing wait breaks some order, which names both instructions") {
  Outcome outcome = run(without(
      without(kernelNamed("straight"), "set MTE2 VEC 0"), "wait MTE2 VEC 0"));
  CHECK(outcome.codes == std::set<std::string>{"TW0545"});
  CHECK(outcome.messages.count("block.unary on VEC reads bytes [0, 256) of UB "
                               "before block.move on MTE2 has written them "
                               "(task 0 of @k)"));
}

TEST_CASE("a missing wait before an overwrite breaks some order") {
  Outcome outcome =
      run(without(without(kernelNamed("one buffer twice"), "set MTE3 MTE2 0"),
                  "wait MTE3 MTE2 0"));
  // Some orders come to the next load's event first, which is still set.
  CHECK(outcome.codes == std::set<std::string>{"TW0545", "TW0548"});
  CHECK(!outcome.result.empty()); // and some orders happen to be right
  bool named = false;
  for (const std::string &message : outcome.messages)
    named |= message.find("block.move on MTE3 reads bytes") == 0 &&
             message.find("that block.move on MTE2 has overwritten, which "
                          "block.unary on VEC wrote") != std::string::npos;
  CHECK(named);
}

TEST_CASE("deadlock, events set twice and events left set are found") {
  CHECK(run(without(kernelNamed("straight"), "set VEC MTE3 0")).codes ==
        std::set<std::string>{"TW0547"});
  CHECK(run(kernelNamed("straight") + "\nset VEC MTE3 5").codes ==
        std::set<std::string>{"TW0548"});
  CHECK(
      run(kernelNamed("straight") +
          "\nset VEC MTE3 5\nset VEC MTE3 5\nwait VEC MTE3 5\nwait VEC MTE3 5")
          .codes.count("TW0548"));
}

TEST_CASE("bytes nobody wrote are found when run") {
  CHECK(run(without(kernelNamed("straight"), "load a x 0")).codes ==
        std::set<std::string>{"TW0546"});
}

TEST_CASE("equal seeds give equal runs") {
  std::string body =
      without(without(kernelNamed("one buffer twice"), "set MTE3 MTE2 0"),
              "wait MTE3 MTE2 0");
  CHECK(run(body, 12).messages == run(body, 12).messages);
}

TEST_CASE("a byte map keeps what was assigned last") {
  std::mt19937 random(3);
  execute::ByteMap map;
  std::vector<int> bytes(64);
  for (int round = 0; round < 2000; ++round) {
    int64_t begin = int64_t(random() % 64), end = int64_t(random() % 65);
    int value = int(random() % 4) + 1;
    map.assign(begin, end, value);
    for (int64_t i = begin; i < end; ++i)
      bytes[size_t(i)] = value;
    int64_t from = int64_t(random() % 32), at = from;
    map.visit(from, 64, [&](int64_t b, int64_t e, int v) {
      REQUIRE(b == at);
      for (; at < e; ++at)
        REQUIRE(bytes[size_t(at)] == v);
      return true;
    });
    REQUIRE(at == 64);
  }
}
