// RUN: tilewright-opt %s --dce | FileCheck %s

// A whole chain that nobody reads goes in one run.
// CHECK-LABEL: func.func @dead
func.func @dead(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[E:.*]] = tw.exp
  // CHECK-NEXT: return %[[E]]
  %e = tw.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %a = tw.neg %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %b = tw.abs %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %c = tw.add %b, %a : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %e : tensor<4x8xf32>
}

// Loops without effect too; calls stay.
// CHECK-LABEL: func.func @regions
func.func @regions(%x: tensor<4xf32>, %n: index) {
  // CHECK-NOT: scf.for
  // CHECK: call @other
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %s = tw.exp %a : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %s : tensor<4xf32>
  }
  %o = call @other(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// CHECK: func.func private @other
func.func private @other(tensor<4xf32>) -> tensor<4xf32>
