//===- ScalarDecoder.h - arith and math operations as scalar code -*- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/ScalarCode.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace tilewright::execute {

/// `op` as scalar code, its registers left for the caller to fill in; empty if
/// it is no scalar operation of arith or math that is known here.
std::optional<ScalarInstruction> decodeScalar(mlir::Operation *op);

} // namespace tilewright::execute
