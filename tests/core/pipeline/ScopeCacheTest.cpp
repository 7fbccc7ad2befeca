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

std::shared_ptr<const ScopeResult> resultOf(size_t bytes) {
  auto result = std::make_shared<ScopeResult>();
  result->steps.push_back(
      {std::make_shared<std::string>(bytes, 'x'), true, 0, 1, {}});
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
  ScopeCache cache(1000);
  cache.insert("a", resultOf(400));
  cache.insert("b", resultOf(400));
  CHECK(cache.find("a"));
  cache.insert("c", resultOf(400));
  CHECK(cache.find("a"));
  CHECK_FALSE(cache.find("b"));
  CHECK(cache.find("c"));
  // One that alone is too large is kept: it is in use.
  cache.insert("d", resultOf(5000));
  CHECK(cache.find("d"));
  CHECK_FALSE(cache.find("a"));
}
