// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --order-instructions=target=ascend-a3 %s | FileCheck %s

// Every instruction on the pipe that does it; a load passes what it does not
// depend on.
// CHECK-LABEL: block.kernel @vector
// CHECK:         block.move %{{.*}} to %[[A:.*]] on "MTE2"
// CHECK:         block.move %{{.*}} to %[[B:.*]] on "MTE2"
// CHECK:         block.unary <exp> %[[A]] into %[[A]] on "VEC"
// CHECK:         block.binary <add> %[[A]], %[[B]] into %[[A]] on "VEC"
// CHECK:         block.move %[[A]] to %arg2 on "MTE3"
block.kernel @vector(%x: memref<8x8xf32, #block.level<"GM">>, %y: memref<8x8xf32, #block.level<"GM">>, %z: memref<8x8xf32, #block.level<"GM">>, %i: index) attributes {core = "vector", grid_rank = 1 : i64} {
  %a = block.alloc : memref<8x8xf32, #block.level<"UB">>
  %b = block.alloc : memref<8x8xf32, #block.level<"UB">>
  block.move %x to %a : memref<8x8xf32, #block.level<"GM">> to memref<8x8xf32, #block.level<"UB">>
  block.unary <exp> %a into %a : memref<8x8xf32, #block.level<"UB">> into memref<8x8xf32, #block.level<"UB">>
  block.move %y to %b : memref<8x8xf32, #block.level<"GM">> to memref<8x8xf32, #block.level<"UB">>
  block.binary <add> %a, %b into %a : memref<8x8xf32, #block.level<"UB">>, memref<8x8xf32, #block.level<"UB">> into memref<8x8xf32, #block.level<"UB">>
  block.move %a to %z : memref<8x8xf32, #block.level<"UB">> to memref<8x8xf32, #block.level<"GM">>
  block.return
}
