// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s --mlir-print-op-generic | tilewright-opt | FileCheck %s

// CHECK-LABEL: func.func @unary
func.func @unary(%x: tensor<4x8xf32>, %h: tensor<?xbf16>) {
  // CHECK: tw.neg %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = tw.neg %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tw.abs %{{.*}} : (tensor<?xbf16>) -> tensor<?xbf16>
  %1 = tw.abs %h : (tensor<?xbf16>) -> tensor<?xbf16>
  // CHECK: tw.exp
  %2 = tw.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tw.log
  %3 = tw.log %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tw.sqrt
  %4 = tw.sqrt %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tw.rsqrt
  %5 = tw.rsqrt %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tw.reciprocal
  %6 = tw.reciprocal %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tw.tanh
  %7 = tw.tanh %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tw.erf
  %8 = tw.erf %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tw.sigmoid
  %9 = tw.sigmoid %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tw.silu
  %10 = tw.silu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tw.gelu
  %11 = tw.gelu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tw.relu %{{.*}} {tile.note = "kept", tile.other = 3 : i32} : (tensor<4x8xf32>)
  %12 = tw.relu %x {tile.note = "kept", tile.other = 3 : i32} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @binary
func.func @binary(%x: tensor<4x8xf32>, %row: tensor<8xf32>, %column: tensor<4x1xf32>, %h: tensor<?x8xf32>) {
  // CHECK: tw.add %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %0 = tw.add %x, %row : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK: tw.sub %{{.*}}, %{{.*}} : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %1 = tw.sub %x, %column : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  // CHECK: tw.mul %{{.*}}, %{{.*}} : (tensor<8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %2 = tw.mul %row, %column : (tensor<8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  // CHECK: tw.div %{{.*}}, %{{.*}} : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  %3 = tw.div %h, %row : (tensor<?x8xf32>, tensor<8xf32>) -> tensor<?x8xf32>
  // A `?` that meets a size is asserted to be it.
  // CHECK: tw.maximum %{{.*}}, %{{.*}} : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = tw.maximum %h, %x : (tensor<?x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tw.minimum
  %5 = tw.minimum %x, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tw.pow
  %6 = tw.pow %x, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tw.cast %{{.*}} : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  %7 = tw.cast %x : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  // CHECK: %[[M:.*]] = tw.compare %{{.*}}, %{{.*}} {predicate = lt} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  %8 = tw.compare %x, %row {predicate = lt} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xi1>
  // CHECK: tw.select %[[M]], %{{.*}}, %{{.*}} : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %9 = tw.select %8, %x, %column : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return
}

// CHECK-LABEL: func.func @matmul
func.func @matmul(%a: tensor<96x1536xbf16>, %b: tensor<1536x3072xbf16>, %q: tensor<8x128x64xf32>,
                  %k: tensor<1x256x64xf32>, %d: tensor<?x?xf32>, %e: tensor<?x7xf32>) {
  // CHECK: %[[C:.*]] = tw.matmul %{{.*}}, %{{.*}} : (tensor<96x1536xbf16>, tensor<1536x3072xbf16>) -> tensor<96x3072xf32>
  %0 = tw.matmul %a, %b : (tensor<96x1536xbf16>, tensor<1536x3072xbf16>) -> tensor<96x3072xf32>
  // CHECK: tw.matmul %{{.*}}, %{{.*}} acc %[[C]] : (tensor<96x1536xbf16>, tensor<1536x3072xbf16>, tensor<96x3072xf32>) -> tensor<96x3072xf32>
  %1 = tw.matmul %a, %b acc %0 : (tensor<96x1536xbf16>, tensor<1536x3072xbf16>, tensor<96x3072xf32>) -> tensor<96x3072xf32>
  // CHECK: tw.matmul %{{.*}}, %{{.*}} {transpose_rhs} : (tensor<8x128x64xf32>, tensor<1x256x64xf32>) -> tensor<8x128x256xf32>
  %2 = tw.matmul %q, %k {transpose_rhs} : (tensor<8x128x64xf32>, tensor<1x256x64xf32>) -> tensor<8x128x256xf32>
  // CHECK: tw.matmul %{{.*}}, %{{.*}} {transpose_lhs} : (tensor<?x?xf32>, tensor<?x7xf32>) -> tensor<?x7xf32>
  %3 = tw.matmul %d, %e {transpose_lhs} : (tensor<?x?xf32>, tensor<?x7xf32>) -> tensor<?x7xf32>
  return
}

// CHECK-LABEL: func.func @rows
func.func @rows(%x: tensor<128x512xf32>, %w: tensor<512xf32>) {
  // CHECK: tw.reduce %{{.*}} {axes = [-1], keepdims, kind = sum} : (tensor<128x512xf32>) -> tensor<128x1xf32>
  %0 = tw.reduce %x {kind = sum, axes = [-1], keepdims} : (tensor<128x512xf32>) -> tensor<128x1xf32>
  // CHECK: tw.reduce %{{.*}} {axes = [0, 1], kind = max} : (tensor<128x512xf32>) -> tensor<f32>
  %1 = tw.reduce %x {kind = max, axes = array<i64: 0, 1>} : (tensor<128x512xf32>) -> tensor<f32>
  // CHECK: tw.reduce %{{.*}} {axes = [0], kind = mean} : (tensor<128x512xf32>) -> tensor<512xf32>
  %2 = tw.reduce %x {kind = #tw.reduce_kind<mean>, axes = [0]} : (tensor<128x512xf32>) -> tensor<512xf32>
  // CHECK: tw.reduce %{{.*}} {axes = [0], kind = min}
  %3 = tw.reduce %x {kind = min, axes = [0]} : (tensor<128x512xf32>) -> tensor<512xf32>
  // CHECK: tw.reduce %{{.*}} {axes = [0], kind = prod}
  %4 = tw.reduce %x {kind = prod, axes = [0]} : (tensor<128x512xf32>) -> tensor<512xf32>
  // CHECK: tw.softmax %{{.*}} {axis = -1} : (tensor<128x512xf32>) -> tensor<128x512xf32>
  %5 = tw.softmax %x {axis = -1} : (tensor<128x512xf32>) -> tensor<128x512xf32>
  // CHECK: tw.softmax %{{.*}} : (tensor<128x512xf32>) -> tensor<128x512xf32>
  %6 = tw.softmax %x : (tensor<128x512xf32>) -> tensor<128x512xf32>
  // CHECK: tw.rms_norm %{{.*}}, %{{.*}} {epsilon = {{1.0*e-0*5}}} : (tensor<128x512xf32>, tensor<512xf32>) -> tensor<128x512xf32>
  %7 = tw.rms_norm %x, %w {epsilon = 1.0e-5} : (tensor<128x512xf32>, tensor<512xf32>) -> tensor<128x512xf32>
  // CHECK: tw.layer_norm %{{.*}}, %{{.*}}, %{{.*}} {epsilon = 0.000000e+00} : (tensor<128x512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<128x512xf32>
  %8 = tw.layer_norm %x, %w, %w {epsilon = 0} : (tensor<128x512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<128x512xf32>
  return
}

// CHECK-LABEL: func.func @moves
func.func @moves(%x: tensor<4x8xf32>, %d: tensor<?x8xf32>, %n: index, %s: tensor<2x2xf32>) {
  // CHECK: tw.transpose %{{.*}} {permutation = [1, 0]} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %0 = tw.transpose %x {permutation = [1, 0]} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  // CHECK: tw.reshape %{{.*}} : (tensor<?x8xf32>) -> tensor<?x2x4xf32>
  %1 = tw.reshape %d : (tensor<?x8xf32>) -> tensor<?x2x4xf32>
  // CHECK: tw.slice %{{.*}} {offsets = [0, 1], sizes = [?, 3], strides = [1, 2]} : (tensor<?x8xf32>) -> tensor<?x3xf32>
  %2 = tw.slice %d {offsets = [0, 1], sizes = [?, 3], strides = [1, 2]} : (tensor<?x8xf32>) -> tensor<?x3xf32>
  // CHECK: tw.slice %{{.*}} {offsets = [], sizes = []} : (tensor<f32>) -> tensor<f32>
  %scalar = tw.full {value = 1.0} : () -> tensor<f32>
  %3 = tw.slice %scalar {offsets = [], sizes = []} : (tensor<f32>) -> tensor<f32>
  // CHECK: tw.insert %{{.*}}, %{{.*}} {offsets = [1, 2]} : (tensor<2x2xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = tw.insert %s, %x {offsets = [1, 2]} : (tensor<2x2xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tw.concat %{{.*}}, %{{.*}} {axis = 0} : (tensor<4x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  %5 = tw.concat %x, %d {axis = 0} : (tensor<4x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  // CHECK: tw.full {value = neg_inf} : () -> tensor<4x1xf32>
  %6 = tw.full {value = neg_inf} : () -> tensor<4x1xf32>
  // CHECK: tw.full %{{.*}} {value = nan} : (index) -> tensor<?x1xbf16>
  %7 = tw.full %n {value = nan} : (index) -> tensor<?x1xbf16>
  // CHECK: tw.full {value = 7.000000e+00} : () -> tensor<3xi32>
  %8 = tw.full {value = 7} : () -> tensor<3xi32>
  return
}
