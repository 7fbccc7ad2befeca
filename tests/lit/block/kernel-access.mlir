// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --outline-kernels=target=cpu-generic %s | FileCheck %s

// What is read under another shape is still a part: heads split off the columns
// are columns, and rows split in two are rows.
// CHECK-LABEL: block.program private @heads(
// CHECK:         #block.access<read, (d0, d1) -> (d1 * 16, d0 * 64), [16, 64]>
// CHECK-SAME:    #block.access<read, (d0, d1) -> (d0 * 8 + d1, 0), [1, 4]>
func.func private @heads(%a: memref<32x128xf32, #block.level<"GM">>, %b: memref<16x4xf32, #block.level<"GM">>, %c: memref<2x32x64xf32, #block.level<"GM">>) attributes {tile.scope, tile.result_count = 1 : i64} {
  %flat = memref.collapse_shape %a [[0, 1]] : memref<32x128xf32, #block.level<"GM">> into memref<4096xf32, #block.level<"GM">>
  %heads = memref.expand_shape %flat [[0, 1, 2]] output_shape [32, 2, 64] : memref<4096xf32, #block.level<"GM">> into memref<32x2x64xf32, #block.level<"GM">>
  %split = memref.expand_shape %b [[0, 1], [2]] output_shape [2, 8, 4] : memref<16x4xf32, #block.level<"GM">> into memref<2x8x4xf32, #block.level<"GM">>
  scf.forall (%i, %j) = (0, 0) to (2, 2) step (1, 1) {
    %0 = affine.apply affine_map<(d0) -> (d0 * 16)>(%j)
    %1 = memref.subview %heads[%0, %i, 0] [16, 1, 64] [1, 1, 1] : memref<32x2x64xf32, #block.level<"GM">> to memref<16x64xf32, strided<[128, 1], offset: ?>, #block.level<"GM">>
    %2 = memref.subview %split[%i, %j, 0] [1, 1, 4] [1, 1, 1] : memref<2x8x4xf32, #block.level<"GM">> to memref<4xf32, strided<[1], offset: ?>, #block.level<"GM">>
    %3 = memref.subview %c[%i, %0, 0] [1, 16, 64] [1, 1, 1] : memref<2x32x64xf32, #block.level<"GM">> to memref<16x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
    %4 = memref.subview %c[%i, %0, 0] [1, 1, 4] [1, 1, 1] : memref<2x32x64xf32, #block.level<"GM">> to memref<4xf32, strided<[1], offset: ?>, #block.level<"GM">>
    block.move %1 to %3 : memref<16x64xf32, strided<[128, 1], offset: ?>, #block.level<"GM">> to memref<16x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
    block.move %2 to %4 : memref<4xf32, strided<[1], offset: ?>, #block.level<"GM">> to memref<4xf32, strided<[1], offset: ?>, #block.level<"GM">>
  }
  return
}
