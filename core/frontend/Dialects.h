//===- Dialects.h - every dialect a source may use --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <memory>

namespace mlir {
class DialectRegistry;
class MLIRContext;
} // namespace mlir

namespace tilewright {

/// Ours and the upstream ones we read and lower to, with the external models
/// that tiling, bufferization and the way to LLVM IR need.
void registerTilewrightDialects(mlir::DialectRegistry &registry);

/// A context with all of them loaded, so that it may be used from several
/// threads. About 5 ms.
std::shared_ptr<mlir::MLIRContext> makeContext();

} // namespace tilewright
