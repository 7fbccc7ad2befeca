//===- MemoryMapTest.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Block/BlockDialect.h"
#include "core/inspect/MemoryMapBuilder.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;

// %a and %b live together; %c has the room of %a; %d is made outside of the
// loop that uses it, so that it lives for all of it; %e is used by nothing.
static constexpr llvm::StringLiteral source = R"(
  block.kernel @k(%x: memref<64x64xf32, #block.level<"GM">> loc(fused<"f/x">["m":1:1]))
      attributes {core = "vector", grid_rank = 0 : i64} {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c3 = arith.constant 3 : index
    %a = block.alloc at 0 : memref<64x64xf32, #block.level<"UB">> loc(fused<"f/a">["m":1:1])
    %b = block.alloc at 16384 : memref<64x64xf32, #block.level<"UB">> loc(fused<"f/b">["m":1:1])
    %e = block.alloc at 65536 : memref<8xf32, #block.level<"UB">> loc(fused<"f/e">["m":1:1])
    block.move %x to %a on "MTE2" : memref<64x64xf32, #block.level<"GM">> to memref<64x64xf32, #block.level<"UB">> loc(fused<"f/a">["m":1:1])
    block.unary <exp> %a into %b on "VEC" : memref<64x64xf32, #block.level<"UB">> into memref<64x64xf32, #block.level<"UB">> loc(fused<"f/b">["m":1:1])
    %c = block.alloc at 8192 : memref<32x64xf32, #block.level<"UB">> loc(fused<"f/c">["m":1:1])
    %d = block.alloc at 32768 : memref<32x64xf32, #block.level<"UB">> loc(fused<"f/d">["m":1:1])
    scf.for %i = %c0 to %c8 step %c3 {
      %v = memref.subview %b[0, 0] [32, 64] [1, 1] : memref<64x64xf32, #block.level<"UB">> to memref<32x64xf32, strided<[64, 1]>, #block.level<"UB">>
      block.unary <exp> %v into %c on "VEC" : memref<32x64xf32, strided<[64, 1]>, #block.level<"UB">> into memref<32x64xf32, #block.level<"UB">> loc(fused<"f/c">["m":1:1])
      block.unary <exp> %c into %d on "VEC" : memref<32x64xf32, #block.level<"UB">> into memref<32x64xf32, #block.level<"UB">> loc(fused<"f/d">["m":1:1])
    }
    block.unary <neg> %d into %d on "VEC" : memref<32x64xf32, #block.level<"UB">> into memref<32x64xf32, #block.level<"UB">> loc(fused<"f/g">["m":1:1])
    block.return
  })";

static target::Target machine() {
  target::Target target;
  target.name = "toy";
  target::Level global, buffer;
  global.name = "GM";
  buffer.name = "UB";
  buffer.capacity.value = 196608;
  buffer.usable.value = 188416;
  target.levels = {global, buffer};
  return target;
}

TEST_CASE("the memory map of a kernel") {
  MLIRContext context;
  context.loadDialect<block::BlockDialect, scf::SCFDialect, arith::ArithDialect,
                      memref::MemRefDialect>();
  auto module =
      parseSourceString<ModuleOp>(source, ParserConfig(&context, false));
  REQUIRE(module);
  CHECK(inspect::hasOffsets(*module));
  model::MemoryMap map = inspect::buildMemoryMap(*module, machine());
  CHECK(map.target == "toy");
  REQUIRE(map.kernels.size() == 1);
  const model::KernelMemory &kernel = map.kernels[0];
  CHECK(kernel.id == "kernel:k");
  CHECK(kernel.core == "vector");
  REQUIRE(kernel.steps.size() == 5);
  CHECK(kernel.steps[0].op == "block.move");
  CHECK(kernel.steps[0].pipe == "MTE2");
  CHECK(kernel.steps[0].label == "x_UB");
  CHECK(kernel.steps[4].keys == std::vector<std::string>{"f/g"});
  REQUIRE(kernel.loops.size() == 1);
  CHECK(kernel.loops[0].first == 2);
  CHECK(kernel.loops[0].last == 3);
  CHECK(kernel.loops[0].turns == 3);
  CHECK(kernel.loops[0].depth == 0);

  REQUIRE(kernel.levels.size() == 1);
  const model::MapLevel &level = kernel.levels[0];
  CHECK(level.name == "UB");
  CHECK(level.capacity == 196608);
  CHECK(level.usable == 188416);
  CHECK(level.highWater == 65536 + 32);
  auto named = [&](const std::string &name) -> const model::MapBuffer & {
    for (const model::MapBuffer &buffer : level.buffers)
      if (buffer.name == name)
        return buffer;
    FAIL("no buffer " << name);
    return level.buffers.front();
  };
  auto lives = [&](const std::string &name) {
    return std::pair(named(name).first, named(name).last);
  };
  using Life = std::pair<int64_t, int64_t>;
  CHECK(lives("x_UB") == Life{0, 1});
  CHECK(lives("b") == Life{1, 3});
  CHECK(lives("c") == Life{2, 3});
  CHECK(lives("d") == Life{2, 4});
  CHECK(named("x_UB").reuses.empty());
  CHECK(named("c").reuses == std::vector<std::string>{"k/x_UB"});
  CHECK(named("d").writers == std::vector<std::string>{"f/d", "f/g"});
  CHECK(named("c").writers == std::vector<std::string>{"f/c"});
  CHECK(named("c").type.shape == std::vector<model::Expr>{32, 64});
  CHECK(named("d").used);
  CHECK_FALSE(named("e").used);
  // At instruction 1: a and b; in the loop: b, c and d, as much.
  CHECK(level.peakBytes == 32768);
  CHECK(level.peakStep == 1);
  CHECK(level.atPeak == std::vector<std::string>{"k/x_UB", "k/b"});
}

TEST_CASE("what has no addresses has no map") {
  MLIRContext context;
  context.loadDialect<block::BlockDialect>();
  auto module = parseSourceString<ModuleOp>(
      R"(block.kernel @k() attributes {core = "any", grid_rank = 0 : i64} {
           %a = block.alloc : memref<8xf32, #block.level<"UB">>
           block.return
         })",
      ParserConfig(&context, false));
  REQUIRE(module);
  CHECK_FALSE(inspect::hasOffsets(*module));
  auto empty = parseSourceString<ModuleOp>("module {}", &context);
  CHECK_FALSE(inspect::hasOffsets(*empty));
}
