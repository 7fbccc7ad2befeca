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

// -----

// Two buffers in turn: each has a token of its own, so that the load of one
// runs beside the work on the other. The second loop takes over the tokens.
// CHECK-LABEL: block.kernel @handed_on
// CHECK-COUNT-2: block.set_event "VEC" to "MTE2"
// CHECK:         scf.for
// CHECK-NEXT:      block.wait_event "VEC" to "MTE2" id [[A:[0-9]]]
// CHECK-NEXT:      block.move
// CHECK-NEXT:      block.set_event "MTE2" to "VEC"
// CHECK-NEXT:      block.wait_event "VEC" to "MTE2" id [[B:[0-9]]]
// CHECK-NEXT:      block.move
// CHECK-NEXT:      block.set_event "MTE2" to "VEC"
// CHECK-NEXT:      block.wait_event "MTE2" to "VEC"
// CHECK-NEXT:      block.binary
// CHECK-NEXT:      block.set_event "VEC" to "MTE2" id [[A]]
// CHECK-NEXT:      block.wait_event "MTE2" to "VEC"
// CHECK-NEXT:      block.binary
// CHECK-NEXT:      block.set_event "VEC" to "MTE2" id [[B]]
// CHECK-NEXT:    }
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      block.wait_event "VEC" to "MTE2" id [[A]]
// CHECK-NEXT:      block.move
// CHECK-NEXT:      block.set_event "MTE2" to "VEC"
// CHECK-NEXT:      block.wait_event "MTE2" to "VEC"
// CHECK-NEXT:      block.binary
// CHECK-NEXT:      block.set_event "VEC" to "MTE2" id [[A]]
// CHECK-NEXT:    }
// CHECK-NOT:     block.set_event
// CHECK-COUNT-2: block.wait_event "VEC" to "MTE2"
// CHECK-NEXT:    block.return
block.kernel @handed_on(%x: memref<8xf32, #block.level<"GM">>) attributes {core = "vector", grid_rank = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = block.alloc at 0 : memref<8xf32, #block.level<"UB">>
  %b = block.alloc at 32 : memref<8xf32, #block.level<"UB">>
  %s = block.alloc at 64 : memref<8xf32, #block.level<"UB">>
  scf.for %i = %c0 to %c4 step %c1 {
    block.move %x to %a on "MTE2" : memref<8xf32, #block.level<"GM">> to memref<8xf32, #block.level<"UB">>
    block.move %x to %b on "MTE2" : memref<8xf32, #block.level<"GM">> to memref<8xf32, #block.level<"UB">>
    block.binary <add> %s, %a into %s on "VEC" : memref<8xf32, #block.level<"UB">>, memref<8xf32, #block.level<"UB">> into memref<8xf32, #block.level<"UB">>
    block.binary <add> %s, %b into %s on "VEC" : memref<8xf32, #block.level<"UB">>, memref<8xf32, #block.level<"UB">> into memref<8xf32, #block.level<"UB">>
  }
  scf.for %i = %c0 to %c4 step %c1 {
    block.move %x to %a on "MTE2" : memref<8xf32, #block.level<"GM">> to memref<8xf32, #block.level<"UB">>
    block.binary <add> %s, %a into %s on "VEC" : memref<8xf32, #block.level<"UB">>, memref<8xf32, #block.level<"UB">> into memref<8xf32, #block.level<"UB">>
  }
  block.return
}

// -----

// Parts of a buffer at places known now are parts.
// CHECK-LABEL: block.kernel @parts
// CHECK-NOT:     event
// CHECK:         block.return
block.kernel @parts(%x: memref<8xf32, #block.level<"GM">>) attributes {core = "vector", grid_rank = 0 : i64} {
  %a = block.alloc at 0 : memref<16xf32, #block.level<"UB">>
  %l = memref.subview %a[0] [8] [1] : memref<16xf32, #block.level<"UB">> to memref<8xf32, strided<[1]>, #block.level<"UB">>
  %h = memref.subview %a[8] [8] [1] : memref<16xf32, #block.level<"UB">> to memref<8xf32, strided<[1], offset: 8>, #block.level<"UB">>
  block.move %x to %l on "MTE2" : memref<8xf32, #block.level<"GM">> to memref<8xf32, strided<[1]>, #block.level<"UB">>
  block.fill 1.0 : f32, %h on "VEC" : memref<8xf32, strided<[1], offset: 8>, #block.level<"UB">>
  block.return
}

// -----

// Ten dependencies, eight events: two are waited for together, no barrier.
// CHECK-LABEL: block.kernel @scarce
// CHECK-NOT:     block.barrier
// CHECK-COUNT-8: block.set_event "MTE2" to "VEC"
// CHECK-COUNT-8: block.wait_event "MTE2" to "VEC"
// CHECK-NOT:     event
// CHECK-NOT:     block.barrier
// CHECK:         block.return
block.kernel @scarce(%x: memref<8xf32, #block.level<"GM">>) attributes {core = "vector", grid_rank = 0 : i64} {
  %a0 = block.alloc at 0 : memref<8xf32, #block.level<"UB">>
  %a1 = block.alloc at 32 : memref<8xf32, #block.level<"UB">>
  %a2 = block.alloc at 64 : memref<8xf32, #block.level<"UB">>
  %a3 = block.alloc at 96 : memref<8xf32, #block.level<"UB">>
  %a4 = block.alloc at 128 : memref<8xf32, #block.level<"UB">>
  %a5 = block.alloc at 160 : memref<8xf32, #block.level<"UB">>
  %a6 = block.alloc at 192 : memref<8xf32, #block.level<"UB">>
  %a7 = block.alloc at 224 : memref<8xf32, #block.level<"UB">>
  %a8 = block.alloc at 256 : memref<8xf32, #block.level<"UB">>
  %a9 = block.alloc at 288 : memref<8xf32, #block.level<"UB">>
  block.move %x to %a0 on "MTE2" : memref<8xf32, #block.level<"GM">> to memref<8xf32, #block.level<"UB">>
  block.move %x to %a1 on "MTE2" : memref<8xf32, #block.level<"GM">> to memref<8xf32, #block.level<"UB">>
  block.move %x to %a2 on "MTE2" : memref<8xf32, #block.level<"GM">> to memref<8xf32, #block.level<"UB">>
  block.move %x to %a3 on "MTE2" : memref<8xf32, #block.level<"GM">> to memref<8xf32, #block.level<"UB">>
  block.move %x to %a4 on "MTE2" : memref<8xf32, #block.level<"GM">> to memref<8xf32, #block.level<"UB">>
  block.move %x to %a5 on "MTE2" : memref<8xf32, #block.level<"GM">> to memref<8xf32, #block.level<"UB">>
  block.move %x to %a6 on "MTE2" : memref<8xf32, #block.level<"GM">> to memref<8xf32, #block.level<"UB">>
  block.move %x to %a7 on "MTE2" : memref<8xf32, #block.level<"GM">> to memref<8xf32, #block.level<"UB">>
  block.move %x to %a8 on "MTE2" : memref<8xf32, #block.level<"GM">> to memref<8xf32, #block.level<"UB">>
  block.move %x to %a9 on "MTE2" : memref<8xf32, #block.level<"GM">> to memref<8xf32, #block.level<"UB">>
  block.unary <exp> %a0 into %a0 on "VEC" : memref<8xf32, #block.level<"UB">> into memref<8xf32, #block.level<"UB">>
  block.unary <exp> %a1 into %a1 on "VEC" : memref<8xf32, #block.level<"UB">> into memref<8xf32, #block.level<"UB">>
  block.unary <exp> %a2 into %a2 on "VEC" : memref<8xf32, #block.level<"UB">> into memref<8xf32, #block.level<"UB">>
  block.unary <exp> %a3 into %a3 on "VEC" : memref<8xf32, #block.level<"UB">> into memref<8xf32, #block.level<"UB">>
  block.unary <exp> %a4 into %a4 on "VEC" : memref<8xf32, #block.level<"UB">> into memref<8xf32, #block.level<"UB">>
  block.unary <exp> %a5 into %a5 on "VEC" : memref<8xf32, #block.level<"UB">> into memref<8xf32, #block.level<"UB">>
  block.unary <exp> %a6 into %a6 on "VEC" : memref<8xf32, #block.level<"UB">> into memref<8xf32, #block.level<"UB">>
  block.unary <exp> %a7 into %a7 on "VEC" : memref<8xf32, #block.level<"UB">> into memref<8xf32, #block.level<"UB">>
  block.unary <exp> %a8 into %a8 on "VEC" : memref<8xf32, #block.level<"UB">> into memref<8xf32, #block.level<"UB">>
  block.unary <exp> %a9 into %a9 on "VEC" : memref<8xf32, #block.level<"UB">> into memref<8xf32, #block.level<"UB">>
  block.return
}
