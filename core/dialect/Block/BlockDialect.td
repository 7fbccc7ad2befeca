//===- BlockDialect.td - the Block graph -------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_BLOCK_DIALECT
#define TILEWRIGHT_BLOCK_DIALECT

include "core/dialect/Tile/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Block_Dialect : Dialect {
  let name = "block";
  let cppNamespace = "::tilewright::block";
  let summary = "Kernels, buffers, instructions, events; and the program that dispatches them";
  let description = [{
    A `block.kernel` is what one core runs for one point of a grid: buffers with
    a memory level and an offset, and instructions in their final order, each on
    a pipe. A `block.program` holds the buffers in global memory and dispatches
    kernels over grids.

    Buffers are memrefs whose memory space is `#block.level<"UB">`; global
    memory is `#block.level<"GM">`. A buffer has its full capacity as its
    static shape; a tile that is smaller at a border is a `memref.subview` of
    it with dynamic sizes.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::memref::MemRefDialect", "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect", "::mlir::scf::SCFDialect",
                           "::tilewright::tile::TileDialect"];
}

def Block_LevelAttr : AttrDef<Block_Dialect, "Level"> {
  let mnemonic = "level";
  let summary = "memory level of the target, as a memref's memory space";
  let parameters = (ins StringRefParameter<"level name">:$name);
  let assemblyFormat = "`<` $name `>`";
}

class Block_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilewright::block";
  let genSpecializedAttr = 0;
}

def Block_AccessMode : Block_Enum<"AccessMode", "how a kernel uses an argument", [
    I32EnumAttrCase<"Read", 0, "read">,
    I32EnumAttrCase<"Write", 1, "write">,
    I32EnumAttrCase<"ReadWrite", 2, "read_write">]>;

def Block_AccessAttr : AttrDef<Block_Dialect, "Access"> {
  let mnemonic = "access";
  let summary = "region of one argument that the task at grid point g touches";
  let description = [{
    Per dimension d of the argument: elements [map(g)[d], map(g)[d] + sizes[d]),
    clipped to the argument's shape. `map` goes from grid coordinates to element
    offsets.
  }];
  let parameters = (ins EnumParameter<Block_AccessMode>:$mode,
                        "::mlir::AffineMap":$map,
                        ArrayRefParameter<"int64_t">:$sizes);
  let assemblyFormat = "`<` $mode `,` $map `,` `[` $sizes `]` `>`";
}

def Block_DependencyAttr : AttrDef<Block_Dialect, "Dependency"> {
  let mnemonic = "dependency";
  let summary = "tasks of an earlier dispatch that a task waits for";
  let description = [{
    The task at grid point g waits for every task p of dispatch number
    `producer` (counted from 0 in the program) with lower(g)[d] <= p[d] <
    upper(g)[d], clipped to the producer's grid.
  }];
  let parameters = (ins "int64_t":$producer, "::mlir::AffineMap":$lower,
                        "::mlir::AffineMap":$upper);
  let assemblyFormat = "`<` $producer `,` $lower `,` $upper `>`";
}

def Block_UnaryKind : Block_Enum<"UnaryKind", "function of one operand", [
    I32EnumAttrCase<"Neg", 0, "neg">, I32EnumAttrCase<"Abs", 1, "abs">,
    I32EnumAttrCase<"Exp", 2, "exp">, I32EnumAttrCase<"Log", 3, "log">,
    I32EnumAttrCase<"Sqrt", 4, "sqrt">, I32EnumAttrCase<"Rsqrt", 5, "rsqrt">,
    I32EnumAttrCase<"Reciprocal", 6, "reciprocal">, I32EnumAttrCase<"Tanh", 7, "tanh">,
    I32EnumAttrCase<"Erf", 8, "erf">, I32EnumAttrCase<"Sigmoid", 9, "sigmoid">,
    I32EnumAttrCase<"Silu", 10, "silu">, I32EnumAttrCase<"Gelu", 11, "gelu">,
    I32EnumAttrCase<"Relu", 12, "relu">]>;
def Block_BinaryKind : Block_Enum<"BinaryKind", "function of two operands", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Sub", 1, "sub">,
    I32EnumAttrCase<"Mul", 2, "mul">, I32EnumAttrCase<"Div", 3, "div">,
    I32EnumAttrCase<"Maximum", 4, "maximum">, I32EnumAttrCase<"Minimum", 5, "minimum">,
    I32EnumAttrCase<"Pow", 6, "pow">]>;
def Block_ReduceKind : Block_Enum<"ReduceKind", "reduction", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">,
    I32EnumAttrCase<"Max", 2, "max">, I32EnumAttrCase<"Min", 3, "min">,
    I32EnumAttrCase<"Prod", 4, "prod">]>;
def Block_ComparePredicate : Block_Enum<"ComparePredicate", "ordered comparison", [
    I32EnumAttrCase<"Eq", 0, "eq">, I32EnumAttrCase<"Ne", 1, "ne">,
    I32EnumAttrCase<"Lt", 2, "lt">, I32EnumAttrCase<"Le", 3, "le">,
    I32EnumAttrCase<"Gt", 4, "gt">, I32EnumAttrCase<"Ge", 5, "ge">]>;

class Block_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<Block_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}
def Block_UnaryKindAttr : Block_EnumAttr<Block_UnaryKind, "unary_kind">;
def Block_BinaryKindAttr : Block_EnumAttr<Block_BinaryKind, "binary_kind">;
def Block_ReduceKindAttr : Block_EnumAttr<Block_ReduceKind, "reduce_kind">;
def Block_ComparePredicateAttr : Block_EnumAttr<Block_ComparePredicate, "compare_predicate">;

#endif
