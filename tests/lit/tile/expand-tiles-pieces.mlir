// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --form-scopes=target=ascend-a3 --choose-tiles=target=ascend-a3 --expand-tiles=target=ascend-a3 %s | FileCheck %s
// RUN: tilewright-opt --split-input-file --form-scopes=target=ascend-a3 --choose-tiles=target=ascend-a3 --expand-tiles=target=ascend-a3 --place-tiles=target=ascend-a3 --bufferize=target=ascend-a3 --outline-kernels=target=ascend-a3 --order-instructions=target=ascend-a3 --allocate-onchip=target=ascend-a3 %s | FileCheck %s --check-prefix=FITS

// A row that does not fit is gone through in pieces; a narrow sum is carried in f32 and rounded once.
// FITS-COUNT-3: block.kernel
// CHECK-LABEL: func.func private @row.reduce(
// CHECK:         scf.forall
// CHECK:           %[[ZERO:.*]] = tw.full {value = 0.000000e+00} : () -> tensor<1x1xf32>
// CHECK:           %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[SO_FAR:.*]] = %[[ZERO]]) -> (tensor<1x1xf32>)
// CHECK:             %[[PIECE:.*]] = tensor.extract_slice
// CHECK:             %[[WIDE:.*]] = tw.cast %[[PIECE]]
// CHECK:             %[[PART:.*]] = tw.reduce %[[WIDE]]
// CHECK:             %[[NEXT:.*]] = tw.add %[[SO_FAR]], %[[PART]]
// CHECK:             scf.yield %[[NEXT]]
// CHECK:           tw.cast %[[SUM]] : (tensor<1x1xf32>) -> tensor<1x1xf16>
func.func @row(%x: tensor<48x100003xf16>) -> tensor<48x1xf16> {
  %s = tw.reduce %x {kind = sum, axes = [-1], keepdims} : (tensor<48x100003xf16>) -> tensor<48x1xf16>
  return %s : tensor<48x1xf16>
}

// -----

// Over both axes; what is computed on the row is computed piece by piece, and what follows the mean once.
// CHECK-LABEL: func.func private @both
// CHECK:         scf.forall
// CHECK:           scf.for
// CHECK:             tw.mul
// CHECK:             tw.reduce {{.*}}kind = sum
// CHECK:             tw.add
// CHECK:             scf.yield
// CHECK:           %[[COUNT:.*]] = tw.full {value = 6.604900e+04}
// CHECK:           tw.div %{{.*}}, %[[COUNT]]
// CHECK:           tw.sqrt
// CHECK-NOT:       tw.
func.func @both(%x: tensor<48x257x257xf32>) -> tensor<48x1x1xf32> {
  %q = tw.mul %x, %x : (tensor<48x257x257xf32>, tensor<48x257x257xf32>) -> tensor<48x257x257xf32>
  %s = tw.reduce %q {kind = mean, axes = [1, 2], keepdims} : (tensor<48x257x257xf32>) -> tensor<48x1x1xf32>
  %r = tw.sqrt %s : (tensor<48x1x1xf32>) -> tensor<48x1x1xf32>
  return %r : tensor<48x1x1xf32>
}

// -----

// An axis in the middle, and two reductions of one pass; the maximum starts below everything.
// CHECK-LABEL: func.func private @middle
// CHECK-DAG:     tw.full {value = 0.000000e+00} : () -> tensor<1x1x5xf32>
// CHECK-DAG:     tw.full {value = neg_inf} : () -> tensor<1x1x5xf32>
// CHECK:         scf.for
// CHECK:           tw.add
// CHECK:           tw.maximum
func.func @middle(%x: tensor<48x40009x5xf32>) -> (tensor<48x1x5xf32>, tensor<48x1x5xf32>) {
  %s = tw.reduce %x {kind = sum, axes = [1], keepdims} : (tensor<48x40009x5xf32>) -> tensor<48x1x5xf32>
  %m = tw.reduce %x {kind = max, axes = [1], keepdims} : (tensor<48x40009x5xf32>) -> tensor<48x1x5xf32>
  return %s, %m : tensor<48x1x5xf32>, tensor<48x1x5xf32>
}
