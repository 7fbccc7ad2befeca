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

// Of two loads that can begin at once, the one that more waits for goes first;
// what the vector unit has begun it finishes before it takes up something else.
// CHECK-LABEL: block.kernel @critical
// CHECK:         block.move %arg1 to %[[B:.*]] on "MTE2"
// CHECK:         block.move %arg0 to %[[A:.*]] on "MTE2"
// CHECK:         block.unary <exp> %[[B]] into %[[B]]
// CHECK-NEXT:    block.unary <tanh> %[[B]] into %[[B]]
// CHECK:         block.unary <neg> %[[A]] into %[[A]]
// CHECK:         block.binary <add> %[[A]], %[[B]] into %[[A]]
block.kernel @critical(%x: memref<64x64xf32, #block.level<"GM">>, %y: memref<64x64xf32, #block.level<"GM">>, %z: memref<64x64xf32, #block.level<"GM">>) attributes {core = "vector", grid_rank = 0 : i64} {
  %a = block.alloc : memref<64x64xf32, #block.level<"UB">>
  %b = block.alloc : memref<64x64xf32, #block.level<"UB">>
  block.move %x to %a : memref<64x64xf32, #block.level<"GM">> to memref<64x64xf32, #block.level<"UB">>
  block.unary <neg> %a into %a : memref<64x64xf32, #block.level<"UB">> into memref<64x64xf32, #block.level<"UB">>
  block.move %y to %b : memref<64x64xf32, #block.level<"GM">> to memref<64x64xf32, #block.level<"UB">>
  block.unary <exp> %b into %b : memref<64x64xf32, #block.level<"UB">> into memref<64x64xf32, #block.level<"UB">>
  block.unary <tanh> %b into %b : memref<64x64xf32, #block.level<"UB">> into memref<64x64xf32, #block.level<"UB">>
  block.binary <add> %a, %b into %a : memref<64x64xf32, #block.level<"UB">>, memref<64x64xf32, #block.level<"UB">> into memref<64x64xf32, #block.level<"UB">>
  block.move %a to %z : memref<64x64xf32, #block.level<"UB">> to memref<64x64xf32, #block.level<"GM">>
  block.return
}

// A load that would need room before the store has given some back stays.
// CHECK-LABEL: block.kernel @full
// CHECK:         block.move {{.*}} on "MTE2"
// CHECK:         block.move {{.*}} on "MTE3"
// CHECK:         block.move {{.*}} on "MTE2"
// CHECK:         block.move {{.*}} on "MTE3"
block.kernel @full(%x: memref<200x160xf32, #block.level<"GM">>, %y: memref<200x160xf32, #block.level<"GM">>) attributes {core = "vector", grid_rank = 0 : i64} {
  %a = block.alloc : memref<200x160xf32, #block.level<"UB">>
  block.move %x to %a : memref<200x160xf32, #block.level<"GM">> to memref<200x160xf32, #block.level<"UB">>
  block.unary <exp> %a into %a : memref<200x160xf32, #block.level<"UB">> into memref<200x160xf32, #block.level<"UB">>
  block.move %a to %x : memref<200x160xf32, #block.level<"UB">> to memref<200x160xf32, #block.level<"GM">>
  %b = block.alloc : memref<200x160xf32, #block.level<"UB">>
  block.move %y to %b : memref<200x160xf32, #block.level<"GM">> to memref<200x160xf32, #block.level<"UB">>
  block.unary <exp> %b into %b : memref<200x160xf32, #block.level<"UB">> into memref<200x160xf32, #block.level<"UB">>
  block.move %b to %y : memref<200x160xf32, #block.level<"UB">> to memref<200x160xf32, #block.level<"GM">>
  block.return
}
