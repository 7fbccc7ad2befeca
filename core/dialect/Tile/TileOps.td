//===- TileOps.td - operations of the Tile graph -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_TILE_OPS
#define TILEWRIGHT_TILE_OPS

include "core/dialect/Tile/TileDialect.td"

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

def Tile_MoveOp : Tile_Op<"move", [Pure]> {
  let summary = "brings a tile to a memory level";
  let description = [{
    The result is `source` held at memory level `level` of the target, in
    `layout` (row-major if absent). The one source of truth for where a tile
    is: a value not made by a move lives where its producer's unit writes (see
    the target). Shape is unchanged; the element type may change, which
    converts (as `tw.cast` does).

    ```mlir
    %t = tile.move %s to "L0B" layout <zn> : tensor<64x256xf16> -> tensor<64x256xf16>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$source, StrAttr:$level,
                       OptionalAttr<Tile_LayoutAttr>:$layout);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat =
      "$source `to` $level (`layout` $layout^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

#endif
