//===- ConstantTensor.h - constants as tensors and back ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/HostTensor.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace tilewright::execute {

/// The elements of a dense constant or a resource; empty for kinds that are not
/// read and types that cannot be executed.
std::optional<HostTensor> toHostTensor(mlir::ElementsAttr value);

/// The same way back; `type` has the tensor's shape and element.
mlir::DenseElementsAttr toElementsAttr(const HostTensor &tensor,
                                       mlir::RankedTensorType type);

} // namespace tilewright::execute
