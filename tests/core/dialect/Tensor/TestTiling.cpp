//===- TestTiling.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions are tiled by upstream's drivers, with all producers fused that can
// be, and must compute what they did before.
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Tensor/IterationSpace.h"
#include "core/dialect/Tensor/Tiling.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/IR/Iterators.h"
#include "tests/core/execute/ParsedModule.h"

using namespace mlir;
using namespace tilewright;

/// Tiles what the function returns and fuses into it what it can.
static void tileResult(func::FuncOp function, ArrayRef<int64_t> sizes,
                       bool parallel) {
  auto root = function.getBody()
                  .front()
                  .getTerminator()
                  ->getOperand(0)
                  .getDefiningOp<TilingInterface>();
  REQUIRE(root);
  IRRewriter rewriter(function.getContext());
  rewriter.setInsertionPoint(root);
  scf::SCFTilingOptions tiling;
  SmallVector<OpFoldResult> tileSizes;
  for (int64_t size : sizes)
    tileSizes.push_back(rewriter.getIndexAttr(size));
  tiling.setTileSizes(tileSizes);
  tiling.setLoopType(parallel ? scf::SCFTilingOptions::LoopType::ForallOp
                              : scf::SCFTilingOptions::LoopType::ForOp);
  scf::SCFTileAndFuseOptions options;
  options.setTilingOptions(tiling);
  auto tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(rewriter, root, options);
  REQUIRE(succeeded(tiled));
  for (auto [from, to] : tiled->replacements)
    rewriter.replaceAllUsesWith(from, to);
  // The originals of what was fused are left to be cleared away.
  function.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (isOpTriviallyDead(op))
      rewriter.eraseOp(op);
  });
  INFO("after tiling");
  REQUIRE(succeeded(verify(function)));
}

static int64_t count(func::FuncOp function, StringRef name, bool inLoop) {
  int64_t found = 0;
  function.walk([&](Operation *op) {
    if (op->getName().getStringRef() == name)
      found += inLoop == !isa<func::FuncOp>(op->getParentOp());
  });
  return found;
}

/// Tiles in both ways; results must be the same to the last bit.
static void checkTiled(const std::string &text, ArrayRef<int64_t> sizes,
                       std::vector<int64_t> dynamic = {}) {
  for (bool parallel : {true, false}) {
    ParsedModule module(text);
    auto function = module.function("f");
    auto inputs = seededInputs(function, dynamic);
    auto before = interpret(function, inputs);
    tileResult(function, sizes, parallel);
    std::string printed;
    llvm::raw_string_ostream(printed) << function;
    INFO(printed);
    auto after = interpret(function, inputs);
    REQUIRE(after.front()->shape() == before.front()->shape());
    CHECK(numbers(after.front()) == numbers(before.front()));
  }
}

TEST_CASE("elementwise chains are tiled with what they read") {
  const char *text = R"(
    func.func @f(%x: tensor<37x50xf32>, %row: tensor<50xf32>, %column: tensor<37x1xf32>, %s: tensor<f32>) -> tensor<37x50xbf16> {
      %a = tw.add %x, %row : (tensor<37x50xf32>, tensor<50xf32>) -> tensor<37x50xf32>
      %c = tw.exp %column : (tensor<37x1xf32>) -> tensor<37x1xf32>
      %b = tw.div %a, %c : (tensor<37x50xf32>, tensor<37x1xf32>) -> tensor<37x50xf32>
      %m = tw.compare %b, %s {predicate = gt} : (tensor<37x50xf32>, tensor<f32>) -> tensor<37x50xi1>
      %z = tw.full {value = 0.5} : () -> tensor<37x50xf32>
      %t = tw.select %m, %b, %z : (tensor<37x50xi1>, tensor<37x50xf32>, tensor<37x50xf32>) -> tensor<37x50xf32>
      %y = tw.cast %t : (tensor<37x50xf32>) -> tensor<37x50xbf16>
      return %y : tensor<37x50xbf16>
    })";
  checkTiled(text, {8, 16});
  checkTiled(text, {37, 50});
  checkTiled(text, {0, 7});
  ParsedModule module(text);
  tileResult(module.function("f"), {8, 16}, true);
  // All of it went inside, the row and the column as such.
  CHECK(count(module.function("f"), "tw.add", false) == 0);
  CHECK(count(module.function("f"), "tw.exp", false) == 0);
  CHECK(count(module.function("f"), "tw.full", true) == 1);
}

TEST_CASE("sizes of ? are tiled") {
  checkTiled(R"(
    func.func @f(%x: tensor<?x50xf32>, %w: tensor<50x24xf32>) -> tensor<?x24xf32> {
      %n = tw.silu %x : (tensor<?x50xf32>) -> tensor<?x50xf32>
      %h = tw.matmul %n, %w : (tensor<?x50xf32>, tensor<50x24xf32>) -> tensor<?x24xf32>
      %y = tw.gelu %h : (tensor<?x24xf32>) -> tensor<?x24xf32>
      return %y : tensor<?x24xf32>
    })",
             {8, 16}, {21});
}

TEST_CASE("matmuls are tiled in batches, m and n") {
  checkTiled(R"(
    func.func @f(%a: tensor<2x1x20x30xf32>, %b: tensor<3x25x30xf32>) -> tensor<2x3x20x25xf32> {
      %e = tw.neg %a : (tensor<2x1x20x30xf32>) -> tensor<2x1x20x30xf32>
      %c = tw.matmul %e, %b {transpose_rhs} : (tensor<2x1x20x30xf32>, tensor<3x25x30xf32>) -> tensor<2x3x20x25xf32>
      return %c : tensor<2x3x20x25xf32>
    })",
             {1, 2, 8, 8, 0});
  checkTiled(R"(
    func.func @f(%a: tensor<30x20xf32>, %b: tensor<30x25xf32>, %c: tensor<20x25xf32>) -> tensor<20x25xf32> {
      %d = tw.matmul %a, %b acc %c {transpose_lhs} : (tensor<30x20xf32>, tensor<30x25xf32>, tensor<20x25xf32>) -> tensor<20x25xf32>
      return %d : tensor<20x25xf32>
    })",
             {8, 8, 0});
}

TEST_CASE("rows stay whole") {
  const char *text = R"(
    func.func @f(%x: tensor<19x40xf32>, %w: tensor<40xf32>, %b: tensor<40xf32>) -> tensor<19x40xf32> {
      %e = tw.abs %x : (tensor<19x40xf32>) -> tensor<19x40xf32>
      %r = tw.rms_norm %e, %w : (tensor<19x40xf32>, tensor<40xf32>) -> tensor<19x40xf32>
      %s = tw.softmax %r : (tensor<19x40xf32>) -> tensor<19x40xf32>
      %y = tw.layer_norm %s, %w, %b : (tensor<19x40xf32>, tensor<40xf32>, tensor<40xf32>) -> tensor<19x40xf32>
      return %y : tensor<19x40xf32>
    })";
  checkTiled(text, {4});
  checkTiled(R"(
    func.func @f(%x: tensor<9x11x40xf32>) -> tensor<9x11x40xf32> {
      %s = tw.softmax %x {axis = 1} : (tensor<9x11x40xf32>) -> tensor<9x11x40xf32>
      return %s : tensor<9x11x40xf32>
    })",
             {2, 16});
  // A consumer that wants part of a row must not get more than it asked for:
  // the softmax is left alone.
  const char *columns = R"(
    func.func @f(%x: tensor<19x40xf32>) -> tensor<19x40xf32> {
      %s = tw.softmax %x : (tensor<19x40xf32>) -> tensor<19x40xf32>
      %y = tw.exp %s : (tensor<19x40xf32>) -> tensor<19x40xf32>
      return %y : tensor<19x40xf32>
    })";
  checkTiled(columns, {4, 8});
  ParsedModule module(columns);
  tileResult(module.function("f"), {4, 8}, true);
  CHECK(count(module.function("f"), "tw.softmax", false) == 1);
  CHECK(count(module.function("f"), "tw.softmax", true) == 0);
  ParsedModule rows(columns);
  tileResult(rows.function("f"), {4, 0}, true);
  CHECK(count(rows.function("f"), "tw.softmax", true) == 1);
}

TEST_CASE("reductions and transposes are tiled in what they keep") {
  checkTiled(R"(
    func.func @f(%x: tensor<9x11x13xf32>) -> tensor<13x9xf32> {
      %e = tw.exp %x : (tensor<9x11x13xf32>) -> tensor<9x11x13xf32>
      %r = tw.reduce %e {kind = sum, axes = [1]} : (tensor<9x11x13xf32>) -> tensor<9x13xf32>
      %t = tw.transpose %r {permutation = [1, 0]} : (tensor<9x13xf32>) -> tensor<13x9xf32>
      return %t : tensor<13x9xf32>
    })",
             {4, 5});
  checkTiled(R"(
    func.func @f(%x: tensor<9x11x13xf32>) -> tensor<9x1x13xf32> {
      %r = tw.reduce %x {kind = max, axes = [-2], keepdims} : (tensor<9x11x13xf32>) -> tensor<9x1x13xf32>
      return %r : tensor<9x1x13xf32>
    })",
             {4, 0, 5});
}

TEST_CASE("a part of a sum is no part of the result") {
  for (
      const char *text :
      {R"(func.func @f(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>) -> tensor<8x8xf32> {
             %c = tw.matmul %a, %b : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
             return %c : tensor<8x8xf32>
           })",
       R"(func.func @f(%a: tensor<8x8x16xf32>) -> tensor<8x8xf32> {
             %c = tw.reduce %a {kind = sum, axes = [2]} : (tensor<8x8x16xf32>) -> tensor<8x8xf32>
             return %c : tensor<8x8xf32>
           })"}) {
    ParsedModule module(text);
    auto op = module.function("f")
                  .getBody()
                  .front()
                  .front()
                  .getResult(0)
                  .getDefiningOp<TilingInterface>();
    OpBuilder builder(op);
    SmallVector<OpFoldResult> zeros(3, builder.getIndexAttr(0));
    SmallVector<OpFoldResult> sizes(3, builder.getIndexAttr(4));
    CHECK(failed(op.getTiledImplementation(builder, zeros, sizes)));
    sizes[2] = builder.getIndexAttr(16);
    CHECK(succeeded(op.getTiledImplementation(builder, zeros, sizes)));
  }
}

TEST_CASE("a loop over k adds up") {
  ParsedModule module(R"(
    func.func @f(%a: tensor<8x50xbf16>, %b: tensor<50x6xbf16>) -> tensor<8x6xf32> {
      %c = tw.matmul %a, %b : (tensor<8x50xbf16>, tensor<50x6xbf16>) -> tensor<8x6xf32>
      return %c : tensor<8x6xf32>
    })");
  auto function = module.function("f");
  auto inputs = seededInputs(function);
  auto before = numbers(interpret(function, inputs).front());
  auto matmul = *function.getOps<tw::MatmulOp>().begin();
  OpBuilder b(matmul);
  auto index = [&](int64_t i) { return OpFoldResult(b.getIndexAttr(i)); };
  Value acc;
  for (int64_t k = 0; k < 50; k += 16)
    acc = tw::buildMatmulTile(
        b, matmul, {index(0), index(0), index(k)},
        {index(8), index(6), index(std::min<int64_t>(16, 50 - k))}, acc);
  matmul->getResult(0).replaceAllUsesWith(acc);
  matmul->erase();
  REQUIRE(succeeded(verify(function)));
  auto after = numbers(interpret(function, inputs).front());
  for (size_t i = 0; i < before.size(); ++i)
    CHECK(after[i] == Approx(before[i]).margin(1e-5));
}

TEST_CASE("iteration dimensions have names") {
  ParsedModule module(R"(
    func.func @f(%a: tensor<2x8x16xf32>, %b: tensor<16x8xf32>, %c: tensor<8x16xf32>, %o: tensor<8x8xf32>) {
      %0 = tw.matmul %a, %b : (tensor<2x8x16xf32>, tensor<16x8xf32>) -> tensor<2x8x8xf32>
      %1 = tw.exp %a : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
      %2 = tw.softmax %a : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
      %3 = tw.reduce %b {kind = sum, axes = [0]} : (tensor<16x8xf32>) -> tensor<8xf32>
      %4 = linalg.matmul ins(%c, %b : tensor<8x16xf32>, tensor<16x8xf32>) outs(%o : tensor<8x8xf32>) -> tensor<8x8xf32>
      %5 = tw.reshape %b : (tensor<16x8xf32>) -> tensor<128xf32>
      return
    })");
  std::vector<std::vector<std::string>> names;
  for (Operation &op :
       module.function("f").getBody().front().without_terminator()) {
    auto found = tw::iterationNames(&op);
    names.emplace_back(found.begin(), found.end());
  }
  using Names = std::vector<std::string>;
  CHECK(names[0] == Names{"b0", "m", "n", "k"});
  CHECK(names[1] == Names{"d0", "d1", "d2"});
  CHECK(names[2] == Names{"d0", "d1"});
  CHECK(names[3] == Names{"d0", "d1"});
  CHECK(names[4] == Names{"m", "n", "k"});
  CHECK(names[5].empty());
}
