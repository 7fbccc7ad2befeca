//===- AffineToIndexMap.cpp - MLIR's affine maps as index maps ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/AffineToIndexMap.h"
#include "mlir/IR/AffineExpr.h"

using namespace mlir;

namespace tilewright::execute {

static void append(AffineExpr expr, unsigned dims, std::vector<int64_t> &code) {
  using Op = IndexMap::Op;
  auto binary = [&](Op op) {
    auto binary = cast<AffineBinaryOpExpr>(expr);
    append(binary.getLHS(), dims, code);
    append(binary.getRHS(), dims, code);
    code.push_back(int64_t(op));
  };
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    code.push_back(int64_t(Op::Constant));
    code.push_back(cast<AffineConstantExpr>(expr).getValue());
    return;
  case AffineExprKind::DimId:
    code.push_back(int64_t(Op::Input));
    code.push_back(cast<AffineDimExpr>(expr).getPosition());
    return;
  case AffineExprKind::SymbolId:
    code.push_back(int64_t(Op::Input));
    code.push_back(dims + cast<AffineSymbolExpr>(expr).getPosition());
    return;
  case AffineExprKind::Add:
    return binary(Op::Add);
  case AffineExprKind::Mul:
    return binary(Op::Mul);
  case AffineExprKind::FloorDiv:
    return binary(Op::FloorDiv);
  case AffineExprKind::CeilDiv:
    return binary(Op::CeilDiv);
  case AffineExprKind::Mod:
    return binary(Op::Mod);
  }
}

std::optional<IndexMap> toIndexMap(AffineMap map) {
  IndexMap result;
  for (AffineExpr expr : map.getResults()) {
    std::vector<int64_t> code;
    append(expr, map.getNumDims(), code);
    if (!result.addResult(std::move(code), map.getNumInputs()))
      return std::nullopt;
  }
  return result;
}

} // namespace tilewright::execute
