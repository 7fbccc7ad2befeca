// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-accumulators=target=ascend-a3 %s | FileCheck %s
// RUN: tilewright-opt --split-accumulators=target=ascend-a3 --mlir-print-debuginfo --mlir-print-local-scope %s | FileCheck %s --check-prefix=KEY
// RUN: tilewright-opt --split-accumulators=target=cpu-generic %s | FileCheck %s --check-prefix=CPU

// Nothing but the unit writes L0C; the caches of a CPU take in anything.
// CHECK-LABEL: func.func @f(
// CHECK-SAME:    %[[A:[^:]*]]: {{[^,]*}}, %[[B:[^:]*]]: {{[^,]*}}, %[[C:[^:]*]]: {{[^,]*}}, %[[H:[^:]*]]:
// CHECK:         %[[P:.*]] = tw.matmul %[[A]], %[[B]] {transpose_lhs} : (tensor<8x4xf16>, tensor<8x6xf16>) -> tensor<4x6xf32>
// CHECK-NEXT:    %[[D:.*]] = tw.add %[[P]], %[[C]] : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT:    %[[Q:.*]] = tw.matmul %[[A]], %[[B]] {transpose_lhs} : (tensor<8x4xf16>, tensor<8x6xf16>) -> tensor<4x6xf32>
// CHECK-NEXT:    %[[W:.*]] = tw.cast %[[H]] : (tensor<4x6xf16>) -> tensor<4x6xf32>
// CHECK-NEXT:    %[[S:.*]] = tw.add %[[Q]], %[[W]]
// CHECK-NEXT:    %[[E:.*]] = tw.cast %[[S]] : (tensor<4x6xf32>) -> tensor<4x6xf16>
// CHECK-NEXT:    return %[[D]], %[[E]]
// KEY:         tw.matmul {{.*}} loc(fused<"f/d.product">
// KEY:         tw.add {{.*}} loc(fused<"f/d">
// KEY:         tw.matmul {{.*}} loc(fused<"f/e.product">
// KEY:         tw.cast {{.*}} loc(fused<"f/e.wide_acc">
// KEY:         tw.add {{.*}} loc(fused<"f/e.wide_result">
// KEY:         tw.cast {{.*}} loc(fused<"f/e">
// CPU-COUNT-2: tw.matmul {{.*}} acc
func.func @f(%a: tensor<8x4xf16>, %b: tensor<8x6xf16>, %c: tensor<4x6xf32>, %h: tensor<4x6xf16>) -> (tensor<4x6xf32>, tensor<4x6xf16>) {
  %d = tw.matmul %a, %b acc %c {transpose_lhs} : (tensor<8x4xf16>, tensor<8x6xf16>, tensor<4x6xf32>) -> tensor<4x6xf32> loc(fused<"f/d">["f":1:1])
  %e = tw.matmul %a, %b acc %h {transpose_lhs} : (tensor<8x4xf16>, tensor<8x6xf16>, tensor<4x6xf16>) -> tensor<4x6xf16> loc(fused<"f/e">["f":2:1])
  return %d, %e : tensor<4x6xf32>, tensor<4x6xf16>
}
