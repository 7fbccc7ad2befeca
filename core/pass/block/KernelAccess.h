//===- KernelAccess.h - what a kernel touches of its arguments --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"

namespace tilewright::pass {

/// One #block.access a buffer argument: the hull of what all instructions touch
/// at a grid point, loops included. A dimension whose offsets are not affine in
/// the grid coordinates is whole.
mlir::ArrayAttr accessOf(block::KernelOp kernel);

} // namespace tilewright::pass
