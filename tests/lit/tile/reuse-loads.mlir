// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --reuse-loads=target=ascend-a3 %s | FileCheck %s

// The same slice moved twice is moved once; what does not change from turn to
// turn is moved before the loop, its slice with it; what changes stays.
// CHECK-LABEL: func.func private @scope
// CHECK:         scf.forall (%[[G:[a-z0-9]+]]) in
// CHECK-NOT:       scf.for
// CHECK:           %[[S:.*]] = tensor.extract_slice %arg0[%[[G]], 0]
// CHECK:           %[[X:.*]] = tile.move %[[S]] to "UB"
// CHECK:           scf.for %[[I:[a-z0-9]+]] =
// CHECK-NOT:         tile.move %[[S]]
// CHECK:             %[[T:.*]] = tensor.extract_slice %arg1[%[[I]], 0]
// CHECK:             %[[Y:.*]] = tile.move %[[T]] to "UB"
// CHECK-NOT:         tile.move
// CHECK:             tw.add %[[X]], %[[Y]]
// CHECK:             tw.mul %{{.*}}, %[[X]]
func.func private @scope(%x: tensor<8x64xf32>, %y: tensor<8x64xf32>) -> tensor<8x64xf32> attributes {tile.scope} {
  %e = tensor.empty() : tensor<8x64xf32>
  %r = scf.forall (%g) in (8) shared_outs(%o = %e) -> (tensor<8x64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %init = tw.full {value = 0.0} : () -> tensor<1x64xf32>
    %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %init) -> (tensor<1x64xf32>) {
      %s = tensor.extract_slice %x[%g, 0] [1, 64] [1, 1] : tensor<8x64xf32> to tensor<1x64xf32>
      %a = tile.move %s to "UB" : tensor<1x64xf32> -> tensor<1x64xf32>
      %t = tensor.extract_slice %y[%i, 0] [1, 64] [1, 1] : tensor<8x64xf32> to tensor<1x64xf32>
      %b = tile.move %t to "UB" : tensor<1x64xf32> -> tensor<1x64xf32>
      %u = tw.add %a, %b : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
      %s2 = tensor.extract_slice %x[%g, 0] [1, 64] [1, 1] : tensor<8x64xf32> to tensor<1x64xf32>
      %a2 = tile.move %s2 to "UB" : tensor<1x64xf32> -> tensor<1x64xf32>
      %v = tw.mul %u, %a2 : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
      %w = tw.add %acc, %v : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
      scf.yield %w : tensor<1x64xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %sum into %o[%g, 0] [1, 64] [1, 1] : tensor<1x64xf32> into tensor<8x64xf32>
    }
  }
  return %r : tensor<8x64xf32>
}
