// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/execute/KeepProgram.h"
#include "BlockHarness.h"
#include "core/execute/ProgramCompiler.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::test;

// @bad asks for a dimension whose number is only known when it runs, which is
// not coded; @shared serves both programs.
static const char *text = R"(
block.program @good(%x: memref<8xf32, #block.level<"GM">>, %y: memref<8xf32, #block.level<"GM">>) attributes {result_count = 1 : i64} {
  block.dispatch @shared grid [1](%x, %y) {access = [#block.access<read, (d0) -> (0), [8]>, #block.access<write, (d0) -> (0), [8]>]} : memref<8xf32, #block.level<"GM">>, memref<8xf32, #block.level<"GM">>
  block.return
}
block.program @other(%x: memref<8xf32, #block.level<"GM">>, %y: memref<8xf32, #block.level<"GM">>) attributes {result_count = 1 : i64} {
  block.dispatch @bad grid [1](%x, %y) {access = [#block.access<read, (d0) -> (0), [8]>, #block.access<write, (d0) -> (0), [8]>]} : memref<8xf32, #block.level<"GM">>, memref<8xf32, #block.level<"GM">>
  block.dispatch @shared grid [1](%x, %y) {access = [#block.access<read, (d0) -> (0), [8]>, #block.access<write, (d0) -> (0), [8]>]} : memref<8xf32, #block.level<"GM">>, memref<8xf32, #block.level<"GM">>
  block.return
}
block.kernel @shared(%x: memref<8xf32, #block.level<"GM">>, %y: memref<8xf32, #block.level<"GM">>, %g: index) attributes {core = "any", grid_rank = 1 : i64} {
  block.unary <neg> %x into %y : memref<8xf32, #block.level<"GM">> into memref<8xf32, #block.level<"GM">>
  block.return
}
block.kernel @bad(%x: memref<8xf32, #block.level<"GM">>, %y: memref<8xf32, #block.level<"GM">>, %g: index) attributes {core = "any", grid_rank = 1 : i64} {
  %n = memref.dim %x, %g : memref<8xf32, #block.level<"GM">>
  %part = memref.subview %y[0] [%n] [1] : memref<8xf32, #block.level<"GM">> to memref<?xf32, strided<[1]>, #block.level<"GM">>
  block.unary <neg> %part into %part : memref<?xf32, strided<[1]>, #block.level<"GM">> into memref<?xf32, strided<[1]>, #block.level<"GM">>
  block.return
}
)";

static std::string codeOf(mlir::ModuleOp module, const char *program) {
  auto compiled =
      execute::compileProgram(module, program, execute::genericCpu());
  auto *error = std::get_if<model::Diagnostic>(&compiled);
  return error ? error->code : "";
}

TEST_CASE("a program is coded without the kernels of the others") {
  BlockModule whole(text);
  CHECK(codeOf(whole.get(), "good") == "TW0441");

  BlockModule good(text);
  execute::keepProgram(good.get(), "good");
  CHECK(codeOf(good.get(), "good") == "");
  CHECK_FALSE(good.get().lookupSymbol("other"));
  CHECK_FALSE(good.get().lookupSymbol("bad"));

  BlockModule other(text);
  execute::keepProgram(other.get(), "other");
  CHECK(codeOf(other.get(), "other") == "TW0441");
  CHECK(other.get().lookupSymbol("shared"));

  BlockModule unknown(text);
  execute::keepProgram(unknown.get(), "nobody");
  CHECK(unknown.get().lookupSymbol("good"));
  CHECK(unknown.get().lookupSymbol("bad"));
}
