//===- TileDialect.td - the Tile graph ---------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TILE_DIALECT
#define TILEWRIGHT_TILE_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilewright::tile";
  let summary = "Operations on tiles: moves between memory levels";
  let description = [{
    At the Tile graph each scope is a private function whose body is one
    `scf.forall` over the grid of tiles, with `scf.for` inside for the tiles
    that follow each other. `tw` and `linalg` operations stay themselves, on
    tile-sized tensors. What this dialect adds is the move of a tile to a
    memory level and the layout it has there.

    Discardable attributes: `tile.scope` (unit, on a function: it is a scope),
    `tile.bindings` (array of strings, on the call of a scope: entry i is the
    key that the scope-relative key `$i` stands for in this instance),
    `tile.results` (array of strings, on the call of a scope with several
    results: the key of each),
    `tile.sizes` (dictionary level -> dictionary dimension -> size, on the
    operation that roots a scope: the tile decision in force).
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
  let extraClassDeclaration = [{
    /// What was bound in this context.
    ::tilewright::BoundLocations boundLocations;
  }];
}

def Tile_LayoutKind : I32EnumAttr<"LayoutKind", "how a tile's elements lie", [
    I32EnumAttrCase<"RowMajor", 0, "row_major">,
    I32EnumAttrCase<"ColMajor", 1, "col_major">,
    I32EnumAttrCase<"NZ", 2, "nz">,
    I32EnumAttrCase<"ZZ", 3, "zz">,
    I32EnumAttrCase<"ZN", 4, "zn">,
    I32EnumAttrCase<"Packed", 5, "packed">]> {
  let cppNamespace = "::tilewright::tile";
  let genSpecializedAttr = 0;
}

def Tile_LayoutAttr : AttrDef<Tile_Dialect, "Layout"> {
  let mnemonic = "layout";
  let summary = "layout of a tile at its memory level";
  let description = [{
    `row_major` and `col_major` are plain. `nz`, `zz`, `zn` are the boxed
    layouts of the cube unit (blocks of 16 rows x 32 bytes). `packed` cuts
    dimension `axis` (0 or 1 of a matrix) into panels of `block` elements: a
    panel holds, for each index of the other dimension, `block` consecutive
    elements, padded with zeros at the end. Physical shape of a packed r x c
    matrix: axis 0: ceil(r/block) x c x block; axis 1: ceil(c/block) x r x block.

    Units that sum products of several steps at once want `group` elements of
    the other dimension side by side: a panel then holds, for each `group`
    indices of it, those of the first of the `block` elements, then those of
    the second, and so on. The other dimension is padded with zeros to a
    multiple of `multiple`, which is one of `group`. The physical shape becomes
    axis 0: ceil(r/block) x roundup(c, multiple)/group x block group; axis 1
    alike.

    Written `<nz>`, `<packed block = 12>`, `<packed axis = 1 block = 32>`,
    `<packed axis = 1 block = 32 group = 2 multiple = 32>`.
  }];
  let parameters = (ins EnumParameter<Tile_LayoutKind>:$kind,
                        DefaultValuedParameter<"int64_t", "0">:$axis,
                        DefaultValuedParameter<"int64_t", "0">:$block,
                        DefaultValuedParameter<"int64_t", "1">:$group,
                        DefaultValuedParameter<"int64_t", "1">:$multiple);
  let assemblyFormat = [{
    `<` $kind (`axis` `=` $axis^)? (`block` `=` $block^)? (`group` `=` $group^)?
    (`multiple` `=` $multiple^)? `>`
  }];
  let builders = [AttrBuilder<(ins "LayoutKind":$kind, "int64_t":$axis, "int64_t":$block), [{
    return $_get($_ctxt, kind, axis, block, /*group=*/1, /*multiple=*/1);
  }]>];
  let extraClassDeclaration = [{
    bool isPacked() const { return getKind() == LayoutKind::Packed; }
    /// Groups that `depth` indices of the dimension that is not cut take,
    /// padding included.
    int64_t groupsOf(int64_t depth) const;
  }];
  let genVerifyDecl = 1;
}

#endif
