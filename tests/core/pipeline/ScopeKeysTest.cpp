//===- ScopeKeysTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/ScopeKeys.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/pipeline/Snapshot.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;

namespace {
struct Fixture {
  std::shared_ptr<MLIRContext> owner = std::make_shared<MLIRContext>();
  MLIRContext &context = *owner;
  Fixture() {
    context.loadDialect<func::FuncDialect, arith::ArithDialect,
                        tensor::TensorDialect, tile::TileDialect>();
  }
  OwningOpRef<ModuleOp> parse(llvm::StringRef text) {
    return parseSourceString<ModuleOp>(text, ParserConfig(&context, false));
  }
};

constexpr llvm::StringLiteral program = R"(
  func.func private @s(f32) -> f32
  func.func @f(%a: f32) -> f32 {
    %0 = func.call @s(%a) {tile.bindings = ["f/x", "f/y"]} : (f32) -> f32
    %1 = func.call @s(%0) {tile.bindings = ["f/u", "f/v"]} : (f32) -> f32
    return %1 : f32
  })";
constexpr llvm::StringLiteral scope = R"(
  func.func private @s(%a: f32) -> f32 attributes {tile.scope} {
    %0 = arith.addf %a, %a : f32 loc(fused<"$0">["m":1:1])
    %1 = arith.mulf %0, %a : f32 loc(fused<"$1.row_max">["m":2:1])
    return %1 : f32 loc(fused<"$7">["m":3:1])
  })";

std::vector<std::string> keys(Operation *op) {
  std::vector<std::string> result;
  for (llvm::StringRef key : keysOf(op))
    result.push_back(key.str());
  return result;
}
} // namespace

TEST_CASE("each instance of a scope gives its operations a key") {
  Fixture fixture;
  auto outer = fixture.parse(program);
  auto inner = fixture.parse(scope);
  REQUIRE(outer);
  REQUIRE(inner);
  auto bindings = collectBindings(*outer);
  REQUIRE(bindings.size() == 1);
  bindKeys(*inner, bindings["s"]);
  std::vector<Operation *> ops;
  inner->walk([&](Operation *op) { ops.push_back(op); });
  CHECK(keys(ops[0]) == std::vector<std::string>{"f/x", "f/u"});
  CHECK(keys(ops[1]) == std::vector<std::string>{"f/y.row_max", "f/v.row_max"});
  // A number beyond the bindings is left as it is, not lost.
  CHECK(keys(ops[2]) == std::vector<std::string>{"$7"});
}

TEST_CASE("a snapshot joins the program with its scopes") {
  Fixture fixture;
  auto outer = fixture.parse(program);
  auto inner = fixture.parse(scope);
  auto keep = [&](ModuleOp module) {
    return std::make_shared<const KeptModule>(module, fixture.owner);
  };
  auto result = std::make_shared<ScopeResult>();
  result->name = "s";
  result->steps.push_back({keep(*inner), true, 1.0, 3, {}});
  result->complete = true;
  Snapshot snapshot{"tile", "expand-tiles", keep(*outer), {{result, 0}}};
  CHECK(snapshot.name() == "tile/expand-tiles");
  auto joined = snapshot.join(&fixture.context);
  REQUIRE(joined);
  int bodies = 0;
  bool bound = false;
  joined->walk([&](func::FuncOp func) { bodies += !func.isExternal(); });
  joined->walk([&](arith::AddFOp add) { bound = keys(add).size() == 2; });
  CHECK(bodies == 2);
  CHECK(bound);
}
