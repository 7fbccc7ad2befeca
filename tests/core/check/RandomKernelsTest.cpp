//===- RandomKernelsTest.cpp - insert-sync on kernels of any form ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/check/CheckBlock.h"
#include "core/execute/BlockInterpreter.h"
#include "core/pass/block/AllocateOnchip.h"
#include "core/pass/block/InsertSync.h"
#include "core/pass/block/OrderInstructions.h"
#include "core/pass/block/PipelineBuffers.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "tests/core/check/KernelSource.h"
#include "tests/core/check/Mutants.h"
#include "tests/core/pass/PassPipeline.h"
#include <catch2/catch.hpp>
#include <random>

using namespace mlir;
using namespace tilewright;

namespace {

/// Instructions on a few buffers of 2x16, some in a loop of four turns, no
/// events. Every buffer is written before it is read, and read before it is
/// written again: what nobody reads needs no order.
class Writer {
public:
  /// `places`: buffers have offsets; without, some are made in the loop.
  Writer(uint64_t seed, bool places) : random(seed), places(places) {}

  std::string write() {
    makeBuffers(3);
    text += "%c0 = arith.constant 0 : index\n%c2 = arith.constant 2 : index\n"
            "%c8 = arith.constant 8 : index\n";
    int before = below(3) + 1, inside = below(6), behind = below(3) + 1;
    some(before);
    if (inside) {
      text += "scf.for %i = %c0 to %c8 step %c2 {\n";
      size_t outer = buffers.size();
      if (!places)
        makeBuffers(1 + below(2));
      some(inside, "%i");
      buffers.resize(outer);
      text += "}\n";
    }
    some(behind);
    text += "store " + source() + " y 0";
    return text;
  }

private:
  struct Buffer {
    std::string name;
    bool written = false, unread = false;
  };
  std::mt19937_64 random;
  bool places;
  std::string text;
  std::vector<Buffer> buffers;
  int made = 0;

  int below(int n) { return int(random() % uint64_t(n)); }
  void makeBuffers(int count) {
    for (int i = 0; i < count; ++i, ++made) {
      buffers.push_back({"b" + std::to_string(made)});
      text += "alloc " + buffers.back().name + " " +
              (places ? std::to_string(made * 128) : "-") + " 2x16\n";
    }
  }
  std::string source() {
    size_t i = size_t(below(int(buffers.size())));
    while (!buffers[i].written)
      i = (i + 1) % buffers.size();
    buffers[i].unread = false;
    return buffers[i].name;
  }
  std::string row(const std::string &index) {
    return index.empty() || below(2) ? std::to_string(below(4) * 2) : index;
  }
  void store(const std::string &buffer, const std::string &index) {
    text += "store " + buffer + " y " + row(index) + "\n";
  }
  void some(int count, const std::string &index = "") {
    for (int i = 0; i < count; ++i) {
      int kind = below(4);
      Buffer &to = buffers[size_t(below(int(buffers.size())))];
      bool any = std::ranges::any_of(buffers, &Buffer::written);
      if (any && kind == 1) {
        store(source(), index);
        continue;
      }
      std::string line;
      if (!any || kind == 0)
        line = "load " + to.name + " x " + row(index) + "\n";
      else if (kind == 2)
        line = "neg " + source() + " " + to.name + "\n";
      else
        line = "add " + source() + " " + source() + " " + to.name + "\n";
      if (to.unread)
        store(to.name, index);
      text += line;
      to.written = to.unread = true;
    }
    for (Buffer &buffer : buffers)
      if (buffer.unread) {
        store(buffer.name, index);
        buffer.unread = false;
      }
  }
};

/// The result of the module's program in program order.
std::vector<std::byte> resultOf(ModuleOp module) {
  execute::BlockInterpreter::Options options;
  options.levelBytes = {{"UB", 1 << 18}};
  options.threads = 1;
  auto created = execute::BlockInterpreter::create(module, "", options);
  if (auto *error = std::get_if<model::Diagnostic>(&created))
    FAIL(error->message);
  std::vector<float> x(128);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i) + 1;
  std::vector<std::byte> y(512);
  auto in = std::as_bytes(std::span(x));
  std::span<std::byte> out = y;
  auto error =
      std::get<execute::BlockInterpreter>(created).run({&in, 1}, {&out, 1});
  INFO((error ? error->message : ""));
  REQUIRE(!error);
  return y;
}

bool run(ModuleOp module, std::unique_ptr<Pass> pass) {
  PassManager manager(module.getContext());
  manager.addPass(std::move(pass));
  return succeeded(manager.run(module));
}

/// That nobody finds anything wrong with it; whether the truth is known.
bool isRight(ModuleOp module, const target::Target &target) {
  test::Verdicts verdicts = test::judge(module, target, 16);
  CHECK(verdicts.truth == "");
  CHECK(verdicts.checker == "");
  CHECK(verdicts.interpreter == "");
  for (const model::Diagnostic &finding : check::checkBlock(module, target))
    CHECK(finding.code + " " + finding.message == "");
  return verdicts.known;
}

} // namespace

TEST_CASE(
    "insert-sync makes kernels of any form right, with no event to spare") {
  auto target = test::targetNamed("ascend-a3");
  size_t loops = 0, known = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    auto context = test::makeContext();
    std::string source = test::kernelSource(Writer(seed, true).write());
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(source, &*context);
    REQUIRE(module);
    auto kernel = *module->getOps<block::KernelOp>().begin();
    REQUIRE(succeeded(pass::insertSync(kernel, *target)));
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    INFO("seed " << seed << "\n" << text);
    known += isRight(*module, *target);
    loops += source.find("scf.for") != std::string::npos;
  }
  CHECK(known == 300);
  CHECK(loops > 100);
}

TEST_CASE("insert-sync keeps to the event ids the target has") {
  target::Target few = *test::targetNamed("ascend-a3");
  few.scheduling.eventIds.value = 1;
  size_t scarce = 0, kernels = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    auto context = test::makeContext();
    std::string source = test::kernelSource(Writer(seed, true).write());
    auto synchronized = [&](double ids) {
      OwningOpRef<ModuleOp> module =
          parseSourceString<ModuleOp>(source, &*context);
      REQUIRE(module);
      few.scheduling.eventIds.value = ids;
      auto kernel = *module->getOps<block::KernelOp>().begin();
      if (failed(pass::insertSync(kernel, few)))
        module = nullptr;
      return module;
    };
    auto highest = [](ModuleOp module) {
      uint64_t highest = 0;
      module.walk([&](block::SetEventOp set) {
        highest = std::max<uint64_t>(highest, set.getId());
      });
      return highest;
    };
    OwningOpRef<ModuleOp> free = synchronized(0), one = synchronized(1);
    REQUIRE(free);
    if (!one) // no barrier can take the place of an event between turns
      continue;
    ++kernels;
    std::string text;
    llvm::raw_string_ostream(text) << *one;
    INFO("seed " << seed << "\n" << text);
    CHECK(highest(*one) == 0);
    isRight(*one, few);
    few.scheduling.eventIds.value = 0;
    isRight(*free, few);
    scarce += highest(*free) > 0;
  }
  CHECK(kernels > 50);
  CHECK(scarce > 10);
}

TEST_CASE("the passes on kernels keep kernels of any form right") {
  auto target = test::targetNamed("ascend-a3");
  size_t known = 0, changed = 0;
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    auto context = test::makeContext();
    std::string source = test::kernelSource(Writer(seed, false).write());
    INFO("seed " << seed << "\n" << source);
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(source, context.get());
    REQUIRE(module);
    OwningOpRef<ModuleOp> plain(cast<ModuleOp>((*module)->clone()));
    REQUIRE(run(*plain, pass::createAllocateOnchipPass(target)));
    REQUIRE(run(*module, pass::createPipelineBuffersPass(target)));
    REQUIRE(run(*module, pass::createOrderInstructionsPass(target)));
    REQUIRE(run(*module, pass::createAllocateOnchipPass(target)));
    REQUIRE(run(*module, pass::createInsertSyncPass(target)));
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    INFO(text);
    CHECK(resultOf(*plain) == resultOf(*module));
    known += isRight(*module, *target);
    size_t before = 0, after = 0;
    plain->walk([&](block::AllocOp) { ++before; });
    module->walk([&](block::AllocOp) { ++after; });
    changed += before != after;
  }
  CHECK(known > 190);
  CHECK(changed > 20); // several buffers in turn
}
