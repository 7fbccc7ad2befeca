// RUN: tilewright-opt --lower-cpu-kernels %s | FileCheck %s

#gm = #block.level<"GM">
#l1 = #block.level<"cache1">

// Nothing but the LLVM dialect is left.
// CHECK-LABEL: llvm.func @softmax_row(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: !llvm.ptr)
// CHECK-NOT: {{(scf|vector|math|arith|memref|block)\.}}
block.kernel @softmax_row(%a: memref<1x100xf32, #gm>, %c: memref<1x100xf32, #gm>, %g: index)
    attributes {core = "any", grid_rank = 1 : i64} {
  %max = block.alloc at 0 : memref<1x1xf32, #l1>
  %sum = block.alloc at 64 : memref<1x1xf32, #l1>
  %e = block.alloc at 128 : memref<1x100xf32, #l1>
  block.reduce <max> %a into %max axes [1] : memref<1x100xf32, #gm> into memref<1x1xf32, #l1>
  block.binary <sub> %a, %max into %e : memref<1x100xf32, #gm>, memref<1x1xf32, #l1> into memref<1x100xf32, #l1>
  block.unary <exp> %e into %e : memref<1x100xf32, #l1> into memref<1x100xf32, #l1>
  block.reduce <sum> %e into %sum axes [1] : memref<1x100xf32, #l1> into memref<1x1xf32, #l1>
  block.binary <div> %e, %sum into %c : memref<1x100xf32, #l1>, memref<1x1xf32, #l1> into memref<1x100xf32, #gm>
  block.return
}
