// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --emit-cpu-kernels=cpu=amx %s | FileCheck %s
// RUN: tilewright-opt --emit-cpu-kernels=cpu=generic %s | FileCheck %s --check-prefix=PLAIN

#gm = #block.level<"GM">

// On tile registers: the thread is told their form, sums start from zeros, a
// step takes 32 of the depth, and the registers are given back.
// CHECK-LABEL: llvm.func @tiles(
// CHECK:         %[[FORM:.*]] = llvm.alloca {{.*}} x i8 {alignment = 64 : i64}
// CHECK:         arith.constant dense<[1, {{(0, )+}}64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 64, 0, 64, 0, {{(0, )+}}16, 16, 16, 16, 16, 16, 16, 16, 0{{(, 0)+}}]> : vector<64xi8>
// CHECK:         llvm.call_intrinsic "llvm.x86.ldtilecfg"(%[[FORM]])
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilezero"
// CHECK:         scf.for
// CHECK-COUNT-2:   llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK:           llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK-COUNT-2:   llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK:           llvm.call_intrinsic "llvm.x86.tileloadd64"
// CHECK-COUNT-2:   llvm.call_intrinsic "llvm.x86.tdpbf16ps"
// CHECK:         }
// CHECK-COUNT-4: llvm.call_intrinsic "llvm.x86.tilestored64"
// CHECK:         llvm.call_intrinsic "llvm.x86.tilerelease"()
// CHECK-NEXT:    llvm.return
// Without any such unit: pairs of steps in f32.
// PLAIN-LABEL: llvm.func @tiles(
// PLAIN-NOT:     llvm.call_intrinsic
// PLAIN:         vector.fma
// PLAIN-NOT:     llvm.call_intrinsic
// PLAIN:         llvm.return
block.kernel @tiles(%a: memref<1x8x1024xbf16, #gm>, %b: memref<1x128x64xbf16, #gm>, %c: memref<32x32xf32, #gm>, %g: index)
    attributes {core = "any", grid_rank = 1 : i64} {
  block.matmul %a layout <packed block = 32 group = 32 multiple = 32>, %b layout <packed axis = 1 block = 32 group = 2 multiple = 32> into %c
      : memref<1x8x1024xbf16, #gm>, memref<1x128x64xbf16, #gm> into memref<32x32xf32, #gm>
  block.return
}

// With sums of two products a lane: 12 x 32 sums in 24 registers.
// CHECK-LABEL: llvm.func @pairs(
// CHECK:         scf.for
// CHECK-COUNT-24: llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"
// CHECK:         scf.yield
// CHECK:         llvm.return
block.kernel @pairs(%a: memref<1x128x24xbf16, #gm>, %b: memref<1x128x64xbf16, #gm>, %c: memref<12x32xf32, #gm>, %g: index)
    attributes {core = "any", grid_rank = 1 : i64} {
  block.matmul %a layout <packed block = 12 group = 2 multiple = 2>, %b layout <packed axis = 1 block = 32 group = 2 multiple = 2> into %c
      : memref<1x128x24xbf16, #gm>, memref<1x128x64xbf16, #gm> into memref<12x32xf32, #gm>
  block.return
}
