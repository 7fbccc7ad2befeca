//===- RegisterUpstream.h - the upstream dialects we accept -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace tilewright {

/// The upstream dialects that sources and stages use, with the extensions that
/// tiling and bufferization need.
void registerUpstreamDialects(mlir::DialectRegistry &registry);

/// The upstream passes that tests use beside ours.
void registerUpstreamPasses();

} // namespace tilewright
