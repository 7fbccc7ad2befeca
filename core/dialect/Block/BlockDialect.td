//===- BlockDialect.td - the Block graph -------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_BLOCK_DIALECT
#define TILEWRIGHT_BLOCK_DIALECT

include "core/dialect/Block/BlockEnums.td"
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
  let assemblyFormat = "`<` $mode `,` $map `,` custom<Sizes>($sizes) `>`";
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

class Block_EnumAttr<EnumAttrInfo info, string mnemonic>
    : EnumAttr<Block_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}
def Block_UnaryKindAttr : Block_EnumAttr<Block_UnaryKind, "unary_kind">;
def Block_BinaryKindAttr : Block_EnumAttr<Block_BinaryKind, "binary_kind">;
def Block_ReduceKindAttr : Block_EnumAttr<Block_ReduceKind, "reduce_kind">;
def Block_ComparePredicateAttr : Block_EnumAttr<Block_ComparePredicate, "compare_predicate">;

#endif
