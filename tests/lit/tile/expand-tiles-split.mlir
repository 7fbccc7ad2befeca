// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --form-scopes=target=ascend-a3 --choose-tiles=target=ascend-a3 --expand-tiles=target=ascend-a3 %s | FileCheck %s
// RUN: tilewright-opt --form-scopes=target=ascend-a3 --choose-tiles=target=ascend-a3 --expand-tiles=target=ascend-a3 --place-tiles=target=ascend-a3 --bufferize=target=ascend-a3 --outline-kernels=target=ascend-a3 %s | FileCheck %s --check-prefix=BLOCK

// Two long rows would keep two of 48 cores busy: their parts are reduced side by side, and a second grid joins them.
// CHECK-LABEL: func.func private @rows.reduce(
// CHECK:         %[[PARTS:.*]] = scf.forall (%{{.*}}, %[[AT:.*]]) = (0, 0) to (2, 1000003) step (1, 41728) {{.*}} -> (tensor<24x2x1xf32>)
// CHECK:           tw.full {value = 0.000000e+00}
// CHECK:           tw.reduce {{.*}}kind = sum
// CHECK:           tensor.parallel_insert_slice {{.*}} : tensor<1x1xf32> into tensor<24x2x1xf32>
// CHECK:         scf.forall
// CHECK:           %[[ALL:.*]] = tensor.extract_slice %[[PARTS]]
// CHECK:           %[[SUM:.*]] = tw.reduce %[[ALL]] {axes = [0], kind = sum} : (tensor<24x{{.*}}x1xf32>)
// CHECK:           %[[MEAN:.*]] = tw.div %[[SUM]]
// CHECK:           tw.sqrt

// BLOCK-LABEL: block.program @rows(
// BLOCK:         block.buffer : memref<24x2x1xf32
// BLOCK-COUNT-2: block.dispatch
func.func @rows(%x: tensor<2x1000003xf32>) -> tensor<2x1xf32> {
  %q = tw.mul %x, %x : (tensor<2x1000003xf32>, tensor<2x1000003xf32>) -> tensor<2x1000003xf32>
  %s = tw.reduce %q {kind = mean, axes = [-1], keepdims} : (tensor<2x1000003xf32>) -> tensor<2x1xf32>
  %r = tw.sqrt %s : (tensor<2x1xf32>) -> tensor<2x1xf32>
  return %r : tensor<2x1xf32>
}
