//===- RegisterPasses.h - all passes by name --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function a stage, each defined in that stage's folder: makes the stage's
// passes known to MLIR's pass registry, for `tilewright-opt`.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace tilewright {

void registerTensorPasses();
void registerTilePasses();
void registerBlockPasses();
void registerExecutionPasses();

} // namespace tilewright
