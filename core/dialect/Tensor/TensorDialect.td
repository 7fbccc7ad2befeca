//===- TensorDialect.td - the Tensor graph -----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TENSOR_DIALECT
#define TILEWRIGHT_TENSOR_DIALECT

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Tensor_Dialect : Dialect {
  let name = "tw";
  let cppNamespace = "::tilewright::tw";
  let summary = "Operators on whole tensors, without any hardware";
  let description = [{
    Operators on builtin ranked tensors, in value form: no destination operand,
    no side effect. Shapes broadcast as in numpy: aligned at the last dimension,
    and a dimension of static size 1 stretches. A `?` dimension never stretches;
    where it meets another size the two are asserted to be equal.

    Numbers: every operator takes its operands' values as exact, computes in at
    least f32 (sums in f32), and rounds once, to nearest even, to the result's
    element type. Arithmetic is on f32, f16 and bf16; comparison, selection,
    casts and data movement also take i1, i8, i32 and i64.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif
