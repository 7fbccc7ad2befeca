// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --emit-cpu-kernels=cpu=generic %s | FileCheck %s

// A streamed result is stored past the caches, and the kernel ends with a fence.
!gm = memref<64x64xf32, #block.level<"GM">>

// CHECK-LABEL: llvm.func @streamed
// CHECK:         scf.for
// CHECK:           llvm.store %{{.*}}, %{{.*}} {alignment = 32 : i64, nontemporal} : vector<8xf32>
// CHECK:         llvm.fence seq_cst
block.kernel @streamed(%x: !gm, %y: !gm, %g0: index) attributes {core = "any", grid_rank = 1 : i64} {
  block.unary <neg> %x into %y {block.streaming} : !gm into !gm
  block.return
}

// -----

// Not where a vector may lie across two lines: a part of a buffer is passed.
!long = memref<4099xf32, #block.level<"GM">>
!cut = memref<4096xf32, strided<[1], offset: 3>, #block.level<"GM">>

// CHECK-LABEL: llvm.func @on_part
// CHECK-NOT:     nontemporal
// CHECK:         llvm.return
block.kernel @on_part(%x: !cut, %y: !cut, %g0: index) attributes {core = "any", grid_rank = 1 : i64} {
  block.unary <neg> %x into %y {block.streaming} : !cut into !cut
  block.return
}
block.program @p(%x: !long, %y: !long) attributes {result_count = 1 : i64} {
  %from = memref.subview %x[3] [4096] [1] : !long to !cut
  %to = memref.subview %y[3] [4096] [1] : !long to !cut
  block.dispatch @on_part grid [1] (%from, %to) : !cut, !cut
  block.return
}

// -----

// The loops over a row's elements lie in one loop over rows; one that computes
// long asks for the next row.
!gm = memref<64x1024xf32, #block.level<"GM">>
!one = memref<64x1xf32, #block.level<"cache2">>
!own = memref<64x1024xf32, #block.level<"cache2">>

// CHECK-LABEL: llvm.func @rows
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             arith.addf
// CHECK:           scf.for
// CHECK:             llvm.intr.prefetch
// CHECK:             arith.subf
// CHECK:             math.exp
// CHECK:             arith.mulf
// CHECK-NOT:     scf.for
// CHECK:         llvm.return
block.kernel @rows(%x: !gm, %y: !gm, %g0: index) attributes {core = "any", grid_rank = 1 : i64} {
  %s = block.alloc at 0 : !one
  block.reduce <sum> %x into %s axes [1] : !gm into !one
  %e = block.alloc at 256 : !own
  block.binary <sub> %x, %s into %e : !gm, !one into !own
  block.unary <exp> %e into %e : !own into !own
  block.binary <mul> %e, %s into %y : !own, !one into !gm
  block.return
}

// -----

// A product that adds to zeros starts from them at the first step of the depth:
// nothing is filled.
!a = memref<6x64xf32, #block.level<"GM">>
!b = memref<64x16xf32, #block.level<"GM">>
!c = memref<6x16xf32, #block.level<"GM">>
!as = memref<6x32xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
!bs = memref<32x16xf32, strided<[16, 1], offset: ?>, #block.level<"GM">>
!pa = memref<1x32x6xf32, #block.level<"cache2">>
!pb = memref<1x32x16xf32, #block.level<"cache2">>

// CHECK-LABEL: llvm.func @zeros
// CHECK-NOT:     llvm.store
// CHECK:         scf.for %[[P:.*]] = %[[ZERO:.*]] to
// CHECK:           %[[FIRST:.*]] = arith.cmpi eq, %[[P]], %[[ZERO]]
// CHECK:           scf.if %[[FIRST]] -> (vector<8xf32>
block.kernel @zeros(%a: !a, %b: !b, %c: !c, %g0: index) attributes {core = "any", grid_rank = 1 : i64} {
  block.fill 0.0 : f32, %c : !c
  %p0 = arith.constant 0 : index
  %p1 = arith.constant 64 : index
  %step = arith.constant 32 : index
  scf.for %p = %p0 to %p1 step %step {
    %pa = block.alloc at 0 : !pa
    %pb = block.alloc at 768 : !pb
    %as = memref.subview %a[0, %p] [6, 32] [1, 1] : !a to !as
    %bs = memref.subview %b[%p, 0] [32, 16] [1, 1] : !b to !bs
    block.move %as to %pa layout <packed block = 6> : !as to !pa
    block.move %bs to %pb layout <packed axis = 1 block = 16> : !bs to !pb
    block.matmul %pa layout <packed block = 6>, %pb layout <packed axis = 1 block = 16> into %c accumulate : !pa, !pb into !c
  }
  block.return
}
