// RUN: tilewright-opt %s --eliminate-nops | FileCheck %s
// RUN: tilewright-opt %s --eliminate-nops --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=KEY

// CHECK-LABEL: func.func @identities
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>)
func.func @identities(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = tw.cast %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = tw.reshape %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = tw.transpose %1 {permutation = [0, 1]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = tw.slice %2 {offsets = [0, 0], sizes = [4, ?]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = tw.concat %3 {axis = 0} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = tw.insert %4, %0 {offsets = [0, 0]} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %6 = tw.reduce %5 {kind = sum, axes = []} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %6 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @pairs
func.func @pairs(%x: tensor<4x8x2xbf16>) -> (tensor<4x8x2xbf16>, tensor<2x4x8xbf16>, tensor<64xbf16>, tensor<2x1x1xbf16>) {
  // CHECK-NOT: tw.cast
  %0 = tw.cast %x : (tensor<4x8x2xbf16>) -> tensor<4x8x2xf32>
  %1 = tw.cast %0 : (tensor<4x8x2xf32>) -> tensor<4x8x2xbf16>
  // CHECK: tw.transpose %{{.*}} {permutation = [2, 0, 1]} : (tensor<4x8x2xbf16>) -> tensor<2x4x8xbf16>
  %2 = tw.transpose %x {permutation = [1, 0, 2]} : (tensor<4x8x2xbf16>) -> tensor<8x4x2xbf16>
  %3 = tw.transpose %2 {permutation = [2, 1, 0]} : (tensor<8x4x2xbf16>) -> tensor<2x4x8xbf16>
  // CHECK: tw.reshape %{{.*}} : (tensor<4x8x2xbf16>) -> tensor<64xbf16>
  %4 = tw.reshape %x : (tensor<4x8x2xbf16>) -> tensor<32x2xbf16>
  %5 = tw.reshape %4 : (tensor<32x2xbf16>) -> tensor<64xbf16>
  // CHECK: tw.slice %{{.*}} {offsets = [1, 3, 1], sizes = [2, 1, 1]} : (tensor<4x8x2xbf16>) -> tensor<2x1x1xbf16>
  %6 = tw.slice %x {offsets = [1, 2, 0], sizes = [3, 4, 2]} : (tensor<4x8x2xbf16>) -> tensor<3x4x2xbf16>
  %7 = tw.slice %6 {offsets = [0, 1, 1], sizes = [2, 1, 1]} : (tensor<3x4x2xbf16>) -> tensor<2x1x1xbf16>
  return %1, %3, %5, %7 : tensor<4x8x2xbf16>, tensor<2x4x8xbf16>, tensor<64xbf16>, tensor<2x1x1xbf16>
}

// A cast that loses something stays.
// CHECK-LABEL: func.func @lossy
func.func @lossy(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-COUNT-2: tw.cast
  %0 = tw.cast %x : (tensor<4xf32>) -> tensor<4xbf16>
  %1 = tw.cast %0 : (tensor<4xbf16>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Nothing to compute on, nothing to compute.
// CHECK-LABEL: func.func @empty
// KEY-LABEL: func.func @empty
func.func @empty(%x: tensor<0x8xf32>, %y: tensor<4x0xf32>, %z: tensor<0x6xf32>, %c: tensor<4x6xf32>)
    -> (tensor<0x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  // CHECK-DAG: tw.full {value = 0.000000e+00} : () -> tensor<0x8xf32>
  // KEY-DAG: tw.full {value = 0.000000e+00} : () -> tensor<0x8xf32> loc(fused<"empty/e">
  %e = tw.exp %x : (tensor<0x8xf32>) -> tensor<0x8xf32> loc(fused<"empty/e">["s":1:1])
  // CHECK-DAG: tw.full {value = neg_inf} : () -> tensor<4xf32>
  // KEY-DAG: tw.full {value = neg_inf} : () -> tensor<4xf32> loc(fused<"empty/m">
  %m = tw.reduce %y {kind = max, axes = [1]} : (tensor<4x0xf32>) -> tensor<4xf32> loc(fused<"empty/m">["s":2:1])
  // CHECK-DAG: tw.full {value = nan} : () -> tensor<4xf32>
  %n = tw.reduce %y {kind = mean, axes = [1]} : (tensor<4x0xf32>) -> tensor<4xf32> loc(fused<"empty/n">["s":3:1])
  // CHECK-DAG: tw.full {value = 0.000000e+00} : () -> tensor<4x6xf32>
  %p = tw.matmul %y, %z : (tensor<4x0xf32>, tensor<0x6xf32>) -> tensor<4x6xf32> loc(fused<"empty/p">["s":4:1])
  // CHECK-NOT: tw.matmul
  // CHECK-NOT: tw.concat
  %q = tw.matmul %y, %z acc %c : (tensor<4x0xf32>, tensor<0x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32> loc(fused<"empty/q">["s":5:1])
  %r = tw.concat %z, %c {axis = 0} : (tensor<0x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32> loc(fused<"empty/r">["s":6:1])
  // CHECK: return
  return %e, %m, %n, %p, %q, %r : tensor<0x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// Dimensions of 1 may move and go without anything moving.
// CHECK-LABEL: func.func @ones
func.func @ones(%x: tensor<4x1x8xf32>) -> (tensor<1x4x8xf32>, tensor<4x8xf32>) {
  // CHECK: tw.reshape %{{.*}} : (tensor<4x1x8xf32>) -> tensor<1x4x8xf32>
  %0 = tw.transpose %x {permutation = [1, 0, 2]} : (tensor<4x1x8xf32>) -> tensor<1x4x8xf32>
  // CHECK: tw.reshape %{{.*}} : (tensor<4x1x8xf32>) -> tensor<4x8xf32>
  %1 = tw.reduce %x {kind = max, axes = [1]} : (tensor<4x1x8xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<1x4x8xf32>, tensor<4x8xf32>
}

// The keys of what goes stay with what takes its place.
// KEY-LABEL: func.func @keys
func.func @keys(%x: tensor<4xf32>) -> tensor<4xf32> {
  // KEY: tw.exp {{.*}} loc(fused<["keys/e", "keys/c"]>["s":1:1])
  %e = tw.exp %x : (tensor<4xf32>) -> tensor<4xf32> loc(fused<"keys/e">["s":1:1])
  %c = tw.cast %e : (tensor<4xf32>) -> tensor<4xf32> loc(fused<"keys/c">["s":2:1])
  return %c : tensor<4xf32>
}
