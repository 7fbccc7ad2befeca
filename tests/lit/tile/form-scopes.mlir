// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --form-scopes=target=cpu-generic %s | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: tilewright-opt --split-input-file --form-scopes=target=ascend-a3 %s | FileCheck %s --check-prefixes=CHECK,NPU

// Matmuls that read the same step over it together, and what follows them
// elementwise joins where one unit does both.
// CHECK-LABEL: func.func @ffn(
// CPU:           call @ffn.matmul(%arg0, %arg1, %arg2)
// CPU-NEXT:      return
// NPU:           %[[M:.*]]:2 = call @ffn.matmul(%arg0, %arg1, %arg2)
// NPU-NEXT:      call @ffn.mul(%[[M]]#0, %[[M]]#1)
// CHECK:       func.func private @ffn.matmul({{.*}} attributes {tile.scope}
// CHECK-NEXT:    tw.matmul
// CHECK-NEXT:    tw.matmul
// CPU-NEXT:      tw.silu
// CPU-NEXT:      tw.mul
// CHECK-NEXT:    return
// NPU:         func.func private @ffn.mul(
// NPU-NEXT:      tw.silu
// NPU-NEXT:      tw.mul
func.func @ffn(%x: tensor<8x16xf32>, %a: tensor<16x32xf32>, %b: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %g = tw.matmul %x, %a : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %u = tw.matmul %x, %b : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %s = tw.silu %g : (tensor<8x32xf32>) -> tensor<8x32xf32>
  %h = tw.mul %s, %u : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  return %h : tensor<8x32xf32>
}

// -----

// A softmax is one scope: its rows are independent.
// CHECK-LABEL: func.func @softmax(
// CHECK:         call @softmax.reduce(
// CHECK-NEXT:    return
// CHECK:       func.func private @softmax.reduce(
// CHECK:         tw.reduce
// CHECK-NEXT:    tw.sub
// CHECK-NEXT:    tw.exp
// CHECK-NEXT:    tw.reduce
// CHECK-NEXT:    tw.div
func.func @softmax(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %m = tw.reduce %x {kind = max, axes = [-1], keepdims} : (tensor<64x128xf32>) -> tensor<64x1xf32>
  %d = tw.sub %x, %m : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x128xf32>
  %e = tw.exp %d : (tensor<64x128xf32>) -> tensor<64x128xf32>
  %s = tw.reduce %e {kind = sum, axes = [-1], keepdims} : (tensor<64x128xf32>) -> tensor<64x1xf32>
  %p = tw.div %e, %s : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x128xf32>
  return %p : tensor<64x128xf32>
}

// -----

// Joining all three elementwise operations would make a cycle through the
// matmul between them.
// CHECK-LABEL: func.func @cycle(
// CHECK:         %[[E:.*]]:2 = call @cycle.cast(%arg0)
// CHECK:         %[[M:.*]] = call @cycle.matmul(%[[E]]#0, %arg1)
// CHECK:         call @cycle.reduce(%[[M]], %[[E]]#1)
func.func @cycle(%x: tensor<16x16xf16>, %w: tensor<16x16xf16>) -> tensor<16x16xf32> {
  %e = tw.exp %x : (tensor<16x16xf16>) -> tensor<16x16xf16>
  %m = tw.matmul %e, %w : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf32>
  %t = tw.reduce %m {kind = sum, axes = [0], keepdims} : (tensor<16x16xf32>) -> tensor<1x16xf32>
  %c = tw.cast %e : (tensor<16x16xf16>) -> tensor<16x16xf32>
  %r = tw.add %c, %t : (tensor<16x16xf32>, tensor<1x16xf32>) -> tensor<16x16xf32>
  return %r : tensor<16x16xf32>
}

// -----

// A vector that every row reads is not computed again for each of them.
// CHECK-LABEL: func.func @weights(
// CHECK:         %[[W:.*]] = call @weights.neg(%arg1)
// CHECK-NEXT:    call @weights.mul(%arg0, %[[W]])
func.func @weights(%x: tensor<64x128xf32>, %w: tensor<128xf32>) -> tensor<64x128xf32> {
  %n = tw.neg %w : (tensor<128xf32>) -> tensor<128xf32>
  %y = tw.mul %x, %n : (tensor<64x128xf32>, tensor<128xf32>) -> tensor<64x128xf32>
  return %y : tensor<64x128xf32>
}

// -----

// Every result has a buffer of its own, so that returned arguments are copied.
// CHECK-LABEL: func.func @returned(
// CHECK:         %[[A:.*]] = call @returned.slice(%arg0)
// CHECK-NEXT:    return %[[A]]
func.func @returned(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  return %x : tensor<4x8xf32>
}

// -----

// A value used inside and outside leaves the scope too; a constant is made
// again in each scope that reads it.
// CHECK-LABEL: func.func @both(
// CHECK:         %[[R:.*]]:2 = call @both.add(%arg0)
// CHECK-NEXT:    return %[[R]]#0, %[[R]]#1
// CHECK:       func.func private @both.add(
// CHECK-NEXT:    tw.full
func.func @both(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %c = tw.full {value = 2.0} : () -> tensor<1xf32>
  %a = tw.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = tw.add %a, %c : (tensor<4x8xf32>, tensor<1xf32>) -> tensor<4x8xf32>
  return %a, %b : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A matrix unit with memories of its own cannot make an operand: it is written
// to global memory by a scope of its own. Caches take it as it is.
// CHECK-LABEL: func.func @filled_operand(
// NPU-COUNT-2:   call @
// CPU-COUNT-1:   call @
// CHECK-NEXT:    return
func.func @filled_operand(%x: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %w = tw.full {value = 0.5} : () -> tensor<16x16xf32>
  %y = tw.matmul %w, %x : (tensor<16x16xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return %y : tensor<16x8xf32>
}

// -----

// Two returned constants are two copies with keys of their own.
// CHECK-LABEL: func.func @constants(
// CHECK:         %[[A:.*]] = call @[[F:.*]]() {{.*}} -> tensor<3xf32>
// CHECK-NEXT:    %[[B:.*]] = call @{{.*}}() {{.*}} -> tensor<3xf32>
// CHECK-NEXT:    return %[[A]], %[[B]]
func.func @constants() -> (tensor<3xf32>, tensor<3xf32>) {
  %v = tw.full {value = 0.5} : () -> tensor<3xf32>
  %w = tw.full {value = 1.5} : () -> tensor<3xf32>
  return %v, %w : tensor<3xf32>, tensor<3xf32>
}
