// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --raise-contractions --dce %s | FileCheck %s
// RUN: tilewright-opt --split-input-file --raise-contractions --mlir-print-debuginfo --mlir-print-local-scope %s | FileCheck %s --check-prefix=KEY

// A sum from zero needs no accumulator.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME:    %[[A:[^:]*]]: {{[^,]*}}, %[[B:[^:]*]]:
// CHECK-NEXT:    %[[C:.*]] = tw.matmul %[[A]], %[[B]] : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT:    return %[[C]]
// KEY-LABEL: func.func @matmul(
// KEY:         tw.matmul {{.*}} loc(fused<"matmul/c">
func.func @matmul(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %z = arith.constant 0.0 : f32 loc(fused<"matmul/z">["m":1:1])
  %e = tensor.empty() : tensor<4x6xf32> loc(fused<"matmul/e">["m":2:1])
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32> loc(fused<"matmul/f">["m":3:1])
  %c = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%f : tensor<4x6xf32>) -> tensor<4x6xf32> loc(fused<"matmul/c">["m":4:1])
  return %c : tensor<4x6xf32>
}

// -----

// CHECK-LABEL: func.func @accumulator(
// CHECK:         tw.matmul %{{.*}}, %{{.*}} acc %{{.*}} : (tensor<4x?xf16>, tensor<?x6xf16>, tensor<4x6xf32>) -> tensor<4x6xf32>
func.func @accumulator(%a: tensor<4x?xf16>, %b: tensor<?x6xf16>, %c: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %d = linalg.matmul ins(%a, %b : tensor<4x?xf16>, tensor<?x6xf16>) outs(%c : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %d : tensor<4x6xf32>
}

// -----

// A sum from -0 is -0 where all products are.
// CHECK-LABEL: func.func @negative_zero(
// CHECK:         tw.matmul %{{.*}}, %{{.*}} acc
func.func @negative_zero(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %z = arith.constant dense<-0.0> : tensor<4x6xf32>
  %c = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%z : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %c : tensor<4x6xf32>
}

// -----

// CHECK-LABEL: func.func @transposed(
// CHECK:         tw.matmul %{{.*}}, %{{.*}} {transpose_rhs} : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
// CHECK:         tw.matmul %{{.*}}, %{{.*}} {transpose_lhs} : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
func.func @transposed(%a: tensor<4x8xf32>, %b: tensor<6x8xf32>, %c: tensor<8x4xf32>, %d: tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %z = tw.full {value = 0.0} : () -> tensor<4x6xf32>
  %e = linalg.matmul_transpose_b ins(%a, %b : tensor<4x8xf32>, tensor<6x8xf32>) outs(%z : tensor<4x6xf32>) -> tensor<4x6xf32>
  %f = linalg.matmul_transpose_a ins(%c, %d : tensor<8x4xf32>, tensor<8x6xf32>) outs(%z : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %e, %f : tensor<4x6xf32>, tensor<4x6xf32>
}

// -----

// CHECK-LABEL: func.func @batches(
// CHECK:         tw.matmul %{{.*}}, %{{.*}} : (tensor<3x4x8xbf16>, tensor<3x8x6xbf16>) -> tensor<3x4x6xbf16>
// CHECK:         tw.matmul %{{.*}}, %{{.*}} {transpose_rhs} : (tensor<3x4x8xbf16>, tensor<3x6x8xbf16>) -> tensor<3x4x6xbf16>
func.func @batches(%a: tensor<3x4x8xbf16>, %b: tensor<3x8x6xbf16>, %t: tensor<3x6x8xbf16>) -> (tensor<3x4x6xbf16>, tensor<3x4x6xbf16>) {
  %z = arith.constant dense<0.0> : tensor<3x4x6xbf16>
  %c = linalg.batch_matmul ins(%a, %b : tensor<3x4x8xbf16>, tensor<3x8x6xbf16>) outs(%z : tensor<3x4x6xbf16>) -> tensor<3x4x6xbf16>
  %d = linalg.batch_matmul_transpose_b ins(%a, %t : tensor<3x4x8xbf16>, tensor<3x6x8xbf16>) outs(%z : tensor<3x4x6xbf16>) -> tensor<3x4x6xbf16>
  return %c, %d : tensor<3x4x6xbf16>, tensor<3x4x6xbf16>
}

// -----

// The same said without a name.
// CHECK-LABEL: func.func @generic(
// CHECK:         tw.matmul %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
func.func @generic(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %z = tw.full {value = 0.0} : () -> tensor<4x6xf32>
  %c = linalg.generic {indexing_maps = [affine_map<(n, k, m) -> (m, k)>, affine_map<(n, k, m) -> (k, n)>, affine_map<(n, k, m) -> (m, n)>],
      iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%a, %b : tensor<4x8xf32>, tensor<8x6xf32>) outs(%z : tensor<4x6xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x6xf32>
  return %c : tensor<4x6xf32>
}

// -----

// No matrix product, or none of ours.
// CHECK-LABEL: func.func @others(
// CHECK-NOT:     tw.matmul
// CHECK:         linalg.matvec
// CHECK:         linalg.matmul
// CHECK:         linalg.matmul
func.func @others(%a: tensor<4x8xf32>, %v: tensor<8xf32>, %w: tensor<4xf32>, %i: tensor<4x8xi32>, %j: tensor<8x6xi32>, %k: tensor<4x6xi32>, %d: tensor<8x6xf64>, %e: tensor<4x6xf64>) -> (tensor<4xf32>, tensor<4x6xi32>, tensor<4x6xf64>) {
  %b = linalg.matvec ins(%a, %v : tensor<4x8xf32>, tensor<8xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
  %c = linalg.matmul ins(%i, %j : tensor<4x8xi32>, tensor<8x6xi32>) outs(%k : tensor<4x6xi32>) -> tensor<4x6xi32>
  %f = linalg.matmul ins(%a, %d : tensor<4x8xf32>, tensor<8x6xf64>) outs(%e : tensor<4x6xf64>) -> tensor<4x6xf64>
  return %b, %c, %f : tensor<4xf32>, tensor<4x6xi32>, tensor<4x6xf64>
}
