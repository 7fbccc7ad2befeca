// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --verify-diagnostics --allocate-onchip=target=ascend-a3 %s | FileCheck %s

// Apart while there is room, aligned as the level asks.
// CHECK-LABEL: block.kernel @apart
// CHECK:         block.alloc at 0 : memref<5x5xf32
// CHECK:         block.alloc at 128 : memref<8x8xf32
block.kernel @apart(%x: memref<8x8xf32, #block.level<"GM">>) attributes {core = "vector", grid_rank = 0 : i64} {
  %a = block.alloc : memref<5x5xf32, #block.level<"UB">>
  %b = block.alloc : memref<8x8xf32, #block.level<"UB">>
  block.fill 1.0 : f32, %a : memref<5x5xf32, #block.level<"UB">>
  block.fill 1.0 : f32, %b : memref<8x8xf32, #block.level<"UB">>
  block.return
}

// -----

// Together where there is not: %c begins after %a ended, %b lives on.
// CHECK-LABEL: block.kernel @shared
// CHECK:         block.alloc at 0 : memref<20000xf32
// CHECK:         block.alloc at 80000 : memref<20000xf32
// CHECK:         block.alloc at 0 : memref<20000xf32
block.kernel @shared(%x: memref<20000xf32, #block.level<"GM">>) attributes {core = "vector", grid_rank = 0 : i64} {
  %a = block.alloc : memref<20000xf32, #block.level<"UB">>
  %b = block.alloc : memref<20000xf32, #block.level<"UB">>
  %c = block.alloc : memref<20000xf32, #block.level<"UB">>
  block.fill 1.0 : f32, %a : memref<20000xf32, #block.level<"UB">>
  block.unary <exp> %a into %b : memref<20000xf32, #block.level<"UB">> into memref<20000xf32, #block.level<"UB">>
  block.unary <exp> %b into %c : memref<20000xf32, #block.level<"UB">> into memref<20000xf32, #block.level<"UB">>
  block.unary <exp> %c into %b : memref<20000xf32, #block.level<"UB">> into memref<20000xf32, #block.level<"UB">>
  block.return
}

// -----

// What a loop uses but does not make lives for all of it. What is behind takes
// the room that has been free longest.
// CHECK-LABEL: block.kernel @loop
// CHECK:         block.alloc at 0 : memref<20000xf32
// CHECK:         scf.for
// CHECK:           block.alloc at 80000 : memref<20000xf32
// CHECK:         block.alloc at 80000 : memref<20001xf32
block.kernel @loop(%x: memref<20000xf32, #block.level<"GM">>) attributes {core = "vector", grid_rank = 0 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = block.alloc : memref<20000xf32, #block.level<"UB">>
  scf.for %i = %c0 to %c4 step %c1 {
    block.fill 1.0 : f32, %a : memref<20000xf32, #block.level<"UB">>
    %b = block.alloc : memref<20000xf32, #block.level<"UB">>
    block.unary <exp> %a into %b : memref<20000xf32, #block.level<"UB">> into memref<20000xf32, #block.level<"UB">>
  }
  %c = block.alloc : memref<20001xf32, #block.level<"UB">>
  block.fill 1.0 : f32, %c : memref<20001xf32, #block.level<"UB">>
  block.return
}

// -----

// In the order in which they begin to live, %c finds no gap that is large
// enough; the long-lived first leave one.
// CHECK-LABEL: block.kernel @tight
// CHECK:         block.alloc at 40000 : memref<15000xf32
// CHECK:         block.alloc at 0 : memref<10000xf32
// CHECK:         block.alloc at 40000 : memref<25000xf32
block.kernel @tight(%x: memref<8xf32, #block.level<"GM">>) attributes {core = "vector", grid_rank = 0 : i64} {
  %a = block.alloc : memref<15000xf32, #block.level<"UB">>
  %b = block.alloc : memref<10000xf32, #block.level<"UB">>
  %c = block.alloc : memref<25000xf32, #block.level<"UB">>
  block.fill 1.0 : f32, %a : memref<15000xf32, #block.level<"UB">>
  block.fill 1.0 : f32, %b : memref<10000xf32, #block.level<"UB">>
  block.unary <exp> %a into %a : memref<15000xf32, #block.level<"UB">> into memref<15000xf32, #block.level<"UB">>
  block.fill 1.0 : f32, %c : memref<25000xf32, #block.level<"UB">>
  block.unary <exp> %c into %c : memref<25000xf32, #block.level<"UB">> into memref<25000xf32, #block.level<"UB">>
  block.unary <exp> %b into %b : memref<10000xf32, #block.level<"UB">> into memref<10000xf32, #block.level<"UB">>
  block.return
}

// -----

// What is alive where most is, with its size: not %early, which is done by then.
// expected-error @+1 {{UB needs 256 KiB of 184 KiB usable: a 128 KiB, b 128 KiB; smaller tiles would fit}}
block.kernel @full(%x: memref<8xf32, #block.level<"GM">>) attributes {core = "vector", grid_rank = 0 : i64} {
  %early = block.alloc : memref<64xf32, #block.level<"UB">> loc(fused<"f/early">[unknown])
  block.fill 1.0 : f32, %early : memref<64xf32, #block.level<"UB">>
  %a = block.alloc : memref<256x128xf32, #block.level<"UB">> loc(fused<"f/a">[unknown])
  %b = block.alloc : memref<256x128xf32, #block.level<"UB">> loc(fused<"f/b">[unknown])
  block.fill 1.0 : f32, %a : memref<256x128xf32, #block.level<"UB">>
  block.unary <exp> %a into %b : memref<256x128xf32, #block.level<"UB">> into memref<256x128xf32, #block.level<"UB">>
  block.return
}
