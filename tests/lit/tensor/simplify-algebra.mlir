// RUN: tilewright-opt %s --simplify-algebra | FileCheck %s
// RUN: tilewright-opt %s --simplify-algebra --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=KEY

// CHECK-LABEL: func.func @neutral
// CHECK-SAME: (%[[X:.*]]: tensor<4x8xf32>)
func.func @neutral(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: return %[[X]]
  %one = tw.full {value = 1} : () -> tensor<f32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %0 = tw.mul %x, %one : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %1 = tw.mul %one, %0 : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = tw.add %1, %zero : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %3 = tw.sub %2, %zero : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %4 = tw.div %3, %one : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %5 = tw.pow %4, %one : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %6 = tw.neg %5 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %7 = tw.neg %6 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %8 = tw.maximum %7, %7 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}

// What would change a value for some input stays.
// CHECK-LABEL: func.func @kept
func.func @kept(%x: tensor<4xf32>, %row: tensor<1xf32>) {
  %zero = tw.full {value = 0} : () -> tensor<f32>
  %three = tw.full {value = 3} : () -> tensor<f32>
  %ones = tw.full {value = 1} : () -> tensor<4xf32>
  // x * 0 is NaN for an infinite x.
  // CHECK: tw.mul
  %0 = tw.mul %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // x - x is NaN for an infinite x.
  // CHECK: tw.sub
  %1 = tw.sub %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // 1/3 is not exact.
  // CHECK: tw.div
  %2 = tw.div %x, %three : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // The factor stretches the row.
  // CHECK: tw.mul
  %3 = tw.mul %row, %ones : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32>
  call @use(%0, %1, %2, %3) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> ()
  return
}
func.func private @use(tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)

// CHECK-LABEL: func.func @rewritten
func.func @rewritten(%x: tensor<4xf32>, %y: tensor<4xf32>)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %n = tw.neg %y : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: %[[A:.*]] = tw.sub %[[X:.*]], %[[Y:.*]] :
  %0 = tw.add %x, %n : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tw.add %[[X]], %[[Y]]
  %1 = tw.sub %x, %n : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tw.mul %[[X]], %{{.*}}
  %four = tw.full {value = 4} : () -> tensor<f32>
  %2 = tw.div %x, %four : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: tw.mul %[[X]], %[[X]]
  %two = tw.full {value = 2} : () -> tensor<f32>
  %3 = tw.pow %x, %two : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: tw.abs %[[Y]]
  %4 = tw.abs %n : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tw.relu %[[X]]
  %zero = tw.full {value = 0} : () -> tensor<f32>
  %5 = tw.maximum %x, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  // CHECK: tw.reciprocal %[[X]]
  %one = tw.full {value = 1} : () -> tensor<f32>
  %6 = tw.div %one, %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @transposed
// KEY-LABEL: func.func @transposed
func.func @transposed(%q: tensor<8x128x64xf32>, %k: tensor<8x256x64xf32>) -> tensor<8x128x256xf32> {
  // CHECK-NOT: tw.transpose
  // CHECK: tw.matmul %{{.*}}, %{{.*}} {transpose_rhs} : (tensor<8x128x64xf32>, tensor<8x256x64xf32>) -> tensor<8x128x256xf32>
  // KEY: tw.matmul {{.*}} loc(fused<"transposed/s">
  %t = tw.transpose %k {permutation = [0, 2, 1]} : (tensor<8x256x64xf32>) -> tensor<8x64x256xf32> loc(fused<"transposed/t">["s":1:1])
  %s = tw.matmul %q, %t : (tensor<8x128x64xf32>, tensor<8x64x256xf32>) -> tensor<8x128x256xf32> loc(fused<"transposed/s">["s":2:1])
  return %s : tensor<8x128x256xf32>
}

// KEY-LABEL: func.func @keys
func.func @keys(%x: tensor<4xf32>) -> tensor<4xf32> {
  // KEY: tw.exp {{.*}} loc(fused<["keys/e", "keys/b", "keys/a"]>["s":1:1])
  %zero = tw.full {value = 0} : () -> tensor<f32> loc(fused<"keys/zero">["s":0:1])
  %e = tw.exp %x : (tensor<4xf32>) -> tensor<4xf32> loc(fused<"keys/e">["s":1:1])
  %a = tw.add %e, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32> loc(fused<"keys/a">["s":2:1])
  %b = tw.sub %a, %zero : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32> loc(fused<"keys/b">["s":3:1])
  return %b : tensor<4xf32>
}
