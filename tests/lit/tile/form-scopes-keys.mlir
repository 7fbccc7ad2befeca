// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --form-scopes=target=cpu-generic --mlir-print-debuginfo --mlir-print-local-scope %s | FileCheck %s

// Scopes that differ only in their keys are one; each instance binds them.
// CHECK:       call @layers.a(%arg0, %arg1) {tile.bindings = ["layers/a", "layers/ra"]}
// CHECK:       call @layers.a({{.*}}) {tile.bindings = ["layers/b", "layers/rb"]}
// CHECK:     func.func private @layers.a(
// CHECK-NEXT:  tw.matmul {{.*}} loc(fused<"$0">[unknown])
// CHECK-NEXT:  tw.relu {{.*}} loc(fused<"$1.part">[unknown])
// CHECK-NOT: func.func private
func.func @layers(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = tw.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc(fused<"layers/a">["f":1:1])
  %ra = tw.relu %a : (tensor<8x8xf32>) -> tensor<8x8xf32> loc(fused<"layers/ra.part">["f":2:1])
  %b = tw.matmul %ra, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32> loc(fused<"layers/b">["f":3:1])
  %rb = tw.relu %b : (tensor<8x8xf32>) -> tensor<8x8xf32> loc(fused<"layers/rb.part">["f":4:1])
  return %rb : tensor<8x8xf32>
}
