//===- ScopeKeysTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/ScopeKeys.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/BoundKeys.h"
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

TEST_CASE("what was bound once in a context is found again") {
  Fixture fixture;
  auto outer = fixture.parse(program);
  auto inner = fixture.parse(scope);
  auto bindings = collectBindings(*outer);
  Operation *add = nullptr;
  inner->walk([&](arith::AddFOp op) { add = op; });
  LocationBinder both(&fixture.context, bindings["s"]);
  LocationBinder again(&fixture.context, bindings["s"]);
  LocationBinder one(&fixture.context, bindings["s"].front());
  CHECK(both.bind(add->getLoc()) == again.bind(add->getLoc()));
  CHECK(keysOf(both.bind(add->getLoc())) ==
        llvm::SmallVector<llvm::StringRef>{"f/x", "f/u"});
  CHECK(keysOf(one.bind(add->getLoc())) ==
        llvm::SmallVector<llvm::StringRef>{"f/x"});
  // Nothing stands for a key that is not relative.
  auto own = withKey(UnknownLoc::get(&fixture.context), "f/z");
  CHECK(both.bind(own) == own);
}

TEST_CASE("keys of several operations are one attribute, without repeats") {
  Fixture fixture;
  auto place = [&](const char *file) {
    return FileLineColLoc::get(&fixture.context, file, 1, 1);
  };
  Location a = withKey(place("a"), "f/a"), b = withKey(place("b"), "f/b");
  Location both = fuseKeys(&fixture.context, {a, b, a});
  CHECK(keysOf(both) == llvm::SmallVector<llvm::StringRef>{"f/a", "f/b"});
  CHECK(fuseKeys(&fixture.context, {both, b}) == both);
  CHECK(fuseKeys(&fixture.context, {a, a}) == a);
  CHECK(fuseKeys(&fixture.context, {place("c"), a}) == a);
  CHECK(fuseKeys(&fixture.context, {place("c"), place("d")}) ==
        Location(place("c")));
  CHECK(keysOf(withKey(both, "f/c")) ==
        llvm::SmallVector<llvm::StringRef>{"f/c"});
  CHECK(keysOf(keyPart(both, "p")) ==
        llvm::SmallVector<llvm::StringRef>{"f/a.p", "f/b.p"});
  // What becomes the same is one.
  CHECK(keysOf(mapKeys(both, [](auto) { return std::string("f/x"); })) ==
        llvm::SmallVector<llvm::StringRef>{"f/x"});
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
  result->steps.push_back({keep(*inner), true, 1.0, 3, {}, {}});
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
  auto relative =
      snapshot.join(&fixture.context, Snapshot::ScopeKeys::Relative);
  REQUIRE(relative);
  relative->walk([&](arith::AddFOp add) {
    CHECK(keys(add) == std::vector<std::string>{"$0"});
  });
}
