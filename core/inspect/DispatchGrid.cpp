//===- DispatchGrid.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/inspect/DispatchGrid.h"

namespace tilewright::inspect {

std::vector<model::Expr> dispatchGrid(block::DispatchOp dispatch) {
  std::vector<model::Expr> grid;
  unsigned dynamic = 0;
  for (int64_t size : dispatch.getStaticGrid())
    grid.push_back(mlir::ShapedType::isDynamic(size)
                       ? model::Expr::symbol("n" + std::to_string(dynamic++))
                       : model::Expr(size));
  return grid;
}

} // namespace tilewright::inspect
