//===- TensorOps.td - operators of the Tensor graph --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TENSOR_OPS
#define TILEWRIGHT_TENSOR_OPS

include "core/dialect/Tensor/TensorDialect.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

class Tensor_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilewright::tw";
  let genSpecializedAttr = 0;
}
class Tensor_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<Tensor_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def Tensor_ReduceKind : Tensor_Enum<"ReduceKind", "what a reduction computes", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"Prod", 4, "prod">]>;
def Tensor_ReduceKindAttr : Tensor_EnumAttr<Tensor_ReduceKind, "reduce_kind">;

def Tensor_ComparePredicate : Tensor_Enum<"ComparePredicate", "which comparison", [
    I32EnumAttrCase<"Eq", 0, "eq">, I32EnumAttrCase<"Ne", 1, "ne">,
    I32EnumAttrCase<"Lt", 2, "lt">, I32EnumAttrCase<"Le", 3, "le">,
    I32EnumAttrCase<"Gt", 4, "gt">, I32EnumAttrCase<"Ge", 5, "ge">]>;
def Tensor_ComparePredicateAttr
    : Tensor_EnumAttr<Tensor_ComparePredicate, "compare_predicate">;

//===----------------------------------------------------------------------===//
// Bases
//===----------------------------------------------------------------------===//

/// Element types are checked by the verifiers, whose messages carry codes.
def Tensor_Ranked : Type<CPred<"::llvm::isa<::mlir::RankedTensorType>($_self)">,
                         "ranked tensor", "::mlir::RankedTensorType">;

/// Every operator: one ranked tensor result, pure, sizes of `?` can be asked.
class Tensor_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tensor_Dialect, mnemonic,
         traits # [Pure, DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface>]> {
  let results = (outs Tensor_Ranked:$result);
  let hasVerifier = 1;
  code commonDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::tilewright::tw::verifyOperator(*this);
    }
    ::llvm::LogicalResult $cppClass::reifyResultShapes(
        ::mlir::OpBuilder &builder,
        ::mlir::ReifiedRankedShapedTypeDims &shapes) {
      return ::tilewright::tw::reifyResultShapes(*this, builder, shapes);
    }
  }];
  let extraClassDefinition = commonDefinition;
}

/// An operator that can be cut into tiles. Its iteration space is given by
/// IterationSpace.cpp, from which all methods follow.
class Tensor_TiledOp<string mnemonic, list<Trait> traits = []>
    : Tensor_Op<mnemonic, traits # [DeclareOpInterfaceMethods<TilingInterface,
          ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation",
           "getResultTilePosition", "generateResultTileValue",
           "getIterationDomainTileFromResultTile"]>]> {
  let extraClassDefinition = commonDefinition # [{
    ::llvm::SmallVector<::mlir::utils::IteratorType> $cppClass::getLoopIteratorTypes() {
      return ::tilewright::tw::iteratorTypes(*this);
    }
    ::llvm::SmallVector<::mlir::Range>
    $cppClass::getIterationDomain(::mlir::OpBuilder &b) {
      return ::tilewright::tw::iterationDomain(*this, b);
    }
    ::llvm::FailureOr<::mlir::TilingResult> $cppClass::getTiledImplementation(
        ::mlir::OpBuilder &b, ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes) {
      return ::tilewright::tw::tiledImplementation(*this, b, offsets, sizes);
    }
    ::llvm::LogicalResult $cppClass::getResultTilePosition(
        ::mlir::OpBuilder &b, unsigned, ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes,
        ::llvm::SmallVector<::mlir::OpFoldResult> &resultOffsets,
        ::llvm::SmallVector<::mlir::OpFoldResult> &resultSizes) {
      return ::tilewright::tw::resultTilePosition(*this, b, offsets, sizes,
                                                  resultOffsets, resultSizes);
    }
    ::llvm::FailureOr<::mlir::TilingResult> $cppClass::generateResultTileValue(
        ::mlir::OpBuilder &b, unsigned, ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes) {
      return ::tilewright::tw::resultTileValue(*this, b, offsets, sizes);
    }
    ::llvm::LogicalResult $cppClass::getIterationDomainTileFromResultTile(
        ::mlir::OpBuilder &b, unsigned, ::llvm::ArrayRef<::mlir::OpFoldResult> offsets,
        ::llvm::ArrayRef<::mlir::OpFoldResult> sizes,
        ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &domainOffsets,
        ::llvm::SmallVectorImpl<::mlir::OpFoldResult> &domainSizes) {
      return ::tilewright::tw::domainTileFromResultTile(
          *this, b, offsets, sizes, domainOffsets, domainSizes);
    }
  }];
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

class Tensor_UnaryOp<string mnemonic, string what> : Tensor_TiledOp<mnemonic> {
  let summary = what;
  let arguments = (ins Tensor_Ranked:$input);
  let assemblyFormat =
      "$input `` custom<Attributes>(attr-dict) `:` functional-type(operands, results)";
  let builders = [OpBuilder<(ins "::mlir::Value":$input), [{
    build($_builder, $_state, input.getType(), input);
  }]>];
}

def Tensor_NegOp : Tensor_UnaryOp<"neg", "negation, -x"> {
  let description = [{
    `y[i] = -x[i]`; the sign of zeros and NaNs is flipped too.

    ```mlir
    %y = tw.neg %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let hasFolder = 1;
}
def Tensor_AbsOp : Tensor_UnaryOp<"abs", "absolute value, |x|"> {
  let description = [{
    `y[i] = |x[i]|`; clears the sign of zeros and NaNs.

    ```mlir
    %y = tw.abs %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let hasFolder = 1;
}
def Tensor_ExpOp : Tensor_UnaryOp<"exp", "exponential, e^x"> {
  let description = [{
    `y[i] = e^x[i]`. exp(-inf) = 0, exp(inf) = inf.

    ```mlir
    %y = tw.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
}
def Tensor_LogOp : Tensor_UnaryOp<"log", "natural logarithm, ln x"> {
  let description = [{
    `y[i] = ln x[i]`. log(0) = -inf, NaN below 0.

    ```mlir
    %y = tw.log %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
}
def Tensor_SqrtOp : Tensor_UnaryOp<"sqrt", "square root"> {
  let description = [{
    `y[i] = sqrt(x[i])`; NaN below 0.

    ```mlir
    %y = tw.sqrt %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
}
def Tensor_RsqrtOp : Tensor_UnaryOp<"rsqrt", "reciprocal square root, 1 / sqrt(x)"> {
  let description = [{
    `y[i] = 1 / sqrt(x[i])`. rsqrt(0) = inf, NaN below 0.

    ```mlir
    %y = tw.rsqrt %x : (tensor<4x1xf32>) -> tensor<4x1xf32>
    ```
  }];
}
def Tensor_ReciprocalOp : Tensor_UnaryOp<"reciprocal", "reciprocal, 1 / x"> {
  let description = [{
    `y[i] = 1 / x[i]`; infinite at 0 with the sign of the zero.

    ```mlir
    %y = tw.reciprocal %x : (tensor<4x1xf32>) -> tensor<4x1xf32>
    ```
  }];
}
def Tensor_TanhOp : Tensor_UnaryOp<"tanh", "hyperbolic tangent"> {
  let description = [{
    `y[i] = tanh(x[i])`.

    ```mlir
    %y = tw.tanh %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
}
def Tensor_ErfOp : Tensor_UnaryOp<"erf", "error function"> {
  let description = [{
    `y[i] = erf(x[i])`, 2/sqrt(pi) times the integral of e^(-t*t) from 0 to x.

    ```mlir
    %y = tw.erf %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
}
def Tensor_SigmoidOp : Tensor_UnaryOp<"sigmoid", "logistic function, 1 / (1 + e^-x)"> {
  let description = [{
    `y[i] = 1 / (1 + e^-x[i])`. `decompose-composites` writes it out.

    ```mlir
    %y = tw.sigmoid %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
}
def Tensor_SiluOp : Tensor_UnaryOp<"silu", "x * sigmoid(x)"> {
  let description = [{
    `y[i] = x[i] / (1 + e^-x[i])`, also called swish. `decompose-composites`
    writes it out.

    ```mlir
    %act = tw.silu %gate : (tensor<128x1408xf32>) -> tensor<128x1408xf32>
    ```
  }];
}
def Tensor_GeluOp : Tensor_UnaryOp<"gelu", "x * Phi(x), the exact form with erf"> {
  let description = [{
    `y[i] = x[i] * (1 + erf(x[i] / sqrt(2))) / 2`: the exact form, not the one
    approximated by tanh. `decompose-composites` writes it out.

    ```mlir
    %y = tw.gelu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
}
def Tensor_ReluOp : Tensor_UnaryOp<"relu", "max(x, 0)"> {
  let description = [{
    `y[i] = max(x[i], 0)`; NaN stays NaN.

    ```mlir
    %y = tw.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let hasFolder = 1;
}

class Tensor_BinaryOp<string mnemonic, string what, list<Trait> traits = []>
    : Tensor_TiledOp<mnemonic, traits> {
  let summary = what;
  let arguments = (ins Tensor_Ranked:$lhs, Tensor_Ranked:$rhs);
  let assemblyFormat =
      "$lhs `,` $rhs `` custom<Attributes>(attr-dict) `:` functional-type(operands, results)";
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs), [{
    build($_builder, $_state, ::tilewright::tw::broadcastType(lhs, rhs), lhs, rhs);
  }]>];
}

def Tensor_AddOp : Tensor_BinaryOp<"add", "sum, x + y", [Commutative]> {
  let description = [{
    `z = x + y`, operands broadcast to a common shape.

    ```mlir
    %z = tw.add %x, %bias : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
}
def Tensor_SubOp : Tensor_BinaryOp<"sub", "difference, x - y"> {
  let description = [{
    `z = x - y`, operands broadcast to a common shape.

    ```mlir
    %z = tw.sub %x, %row_max : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    ```
  }];
}
def Tensor_MulOp : Tensor_BinaryOp<"mul", "product by elements, x * y", [Commutative]> {
  let description = [{
    `z = x * y`, operands broadcast to a common shape.

    ```mlir
    %z = tw.mul %x, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
}
def Tensor_DivOp : Tensor_BinaryOp<"div", "quotient, x / y"> {
  let description = [{
    `z = x / y`, operands broadcast to a common shape. x / 0 is infinite, 0 / 0
    is NaN.

    ```mlir
    %z = tw.div %e, %row_sum : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
    ```
  }];
}
def Tensor_MaximumOp : Tensor_BinaryOp<"maximum", "the larger one", [Commutative]> {
  let description = [{
    `z = max(x, y)`, operands broadcast to a common shape. NaN if either is NaN;
    the maximum of -0 and +0 is +0.

    ```mlir
    %z = tw.maximum %x, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
}
def Tensor_MinimumOp : Tensor_BinaryOp<"minimum", "the smaller one", [Commutative]> {
  let description = [{
    `z = min(x, y)`, operands broadcast to a common shape. NaN if either is NaN;
    the minimum of -0 and +0 is -0.

    ```mlir
    %z = tw.minimum %x, %y : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
}
def Tensor_PowOp : Tensor_BinaryOp<"pow", "power, x ^ y"> {
  let description = [{
    `z = x ^ y`, operands broadcast to a common shape; C's `pow` at the edges
    (pow(x, 0) = 1 even for NaN, NaN for a negative base with a fraction).

    ```mlir
    %z = tw.pow %x, %two : (tensor<4x8xf32>, tensor<1xf32>) -> tensor<4x8xf32>
    ```
  }];
}

def Tensor_CastOp : Tensor_TiledOp<"cast"> {
  let summary = "converts the element type";
  let description = [{
    The same values in another element type. To a narrower float: rounded to
    nearest even, overflow becomes infinite. Float to integer: toward zero,
    clamped to the type's range, NaN becomes 0. To i1: whether it is not 0.

    ```mlir
    %y = tw.cast %x : (tensor<4x8xf32>) -> tensor<4x8xbf16>
    ```
  }];
  let arguments = (ins Tensor_Ranked:$input);
  let assemblyFormat =
      "$input `` custom<Attributes>(attr-dict) `:` functional-type(operands, results)";
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "::mlir::Type":$elementType), [{
    build($_builder, $_state,
          ::llvm::cast<::mlir::RankedTensorType>(input.getType())
              .clone(elementType), input);
  }]>];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tensor_CompareOp : Tensor_TiledOp<"compare"> {
  let summary = "comparison by elements";
  let description = [{
    `z = x <predicate> y` as i1, operands broadcast to a common shape. Any
    comparison with NaN is false, but for `ne`, which is true. Integers are
    signed (i1: 0 < 1).

    ```mlir
    %m = tw.compare %x, %y {predicate = lt} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
    ```
  }];
  let arguments = (ins Tensor_Ranked:$lhs, Tensor_Ranked:$rhs,
                       Tensor_ComparePredicateAttr:$predicate);
  let assemblyFormat =
      "$lhs `,` $rhs `` custom<Attributes>(attr-dict) `:` functional-type(operands, results)";
}

def Tensor_SelectOp : Tensor_TiledOp<"select"> {
  let summary = "chooses between two tensors by elements";
  let description = [{
    `z = condition ? on_true : on_false`, the three broadcast to a common shape.
    What is not chosen has no influence, not even as NaN.

    ```mlir
    %z = tw.select %m, %x, %y
       : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<1xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tensor_Ranked:$condition, Tensor_Ranked:$on_true,
                       Tensor_Ranked:$on_false);
  let assemblyFormat = "$condition `,` $on_true `,` $on_false "
                       "`` custom<Attributes>(attr-dict) `:` functional-type(operands, results)";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Contraction and reduction
//===----------------------------------------------------------------------===//

def Tensor_MatmulOp : Tensor_TiledOp<"matmul"> {
  let summary = "matrix product, optionally added to an accumulator";
  let description = [{
    `c[.., i, j] = acc[.., i, j] + sum over k of a[.., i, k] * b[.., k, j]`.

    The last two dimensions are the matrices; those before are batches and
    broadcast. `transpose_lhs` reads the left operand as `a[.., k, i]`,
    `transpose_rhs` the right one as `b[.., j, k]`. The sum is kept in f32 (the
    interpreter: in double) and rounded once to the result's element type, which
    may be wider or narrower than the operands'. `acc` has the type of the
    result and is what loops over k use. Iteration dimensions: batches `b0`, …,
    then `m`, `n`, `k`.

    ```mlir
    %c = tw.matmul %a, %b : (tensor<96x1536xbf16>, tensor<1536x3072xbf16>) -> tensor<96x3072xf32>
    %s = tw.matmul %q, %k {transpose_rhs}
       : (tensor<8x128x64xf32>, tensor<8x256x64xf32>) -> tensor<8x128x256xf32>
    %d = tw.matmul %a, %b acc %c
       : (tensor<96x1536xbf16>, tensor<1536x3072xbf16>, tensor<96x3072xf32>) -> tensor<96x3072xf32>
    ```
  }];
  let arguments = (ins Tensor_Ranked:$lhs, Tensor_Ranked:$rhs, Optional<Tensor_Ranked>:$acc,
                       UnitAttr:$transpose_lhs, UnitAttr:$transpose_rhs);
  let assemblyFormat = "$lhs `,` $rhs (`acc` $acc^)? `` custom<Attributes>(attr-dict) "
                       "`:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// Sizes of the matrices, kDynamic where not known.
    int64_t getM();
    int64_t getN();
    int64_t getK();
    /// Number of leading batch dimensions of the result.
    int64_t getNumBatches() {
      return getResult().getType().getRank() - 2;
    }
  }];
}

def Tensor_ReduceOp : Tensor_TiledOp<"reduce"> {
  let summary = "sum, mean, max, min or product over axes";
  let description = [{
    Reduces over `axes` (negative ones count from the end). With `keepdims` the
    reduced dimensions stay as 1, else they go. `max` and `min` are NaN if an
    element is. Over no elements: sum 0, prod 1, max -inf, min inf, mean NaN.

    ```mlir
    %s = tw.reduce %x {kind = sum, axes = [-1], keepdims} : (tensor<4x8xf32>) -> tensor<4x1xf32>
    %m = tw.reduce %x {kind = max, axes = [0, 1]} : (tensor<4x8xf32>) -> tensor<f32>
    ```
  }];
  let arguments = (ins Tensor_Ranked:$input, Tensor_ReduceKindAttr:$kind,
                       DenseI64ArrayAttr:$axes, UnitAttr:$keepdims);
  let assemblyFormat =
      "$input `` custom<Attributes>(attr-dict) `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// The axes counted from the front, ascending.
    ::llvm::SmallVector<int64_t> getNormalizedAxes();
  }];
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Composites
//===----------------------------------------------------------------------===//

def Tensor_SoftmaxOp : Tensor_TiledOp<"softmax"> {
  let summary = "softmax along one axis";
  let description = [{
    `y = e^(x - max) / sum(e^(x - max))`, max and sum taken along `axis`
    (default: the last). `decompose-composites` writes it out. Iteration
    dimensions are all but the axis: a tile holds whole rows.

    ```mlir
    %p = tw.softmax %s {axis = -1} : (tensor<128x512xf32>) -> tensor<128x512xf32>
    ```
  }];
  let arguments = (ins Tensor_Ranked:$input, DefaultValuedAttr<I64Attr, "-1">:$axis);
  let assemblyFormat =
      "$input `` custom<Attributes>(attr-dict) `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// The axis counted from the front.
    int64_t getNormalizedAxis();
  }];
}

def Tensor_RmsNormOp : Tensor_TiledOp<"rms_norm"> {
  let summary = "root-mean-square normalisation over the last axis";
  let description = [{
    `y = x / sqrt(mean(x * x) + epsilon) * weight`, the mean taken along the
    last axis. `weight` is one-dimensional, as long as that axis.

    ```mlir
    %y = tw.rms_norm %x, %w {epsilon = 1.0e-05}
       : (tensor<128x4096xf32>, tensor<4096xf32>) -> tensor<128x4096xf32>
    ```
  }];
  let arguments = (ins Tensor_Ranked:$input, Tensor_Ranked:$weight,
                       DefaultValuedAttr<F64Attr, "1.0e-5">:$epsilon);
  let assemblyFormat = "$input `,` $weight `` custom<Attributes>(attr-dict) "
                       "`:` functional-type(operands, results)";
}

def Tensor_LayerNormOp : Tensor_TiledOp<"layer_norm"> {
  let summary = "layer normalisation over the last axis";
  let description = [{
    `y = (x - mean) / sqrt(variance + epsilon) * weight + bias`, mean and
    variance (the mean of (x - mean)^2) taken along the last axis. `weight` and
    `bias` are one-dimensional, as long as that axis.

    ```mlir
    %y = tw.layer_norm %x, %w, %b {epsilon = 1.0e-05}
       : (tensor<128x4096xf32>, tensor<4096xf32>, tensor<4096xf32>) -> tensor<128x4096xf32>
    ```
  }];
  let arguments = (ins Tensor_Ranked:$input, Tensor_Ranked:$weight, Tensor_Ranked:$bias,
                       DefaultValuedAttr<F64Attr, "1.0e-5">:$epsilon);
  let assemblyFormat = "$input `,` $weight `,` $bias `` custom<Attributes>(attr-dict) "
                       "`:` functional-type(operands, results)";
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

def Tensor_TransposeOp : Tensor_TiledOp<"transpose"> {
  let summary = "permutes the dimensions";
  let description = [{
    Dimension d of the result is dimension `permutation[d]` of the input.

    ```mlir
    %t = tw.transpose %x {permutation = [1, 0]} : (tensor<4x8xf32>) -> tensor<8x4xf32>
    ```
  }];
  let arguments = (ins Tensor_Ranked:$input, DenseI64ArrayAttr:$permutation);
  let assemblyFormat =
      "$input `` custom<Attributes>(attr-dict) `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tensor_ReshapeOp : Tensor_Op<"reshape"> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    The number of elements stays. The result may have one `?`, which is what the
    other dimensions leave.

    ```mlir
    %y = tw.reshape %x : (tensor<4x8xf32>) -> tensor<2x2x8xf32>
    ```
  }];
  let arguments = (ins Tensor_Ranked:$input);
  let assemblyFormat =
      "$input `` custom<Attributes>(attr-dict) `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tensor_SliceOp : Tensor_Op<"slice"> {
  let summary = "a regular part of a tensor";
  let description = [{
    `y[i, ..] = x[offset + i * stride, ..]`, with one offset, size and stride a
    dimension; `strides` may be left out and is then 1. A size of `?` takes all
    that is left of the dimension. No negative offsets or strides.

    ```mlir
    %y = tw.slice %x {offsets = [0, 16], sizes = [?, 8]} : (tensor<4x64xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tensor_Ranked:$input, DenseI64ArrayAttr:$offsets,
                       DenseI64ArrayAttr:$sizes, OptionalAttr<DenseI64ArrayAttr>:$strides);
  let assemblyFormat =
      "$input `` custom<Attributes>(attr-dict) `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// One stride a dimension, 1 where not written.
    ::llvm::SmallVector<int64_t> getStridesOrOnes();
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tensor_InsertOp : Tensor_Op<"insert"> {
  let summary = "a tensor with a regular part replaced";
  let description = [{
    `into` with `y[offset + i * stride, ..] = source[i, ..]`; `strides` may be
    left out and is then 1.

    ```mlir
    %y = tw.insert %source, %into {offsets = [0, 16]}
       : (tensor<4x8xf32>, tensor<4x64xf32>) -> tensor<4x64xf32>
    ```
  }];
  let arguments = (ins Tensor_Ranked:$source, Tensor_Ranked:$into,
                       DenseI64ArrayAttr:$offsets, OptionalAttr<DenseI64ArrayAttr>:$strides);
  let assemblyFormat = "$source `,` $into `` custom<Attributes>(attr-dict) "
                       "`:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// One stride a dimension, 1 where not written.
    ::llvm::SmallVector<int64_t> getStridesOrOnes();
  }];
  let hasFolder = 1;
}

def Tensor_ConcatOp : Tensor_Op<"concat"> {
  let summary = "tensors one behind the other along an axis";
  let description = [{
    All dimensions but `axis` are equal; the sizes along it add up.

    ```mlir
    %y = tw.concat %a, %b {axis = 1} : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<4x24xf32>
    ```
  }];
  let arguments = (ins Variadic<Tensor_Ranked>:$inputs, I64Attr:$axis);
  let assemblyFormat =
      "$inputs `` custom<Attributes>(attr-dict) `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// The axis counted from the front.
    int64_t getNormalizedAxis();
  }];
  let hasFolder = 1;
}

def Tensor_FullOp : Tensor_TiledOp<"full"> {
  let summary = "a tensor with one value everywhere";
  let description = [{
    Every element is `value` (which may be `inf`, `neg_inf` or `nan`), rounded to
    the element type. Each `?` of the result takes one operand for its size.

    ```mlir
    %zero = tw.full {value = 0.0} : () -> tensor<4x8xf32>
    %low = tw.full %rows {value = neg_inf} : (index) -> tensor<?x1xf32>
    ```
  }];
  let arguments = (ins Variadic<Index>:$dynamic_sizes, F64Attr:$value);
  let assemblyFormat =
      "($dynamic_sizes^)? `` custom<Attributes>(attr-dict) `:` functional-type(operands, results)";
  let builders = [OpBuilder<(ins "::mlir::RankedTensorType":$type, "double":$value), [{
    build($_builder, $_state, type, ::mlir::ValueRange(),
          $_builder.getF64FloatAttr(value));
  }]>];
}

#endif
