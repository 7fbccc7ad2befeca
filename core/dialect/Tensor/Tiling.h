//===- Tiling.h - one tile of an operator -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Tensor/TensorDialect.h"

namespace tilewright::tw {

/// A part of a matrix product, any of its dimensions cut: slices of the
/// operands and a matmul of them that adds to `acc`, or to nothing if null.
/// `offsets` and `sizes` are over the iteration dimensions (batches, m, n, k);
/// `acc` has the type of the tile, element type of the result. With k cut, the
/// sum of the parts is the product only if each part gets the last one's
/// result as `acc`; keep `acc` in f32 for that, or each part rounds.
MatmulOp buildMatmulTile(mlir::OpBuilder &b, MatmulOp op,
                         llvm::ArrayRef<mlir::OpFoldResult> offsets,
                         llvm::ArrayRef<mlir::OpFoldResult> sizes,
                         mlir::Value acc);

} // namespace tilewright::tw
