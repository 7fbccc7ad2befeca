// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --pipeline-buffers=target=ascend-a3 --verify-diagnostics %s | FileCheck %s
// RUN: tilewright-opt --split-input-file --pipeline-buffers=target=cpu-generic %s 2>&1 | FileCheck %s --check-prefix=CPU

// Three pipes hand %a on, so that there are three of it, before the loop. What
// VEC alone uses stays where it is, once a turn. Five turns are three and two.
// CHECK-LABEL: block.kernel @rows
// CHECK:         %[[A0:.*]] = block.alloc : memref<8x64xf32
// CHECK:         %[[A1:.*]] = block.alloc : memref<8x64xf32
// CHECK:         %[[A2:.*]] = block.alloc : memref<8x64xf32
// CHECK-NOT:     scf.for
// CHECK:         block.move %{{.*}} to %[[A0]] on "MTE2"
// CHECK:         block.alloc : memref<8x1xf32
// CHECK:         block.reduce <max> %[[A0]] into
// CHECK:         block.move %[[A0]] to %{{.*}} on "MTE3"
// CHECK:         block.move %{{.*}} to %[[A1]] on "MTE2"
// CHECK:         block.alloc : memref<8x1xf32
// CHECK:         block.move %{{.*}} to %[[A2]] on "MTE2"
// CHECK:         block.alloc : memref<8x1xf32
// CHECK:         block.move %{{.*}} to %[[A0]] on "MTE2"
// CHECK:         block.move %{{.*}} to %[[A1]] on "MTE2"
// CHECK-NOT:     MTE2
// CHECK:         block.return
// CPU-LABEL:   block.kernel @rows
// CPU:           scf.for
// CPU-NEXT:        memref.subview
// CPU-NEXT:        block.alloc
// CPU-NOT:       on "
block.kernel @rows(%x: memref<40x64xf32, #block.level<"GM">>) attributes {core = "any", grid_rank = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c40 = arith.constant 40 : index
  scf.for %i = %c0 to %c40 step %c8 {
    %t = memref.subview %x[%i, 0] [8, 64] [1, 1] : memref<40x64xf32, #block.level<"GM">> to memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
    %a = block.alloc : memref<8x64xf32, #block.level<"UB">>
    block.move %t to %a : memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">> to memref<8x64xf32, #block.level<"UB">>
    %m = block.alloc : memref<8x1xf32, #block.level<"UB">>
    block.reduce <max> %a into %m axes [1] : memref<8x64xf32, #block.level<"UB">> into memref<8x1xf32, #block.level<"UB">>
    block.binary <sub> %a, %m into %a : memref<8x64xf32, #block.level<"UB">>, memref<8x1xf32, #block.level<"UB">> into memref<8x64xf32, #block.level<"UB">>
    block.move %a to %t : memref<8x64xf32, #block.level<"UB">> to memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
  }
  block.return
}

// -----

// Many turns: a loop that does two at once; the index of the second is one step
// further. A pin says how many.
// CHECK-LABEL: block.kernel @pinned
// CHECK-NOT:     block.buffers
// CHECK:         %[[A0:.*]] = block.alloc
// CHECK:         %[[A1:.*]] = block.alloc
// CHECK:         scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step
// CHECK:           memref.subview %{{.*}}[%[[I]], 0]
// CHECK:           block.move %{{.*}} to %[[A0]] on "MTE2"
// CHECK:           block.move %[[A0]] to
// CHECK:           %[[J:.*]] = affine.apply
// CHECK:           memref.subview %{{.*}}[%[[J]], 0]
// CHECK:           block.move %{{.*}} to %[[A1]] on "MTE2"
// CHECK:         }
// CHECK-NOT:     block.move
// CHECK:         block.return
block.kernel @pinned(%x: memref<80x64xf32, #block.level<"GM">>) attributes {core = "any", grid_rank = 0 : i64, block.buffers = {all = 2 : i64}} {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %c80 = arith.constant 80 : index
  scf.for %i = %c0 to %c80 step %c8 {
    %t = memref.subview %x[%i, 0] [8, 64] [1, 1] : memref<80x64xf32, #block.level<"GM">> to memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
    %a = block.alloc : memref<8x64xf32, #block.level<"UB">>
    block.move %t to %a : memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">> to memref<8x64xf32, #block.level<"UB">>
    block.unary <exp> %a into %a : memref<8x64xf32, #block.level<"UB">> into memref<8x64xf32, #block.level<"UB">>
    block.move %a to %t : memref<8x64xf32, #block.level<"UB">> to memref<8x64xf32, strided<[64, 1], offset: ?>, #block.level<"GM">>
  }
  block.return
}

// -----

// As many as there is room for: two of 80,000 bytes.
// CHECK-LABEL: block.kernel @room
// CHECK-COUNT-2: block.alloc
// CHECK-NOT:     block.alloc
// CHECK:         block.return
block.kernel @room(%x: memref<80x20000xf32, #block.level<"GM">>) attributes {core = "any", grid_rank = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c80 = arith.constant 80 : index
  scf.for %i = %c0 to %c80 step %c1 {
    %t = memref.subview %x[%i, 0] [1, 20000] [1, 1] : memref<80x20000xf32, #block.level<"GM">> to memref<1x20000xf32, strided<[20000, 1], offset: ?>, #block.level<"GM">>
    %a = block.alloc : memref<1x20000xf32, #block.level<"UB">>
    block.move %t to %a : memref<1x20000xf32, strided<[20000, 1], offset: ?>, #block.level<"GM">> to memref<1x20000xf32, #block.level<"UB">>
    block.unary <exp> %a into %a : memref<1x20000xf32, #block.level<"UB">> into memref<1x20000xf32, #block.level<"UB">>
    block.move %a to %t : memref<1x20000xf32, #block.level<"UB">> to memref<1x20000xf32, strided<[20000, 1], offset: ?>, #block.level<"GM">>
  }
  block.return
}

// -----

// A loop that runs once stands for its body; what is known of its bounds is
// written out.
// CHECK-LABEL: block.kernel @once
// CHECK-NOT:     affine.min
// CHECK-NOT:     scf.for
// CHECK:         block.move %{{.*}} to %{{.*}} on "MTE2"
// CHECK:         block.unary <exp>
// CHECK-NOT:     scf.for
// CHECK:         block.return
// CPU-LABEL:   block.kernel @once
// CPU:           scf.for
block.kernel @once(%x: memref<1000xf32, #block.level<"GM">>) attributes {core = "any", grid_rank = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c960 = arith.constant 960 : index
  %n = affine.min affine_map<(d0) -> (64, -d0 + 1000)>(%c960)
  scf.for %i = %c0 to %n step %c64 {
    %a = block.alloc : memref<40xf32, #block.level<"UB">>
    %t = memref.subview %x[960] [40] [1] : memref<1000xf32, #block.level<"GM">> to memref<40xf32, strided<[1], offset: 960>, #block.level<"GM">>
    block.move %t to %a on "MTE2" : memref<40xf32, strided<[1], offset: 960>, #block.level<"GM">> to memref<40xf32, #block.level<"UB">>
    block.unary <exp> %a into %a on "VEC" : memref<40xf32, #block.level<"UB">> into memref<40xf32, #block.level<"UB">>
    block.move %a to %t on "MTE3" : memref<40xf32, #block.level<"UB">> to memref<40xf32, strided<[1], offset: 960>, #block.level<"GM">>
  }
  block.return
}
