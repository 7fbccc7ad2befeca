//===- BodyConstants.h - constants in the bodies that use them --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Operation.h"

namespace tilewright::pass {

/// Puts constants that bodies of linalg operations in `root` use back into
/// them. Upstream's folding and CSE move them out, as they would of a loop; but
/// an operation and its body go into a scope as a whole, and what the body says
/// of an element is then to be read in it alone.
void keepConstantsInBodies(mlir::Operation *root);

} // namespace tilewright::pass
