//===- Bf16MatmulTest.cpp - products whose panels stay bf16 ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "MatmulText.h"
#include "ProductCheck.h"
#include "TileRegisters.h"
#include "core/execute/CodeEmitter.h"
#include "core/execute/CpuLowering.h"
#include "core/execute/LoadedObject.h"
#include "core/target/MatrixTiles.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::test;
using tilewright::execute::nameOf;

namespace {

struct Groups {
  int64_t rows, columns, lhsGroup, rhsGroup, multiple;
};
constexpr Groups pairs = {12, 32, 2, 2, 2}, tiles = {32, 32, 32, 2, 32};

struct Product {
  Tensor a, b, blank;
  PackedMatmul text;

  Product(int64_t m, int64_t n, int64_t k, const Groups &groups, int flags,
          Element result, std::mt19937 &rng)
      : a(Tensor::random(Element::BF16,
                         flags & 1 ? std::vector<int64_t>{k, m}
                                   : std::vector<int64_t>{m, k},
                         rng)),
        b(Tensor::random(Element::BF16,
                         flags & 2 ? std::vector<int64_t>{n, k}
                                   : std::vector<int64_t>{k, n},
                         rng)),
        blank(result, {m, n}), text{m,
                                    n,
                                    k,
                                    Element::BF16,
                                    96,
                                    64,
                                    64,
                                    groups.rows,
                                    groups.columns,
                                    groups.lhsGroup,
                                    groups.rhsGroup,
                                    groups.multiple,
                                    bool(flags & 1),
                                    bool(flags & 2),
                                    result} {}

  void check(const Tensor &got) const {
    checkProduct(a, b, got, text.transposeA, text.transposeB);
  }
};

/// All sizes, transposed operands and types of results for panels in `groups`.
template <typename Body> void eachProduct(const Groups &groups, Body body) {
  std::mt19937 rng(7);
  for (auto [m, n, k] : {std::tuple<int64_t, int64_t, int64_t>{1, 1, 1},
                         {32, 32, 32},
                         {7, 127, 33},
                         {96, 64, 64},
                         {127, 129, 65},
                         {50, 100, 301}})
    for (int flags = 0; flags < 4; ++flags)
      for (Element result : {Element::F32, Element::BF16}) {
        // Transposing changes packing only; it is tried on one size.
        if (flags && m != 127)
          continue;
        Product product(m, n, k, groups, flags, result, rng);
        INFO(m << "x" << n << "x" << k << " transposed " << flags << " to "
               << nameOf(result));
        body(product);
      }
}

} // namespace

TEST_CASE("the interpreter multiplies panels in groups of steps") {
  for (const Groups &groups : {pairs, tiles})
    eachProduct(groups, [](const Product &product) {
      product.check(interpret(product.text.str(), {product.a, product.b},
                              {product.blank})[0]);
    });
}

TEST_CASE("panels in groups are multiplied in pairs on this machine") {
  for (const Groups &groups : {pairs, tiles})
    eachProduct(groups, [](const Product &product) {
      product.check(runCompiled(product.text.str(), {product.a, product.b},
                                {product.blank})[0]);
    });
}

TEST_CASE("they are where no instruction sums pairs") {
  execute::CpuFeatures cpu = execute::hostCpu();
  cpu.bf16Dot = cpu.matrixTiles = false;
  for (const Groups &groups : {pairs, tiles})
    eachProduct(groups, [&](const Product &product) {
      product.check(runProgram(compile(product.text.str(), cpu),
                               {product.a, product.b}, {product.blank})[0]);
    });
}

TEST_CASE("products on tile registers agree, on registers played in software") {
  execute::CpuFeatures cpu = execute::hostCpu();
  if (cpu.vectorBytes != 64)
    return; // what has AMX has AVX-512
  cpu.matrixTiles = true;
  eachProduct(tiles, [&](const Product &product) {
    std::string text = product.text.str();
    cpu.matrixTiles = false;
    execute::CompiledProgram program = compile(text, cpu);
    cpu.matrixTiles = true;
    BlockModule module(text);
    auto lowered = execute::lowerKernels(module.get(), cpu);
    REQUIRE(std::holds_alternative<execute::LoweredKernels>(lowered));
    auto &kernels = std::get<execute::LoweredKernels>(lowered);
    REQUIRE(playTileRegisters(*kernels.module) > 0);
    auto object =
        execute::emitCode(*kernels.module, cpu, execute::CodeKind::Object);
    REQUIRE(std::holds_alternative<std::string>(object));
    const std::string &bytes = std::get<std::string>(object);
    program.object.resize(bytes.size());
    std::copy(bytes.begin(), bytes.end(),
              reinterpret_cast<char *>(program.object.data()));
    for (execute::ProgramDispatch &dispatch : program.dispatches)
      dispatch.scratchBytes = kernels.scratchBytes[dispatch.kernel];
    TileRegisterFaults::clear();
    product.check(runProgram(std::move(program), {product.a, product.b},
                             {product.blank})[0]);
    CHECK(TileRegisterFaults::text() == "");
  });
}

TEST_CASE("what a processor and its system say decides over tile registers") {
  constexpr uint32_t bf16 = 1u << 22, tile = 1u << 24;
  constexpr uint64_t config = 1 << 17, data = 1 << 18;
  CHECK(target::hasMatrixTiles(bf16 | tile, config | data | 7));
  CHECK_FALSE(target::hasMatrixTiles(tile, config | data | 7)); // int8 only
  CHECK_FALSE(target::hasMatrixTiles(bf16 | tile, config | 7));
  CHECK_FALSE(target::hasMatrixTiles(bf16 | tile, 7)); // not switched on
  CHECK_FALSE(target::hasMatrixTiles(0, config | data));
  // Asking twice gives one answer, and code for this machine follows it.
  CHECK(target::mayUseMatrixTiles() == target::mayUseMatrixTiles());
  CHECK(execute::hostCpu().matrixTiles <= target::mayUseMatrixTiles());
}

TEST_CASE("the loop over the depth is what the tile registers can do") {
  std::mt19937 rng(10);
  Product product(32, 32, 256, tiles, 0, Element::F32, rng);
  BlockModule module(product.text.str());
  execute::CpuFeatures cpu = execute::amxCpu();
  auto lowered = execute::lowerKernels(module.get(), cpu);
  REQUIRE(std::holds_alternative<execute::LoweredKernels>(lowered));
  auto code =
      execute::emitCode(*std::get<execute::LoweredKernels>(lowered).module, cpu,
                        execute::CodeKind::Assembly);
  REQUIRE(std::holds_alternative<std::string>(code));
  const std::string &text = std::get<std::string>(code);
  INFO(text);
  auto count = [](const std::string &in, const std::string &what) {
    int64_t found = 0;
    for (size_t at = in.find(what); at != std::string::npos;
         at = in.find(what, at + 1))
      ++found;
    return found;
  };
  CHECK(count(text, "ldtilecfg") == 1);
  CHECK(count(text, "tilerelease") == 1);
  // From the label in front of the first product to the branch behind it.
  size_t first = text.find("tdpbf16ps");
  REQUIRE(first != std::string::npos);
  size_t begin = text.rfind("\n.LBB", first), end = text.find("\tj", first);
  std::string loop = text.substr(begin, end - begin);
  CHECK(count(loop, "tdpbf16ps") == 4);
  CHECK(count(loop, "tileloadd") == 4);
  CHECK(count(loop, "tilestored") == 0);
  // Nothing but addresses beside them.
  CHECK(count(loop, "\n\t") <= 18);
  CHECK(count(loop, "zmm") + count(loop, "%rsp") == 0);
}

TEST_CASE("kernels on tile registers are loaded where there are any") {
  std::mt19937 rng(9);
  Product product(32, 32, 32, tiles, 0, Element::F32, rng);
  execute::CompiledProgram program =
      compile(product.text.str(), execute::amxCpu());
  CHECK(program.matrixTiles);
  auto loaded = execute::LoadedObject::load(program);
  auto *refused = std::get_if<model::Diagnostic>(&loaded);
  CHECK((refused == nullptr) == target::mayUseMatrixTiles());
  if (refused)
    CHECK(refused->code == "TW0520");
  CHECK_FALSE(compile(product.text.str(), execute::genericCpu()).matrixTiles);
}

TEST_CASE("groups that no instruction takes are refused") {
  std::mt19937 rng(8);
  for (Groups groups : {Groups{12, 32, 4, 4, 4}, Groups{12, 32, 1, 2, 2}}) {
    Product product(16, 32, 16, groups, 0, Element::F32, rng);
    BlockModule module(product.text.str());
    auto lowered = execute::lowerKernels(module.get(), execute::hostCpu());
    REQUIRE(std::holds_alternative<model::Diagnostic>(lowered));
    CHECK(std::get<model::Diagnostic>(lowered).code == "TW0442");
  }
}
