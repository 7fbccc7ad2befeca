// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/inspect/NamedPrinter.h"
#include "core/dialect/Key.h"
#include "core/inspect/KeyLookup.h"
#include "mlir/IR/Builders.h"
#include "tests/Stopwatch.h"
#include "tests/core/frontend/ReadText.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::frontend;
using namespace tilewright::inspect;

namespace {

SourceModule build(const std::string &text) {
  auto source = readText(text);
  INFO(codesOf(*source));
  SourceModule module = buildModule(*source, testContext(), nullptr);
  for (const model::Diagnostic &diagnostic : module.diagnostics)
    UNSCOPED_INFO(diagnostic.code << " " << diagnostic.message);
  REQUIRE(module.module);
  return module;
}

/// The IR without locations and names, as MLIR itself prints it.
std::string plain(mlir::Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream);
  return text;
}

void checkRoundTrip(mlir::ModuleOp module) {
  model::PrintedStage printed = printNamed(module);
  INFO(printed.text);
  SourceModule again = build(printed.text);
  CHECK(plain(*again.module) == plain(module));
}

const char *const loopText = R"(#map = affine_map<(d0) -> (d0)>
func.func @attention(%x: tensor<4xf32>, %n: index, %c: i1) -> f32 {
  %zero = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %loop:2 = scf.for %i = %zero to %n step %c1 iter_args(%acc = %z, %other = %z) -> (f32, f32) {
    %qk = tensor.extract %x[%i] : tensor<4xf32>
    %sum = arith.addf %acc, %qk : f32
    scf.yield %sum, %other : f32, f32
  }
  %if:2 = scf.if %c -> (f32, f32) {
    %a = arith.addf %loop#0, %z : f32
    scf.yield %a, %loop#1 : f32, f32
  } else {
    %a = arith.mulf %loop#0, %z : f32
    scf.yield %a, %a : f32, f32
  }
  %e = tensor.empty() : tensor<4xf32>
  %g = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.addf %in, %if#1 : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %0 = tensor.extract %g[%zero] : tensor<4xf32>
  %1 = arith.addf %0, %if#1 : f32
  return %1 : f32
}
)";

} // namespace

TEST_CASE("values keep the names of the source") {
  SourceModule module = build(loopText);
  model::PrintedStage printed = printNamed(*module.module);
  INFO(printed.text);
  for (const char *line :
       {"func.func @attention(%x: tensor<4xf32>, %n: index, %c: i1)",
        "%zero = arith.constant 0 : index",
        "%loop:2 = scf.for %i = %zero to %n step %c1 iter_args(%acc = %z, "
        "%other = %z)",
        "%qk = tensor.extract %x[%i]", "%sum = arith.addf %acc, %qk",
        "%if:2 = scf.if %c", "%a = arith.addf %loop#0, %z",
        "%a = arith.mulf %loop#0, %z", "^bb0(%in: f32, %out: f32)",
        "%m = arith.addf %in, %if#1"})
    CHECK(printed.text.find(line) != std::string::npos);
  checkRoundTrip(*module.module);
}

TEST_CASE("spans lead to keys, enclosing first") {
  SourceModule module = build(loopText);
  model::PrintedStage printed = printNamed(*module.module);
  for (size_t i = 1; i < printed.spans.size(); ++i)
    CHECK(printed.spans[i - 1].range.begin <= printed.spans[i].range.begin);
  auto textOf = [&](const char *key) {
    auto ranges = rangesOf(printed, key);
    REQUIRE_FALSE(ranges.empty());
    return printed.text.substr(size_t(ranges[0].begin),
                               size_t(ranges[0].end - ranges[0].begin));
  };
  CHECK(textOf("attention/loop/qk") ==
        "%qk = tensor.extract %x[%i] : tensor<4xf32>");
  CHECK(textOf("attention/z") == "%z = arith.constant 0.000000e+00 : f32");
  std::string loop = textOf("attention/loop");
  CHECK(loop.rfind("%loop:2 = scf.for", 0) == 0);
  CHECK(loop.back() == '}');
  CHECK(textOf("attention/if").find("else") != std::string::npos);
  CHECK(textOf("attention/g").rfind("-> tensor<4xf32>") ==
        textOf("attention/g").size() - 16);

  int64_t at = int64_t(printed.text.find("%qk"));
  REQUIRE(spanAt(printed, at));
  CHECK(spanAt(printed, at)->keys ==
        std::vector<std::string>{"attention/loop/qk"});
  at = int64_t(printed.text.find("} else {"));
  CHECK(spanAt(printed, at)->keys == std::vector<std::string>{"attention/if"});
}

TEST_CASE("operations with the same key get names of their own") {
  SourceModule module = build(loopText);
  // As tiling and cloning do.
  mlir::OpBuilder builder(&testContext());
  module.module->walk([&](mlir::Operation *op) {
    if (mlir::isa<mlir::arith::AddFOp>(op)) {
      builder.setInsertionPoint(op);
      op->setOperand(0, builder.clone(*op)->getResult(0));
    }
  });
  checkRoundTrip(*module.module);
}

TEST_CASE("a name inside does not hide one further down") {
  SourceModule module =
      build("func.func @f(%c: i1, %x: f32) -> f32 {\n"
            "  %r = scf.if %c -> f32 {\n    %y = arith.addf %x, %x : f32\n"
            "    scf.yield %y : f32\n  } else {\n    scf.yield %x : f32\n  }\n"
            "  %y = arith.mulf %r, %x : f32\n  return %y : f32\n}\n");
  model::PrintedStage printed = printNamed(*module.module);
  INFO(printed.text);
  CHECK(printed.text.find("%y = arith.mulf") != std::string::npos);
  CHECK(printed.text.find("%y_1 = arith.addf") != std::string::npos);
  checkRoundTrip(*module.module);
}

TEST_CASE("blocks and branches") {
  SourceModule module = build(
      "func.func @f(%c: i1, %x: f32) -> f32 {\n"
      "  cf.cond_br %c, ^bb1(%x : f32), ^bb2\n"
      "^bb1(%p: f32):\n  %q = arith.addf %p, %x : f32\n  cf.br ^bb3(%q : f32)\n"
      "^bb2:\n  %s = arith.mulf %x, %x : f32\n  cf.br ^bb3(%s : f32)\n"
      "^bb3(%r: f32):\n  return %r : f32\n}\n");
  model::PrintedStage printed = printNamed(*module.module);
  INFO(printed.text);
  CHECK(printed.text.find("^bb1(%p: f32)") != std::string::npos);
  CHECK(printed.text.find("^bb3(%r: f32)") != std::string::npos);
  checkRoundTrip(*module.module);
}

TEST_CASE("names with encoded signs") {
  SourceModule module = build("func.func @f() -> i32 {\n"
                              "  %a.b-c = arith.constant 1 : i32\n"
                              "  return %a.b-c : i32\n}\n");
  model::PrintedStage printed = printNamed(*module.module);
  CHECK(printed.text.find("%a.b-c = arith.constant") != std::string::npos);
  checkRoundTrip(*module.module);
}

TEST_CASE("grids and their arguments") {
  SourceModule module =
      build(R"(func.func @f(%x: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %init = tensor.empty() : tensor<64x32xf32>
  %y = scf.forall (%i) = (0) to (64) step (16) shared_outs(%o = %init) -> (tensor<64x32xf32>) {
    %part = tensor.extract_slice %x[%i, 0] [16, 32] [1, 1] : tensor<64x32xf32> to tensor<16x32xf32>
    %s = arith.addf %part, %part : tensor<16x32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i, 0] [16, 32] [1, 1] : tensor<16x32xf32> into tensor<64x32xf32>
    }
  }
  return %y : tensor<64x32xf32>
}
)");
  model::PrintedStage printed = printNamed(*module.module);
  INFO(printed.text);
  CHECK(printed.text.find("shared_outs(%o = ") != std::string::npos);
  CHECK(printed.text.find("insert_slice %s into %o[%i, 0]") !=
        std::string::npos);
  CHECK(printed.text.find("%part = tensor.extract_slice %x[%i, 0]") !=
        std::string::npos);
  checkRoundTrip(*module.module);

  // As tiling makes it: the slice has the key of what it serves.
  module.module->walk([&](mlir::tensor::ExtractSliceOp slice) {
    slice->setLoc(withKey(slice.getLoc(), "f/y/s"));
  });
  printed = printNamed(*module.module);
  CHECK(printed.text.find("%x_tile = tensor.extract_slice %x[%i, 0]") !=
        std::string::npos);
  CHECK(printed.text.find("%s = arith.addf %x_tile, %x_tile") !=
        std::string::npos);
}

TEST_CASE("long texts are cut behind a line") {
  std::string text = "func.func @f(%x: f32) -> f32 {\n";
  for (int i = 0; i < 1000; ++i)
    text += "  %v" + std::to_string(i) + " = arith.addf %x, %x : f32\n";
  text += "  return %x : f32\n}\n";
  SourceModule module = build(text);
  PrintLimits limits;
  limits.bytes = 1000;
  model::PrintedStage printed = printNamed(*module.module, limits);
  CHECK(printed.text.size() < 1200);
  CHECK(printed.text.find("cut behind 1000 bytes") != std::string::npos);
  for (const model::TextSpan &span : printed.spans)
    CHECK(span.range.end <= int64_t(printed.text.size()));
}

TEST_CASE("100,000 operations are printed in linear time") {
  std::string text =
      "func.func @f(%x: f32) -> f32 {\n  %v0 = arith.addf %x, %x : f32\n";
  for (int i = 1; i < 100000; ++i)
    text += "  %v" + std::to_string(i) + " = arith.mulf %v" +
            std::to_string(i - 1) + ", %x : f32\n";
  text += "  return %v99999 : f32\n}\n";
  SourceModule module = build(text);
  testing::Stopwatch watch;
  model::PrintedStage printed = printNamed(*module.module);
  double took = watch.seconds();
  WARN("printing 100,000 operations with names: " << took << " s");
  CHECK(took < 10);
  CHECK(printed.spans.size() == 100003);
  CHECK(printed.text.find("%v99999 = arith.mulf %v99998, %x") !=
        std::string::npos);
}
