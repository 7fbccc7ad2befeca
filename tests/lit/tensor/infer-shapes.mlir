// RUN: tilewright-opt %s --infer-shapes | FileCheck %s
// RUN: tilewright-opt %s --infer-shapes --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=KEY

// Sizes go from producers to consumers; the function's own type stays.
// CHECK-LABEL: func.func @chain
// KEY-LABEL: func.func @chain
func.func @chain(%x: tensor<4x?xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<?x?xf32> {
  // CHECK: %[[H:.*]] = tw.matmul {{.*}} -> tensor<4x16xf32>
  %h = tw.matmul %x, %w : (tensor<4x?xf32>, tensor<8x16xf32>) -> tensor<?x?xf32> loc(fused<"chain/h">["s":1:1])
  // CHECK: %[[A:.*]] = tw.add %[[H]], %{{.*}} : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
  %a = tw.add %h, %b : (tensor<?x?xf32>, tensor<16xf32>) -> tensor<?x?xf32> loc(fused<"chain/a">["s":2:1])
  // CHECK: %[[R:.*]] = tw.reshape %[[A]] : (tensor<4x16xf32>) -> tensor<8x8xf32>
  %r = tw.reshape %a : (tensor<?x?xf32>) -> tensor<8x?xf32> loc(fused<"chain/r">["s":3:1])
  %s = tw.slice %r {offsets = [0, 2], sizes = [?, ?]} : (tensor<8x?xf32>) -> tensor<?x?xf32> loc(fused<"chain/s">["s":4:1])
  // CHECK: tw.slice %[[R]] {{.*}} : (tensor<8x8xf32>) -> tensor<8x6xf32>
  // CHECK: %[[BACK:.*]] = tensor.cast %{{.*}} : tensor<8x6xf32> to tensor<?x?xf32>
  // KEY: tensor.cast {{.*}} loc(fused<"chain/s.shape">
  // CHECK: return %[[BACK]]
  return %s : tensor<?x?xf32>
}

// A size that joins two operands is known to both sides' consumers.
// CHECK-LABEL: func.func @joined
func.func @joined(%x: tensor<?x8xf32>, %y: tensor<4x?xf32>) -> tensor<4x8xf32> {
  // CHECK: tw.mul {{.*}} -> tensor<4x8xf32>
  // CHECK-NOT: tensor.cast
  %z = tw.mul %x, %y : (tensor<?x8xf32>, tensor<4x?xf32>) -> tensor<?x?xf32>
  %e = tw.exp %z : (tensor<?x?xf32>) -> tensor<4x8xf32>
  return %e : tensor<4x8xf32>
}

// Upstream operations see the types they were written with.
// CHECK-LABEL: func.func @upstream
func.func @upstream(%x: tensor<4x8xf32>, %out: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: tw.exp {{.*}} -> tensor<4x8xf32>
  // CHECK: tensor.cast
  // CHECK: linalg.exp ins(%{{.*}} : tensor<?x?xf32>)
  %e = tw.exp %x : (tensor<4x8xf32>) -> tensor<?x?xf32>
  %r = linalg.exp ins(%e : tensor<?x?xf32>) outs(%out : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
