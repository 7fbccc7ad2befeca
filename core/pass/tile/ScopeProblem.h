//===- ScopeProblem.h - a scope as a tile decision sees it ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TileProblem.h"
#include "core/pass/tile/ScopeSpace.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace tilewright::pass {

/// The dimensions and buffers of a scope, in the terms of core/decision.
decision::TileProblem problemOf(const ScopeBody &body, std::string key);

/// `tile.sizes` <-> sizes. An attribute of another form reads as no sizes.
mlir::DictionaryAttr sizesAttr(mlir::MLIRContext *context,
                               const model::TileSizes &sizes);
model::TileSizes sizesFrom(mlir::Attribute attr);

} // namespace tilewright::pass
