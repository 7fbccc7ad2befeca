//===- TensorDialect.cpp - the Tensor graph -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/dialect/Weights.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::tw;

#include "core/dialect/Tensor/TensorDialect.cpp.inc"
#include "core/dialect/Tensor/TensorEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "core/dialect/Tensor/TensorAttributes.cpp.inc"

void TensorDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "core/dialect/Tensor/TensorAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "core/dialect/Tensor/TensorOps.cpp.inc"
      >();
}

Operation *TensorDialect::materializeConstant(OpBuilder &builder,
                                              Attribute value, Type type,
                                              Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

// A misspelt attribute of ours would be kept in silence and do nothing.

LogicalResult TensorDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute attr) {
  return op->emitError() << op->getName() << " has no attribute "
                         << attr.getName().getValue()
                         << "; those of tw stand on arguments of functions "
                            "[TW0114]";
}

LogicalResult TensorDialect::verifyRegionArgAttribute(Operation *op,
                                                      unsigned /*region*/,
                                                      unsigned argument,
                                                      NamedAttribute attr) {
  if (attr.getName() != weightAttrName)
    return op->emitError() << "argument " << argument << " has an attribute "
                           << attr.getName().getValue()
                           << " that means nothing; did you mean "
                           << weightAttrName << "? [TW0114]";
  if (!isa<UnitAttr>(attr.getValue()))
    return op->emitError() << "argument " << argument << " has a value for "
                           << weightAttrName << ", which takes none [TW0114]";
  return success();
}

LogicalResult TensorDialect::verifyRegionResultAttribute(Operation *op,
                                                         unsigned /*region*/,
                                                         unsigned result,
                                                         NamedAttribute attr) {
  return op->emitError() << "result " << result << " has an attribute "
                         << attr.getName().getValue()
                         << " that means nothing; those of tw stand on "
                            "arguments [TW0114]";
}

void tilewright::registerTensorDialect(DialectRegistry &registry) {
  registry.insert<TensorDialect, affine::AffineDialect, arith::ArithDialect,
                  func::FuncDialect, mlir::tensor::TensorDialect>();
}
