//===- TileSize.h - how large one tile of a row of tiles is -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include <optional>

namespace tilewright::pass {

/// min(tile, extent - offset), a constant where every tile is whole.
mlir::OpFoldResult tileSize(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::OpFoldResult extent,
                            mlir::OpFoldResult offset, int64_t tile);

/// The largest value an index can have, from the forms that tiling makes.
std::optional<int64_t> upperBound(mlir::OpFoldResult size, unsigned depth = 8);

} // namespace tilewright::pass
