//===- SplatValue.h - tensors with one value everywhere ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace tilewright::pass {

/// The one value of a `tw.full` or of a constant that is the same everywhere,
/// as its element type holds it.
std::optional<double> splatValue(mlir::Value value);

} // namespace tilewright::pass
