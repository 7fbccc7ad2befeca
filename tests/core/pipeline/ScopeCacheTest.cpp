//===- ScopeCacheTest.cpp -------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/ScopeCache.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;

namespace {
struct Fixture {
  MLIRContext context;
  Fixture() { context.loadDialect<func::FuncDialect, arith::ArithDialect>(); }
  std::string fingerprint(llvm::StringRef text,
                          llvm::StringRef target = "cpu") {
    auto module =
        parseSourceString<ModuleOp>(text, ParserConfig(&context, false));
    REQUIRE(module);
    return scopeFingerprint(*module, target);
  }
};

/// A result whose module has `operations` operations.
std::shared_ptr<const ScopeResult>
resultOf(const std::shared_ptr<MLIRContext> &context, int operations) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&*context));
  OpBuilder builder(module->getBodyRegion());
  for (int i = 1; i < operations; ++i)
    builder.create<ModuleOp>(builder.getUnknownLoc());
  auto result = std::make_shared<ScopeResult>();
  result->steps.push_back(
      {std::make_shared<KeptModule>(*module, context), true, 0, 1, {}, {}});
  result->complete = true;
  return result;
}
} // namespace

TEST_CASE("scopes are the same by content, keys and target; not by place") {
  Fixture f;
  auto text = [](std::string key, std::string line, std::string op) {
    return "func.func @s(%a: f32) -> f32 {\n  %0 = arith." + op +
           " %a, %a : f32 loc(fused<\"" + key + "\">[\"m\":" + line +
           ":1])\n  return %0 : f32\n}";
  };
  std::string base = f.fingerprint(text("$0", "1", "addf"));
  CHECK(f.fingerprint(text("$0", "1", "addf")) == base);
  CHECK(f.fingerprint(text("$0", "99", "addf")) == base);
  CHECK(f.fingerprint(text("$1", "1", "addf")) != base);
  CHECK(f.fingerprint(text("$0", "1", "mulf")) != base);
  CHECK(f.fingerprint(text("$0", "1", "addf"), "ascend-a3") != base);
}

TEST_CASE("the cache drops what was used longest ago") {
  auto context = std::make_shared<MLIRContext>();
  // A module kept as a clone is taken to have 320 bytes an operation.
  ScopeCache cache(320 * 10);
  cache.insert("a", resultOf(context, 4));
  cache.insert("b", resultOf(context, 4));
  CHECK(cache.find("a"));
  cache.insert("c", resultOf(context, 4));
  CHECK(cache.find("a"));
  CHECK_FALSE(cache.find("b"));
  CHECK(cache.find("c"));
  // One that alone is too large is kept: it is in use.
  cache.insert("d", resultOf(context, 50));
  CHECK(cache.find("d"));
  CHECK_FALSE(cache.find("a"));
}
