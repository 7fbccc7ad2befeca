// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --form-scopes=target=ascend-a3 --choose-tiles=target=ascend-a3 --expand-tiles=target=ascend-a3 --place-tiles=target=ascend-a3 --bufferize=target=ascend-a3 --outline-kernels=target=ascend-a3 --build-tasks --mlir-print-debuginfo --mlir-print-local-scope %s | FileCheck %s
// RUN: tilewright-opt --form-scopes=target=ascend-a3 --choose-tiles=target=ascend-a3 --expand-tiles=target=ascend-a3 --place-tiles=target=ascend-a3 --bufferize=target=ascend-a3 --outline-kernels=target=ascend-a3 --build-tasks %s | tilewright-opt | FileCheck %s --check-prefix=ROUND

// Both products are one kernel; a row of tasks waits for the rows it reads.
// CHECK:     block.program @f(
// CHECK:       %[[A:.*]] = block.buffer
// CHECK:       block.dispatch @f.a.kernel grid [{{.*}}](%arg0, %arg1, %[[A]])
// CHECK-NOT:     dependencies
// CHECK-SAME:    loc(fused<"f/a">
// CHECK:       %[[E:.*]] = block.buffer
// CHECK:       block.dispatch @f.e.kernel grid [{{.*}}](%[[A]], %[[E]])
// CHECK-SAME:    dependencies = [#block.dependency<0, (d0, d1) -> (d0{{.*}}), (d0, d1) -> ({{.*}})>]
// CHECK:       block.dispatch @f.a.kernel grid [{{.*}}](%[[E]], %arg1, %arg2)
// CHECK-SAME:    dependencies = [#block.dependency<1,
// CHECK-SAME:    loc(fused<"f/b">
// CHECK:     block.kernel @f.a.kernel(
// CHECK:       block.matmul {{.*}} loc(fused<["f/a", "f/b"]>[unknown])
// ROUND:     block.program @f(
func.func @f(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %a = tw.matmul %x, %w : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32> loc(fused<"f/a">["f":1:1])
  %e = tw.exp %a : (tensor<256x256xf32>) -> tensor<256x256xf32> loc(fused<"f/e">["f":2:1])
  %b = tw.matmul %e, %w : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32> loc(fused<"f/b">["f":3:1])
  return %b : tensor<256x256xf32>
}
