// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --merge-blocks=target=ascend-a3 --verify-diagnostics %s | FileCheck %s

// Sixteen blocks a task along the rows. The scale is the same for all of them
// and is loaded once.
// CHECK:       affine_map<(d0, d1) -> (d0 * 16 + d1)>
// CHECK-LABEL: block.program @p
// CHECK:         block.dispatch @rows grid [512, 1]
// CHECK-SAME:      #block.access<read, (d0, d1) -> (d0 * 128, 0), [128, 64]>
// CHECK-LABEL: block.kernel @rows
// CHECK-NOT:     scf.for
// CHECK:         block.move %arg1 to
// CHECK:         scf.for
// CHECK-NOT:       block.move %arg1
// CHECK:           block.binary <mul>
// CHECK:         }
block.program @p(%x: memref<65536x64xf32, #block.level<"GM">>, %w: memref<1x64xf32, #block.level<"GM">>, %y: memref<65536x64xf32, #block.level<"GM">>) attributes {result_count = 1 : i64} {
  block.dispatch @rows grid [8192, 1](%x, %w, %y) : memref<65536x64xf32, #block.level<"GM">>, memref<1x64xf32, #block.level<"GM">>, memref<65536x64xf32, #block.level<"GM">>
  block.return
}
block.kernel @rows(%x: memref<65536x64xf32, #block.level<"GM">>, %w: memref<1x64xf32, #block.level<"GM">>, %y: memref<65536x64xf32, #block.level<"GM">>, %g0: index, %g1: index) attributes {core = "vector", grid_rank = 2 : i64, block.merge = array<i64: 0, 16>} {
  %at = affine.apply affine_map<(d0) -> (d0 * 8)>(%g0)
  %s = memref.subview %x[%at, 0] [8, 64] [1, 1] : memref<65536x64xf32, #block.level<"GM">> to memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
  %d = memref.subview %y[%at, 0] [8, 64] [1, 1] : memref<65536x64xf32, #block.level<"GM">> to memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
  %a = block.alloc : memref<8x64xf32, #block.level<"UB">>
  %b = block.alloc : memref<1x64xf32, #block.level<"UB">>
  block.move %s to %a : memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">> to memref<8x64xf32, #block.level<"UB">>
  block.move %w to %b : memref<1x64xf32, #block.level<"GM">> to memref<1x64xf32, #block.level<"UB">>
  block.binary <mul> %a, %b into %a : memref<8x64xf32, #block.level<"UB">>, memref<1x64xf32, #block.level<"UB">> into memref<8x64xf32, #block.level<"UB">>
  block.move %a to %d : memref<8x64xf32, #block.level<"UB">> to memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
  block.return
}

// -----

// Only what is decided.
// CHECK-LABEL: block.program @few
// CHECK:         block.dispatch @one grid [4]
// CHECK:         block.dispatch @two grid [2]
// CHECK-LABEL: block.kernel @one
// CHECK-NOT:     scf.for
// CHECK-LABEL: block.kernel @two
// CHECK:         scf.for
block.program @few(%x: memref<32x64xf32, #block.level<"GM">>, %y: memref<32x64xf32, #block.level<"GM">>) attributes {result_count = 1 : i64} {
  block.dispatch @one grid [4](%x, %y) : memref<32x64xf32, #block.level<"GM">>, memref<32x64xf32, #block.level<"GM">>
  block.dispatch @two grid [4](%x, %y) : memref<32x64xf32, #block.level<"GM">>, memref<32x64xf32, #block.level<"GM">>
  block.return
}
block.kernel @one(%x: memref<32x64xf32, #block.level<"GM">>, %y: memref<32x64xf32, #block.level<"GM">>, %g0: index) attributes {core = "vector", grid_rank = 1 : i64} {
  %at = affine.apply affine_map<(d0) -> (d0 * 8)>(%g0)
  %s = memref.subview %x[%at, 0] [8, 64] [1, 1] : memref<32x64xf32, #block.level<"GM">> to memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
  %d = memref.subview %y[%at, 0] [8, 64] [1, 1] : memref<32x64xf32, #block.level<"GM">> to memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
  %a = block.alloc : memref<8x64xf32, #block.level<"UB">>
  block.move %s to %a : memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">> to memref<8x64xf32, #block.level<"UB">>
  block.unary <exp> %a into %a : memref<8x64xf32, #block.level<"UB">> into memref<8x64xf32, #block.level<"UB">>
  block.move %a to %d : memref<8x64xf32, #block.level<"UB">> to memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
  block.return
}
block.kernel @two(%x: memref<32x64xf32, #block.level<"GM">>, %y: memref<32x64xf32, #block.level<"GM">>, %g0: index) attributes {core = "vector", grid_rank = 1 : i64, block.merge = array<i64: 0, 2>} {
  %at = affine.apply affine_map<(d0) -> (d0 * 8)>(%g0)
  %s = memref.subview %x[%at, 0] [8, 64] [1, 1] : memref<32x64xf32, #block.level<"GM">> to memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
  %d = memref.subview %y[%at, 0] [8, 64] [1, 1] : memref<32x64xf32, #block.level<"GM">> to memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
  %a = block.alloc : memref<8x64xf32, #block.level<"UB">>
  block.move %s to %a : memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">> to memref<8x64xf32, #block.level<"UB">>
  block.unary <exp> %a into %a : memref<8x64xf32, #block.level<"UB">> into memref<8x64xf32, #block.level<"UB">>
  block.move %a to %d : memref<8x64xf32, #block.level<"UB">> to memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
  block.return
}

// -----

block.program @odd(%x: memref<32x64xf32, #block.level<"GM">>, %y: memref<32x64xf32, #block.level<"GM">>) attributes {result_count = 1 : i64} {
  block.dispatch @three grid [4](%x, %y) : memref<32x64xf32, #block.level<"GM">>, memref<32x64xf32, #block.level<"GM">>
  block.return
}
// expected-warning @+1 {{does one block a task: 3 divide no dimension of its grid [TW0223]}}
block.kernel @three(%x: memref<32x64xf32, #block.level<"GM">>, %y: memref<32x64xf32, #block.level<"GM">>, %g0: index) attributes {core = "vector", grid_rank = 1 : i64, block.merge = array<i64: 0, 3>} {
  %at = affine.apply affine_map<(d0) -> (d0 * 8)>(%g0)
  %s = memref.subview %x[%at, 0] [8, 64] [1, 1] : memref<32x64xf32, #block.level<"GM">> to memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
  %d = memref.subview %y[%at, 0] [8, 64] [1, 1] : memref<32x64xf32, #block.level<"GM">> to memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
  %a = block.alloc : memref<8x64xf32, #block.level<"UB">>
  block.move %s to %a : memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">> to memref<8x64xf32, #block.level<"UB">>
  block.unary <exp> %a into %a : memref<8x64xf32, #block.level<"UB">> into memref<8x64xf32, #block.level<"UB">>
  block.move %a to %d : memref<8x64xf32, #block.level<"UB">> to memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
  block.return
}
