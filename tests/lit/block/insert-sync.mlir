// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --insert-sync=target=ascend-a3 %s | FileCheck %s
// RUN: tilewright-opt --split-input-file --insert-sync=target=ascend-a3 --insert-sync=target=ascend-a3 %s | FileCheck %s

// What VEC reads follows from one event; a second is not needed for what MTE2
// did before.
// CHECK-LABEL: block.kernel @line
// CHECK:         block.move %arg0 to %[[A:.*]] on "MTE2"
// CHECK-NEXT:    block.move %arg1 to %[[B:.*]] on "MTE2"
// CHECK-NEXT:    block.set_event "MTE2" to "VEC" id 0
// CHECK-NEXT:    block.wait_event "MTE2" to "VEC" id 0
// CHECK-NEXT:    block.binary
// CHECK-NEXT:    block.set_event "VEC" to "MTE3" id 0
// CHECK-NEXT:    block.wait_event "VEC" to "MTE3" id 0
// CHECK-NEXT:    block.move
// CHECK-NEXT:    block.return
block.kernel @line(%x: memref<8xf32, #block.level<"GM">>, %y: memref<8xf32, #block.level<"GM">>, %z: memref<8xf32, #block.level<"GM">>) attributes {core = "vector", grid_rank = 0 : i64} {
  %a = block.alloc at 0 : memref<8xf32, #block.level<"UB">>
  %b = block.alloc at 32 : memref<8xf32, #block.level<"UB">>
  block.move %x to %a on "MTE2" : memref<8xf32, #block.level<"GM">> to memref<8xf32, #block.level<"UB">>
  block.move %y to %b on "MTE2" : memref<8xf32, #block.level<"GM">> to memref<8xf32, #block.level<"UB">>
  block.binary <add> %a, %b into %a on "VEC" : memref<8xf32, #block.level<"UB">>, memref<8xf32, #block.level<"UB">> into memref<8xf32, #block.level<"UB">>
  block.move %a to %z on "MTE3" : memref<8xf32, #block.level<"UB">> to memref<8xf32, #block.level<"GM">>
  block.return
}

// -----

// The next turn's load waits until this turn's is used up: set once before the
// loop, waited for once behind it.
// CHECK-LABEL: block.kernel @turns
// CHECK:         block.set_event "VEC" to "MTE2" id 0
// CHECK:         scf.for
// CHECK-NEXT:      block.wait_event "VEC" to "MTE2" id 0
// CHECK-NEXT:      block.move
// CHECK-NEXT:      block.set_event "MTE2" to "VEC" id 0
// CHECK-NEXT:      block.wait_event "MTE2" to "VEC" id 0
// CHECK-NEXT:      block.binary
// CHECK-NEXT:      block.set_event "VEC" to "MTE2" id 0
// CHECK-NEXT:    }
// CHECK:         block.wait_event "VEC" to "MTE2" id 0
block.kernel @turns(%x: memref<8xf32, #block.level<"GM">>) attributes {core = "vector", grid_rank = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = block.alloc at 0 : memref<8xf32, #block.level<"UB">>
  %b = block.alloc at 32 : memref<8xf32, #block.level<"UB">>
  scf.for %i = %c0 to %c4 step %c1 {
    block.move %x to %a on "MTE2" : memref<8xf32, #block.level<"GM">> to memref<8xf32, #block.level<"UB">>
    block.binary <add> %a, %b into %b on "VEC" : memref<8xf32, #block.level<"UB">>, memref<8xf32, #block.level<"UB">> into memref<8xf32, #block.level<"UB">>
  }
  block.return
}

// -----

// One pipe needs none.
// CHECK-LABEL: block.kernel @alone
// CHECK-NOT:     event
// CHECK:         block.return
block.kernel @alone(%x: memref<8xf32, #block.level<"GM">>) attributes {core = "any", grid_rank = 0 : i64} {
  %a = block.alloc at 0 : memref<8xf32, #block.level<"cache2">>
  block.move %x to %a on "CORE" : memref<8xf32, #block.level<"GM">> to memref<8xf32, #block.level<"cache2">>
  block.unary <exp> %a into %a on "CORE" : memref<8xf32, #block.level<"cache2">> into memref<8xf32, #block.level<"cache2">>
  block.return
}
