// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --form-scopes=target=cpu-generic | FileCheck %s

// What a reduction leaves is stretched to another extent than it was reduced
// from: one tile cannot serve both, so these are two scopes.
// CHECK-LABEL: func.func @larger(
// CHECK-COUNT-2: call @larger.
func.func @larger(%a: tensor<2x2xf32>, %b: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %r = tw.reduce %a {kind = max, axes = [0], keepdims} : (tensor<2x2xf32>) -> tensor<1x2xf32> loc(fused<"larger/r">["s":1:1])
  %y = tw.add %r, %b : (tensor<1x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32> loc(fused<"larger/y">["s":2:1])
  return %y : tensor<3x2xf32> loc(fused<"larger/return">["s":3:1])
}

// CHECK-LABEL: func.func @smaller(
// CHECK-COUNT-2: call @smaller.
func.func @smaller(%a: tensor<65xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %r = tw.reduce %a {kind = max, axes = [0], keepdims} : (tensor<65xf32>) -> tensor<1xf32> loc(fused<"smaller/r">["s":1:1])
  %y = tw.add %r, %b : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32> loc(fused<"smaller/y">["s":2:1])
  return %y : tensor<4xf32> loc(fused<"smaller/return">["s":3:1])
}

// The same extent is one scope.
// CHECK-LABEL: func.func @same(
// CHECK-COUNT-1: call @same.
// CHECK-NOT: call @same.
func.func @same(%a: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %r = tw.reduce %a {kind = max, axes = [1], keepdims} : (tensor<64x32xf32>) -> tensor<64x1xf32> loc(fused<"same/r">["s":1:1])
  %y = tw.sub %a, %r : (tensor<64x32xf32>, tensor<64x1xf32>) -> tensor<64x32xf32> loc(fused<"same/y">["s":2:1])
  return %y : tensor<64x32xf32> loc(fused<"same/return">["s":3:1])
}

// The last operation lines up with both reductions, but these do not with each
// other: what a pair allows need not serve all.
// CHECK-LABEL: func.func @again(
// CHECK-COUNT-2: call @again.
func.func @again(%a: tensor<61x33xf32>) -> tensor<61x33xf32> {
  %m = tw.reduce %a {kind = mean, axes = [1], keepdims} : (tensor<61x33xf32>) -> tensor<61x1xf32> loc(fused<"again/m">["s":1:1])
  %r = tw.reduce %m {kind = min, axes = [0, 1]} : (tensor<61x1xf32>) -> tensor<f32> loc(fused<"again/r">["s":2:1])
  %y = tw.mul %r, %a : (tensor<f32>, tensor<61x33xf32>) -> tensor<61x33xf32> loc(fused<"again/y">["s":3:1])
  return %y : tensor<61x33xf32> loc(fused<"again/return">["s":4:1])
}
