// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --expand-tiles=target=cpu-generic --place-tiles=target=cpu-generic --bufferize=target=cpu-generic --outline-kernels=target=cpu-generic %s | FileCheck %s

// A scope alone: a program of its own, its keys still relative.
// CHECK:       block.program private @scope(%arg0: memref<100x128xf32, {{.*}}>, %arg1: {{.*}}) attributes {result_count = 1 : i64, tile.scope}
// CHECK:         block.dispatch @scope.kernel grid [3, 2](%arg0, %arg1) {access = [
// CHECK-SAME:      #block.access<read, (d0, d1) -> (d0 * 48, d1 * 64), [48, 64]>,
// CHECK-SAME:      #block.access<write, (d0, d1) -> (d0 * 48, d1 * 64), [48, 64]>]}
// CHECK:       block.kernel @scope.kernel(%arg0: {{.*}}, %arg1: {{.*}}, %[[I:.*]]: index, %[[J:.*]]: index) attributes {core = "any", grid_rank = 2 : i64}
// CHECK:         %[[R:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK:         affine.min #{{.*}}(%[[R]])
// CHECK:         block.unary <exp>
// CHECK:         block.return
func.func private @scope(%x: tensor<100x128xf32>) -> tensor<100x128xf32> attributes {tile.scope} {
  %e = tw.exp %x {tile.sizes = {cache2 = {d0 = 48, d1 = 64}}} : (tensor<100x128xf32>) -> tensor<100x128xf32>
  return %e : tensor<100x128xf32>
}
