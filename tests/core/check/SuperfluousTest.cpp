//===- SuperfluousTest.cpp - which events could go ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An event is superfluous if without its sets and waits every order of the
// pipes is still right. Here events are added to right kernels at random, and
// what the checker calls superfluous is compared with what trying every order
// without them gives.
//
//===----------------------------------------------------------------------===//
#include "core/check/EventGroups.h"
#include "core/execute/BlockDecoder.h"
#include "mlir/Parser/Parser.h"
#include "tests/core/check/Interleavings.h"
#include "tests/core/check/KernelSource.h"
#include "tests/core/pass/PassPipeline.h"
#include <catch2/catch.hpp>
#include <random>
#include <sstream>

using namespace mlir;
using namespace tilewright;

namespace {

/// `body` with a set and, at or behind it at the same depth, its wait.
std::string withEvent(const std::string &body, std::mt19937_64 &random) {
  std::vector<std::string> lines;
  std::vector<int> depths; ///< in front of each line
  std::istringstream stream(body);
  int depth = 0, regions = 0;
  for (std::string line; std::getline(stream, line);) {
    bool opens = line.ends_with("{"), closes = line.starts_with("}");
    if (closes)
      depth = 0;
    lines.push_back(line);
    depths.push_back(depth);
    if (opens)
      depth = ++regions;
  }
  const char *pipes[] = {"MTE2", "VEC", "MTE3"};
  size_t from = random() % 3, to = (from + 1 + random() % 2) % 3;
  std::string event = std::string(" ") + pipes[from] + " " + pipes[to] + " " +
                      std::to_string(5 + random() % 2) + "\n";
  size_t a = random() % lines.size(), b = random() % lines.size();
  if (a > b)
    std::swap(a, b);
  if (depths[a] != depths[b])
    b = a;
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i == a)
      out += "set" + event;
    if (i == b)
      out += "wait" + event;
    out += lines[i] + "\n";
  }
  return out;
}

} // namespace

TEST_CASE("superfluous is what every order is right without") {
  std::mt19937_64 random(17);
  size_t superfluous = 0, needed = 0;
  for (auto &[name, right] : test::rightKernels())
    for (int round = 0; round < 24; ++round) {
      std::string body = right;
      for (int more = round % 3; more > 0; --more)
        body = withEvent(body, random);
      INFO(name << "\n" << body);
      auto context = test::makeContext();
      OwningOpRef<ModuleOp> module =
          parseSourceString<ModuleOp>(test::kernelSource(body), context.get());
      REQUIRE(module);
      auto decoded = execute::decodeKernels(*module, {{"UB", 4096}});
      REQUIRE(std::holds_alternative<execute::KernelCodes>(decoded));
      auto &code = std::get<execute::KernelCodes>(decoded).code;
      check::TraceOptions options;
      options.point = {0};
      options.shapes = code.kernels[0].shapes;
      check::KernelTrace trace =
          check::traceKernel(code, code.kernels[0], options);
      if (!test::enumerate(trace).wrong.empty())
        continue; // the added events met each other
      check::EventUses uses;
      uses.add(trace, check::memoryOrderOf(trace));
      std::vector<check::EventGroup> said = uses.superfluous();
      for (const check::EventGroup &group : check::eventGroupsOf(trace)) {
        check::KernelTrace without = trace;
        std::erase_if(without.entries, [&](const check::TraceEntry &entry) {
          return entry.kind != check::TraceEntry::Instruction &&
                 std::ranges::find(group, entry.step) != group.end();
        });
        test::Enumeration all = test::enumerate(without);
        REQUIRE(all.complete);
        bool isSaid = std::ranges::find(said, group) != said.end();
        CHECK(isSaid == all.wrong.empty());
        (all.wrong.empty() ? superfluous : needed) += 1;
      }
    }
  CHECK(superfluous > 50);
  CHECK(needed > 100);
}
