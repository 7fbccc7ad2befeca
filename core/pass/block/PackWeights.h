//===- PackWeights.h - weights packed once for all runs ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"
#include "core/pass/TargetPass.h"

namespace tilewright::pass {

/// Where every kernel that reads a weight of `program` (an argument with
/// weightAttrName) first moves the part it needs into packed panels: puts
/// the whole weight into panels in a buffer of the program, by a kernel of its
/// own that is dispatched once (onceAttrName), and lets the kernels read their
/// parts there.
///
/// Left as it is: a weight that is read in another way too, whose parts do not
/// begin at a panel, or that a kernel with several dispatches gets in different
/// places.
void packWeights(block::ProgramOp program);

std::unique_ptr<mlir::Pass> createPackWeightsPass(TargetPtr target = nullptr);

} // namespace tilewright::pass
