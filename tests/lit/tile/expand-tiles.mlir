// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --expand-tiles=target=cpu-generic %s | FileCheck %s

// One loop over the grid, one over the depth, sums in f32, tails by affine.min.
// CHECK-LABEL: func.func private @matmul(
// CHECK:         scf.forall (%[[I:.*]], %[[J:.*]]) = (0, 0) to (100, 128) step (48, 64) shared_outs(%[[OUT:.*]] =
// CHECK:           %[[M:.*]] = affine.min #{{.*}}(%[[I]])
// CHECK:           %[[ZERO:.*]] = tw.full %[[M]] {value = 0.0{{.*}}} : (index) -> tensor<?x64xf32>
// CHECK:           %[[SUM:.*]] = scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]])
// CHECK:             %[[L:.*]] = tensor.extract_slice %arg0[%[[I]], %[[K]]] [%[[M]], 64]
// CHECK:             %[[R:.*]] = tensor.extract_slice %arg1[%[[K]], %[[J]]] [64, 64]
// CHECK:             tw.matmul %[[L]], %[[R]] acc %[[ACC]]
// CHECK:           %[[C:.*]] = tw.cast %[[SUM]] : (tensor<?x64xf32>) -> tensor<?x64xbf16>
// CHECK:           %[[B:.*]] = tensor.extract_slice %arg2[%[[J]]] [64]
// CHECK:           %[[A:.*]] = tw.add %[[C]], %[[B]]
// CHECK:           tensor.parallel_insert_slice %[[A]] into %[[OUT]][%[[I]], %[[J]]] [%[[M]], 64]
func.func private @matmul(%a: tensor<100x256xbf16>, %b: tensor<256x128xbf16>, %bias: tensor<128xbf16>) -> tensor<100x128xbf16> attributes {tile.scope} {
  %c = tw.matmul %a, %b {tile.sizes = {cache2 = {m = 48, n = 64, k = 64}}} : (tensor<100x256xbf16>, tensor<256x128xbf16>) -> tensor<100x128xbf16>
  %d = tw.add %c, %bias : (tensor<100x128xbf16>, tensor<128xbf16>) -> tensor<100x128xbf16>
  return %d : tensor<100x128xbf16>
}

// -----

// Rows are cut, what is reduced is whole, and nothing is computed twice.
// CHECK-LABEL: func.func private @rows(
// CHECK:         scf.forall (%[[I:.*]]) = (0) to (64) step (16)
// CHECK:           %[[X:.*]] = tensor.extract_slice %arg0[%[[I]], 0] [16, 128]
// CHECK-NEXT:      %[[M:.*]] = tw.reduce %[[X]]
// CHECK-NEXT:      %[[D:.*]] = tw.sub %[[X]], %[[M]]
// CHECK-NEXT:      scf.forall.in_parallel
// CHECK-NEXT:        tensor.parallel_insert_slice %[[D]]
func.func private @rows(%x: tensor<64x128xf32>) -> tensor<64x128xf32> attributes {tile.scope} {
  %m = tw.reduce %x {kind = max, axes = [-1], keepdims, tile.sizes = {cache2 = {d0 = 16}}} : (tensor<64x128xf32>) -> tensor<64x1xf32>
  %d = tw.sub %x, %m : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x128xf32>
  return %d : tensor<64x128xf32>
}

// -----

// Matrices of a batch are computed one by one.
// CHECK-LABEL: func.func private @batch(
// CHECK:         scf.forall (%[[B:.*]], %{{.*}}, %{{.*}}) = (0, 0, 0) to (4, 32, 32) step (1, 32, 32)
// CHECK:           tensor.extract_slice %arg0[%[[B]], 0, 0] [1, 32, 16] [1, 1, 1] : tensor<4x32x16xf32> to tensor<32x16xf32>
// CHECK:           tensor.extract_slice %arg1[0, 0] [32, 16]
// CHECK:           tw.matmul {{.*}} {transpose_rhs} : (tensor<32x16xf32>, tensor<32x16xf32>) -> tensor<32x32xf32>
// CHECK:           tensor.parallel_insert_slice {{.*}}[%[[B]], 0, 0] [1, 32, 32] [1, 1, 1] : tensor<32x32xf32> into tensor<4x32x32xf32>
func.func private @batch(%a: tensor<4x32x16xf32>, %b: tensor<32x16xf32>) -> tensor<4x32x32xf32> attributes {tile.scope} {
  %c = tw.matmul %a, %b {transpose_rhs, tile.sizes = {cache2 = {m = 48, n = 64, k = 64}}} : (tensor<4x32x16xf32>, tensor<32x16xf32>) -> tensor<4x32x32xf32>
  return %c : tensor<4x32x32xf32>
}

// -----

// A concatenation is one grid an operand, each writing its part.
// CHECK-LABEL: func.func private @concat(
// CHECK:         %[[ONE:.*]] = scf.forall {{.*}} to (4, 8)
// CHECK:           tensor.parallel_insert_slice {{.*}} into %{{.*}}[%{{.*}}, 0]
// CHECK:         scf.forall {{.*}} to (4, 16) {{.*}} shared_outs(%{{.*}} = %[[ONE]])
// CHECK:           tensor.parallel_insert_slice {{.*}} into %{{.*}}[%{{.*}}, 8]
func.func private @concat(%a: tensor<4x8xf32>, %b: tensor<4x16xf32>) -> tensor<4x24xf32> attributes {tile.scope} {
  %c = tw.concat %a, %b {axis = 1, tile.sizes = {cache2 = {d0 = 2, d1 = 24}}} : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<4x24xf32>
  return %c : tensor<4x24xf32>
}

// -----

// A size only known at run time.
// CHECK-LABEL: func.func private @dynamic(
// CHECK:         %[[D:.*]] = tensor.dim %arg0
// CHECK:         tensor.empty(%[[D]])
// CHECK:         scf.forall (%[[I:.*]], %{{.*}}) = (0, 0) to (%[[D]], 64) step (96, 64)
// CHECK:           affine.min #{{.*}}(%[[I]])[%[[D]]]
func.func private @dynamic(%a: tensor<?x32xf32>, %b: tensor<32x64xf32>) -> tensor<?x64xf32> attributes {tile.scope} {
  %c = tw.matmul %a, %b {tile.sizes = {cache2 = {m = 96, n = 64, k = 32}}} : (tensor<?x32xf32>, tensor<32x64xf32>) -> tensor<?x64xf32>
  return %c : tensor<?x64xf32>
}

// -----

// A matmul's operand that is the same everywhere is made tile by tile.
// CHECK-LABEL: func.func private @full_operand(
// CHECK-NOT:     tw.full {value = 5
// CHECK:         scf.forall
// CHECK:           %[[L:.*]] = tensor.extract_slice %arg0[0, 0] [5, 3]
// CHECK:           %[[R:.*]] = tw.full {value = 5.0{{.*}}} : () -> tensor<3x4xf32>
// CHECK:           tw.matmul %[[L]], %[[R]]
func.func private @full_operand(%x: tensor<5x3xf32>) -> tensor<2x5x4xf32> attributes {tile.scope} {
  %w = tw.full {value = 0.5} : () -> tensor<2x3x4xf32>
  %y = tw.matmul %x, %w {tile.sizes = {cache2 = {m = 5, n = 4, k = 3}}} : (tensor<5x3xf32>, tensor<2x3x4xf32>) -> tensor<2x5x4xf32>
  return %y : tensor<2x5x4xf32>
}

// -----

// A single element lines up with rows once their reduction makes them whole.
// CHECK-LABEL: func.func private @element_beside_rows(
// CHECK:         scf.forall
// CHECK-DAG:       tw.abs %{{.*}} : (tensor<f32>) -> tensor<f32>
// CHECK-DAG:       tw.reduce
// CHECK:           tw.div
func.func private @element_beside_rows(%a: tensor<f32>, %x: tensor<8xf16>) -> tensor<8xf32> attributes {tile.scope} {
  %s = tw.abs %a : (tensor<f32>) -> tensor<f32>
  %w = tw.cast %x : (tensor<8xf16>) -> tensor<8xf32>
  %m = tw.reduce %w {kind = max, axes = [0], keepdims} : (tensor<8xf32>) -> tensor<1xf32>
  %c = tw.sub %w, %m : (tensor<8xf32>, tensor<1xf32>) -> tensor<8xf32>
  %y = tw.div %c, %s : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// -----

// So is an accumulator.
// CHECK-LABEL: func.func private @full_accumulator(
// CHECK:         scf.forall
// CHECK:           %[[C:.*]] = tw.full {value = 5.0{{.*}}} : () -> tensor<5x4xf32>
// CHECK:           tw.matmul %{{.*}}, %{{.*}} acc %[[C]]
func.func private @full_accumulator(%x: tensor<5x3xf32>, %y: tensor<2x3x4xf32>) -> tensor<2x5x4xf32> attributes {tile.scope} {
  %w = tw.full {value = 0.5} : () -> tensor<2x5x4xf32>
  %z = tw.matmul %x, %y acc %w {tile.sizes = {cache2 = {m = 5, n = 4, k = 3}}} : (tensor<5x3xf32>, tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x5x4xf32>
  return %z : tensor<2x5x4xf32>
}
