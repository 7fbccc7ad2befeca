// RUN: tilewright-opt %s --cse | FileCheck %s
// RUN: tilewright-opt %s --cse --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=KEY

// CHECK-LABEL: func.func @equal
// KEY-LABEL: func.func @equal
func.func @equal(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  // CHECK-NEXT: %[[A:.*]] = tw.add
  // CHECK-NEXT: %[[E:.*]] = tw.exp %[[A]]
  // CHECK-NEXT: return %[[E]], %[[E]], %[[A]]
  // KEY: tw.add {{.*}} loc(fused<["equal/a", "equal/c", "equal/d"]>["s":1:1])
  // KEY: tw.exp {{.*}} loc(fused<["equal/b", "equal/e"]>["s":2:1])
  %a = tw.add %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32> loc(fused<"equal/a">["s":1:1])
  %b = tw.exp %a : (tensor<4x8xf32>) -> tensor<4x8xf32> loc(fused<"equal/b">["s":2:1])
  %c = tw.add %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32> loc(fused<"equal/c">["s":3:1])
  // The order of the operands of a sum does not matter.
  %d = tw.add %y, %x : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> loc(fused<"equal/d">["s":4:1])
  %e = tw.exp %d : (tensor<4x8xf32>) -> tensor<4x8xf32> loc(fused<"equal/e">["s":5:1])
  return %b, %e, %c : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @different
func.func @different(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK-COUNT-3: tw.reduce
  %a = tw.reduce %x {kind = sum, axes = [1]} : (tensor<4x8xf32>) -> tensor<4xf32>
  %b = tw.reduce %x {kind = max, axes = [1]} : (tensor<4x8xf32>) -> tensor<4xf32>
  %e = tw.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = tw.reduce %e {kind = sum, axes = [1]} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %a, %b, %c : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
