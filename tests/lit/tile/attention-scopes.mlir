// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --decompose-composites --form-scopes=target=cpu-generic %s --verify-diagnostics | FileCheck %s

// As a person writes it first: one scope, marked, with nothing beside it.
// CHECK-LABEL: func.func @composite(
// CHECK-NEXT:    call @composite.matmul(
// CHECK-NEXT:    return
// CHECK:       func.func private @composite.matmul({{.*}} attributes {tile.attention, tile.scope}
func.func @composite(%q: tensor<4x32x16xf32>, %k: tensor<4x48x16xf32>, %v: tensor<4x48x8xf32>, %mask: tensor<32x48xf32>) -> tensor<4x32x8xf32> {
  %scale = tw.full {value = 0.25} : () -> tensor<f32>
  %qk = tw.matmul %q, %k {transpose_rhs} : (tensor<4x32x16xf32>, tensor<4x48x16xf32>) -> tensor<4x32x48xf32>
  %s = tw.mul %qk, %scale : (tensor<4x32x48xf32>, tensor<f32>) -> tensor<4x32x48xf32>
  %m = tw.add %s, %mask : (tensor<4x32x48xf32>, tensor<32x48xf32>) -> tensor<4x32x48xf32>
  %p = tw.softmax %m {axis = -1} : (tensor<4x32x48xf32>) -> tensor<4x32x48xf32>
  %o = tw.matmul %p, %v : (tensor<4x32x48xf32>, tensor<4x48x8xf32>) -> tensor<4x32x8xf32>
  return %o : tensor<4x32x8xf32>
}

// -----

// Written out in another order: keys transposed by an operation, a bias, a tanh cap, and the division after the second
// matmul. One key and value head serves all.
// CHECK-LABEL: func.func @reordered(
// CHECK-NEXT:    call @reordered.matmul(
// CHECK-NEXT:    return
// CHECK:       func.func private @reordered.matmul({{.*}} attributes {tile.attention, tile.scope}
// CHECK:         tw.transpose
// CHECK:         tw.tanh
func.func @reordered(%a: tensor<4x32x16xf32>, %b: tensor<1x48x16xf32>, %c: tensor<1x48x8xf32>, %bias: tensor<4x1x48xf32>) -> tensor<4x32x8xf32> {
  %cap = tw.full {value = 30.0} : () -> tensor<1xf32>
  %t = tw.transpose %b {permutation = [0, 2, 1]} : (tensor<1x48x16xf32>) -> tensor<1x16x48xf32>
  %0 = tw.matmul %a, %t : (tensor<4x32x16xf32>, tensor<1x16x48xf32>) -> tensor<4x32x48xf32>
  %1 = tw.div %0, %cap : (tensor<4x32x48xf32>, tensor<1xf32>) -> tensor<4x32x48xf32>
  %2 = tw.tanh %1 : (tensor<4x32x48xf32>) -> tensor<4x32x48xf32>
  %3 = tw.mul %cap, %2 : (tensor<1xf32>, tensor<4x32x48xf32>) -> tensor<4x32x48xf32>
  %4 = tw.add %bias, %3 : (tensor<4x1x48xf32>, tensor<4x32x48xf32>) -> tensor<4x32x48xf32>
  %5 = tw.reduce %4 {kind = max, axes = [2], keepdims} : (tensor<4x32x48xf32>) -> tensor<4x32x1xf32>
  %6 = tw.sub %4, %5 : (tensor<4x32x48xf32>, tensor<4x32x1xf32>) -> tensor<4x32x48xf32>
  %7 = tw.exp %6 : (tensor<4x32x48xf32>) -> tensor<4x32x48xf32>
  %8 = tw.matmul %7, %c : (tensor<4x32x48xf32>, tensor<1x48x8xf32>) -> tensor<4x32x8xf32>
  %9 = tw.reduce %7 {kind = sum, axes = [2], keepdims} : (tensor<4x32x48xf32>) -> tensor<4x32x1xf32>
  %10 = tw.div %8, %9 : (tensor<4x32x8xf32>, tensor<4x32x1xf32>) -> tensor<4x32x8xf32>
  return %10 : tensor<4x32x8xf32>
}

// -----

// A mask of truth values, prepared here and read nowhere else; casts between; a reciprocal; a factor on the weights.
// CHECK-LABEL: func.func @selected(
// CHECK-NEXT:    call @selected.matmul(%arg0, %arg1, %arg3, %arg4, %arg2)
// CHECK-NEXT:    return
// CHECK:       func.func private @selected.matmul({{.*}} attributes {tile.attention, tile.scope}
// CHECK:         tw.compare
// CHECK:         tw.select
func.func @selected(%q: tensor<32x16xbf16>, %k: tensor<48x16xbf16>, %v: tensor<48x8xbf16>, %allowed: tensor<48xi32>, %drop: tensor<32x48xbf16>) -> tensor<32x8xbf16> {
  %low = tw.full {value = neg_inf} : () -> tensor<f32>
  %none = tw.full {value = 0.0} : () -> tensor<i32>
  %qk = tw.matmul %q, %k {transpose_rhs} : (tensor<32x16xbf16>, tensor<48x16xbf16>) -> tensor<32x48xbf16>
  %wide = tw.cast %qk : (tensor<32x48xbf16>) -> tensor<32x48xf32>
  %may = tw.compare %allowed, %none {predicate = ne} : (tensor<48xi32>, tensor<i32>) -> tensor<48xi1>
  %masked = tw.select %may, %wide, %low : (tensor<48xi1>, tensor<32x48xf32>, tensor<f32>) -> tensor<32x48xf32>
  %max = tw.reduce %masked {kind = max, axes = [-1], keepdims} : (tensor<32x48xf32>) -> tensor<32x1xf32>
  %centered = tw.sub %masked, %max : (tensor<32x48xf32>, tensor<32x1xf32>) -> tensor<32x48xf32>
  %e = tw.exp %centered : (tensor<32x48xf32>) -> tensor<32x48xf32>
  %sum = tw.reduce %e {kind = sum, axes = [-1], keepdims} : (tensor<32x48xf32>) -> tensor<32x1xf32>
  %inverse = tw.reciprocal %sum : (tensor<32x1xf32>) -> tensor<32x1xf32>
  %p = tw.mul %e, %inverse : (tensor<32x48xf32>, tensor<32x1xf32>) -> tensor<32x48xf32>
  %narrow = tw.cast %p : (tensor<32x48xf32>) -> tensor<32x48xbf16>
  %dropped = tw.mul %narrow, %drop : (tensor<32x48xbf16>, tensor<32x48xbf16>) -> tensor<32x48xbf16>
  %o = tw.matmul %dropped, %v : (tensor<32x48xbf16>, tensor<48x8xbf16>) -> tensor<32x8xbf16>
  return %o : tensor<32x8xbf16>
}

// -----

// Without a maximum it is a softmax still.
// CHECK-LABEL: func.func @no_maximum(
// CHECK-NEXT:    call @no_maximum.matmul(
// CHECK-NEXT:    return
func.func @no_maximum(%q: tensor<32x16xf32>, %k: tensor<48x16xf32>, %v: tensor<48x8xf32>) -> tensor<32x8xf32> {
  %qk = tw.matmul %q, %k {transpose_rhs} : (tensor<32x16xf32>, tensor<48x16xf32>) -> tensor<32x48xf32>
  %e = tw.exp %qk : (tensor<32x48xf32>) -> tensor<32x48xf32>
  %sum = tw.reduce %e {kind = sum, axes = [-1], keepdims} : (tensor<32x48xf32>) -> tensor<32x1xf32>
  %p = tw.div %e, %sum : (tensor<32x48xf32>, tensor<32x1xf32>) -> tensor<32x48xf32>
  %o = tw.matmul %p, %v : (tensor<32x48xf32>, tensor<48x8xf32>) -> tensor<32x8xf32>
  return %o : tensor<32x8xf32>
}

// -----

// Two matmuls with an activation between are no attention, and not nearly one.
// CHECK-LABEL: func.func @ffn(
// CHECK-NEXT:    call @ffn.matmul(
// CHECK-NEXT:    call @ffn.matmul_0(
// CHECK-NOT:     tile.attention
func.func @ffn(%x: tensor<32x16xf32>, %a: tensor<16x48xf32>, %b: tensor<48x8xf32>) -> tensor<32x8xf32> {
  %0 = tw.matmul %x, %a : (tensor<32x16xf32>, tensor<16x48xf32>) -> tensor<32x48xf32>
  %1 = tw.silu %0 : (tensor<32x48xf32>) -> tensor<32x48xf32>
  %2 = tw.matmul %1, %b : (tensor<32x48xf32>, tensor<48x8xf32>) -> tensor<32x8xf32>
  return %2 : tensor<32x8xf32>
}

// -----

// CHECK-LABEL: func.func @weights_returned(
// CHECK-NOT:     tile.attention
func.func @weights_returned(%q: tensor<32x16xf32>, %k: tensor<48x16xf32>, %v: tensor<48x8xf32>) -> (tensor<32x8xf32>, tensor<32x48xf32>) {
  %qk = tw.matmul %q, %k {transpose_rhs} : (tensor<32x16xf32>, tensor<48x16xf32>) -> tensor<32x48xf32>
  // expected-remark @+1 {{keeps two matmuls around a softmax from becoming one attention: its result is also read by func.return, so that it has to be made as a whole [TW0330]}}
  %p = tw.softmax %qk {axis = -1} : (tensor<32x48xf32>) -> tensor<32x48xf32>
  %o = tw.matmul %p, %v : (tensor<32x48xf32>, tensor<48x8xf32>) -> tensor<32x8xf32>
  return %o, %p : tensor<32x8xf32>, tensor<32x48xf32>
}

// -----

// CHECK-LABEL: func.func @not_linear(
// CHECK-NOT:     tile.attention
func.func @not_linear(%q: tensor<32x16xf32>, %k: tensor<48x16xf32>, %v: tensor<48x8xf32>) -> tensor<32x8xf32> {
  %qk = tw.matmul %q, %k {transpose_rhs} : (tensor<32x16xf32>, tensor<48x16xf32>) -> tensor<32x48xf32>
  %p = tw.softmax %qk {axis = -1} : (tensor<32x48xf32>) -> tensor<32x48xf32>
  // expected-remark @+1 {{it is not linear in the weights [TW0330]}}
  %r = tw.sqrt %p : (tensor<32x48xf32>) -> tensor<32x48xf32>
  %o = tw.matmul %r, %v : (tensor<32x48xf32>, tensor<48x8xf32>) -> tensor<32x8xf32>
  return %o : tensor<32x8xf32>
}

// -----

// A row sum that is changed and a maximum that is changed: then the shift is seen in the result.
// CHECK-LABEL: func.func @shift_seen(
// CHECK-NOT:     tile.attention
func.func @shift_seen(%q: tensor<32x16xf32>, %k: tensor<48x16xf32>, %v: tensor<48x8xf32>) -> tensor<32x8xf32> {
  %one = tw.full {value = 1.0} : () -> tensor<f32>
  %qk = tw.matmul %q, %k {transpose_rhs} : (tensor<32x16xf32>, tensor<48x16xf32>) -> tensor<32x48xf32>
  %max = tw.reduce %qk {kind = max, axes = [-1], keepdims} : (tensor<32x48xf32>) -> tensor<32x1xf32>
  %shift = tw.mul %max, %max : (tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
  %centered = tw.sub %qk, %shift : (tensor<32x48xf32>, tensor<32x1xf32>) -> tensor<32x48xf32>
  %e = tw.exp %centered : (tensor<32x48xf32>) -> tensor<32x48xf32>
  %sum = tw.reduce %e {kind = sum, axes = [-1], keepdims} : (tensor<32x48xf32>) -> tensor<32x1xf32>
  %more = tw.add %sum, %one : (tensor<32x1xf32>, tensor<f32>) -> tensor<32x1xf32>
  // expected-remark @+1 {{both the row maximum and the row sum are changed, so that the shift matters [TW0330]}}
  %p = tw.div %e, %more : (tensor<32x48xf32>, tensor<32x1xf32>) -> tensor<32x48xf32>
  %o = tw.matmul %p, %v : (tensor<32x48xf32>, tensor<48x8xf32>) -> tensor<32x8xf32>
  return %o : tensor<32x8xf32>
}

// -----

// One query a head, and one head of keys and values for every four of queries: the four are rows of one product.
// CHECK-LABEL: func.func private @one_query.matmul(
// CHECK:         %[[Q:.*]] = tw.reshape %{{.*}} : (tensor<2x4x1x16xf32>) -> tensor<2x1x4x16xf32>
// CHECK:         %[[S:.*]] = tw.matmul %[[Q]], %{{.*}} {transpose_rhs} : (tensor<2x1x4x16xf32>, tensor<2x1x48x16xf32>) -> tensor<2x1x4x48xf32>
// CHECK:         %[[B:.*]] = tw.reshape %{{.*}} : (tensor<2x4x1x1xf32>) -> tensor<2x1x4x1xf32>
// CHECK:         tw.add %[[S]], %[[B]]
// CHECK:         %[[O:.*]] = tw.matmul {{.*}} -> tensor<2x1x4x8xf32>
// CHECK:         %[[R:.*]] = tw.reshape %[[O]] : (tensor<2x1x4x8xf32>) -> tensor<2x4x1x8xf32>
// CHECK:         return %[[R]]
func.func @one_query(%q: tensor<2x4x1x16xf32>, %k: tensor<2x1x48x16xf32>, %v: tensor<2x1x48x8xf32>, %bias: tensor<2x4x1x1xf32>, %mask: tensor<1x48xf32>) -> tensor<2x4x1x8xf32> {
  %qk = tw.matmul %q, %k {transpose_rhs} : (tensor<2x4x1x16xf32>, tensor<2x1x48x16xf32>) -> tensor<2x4x1x48xf32>
  %b = tw.add %qk, %bias : (tensor<2x4x1x48xf32>, tensor<2x4x1x1xf32>) -> tensor<2x4x1x48xf32>
  %m = tw.add %b, %mask : (tensor<2x4x1x48xf32>, tensor<1x48xf32>) -> tensor<2x4x1x48xf32>
  %p = tw.softmax %m {axis = -1} : (tensor<2x4x1x48xf32>) -> tensor<2x4x1x48xf32>
  %o = tw.matmul %p, %v : (tensor<2x4x1x48xf32>, tensor<2x1x48x8xf32>) -> tensor<2x4x1x8xf32>
  return %o : tensor<2x4x1x8xf32>
}

// -----

// Values that are the scores themselves would be needed as a whole.
// CHECK-LABEL: func.func @scores_as_values(
// CHECK-NOT:     tile.attention
func.func @scores_as_values(%q: tensor<4x16xf32>, %k: tensor<16x8xf32>) -> tensor<4x4xf32> {
  %s = tw.matmul %q, %k : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %p = tw.softmax %s {axis = -1} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-remark @+1 {{its values come from its own scores [TW0330]}}
  %y = tw.matmul %p, %s {transpose_rhs} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

// A constant has no place from which tiles could be read.
// CHECK-LABEL: func.func @constant_values(
// CHECK-NOT:     tile.attention
func.func @constant_values(%q: tensor<6x5xf32>, %k: tensor<7x5xf32>) -> tensor<6x5xf32> {
  %v = tw.full {value = 0.5} : () -> tensor<7x5xf32>
  %s = tw.matmul %q, %k {transpose_rhs} : (tensor<6x5xf32>, tensor<7x5xf32>) -> tensor<6x7xf32>
  %p = tw.softmax %s {axis = -1} : (tensor<6x7xf32>) -> tensor<6x7xf32>
  // expected-remark @+1 {{its queries, keys or values are one constant [TW0330]}}
  %y = tw.matmul %p, %v : (tensor<6x7xf32>, tensor<7x5xf32>) -> tensor<6x5xf32>
  return %y : tensor<6x5xf32>
}
