// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/dialect/Key.h"
#include "core/frontend/FrontendRegistry.h"
#include "mlir/IR/Verifier.h"
#include "tests/core/frontend/ReadText.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::frontend;

TEST_CASE("a module is built whole, with its attributes and file positions") {
  auto source = readText("#v = 7 : i64\nmodule @top attributes {a.b = #v} {\n"
                         "  func.func private @g() -> i32\n"
                         "  func.func @f() -> i32 {\n"
                         "    %x = func.call @g() : () -> i32\n"
                         "    return %x : i32\n  }\n}\n");
  INFO(codesOf(*source));
  REQUIRE(source->diagnostics.empty());
  SourceModule built = buildModule(*source, testContext(), nullptr);
  REQUIRE(built.module);
  CHECK(built.module->getName() == "top");
  CHECK(built.module->getOperation()->hasAttr("a.b"));
  int functions = 0;
  mlir::Operation *call = nullptr;
  built.module->walk([&](mlir::Operation *op) {
    functions += mlir::isa<mlir::func::FuncOp>(op);
    if (mlir::isa<mlir::func::CallOp>(op))
      call = op;
  });
  CHECK(functions == 2);
  REQUIRE(call);
  mlir::FileLineColLoc position;
  call->getLoc()->walk([&](mlir::Location loc) {
    if (auto file = mlir::dyn_cast<mlir::FileLineColLoc>(loc))
      position = file;
    return mlir::WalkResult::advance();
  });
  REQUIRE(position);
  CHECK(position.getLine() == 5);
  CHECK(position.getColumn() == 10);
}

TEST_CASE("a call of the wrong type is found across functions") {
  auto source = readText("func.func private @g() -> i32\n"
                         "func.func @f() -> f32 {\n"
                         "  %x = func.call @g() : () -> f32\n"
                         "  return %x : f32\n}\n");
  SourceModule built = buildModule(*source, testContext(), nullptr);
  CHECK_FALSE(built.module);
  REQUIRE(built.diagnostics.size() == 1);
  CHECK(built.diagnostics[0].code == "TW0113");
  CHECK(built.diagnostics[0].key == "f/x");
  CHECK(textAt(*source, built.diagnostics[0].range) == "%x");
}

TEST_CASE("resources come with the functions that use them") {
  auto source =
      readText("func.func @f() -> tensor<2xi8> {\n"
               "  %c = arith.constant dense_resource<blob> : tensor<2xi8>\n"
               "  return %c : tensor<2xi8>\n}\n"
               "{-#\n  dialect_resources: {\n    builtin: {\n"
               "      blob: \"0x010000000102\"\n    }\n  }\n#-}\n");
  INFO(codesOf(*source));
  CHECK(source->diagnostics.empty());
  CHECK(buildModule(*source, testContext(), nullptr).module);
}

TEST_CASE("constants whose values were left out are told, not computed with") {
  auto of = [](const std::string &value, const std::string &behind = "") {
    auto source = readText(
        "func.func @f() -> tensor<2xi8> {\n  %c = "
        "arith.constant " +
        value + " : tensor<2xi8>\n  return %c : tensor<2xi8>\n}\n" + behind);
    SourceModule built = buildModule(*source, testContext(), nullptr);
    CHECK_FALSE(built.module);
    REQUIRE(built.diagnostics.size() == 1);
    CHECK(built.diagnostics[0].code == "TW0024");
    return textAt(*source, built.diagnostics[0].range) + ": " +
           built.diagnostics[0].message;
  };
  for (int again = 0; again < 2; ++again) { // MLIR numbers a known name
    CHECK(of("dense_resource<__elided__>") ==
          "%c: the values of resource '__elided__' are not in the text: 2 "
          "elements");
    CHECK(of("dense_resource<gone>", "{-#\n  dialect_resources: {\n    "
                                     "builtin: {\n    }\n  }\n#-}\n") ==
          "%c: the values of resource 'gone' are not in the text: 2 elements");
  }
  CHECK(of("dense<__elided__>") ==
        "__elided__: the values of this constant are not in the text");
}

TEST_CASE("frontends are found by extension") {
  FrontendRegistry registry;
  REQUIRE(registry.find("/a/b.mlir"));
  CHECK(registry.find("file:///A.MLIR")->name() == "mlir");
  CHECK_FALSE(registry.find("/a/b.onnx"));
  CHECK_FALSE(registry.find("plain"));
  SourceModule module = registry.find(".mlir")->read(
      "func.func @f() { return }", "x", testContext(), nullptr);
  CHECK(module.module);
}
