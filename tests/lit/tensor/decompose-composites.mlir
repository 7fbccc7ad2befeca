// RUN: tilewright-opt %s --decompose-composites | FileCheck %s
// RUN: tilewright-opt %s --decompose-composites --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=KEY
// RUN: tilewright-opt %s --decompose-composites="keep=silu,softmax" | FileCheck %s --check-prefix=KEEP

// CHECK-LABEL: func.func @softmax
// KEY-LABEL: func.func @softmax
// KEEP-LABEL: func.func @softmax
func.func @softmax(%s: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: %[[MAX:.*]] = tw.reduce %[[S:.*]] {axes = [1], keepdims, kind = max} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  // CHECK: %[[C:.*]] = tw.sub %[[S]], %[[MAX]]
  // CHECK: %[[E:.*]] = tw.exp %[[C]]
  // CHECK: %[[SUM:.*]] = tw.reduce %[[E]] {axes = [1], keepdims, kind = sum}
  // CHECK: %[[P:.*]] = tw.div %[[E]], %[[SUM]] : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  // CHECK: return %[[P]]
  // KEY: tw.reduce {{.*}} loc(fused<"softmax/p.row_max">
  // KEY: tw.sub {{.*}} loc(fused<"softmax/p.centered">
  // KEY: tw.exp {{.*}} loc(fused<"softmax/p.exp">
  // KEY: tw.reduce {{.*}} loc(fused<"softmax/p.row_sum">
  // KEY: tw.div {{.*}} loc(fused<"softmax/p">
  // KEEP: tw.softmax
  %p = tw.softmax %s {axis = -1} : (tensor<4x8xf32>) -> tensor<4x8xf32> loc(fused<"softmax/p">["s":1:1])
  return %p : tensor<4x8xf32>
}

// A composite rounds once: bf16 works in f32 inside.
// CHECK-LABEL: func.func @silu
// KEY-LABEL: func.func @silu
// KEEP-LABEL: func.func @silu
func.func @silu(%x: tensor<?x8xbf16>) -> tensor<?x8xbf16> {
  // CHECK: %[[W:.*]] = tw.cast %{{.*}} : (tensor<?x8xbf16>) -> tensor<?x8xf32>
  // CHECK: %[[N:.*]] = tw.neg %[[W]]
  // CHECK: %[[E:.*]] = tw.exp %[[N]]
  // CHECK: %[[ONE:.*]] = tw.full {value = 1.000000e+00} : () -> tensor<f32>
  // CHECK: %[[D:.*]] = tw.add %[[E]], %[[ONE]] : (tensor<?x8xf32>, tensor<f32>) -> tensor<?x8xf32>
  // CHECK: %[[Q:.*]] = tw.div %[[W]], %[[D]] : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
  // CHECK: tw.cast %[[Q]] : (tensor<?x8xf32>) -> tensor<?x8xbf16>
  // KEY: tw.full {{.*}} loc(fused<"silu/a.one">
  // KEY: tw.div {{.*}} loc(fused<"silu/a.wide_result">
  // KEY: tw.cast {{.*}} loc(fused<"silu/a">
  // KEEP: tw.silu
  %a = tw.silu %x : (tensor<?x8xbf16>) -> tensor<?x8xbf16> loc(fused<"silu/a">["s":1:1])
  return %a : tensor<?x8xbf16>
}

// CHECK-LABEL: func.func @others
// KEEP-LABEL: func.func @others
func.func @others(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf16>, %h: tensor<2x8xf16>) {
  // CHECK-NOT: tw.{{sigmoid|gelu|rms_norm|layer_norm}}
  // CHECK: tw.erf
  // CHECK: tw.rsqrt
  // KEEP-NOT: tw.{{sigmoid|gelu|rms_norm|layer_norm}}
  %0 = tw.sigmoid %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = tw.gelu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = tw.rms_norm %x, %w : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %3 = tw.layer_norm %h, %b, %b {epsilon = 1.0e-3} : (tensor<2x8xf16>, tensor<8xf16>, tensor<8xf16>) -> tensor<2x8xf16>
  %4 = tw.softmax %h {axis = 0} : (tensor<2x8xf16>) -> tensor<2x8xf16>
  return
}
