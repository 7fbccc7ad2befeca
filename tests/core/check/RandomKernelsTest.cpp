//===- RandomKernelsTest.cpp - insert-sync on kernels of any form ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/check/CheckBlock.h"
#include "core/pass/block/InsertSync.h"
#include "mlir/Parser/Parser.h"
#include "tests/core/check/KernelSource.h"
#include "tests/core/check/Mutants.h"
#include "tests/core/pass/PassPipeline.h"
#include <catch2/catch.hpp>
#include <random>

using namespace mlir;
using namespace tilewright;

namespace {

/// Instructions on a few buffers, some in a loop, no events. Every buffer is
/// written before it is read, and read before it is written again.
class Writer {
public:
  explicit Writer(uint64_t seed) : random(seed) {}

  std::string write() {
    for (int i = 0; i < buffers; ++i)
      text += "alloc b" + std::to_string(i) + " " + std::to_string(i * 256) +
              " 4x16\n";
    text += "%c0 = arith.constant 0 : index\n%c4 = arith.constant 4 : index\n"
            "%c8 = arith.constant 8 : index\n";
    int before = below(3) + 1, inside = below(5), behind = below(3) + 1;
    some(before);
    if (inside) {
      text += "scf.for %i = %c0 to %c8 step %c4 {\n";
      some(inside, "%i");
      text += "}\n";
    }
    some(behind);
    text += "store " + source() + " y 0";
    return text;
  }

private:
  static constexpr int buffers = 3;
  std::mt19937_64 random;
  std::string text;
  bool written[buffers] = {}, unread[buffers] = {};

  int below(int n) { return int(random() % uint64_t(n)); }
  std::string name(int i) { return "b" + std::to_string(i); }
  std::string source() {
    int i = below(buffers);
    while (!written[i])
      i = (i + 1) % buffers;
    unread[i] = false;
    return name(i);
  }
  std::string row(const std::string &index) {
    return index.empty() || below(2) ? (below(2) ? "0" : "4") : index;
  }
  void store(const std::string &buffer, const std::string &index) {
    text += "store " + buffer + " y " + row(index) + "\n";
  }
  void some(int count, const std::string &index = "") {
    for (int i = 0; i < count; ++i) {
      int kind = below(4), to = below(buffers);
      bool any = false;
      for (bool one : written)
        any |= one;
      if (any && kind == 1) {
        store(source(), index);
        continue;
      }
      std::string line;
      if (!any || kind == 0)
        line = "load " + name(to) + " x " + row(index) + "\n";
      else if (kind == 2)
        line = "exp " + source() + " " + name(to) + "\n";
      else
        line = "add " + source() + " " + source() + " " + name(to) + "\n";
      // What nobody reads needs no order.
      if (unread[to])
        store(name(to), index);
      text += line;
      written[to] = unread[to] = true;
    }
    for (int i = 0; i < buffers; ++i)
      if (unread[i]) {
        store(name(i), index);
        unread[i] = false;
      }
  }
};

} // namespace

TEST_CASE(
    "insert-sync makes kernels of any form right, with no event to spare") {
  auto target = test::targetNamed("ascend-a3");
  size_t loops = 0, known = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    auto context = test::makeContext();
    std::string source = test::kernelSource(Writer(seed).write());
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(source, &*context);
    REQUIRE(module);
    auto kernel = *module->getOps<block::KernelOp>().begin();
    REQUIRE(succeeded(pass::insertSync(kernel, *target)));
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    INFO("seed " << seed << "\n" << text);
    test::Verdicts verdicts = test::judge(*module, *target, 16);
    CHECK(verdicts.truth == "");
    CHECK(verdicts.checker == "");
    CHECK(verdicts.interpreter == "");
    for (const model::Diagnostic &finding : check::checkBlock(*module, *target))
      CHECK(finding.code + " " + finding.message == "");
    known += verdicts.known;
    loops += source.find("scf.for") != std::string::npos;
  }
  CHECK(known == 300);
  CHECK(loops > 100);
}
