//===- WrongPassTest.cpp - a wrong pass is named --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "WrongPass.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <catch2/catch.hpp>
#include <set>

using namespace mlir;
using namespace tilewright;

namespace {

/// A product with a bias and a softmax behind it, with tails on both sides and
/// several turns over the depth. The bias could be taken for a column.
constexpr const char *program = R"(
func.func @f(%x: tensor<200x700xf32>, %w: tensor<700x200xf32>,
             %b: tensor<200xf32>) -> tensor<200x200xf32> {
  %mm = tw.matmul %x, %w : (tensor<200x700xf32>, tensor<700x200xf32>) -> tensor<200x200xf32>
  %biased = tw.add %mm, %b : (tensor<200x200xf32>, tensor<200xf32>) -> tensor<200x200xf32>
  %p = tw.softmax %biased {axis = -1} : (tensor<200x200xf32>) -> tensor<200x200xf32>
  return %p : tensor<200x200xf32>
}
)";

/// The first operation of a kind for which `change` returns true.
template <typename Op> Spoil first(std::function<bool(Op)> change) {
  return [change](ModuleOp module) {
    return module
        ->walk([&](Op op) {
          return change(op) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  };
}

template <typename Op> bool swapOperands(Op op) {
  Value left = op->getOperand(0), right = op->getOperand(1);
  if (op->getResult(0).getType() != left.getType())
    return false;
  op->setOperand(0, right);
  op->setOperand(1, left);
  return true;
}

/// The last tiles of a grid are left out.
bool dropTail(scf::ForallOp grid) {
  SmallVector<int64_t> upper(grid.getStaticUpperBound());
  for (size_t d = 0; d < upper.size(); ++d) {
    int64_t step = grid.getStaticStep()[d];
    if (upper[d] <= step)
      continue;
    upper[d] = (upper[d] - 1) / step * step;
    grid.setStaticUpperBound(upper);
    return true;
  }
  return false;
}

/// What follows `op` reads its result rounded to bf16.
bool roundToBf16(tw::ExpOp op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  Value narrow = builder.create<tw::CastOp>(
      op.getLoc(), type.clone(builder.getBF16Type()), op->getResult(0));
  Value wide = builder.create<tw::CastOp>(op.getLoc(), type, narrow);
  op->getResult(0).replaceAllUsesExcept(wide, narrow.getDefiningOp());
  return true;
}

/// The bias is added to columns instead of rows.
bool turnBias(tw::AddOp op) {
  Value bias = op->getOperand(1);
  auto type = cast<RankedTensorType>(bias.getType());
  if (type.getRank() != 1)
    return false;
  OpBuilder builder(op);
  op->setOperand(1, builder.create<tw::ReshapeOp>(
                        op.getLoc(),
                        type.clone(ArrayRef<int64_t>{type.getDimSize(0), 1}),
                        bias));
  return true;
}

struct Case {
  const char *what;
  const char *target;
  WrongPass pass;
  std::set<std::string> keys; ///< any of which may be named
  bool inScope = true;
};

std::vector<Case> cases() {
  std::set<std::string> product = {"f/mm", "f/biased"};
  std::set<std::string> row = {"f/p"};
  return {
      {"swapped operands of sub",
       "cpu-generic",
       {"tensor/decompose-composites",
        first<tw::SubOp>(swapOperands<tw::SubOp>)},
       {"f/p.centered", "f/p"},
       false},
      {"wrong broadcast axis",
       "cpu-generic",
       {"tensor/decompose-composites", first<tw::AddOp>(turnBias)},
       {"f/biased"},
       false},
      {"tail left out",
       "cpu-generic",
       {"tile/expand-tiles", first<scf::ForallOp>(dropTail)},
       {"f/mm", "f/biased", "f/p"}},
      {"wrong rounding",
       "cpu-generic",
       {"tile/expand-tiles", first<tw::ExpOp>(roundToBf16)},
       row},
      {"wrong initial value",
       "cpu-generic",
       {"tile/expand-tiles", first<tw::FullOp>([](tw::FullOp op) {
          auto value = dyn_cast<FloatAttr>(op.getValueAttr());
          if (!value || !value.getValue().isZero())
            return false;
          op.setValueAttr(FloatAttr::get(value.getType(), 1.0));
          return true;
        })},
       product},
      {"wrong kind of reduction",
       "cpu-generic",
       {"tile/place-tiles", first<tw::ReduceOp>([](tw::ReduceOp op) {
          if (op.getKind() != tw::ReduceKind::Sum)
            return false;
          op.setKind(tw::ReduceKind::Max);
          return true;
        })},
       row},
      {"wrong slice",
       "cpu-generic",
       {"tile/expand-tiles",
        first<tensor::ExtractSliceOp>([](tensor::ExtractSliceOp op) {
          if (op.getOffsets().empty())
            return false;
          OpBuilder builder(op);
          SmallVector<OpFoldResult> offsets(op.getMixedOffsets().size(),
                                            builder.getIndexAttr(0));
          Value same = builder.create<tensor::ExtractSliceOp>(
              op.getLoc(), op.getType(), op.getSource(), offsets,
              op.getMixedSizes(), op.getMixedStrides());
          op.replaceAllUsesWith(same);
          return true;
        })},
       {"f/mm", "f/biased", "f/p"}},
      {"dropped epilogue",
       "cpu-generic",
       {"tile/place-tiles", first<tw::AddOp>([](tw::AddOp op) {
          if (op->getOperand(0).getType() != op->getResult(0).getType())
            return false;
          op->getResult(0).replaceAllUsesWith(op->getOperand(0));
          return true;
        })},
       {"f/biased"}},
      {"swapped operands of div",
       "cpu-generic",
       {"block/bufferize", first<block::BinaryOp>([](block::BinaryOp op) {
          if (op.getKind() != block::BinaryKind::Div)
            return false;
          Value left = op.getLhs();
          op->setOperand(0, op.getRhs());
          op->setOperand(1, left);
          return true;
        })},
       row},
      {"dropped accumulate",
       "cpu-generic",
       {"block/bufferize", first<block::MatmulOp>([](block::MatmulOp op) {
          bool was = op.getAccumulate();
          op.setAccumulate(false);
          return was;
        })},
       product},
      {"shifted offset",
       "cpu-generic",
       {"block/allocate-onchip",
        [](ModuleOp module) {
          int shifted = 0;
          module->walk([&](block::AllocOp op) {
            if (op.getOffset().value_or(0) > 0)
              ++shifted, op.setOffset(0);
          });
          return shifted > 0;
        }},
       {"f/mm", "f/biased", "f/p"}},
      {"missing waits",
       "ascend-a3",
       {"block/insert-sync",
        [](ModuleOp module) {
          SmallVector<Operation *> waits;
          module->walk([&](block::WaitEventOp op) { waits.push_back(op); });
          for (Operation *wait : waits)
            wait->erase();
          return !waits.empty();
        }},
       {"f/mm", "f/biased", "f/p"}},
  };
}

} // namespace

TEST_CASE("right passes are not accused") {
  for (const char *target : {"cpu", "cpu-generic", "ascend-a3"}) {
    CAPTURE(target);
    auto result = verifyWith(program, target, {});
    CHECK(result.passed);
    CHECK(result.firstPass == "");
  }
}

TEST_CASE("a wrong pass is named, with its scope and a key") {
  for (Case &each : cases()) {
    CAPTURE(each.what);
    int found = 0;
    WrongPass counted = each.pass;
    counted.spoil = [&](ModuleOp module) {
      bool did = each.pass.spoil(module);
      found += did;
      return did;
    };
    auto result = verifyWith(program, each.target, counted);
    CHECK(found > 0);
    CHECK_FALSE(result.passed);
    CHECK(result.firstPass == each.pass.name());
    CAPTURE(result.firstKey);
    CHECK(each.keys.count(result.firstKey) == 1);
    CHECK(result.firstScope.empty() != each.inScope);
  }
}

TEST_CASE("a tensor on the way is held to the errors of what it is made from") {
  // The product is rounded to f16 in the source. A pass may keep it in f32:
  // what the softmax makes of it is then off by half a unit of f16, far beyond
  // 1e-5.
  int changed = 0;
  auto result =
      verifyWith(R"(
func.func @f(%x: tensor<13x13x13xf32>) -> tensor<13x13x13xf16> {
  %a = tw.cast %x : (tensor<13x13x13xf32>) -> tensor<13x13x13xf16>
  %c = tw.matmul %a, %a : (tensor<13x13x13xf16>, tensor<13x13x13xf16>) -> tensor<13x13x13xf16>
  %p = tw.softmax %c {axis = -1} : (tensor<13x13x13xf16>) -> tensor<13x13x13xf16>
  return %p : tensor<13x13x13xf16>
}
)",
                 "cpu", {"tile/form-scopes", [&](ModuleOp module) {
                           module->walk([&](tw::CastOp cast) {
                             auto product =
                                 cast.getInput().getDefiningOp<tw::MatmulOp>();
                             if (!product)
                               return;
                             product->getResult(0).setType(cast.getType());
                             product->setLoc(cast.getLoc());
                             cast.replaceAllUsesWith(product->getResult(0));
                             cast.erase();
                             ++changed;
                           });
                           return changed > 0;
                         }});
  CHECK(changed == 1);
  CHECK(result.passed);
  for (const model::VerifiedPass &pass : result.passes)
    CHECK(pass.failing.empty());
}

TEST_CASE("a pass whose results agree shows an error that agrees") {
  // The row's only value is what is left of a gelu that cancels.
  auto result = verifyWith(R"(
func.func @f(%x: tensor<27x27xf32>) -> tensor<f32> {
  %s = tw.reduce %x {kind = sum, axes = [1], keepdims} : (tensor<27x27xf32>) -> tensor<27x1xf32>
  %g = tw.gelu %s : (tensor<27x1xf32>) -> tensor<27x1xf32>
  %r = tw.reduce %g {kind = sum, axes = [0, -1]} : (tensor<27x1xf32>) -> tensor<f32>
  return %r : tensor<f32>
}
)",
                           "cpu", {});
  CHECK(result.passed);
  for (const model::VerifiedPass &pass : result.passes)
    if (pass.result == "passed" && pass.worst) {
      CHECK(pass.worst->passed);
      CHECK(pass.failing.empty());
    }
}
