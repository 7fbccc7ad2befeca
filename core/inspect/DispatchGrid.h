//===- DispatchGrid.h - the grid a kernel is dispatched over ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"
#include "core/model/Expr.h"
#include <vector>

namespace tilewright::inspect {

/// Tasks along each dimension; those known at run time only are the symbols
/// n0, n1 ….
std::vector<model::Expr> dispatchGrid(block::DispatchOp dispatch);

} // namespace tilewright::inspect
