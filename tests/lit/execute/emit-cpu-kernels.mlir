// RUN: tilewright-opt --emit-cpu-kernels %s | FileCheck %s

#gm = #block.level<"GM">
#l1 = #block.level<"cache1">

// Two instructions and both moves are one loop over vectors of 8: no buffer is
// written but the result.
// CHECK-LABEL: llvm.func @silu_mul
// CHECK-DAG: %[[STEP:.*]] = arith.constant 8 : i64
// CHECK: scf.for
// CHECK: %[[A:.*]] = llvm.load {{.*}} -> vector<8xf32>
// CHECK: math.exp
// CHECK: arith.divf
// CHECK: %[[B:.*]] = llvm.load {{.*}} -> vector<8xf32>
// CHECK: %[[C:.*]] = arith.mulf %{{.*}}, %[[B]] : vector<8xf32>
// CHECK-NEXT: llvm.getelementptr
// CHECK-NEXT: llvm.store %[[C]]
// CHECK-NOT: llvm.store
block.kernel @silu_mul(%a: memref<4x64xf32, #gm>, %b: memref<4x64xf32, #gm>,
                       %c: memref<4x64xf32, #gm>, %g: index)
    attributes {core = "any", grid_rank = 1 : i64} {
  %x = block.alloc at 0 : memref<4x64xf32, #l1>
  %y = block.alloc at 1024 : memref<4x64xf32, #l1>
  block.move %a to %x : memref<4x64xf32, #gm> to memref<4x64xf32, #l1>
  block.unary <silu> %x into %y : memref<4x64xf32, #l1> into memref<4x64xf32, #l1>
  block.binary <mul> %y, %b into %c : memref<4x64xf32, #l1>, memref<4x64xf32, #gm> into memref<4x64xf32, #gm>
  block.return
}

// A product keeps its block of 6 x 16 in registers: 12 sums carried by the loop
// over k.
// CHECK-LABEL: llvm.func @product
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-12: vector.fma
// CHECK-NOT: vector.fma
// CHECK: scf.yield
block.kernel @product(%a: memref<1x32x6xf32, #gm>, %b: memref<1x32x16xf32, #gm>,
                      %c: memref<6x16xf32, #gm>, %g: index)
    attributes {core = "any", grid_rank = 1 : i64} {
  block.matmul %a layout <packed axis = 0 block = 6>, %b layout <packed axis = 1 block = 16> into %c
      : memref<1x32x6xf32, #gm>, memref<1x32x16xf32, #gm> into memref<6x16xf32, #gm>
  block.return
}
