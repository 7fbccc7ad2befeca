//===- TestPassNumbers.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After every pass a function computes what it computed before, NaN and
// infinities included.
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Key.h"
#include "core/execute/CompareTensors.h"
#include "core/pass/tensor/TensorPasses.h"
#include "mlir/Pass/PassManager.h"
#include "tests/core/execute/ParsedModule.h"
#include <limits>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::execute;

/// Gives every operation of the module a key, as the frontend does.
static void giveKeys(ModuleOp module) {
  int64_t next = 0;
  module.walk([&](Operation *op) {
    op->setLoc(withKey(op->getLoc(), "f/op" + std::to_string(next++)));
  });
}

static void checkKeys(ModuleOp module) {
  module.walk([&](Operation *op) {
    INFO(op->getName().getStringRef().str());
    CHECK_FALSE(keysOf(op).empty());
  });
}

static std::unique_ptr<Pass> (*const passes[])() = {
    pass::createInferShapesPass,
    pass::createDecomposeCompositesPass,
    pass::createEliminateNopsPass,
    pass::createSimplifyAlgebraPass,
    pass::createFoldConstantsPass,
    pass::createCsePass,
    pass::createDcePass};

/// Runs all passes one by one, twice over; the second time after each other's
/// results, where nothing may change any more but what became possible.
static void checkPasses(const std::string &text,
                        std::vector<int64_t> dynamic = {},
                        bool special = false) {
  ParsedModule module(text);
  giveKeys(*module.module);
  auto inputs = seededInputs(module.function("f"), dynamic);
  if (special) { // every kind of number in the first input
    auto first = std::const_pointer_cast<HostTensor>(inputs.front());
    double inf = std::numeric_limits<double>::infinity();
    for (auto [i, x] :
         llvm::enumerate(std::vector<double>{inf, -inf, std::nan(""), 0.0, -0.0,
                                             1e-30, -1e30, 1, -1, 100, -100}))
      first->set(int64_t(i), x);
  }
  auto want = interpret(module.function("f"), inputs);
  for (int round = 0; round < 2; ++round)
    for (auto create : passes) {
      auto pass = create();
      std::string name = pass->getArgument().str();
      PassManager manager(&module.context);
      manager.addPass(std::move(pass));
      REQUIRE(succeeded(manager.run(*module.module)));
      std::string printed;
      llvm::raw_string_ostream(printed) << *module.module;
      INFO("after " << name << ":\n" << printed);
      checkKeys(*module.module);
      auto got = interpret(module.function("f"), inputs);
      REQUIRE(got.size() == want.size());
      for (size_t i = 0; i < got.size(); ++i) {
        auto check = compareTensors(*got[i], *want[i]);
        INFO("result " << i << ": " << check.worst << ", error "
                       << check.error);
        CHECK(check.passed);
      }
    }
}

TEST_CASE("composites keep their numbers in every type") {
  for (std::string element : {"f32", "f16", "bf16"}) {
    INFO(element);
    std::string x = "tensor<5x33x" + element + ">",
                w = "tensor<33x" + element + ">";
    std::string text =
        "func.func @f(%x: " + x + ", %w: " + w + ", %b: " + w + ") -> (";
    for (int i = 0; i < 7; ++i)
      text += (i ? ", " : "") + x;
    text += ") {\n";
    auto unary = [&](const std::string &result, const std::string &op) {
      text += result + " = tw." + op + " : (" + x + ") -> " + x + "\n";
    };
    unary("%0", "sigmoid %x");
    unary("%1", "silu %x");
    unary("%2", "gelu %x");
    unary("%3", "softmax %x");
    unary("%4", "softmax %x {axis = 0}");
    text += "%5 = tw.rms_norm %x, %w : (" + x + ", " + w + ") -> " + x + "\n";
    text += "%6 = tw.layer_norm %x, %w, %b : (" + x + ", " + w + ", " + w +
            ") -> " + x + "\n";
    text += "return %0, %1, %2, %3, %4, %5, %6 : ";
    for (int i = 0; i < 7; ++i)
      text += (i ? ", " : "") + x;
    checkPasses(text + "\n}");
  }
}

TEST_CASE("algebra keeps NaN and infinities") {
  checkPasses(R"(
    func.func @f(%x: tensor<4x4xf32>, %y: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
      %zero = tw.full {value = 0} : () -> tensor<f32>
      %one = tw.full {value = 1} : () -> tensor<f32>
      %two = tw.full {value = 2} : () -> tensor<f32>
      %minus = tw.full {value = -1} : () -> tensor<f32>
      %half = tw.full {value = 0.5} : () -> tensor<4xf32>
      %n = tw.neg %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %a0 = tw.add %y, %n : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %a = tw.add %a0, %zero : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
      %b0 = tw.mul %x, %minus : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
      %b = tw.sub %b0, %zero : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
      %c = tw.div %x, %half : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
      %d = tw.pow %x, %two : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
      %e = tw.maximum %x, %zero : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
      %g0 = tw.sub %zero, %x : (tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %g = tw.abs %g0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %h0 = tw.div %one, %x : (tensor<f32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %h1 = tw.pow %x, %minus : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
      %h = tw.minimum %h0, %h1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %k0 = tw.sub %x, %y : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      %k1 = tw.neg %k0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %k = tw.mul %n, %k1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
      return %a, %b, %c, %d, %e, %g, %h, %k : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
    })",
              {}, /*special=*/true);
}

TEST_CASE("sizes of ?, data movement and constants") {
  checkPasses(R"(
    func.func @f(%x: tensor<?x8xf32>, %w: tensor<6x8xf32>) -> (tensor<?x6xf32>, tensor<?x?xf32>, tensor<4xf32>) {
      %t = tw.transpose %w {permutation = [1, 0]} : (tensor<6x8xf32>) -> tensor<8x6xf32>
      %u = tw.transpose %t {permutation = [0, 1]} : (tensor<8x6xf32>) -> tensor<8x6xf32>
      %m = tw.matmul %x, %u : (tensor<?x8xf32>, tensor<8x6xf32>) -> tensor<?x6xf32>
      %s = tw.slice %x {offsets = [0, 2], sizes = [?, ?]} : (tensor<?x8xf32>) -> tensor<?x?xf32>
      %s2 = tw.slice %s {offsets = [0, 1], sizes = [?, 4], strides = [1, 1]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
      %c = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
      %p = tw.matmul %c, %c : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
      %q = tw.softmax %p {axis = 0} : (tensor<2x2xf32>) -> tensor<2x2xf32>
      %r = tw.reshape %q : (tensor<2x2xf32>) -> tensor<4xf32>
      %e = tw.full {value = 0} : () -> tensor<0xf32>
      %k = tw.concat %e, %r {axis = 0} : (tensor<0xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %m, %s2, %k : tensor<?x6xf32>, tensor<?x?xf32>, tensor<4xf32>
    })",
              {3});
}
