// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --form-scopes=target=cpu-generic %s | FileCheck %s
// RUN: tilewright-opt --split-input-file --form-scopes=target=cpu-generic --choose-tiles=target=cpu-generic --expand-tiles=target=cpu-generic %s | FileCheck %s --check-prefix=TILES

// Heads are split and swapped with the tokens by reading, not by moving: no
// scope for it, and in the grid a slice of the tensor itself.
// CHECK-LABEL: func.func @heads(
// CHECK-NEXT:    %[[S:.*]] = call @heads.matmul(%arg0, %arg1)
// CHECK-NEXT:    return %[[S]]
// CHECK:       func.func private @heads.matmul(
// CHECK-DAG:     tw.reshape %arg0
// CHECK-DAG:     tw.transpose
// CHECK:         tw.matmul

// TILES-LABEL: func.func private @heads.matmul(
// TILES-NOT:     tw.transpose
// TILES-NOT:     tw.reshape
// TILES:         %[[Q:.*]] = tensor.expand_shape %{{.*}} output_shape [64, 2, 2, 64]
// TILES:         %[[K:.*]] = tensor.expand_shape %{{.*}} output_shape [64, 2, 1, 64]
// TILES:         scf.forall (%[[B0:.*]], %[[B1:.*]], %[[M:.*]], %[[N:.*]]) =
// TILES:           %[[QT:.*]] = tensor.extract_slice %[[Q]][{{.*}}, %[[B0]], %[[B1]], 0] [{{.*}}, 1, 1, 64]
// TILES:           %[[KT:.*]] = tensor.extract_slice %[[K]][0, %[[B0]], 0, 0] [64, 1, 1, 64]
// TILES:           tw.matmul %[[QT]], %[[KT]] {transpose_rhs}
func.func @heads(%q: tensor<64x256xf32>, %k: tensor<64x128xf32>) -> tensor<2x2x64x64xf32> {
  %0 = tw.reshape %q : (tensor<64x256xf32>) -> tensor<64x2x2x64xf32>
  %1 = tw.transpose %0 {permutation = [1, 2, 0, 3]} : (tensor<64x2x2x64xf32>) -> tensor<2x2x64x64xf32>
  %2 = tw.reshape %k : (tensor<64x128xf32>) -> tensor<64x2x1x64xf32>
  %3 = tw.transpose %2 {permutation = [1, 2, 3, 0]} : (tensor<64x2x1x64xf32>) -> tensor<2x1x64x64xf32>
  %4 = tw.matmul %1, %3 : (tensor<2x2x64x64xf32>, tensor<2x1x64x64xf32>) -> tensor<2x2x64x64xf32>
  return %4 : tensor<2x2x64x64xf32>
}

// -----

// What is returned needs a buffer of its own, and a transpose that spreads rows
// over memory is done once rather than in every tile.
// CHECK-LABEL: func.func @moved(
// CHECK-DAG:     call @moved.reshape(
// CHECK-DAG:     call @moved.transpose(
// CHECK-DAG:     call @moved.matmul(
func.func @moved(%x: tensor<4x8x2xf32>, %w: tensor<4x8xf32>) -> (tensor<8x8xf32>, tensor<2x8x8xf32>) {
  %0 = tw.reshape %x : (tensor<4x8x2xf32>) -> tensor<8x8xf32>
  %1 = tw.transpose %x {permutation = [2, 1, 0]} : (tensor<4x8x2xf32>) -> tensor<2x8x4xf32>
  %2 = tw.matmul %1, %w : (tensor<2x8x4xf32>, tensor<4x8xf32>) -> tensor<2x8x8xf32>
  return %0, %2 : tensor<8x8xf32>, tensor<2x8x8xf32>
}
