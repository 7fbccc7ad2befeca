// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --form-scopes=target=cpu-generic %s | FileCheck %s --check-prefixes=CHECK,CPU
// RUN: tilewright-opt --split-input-file --form-scopes=target=ascend-a3 %s | FileCheck %s --check-prefixes=CHECK,NPU
// RUN: tilewright-opt --split-input-file --form-scopes="target=cpu-generic remarks" %s -o %t 2>&1 | FileCheck %s --check-prefix=CPUWHY
// RUN: tilewright-opt --split-input-file --form-scopes="target=ascend-a3 remarks" %s -o %t 2>&1 | FileCheck %s --check-prefix=NPUWHY

// Two reductions of one tensor read it once.
// CHECK-LABEL: func.func @two_sums(
// CHECK:         call @two_sums.reduce(%arg0)
// CHECK-NEXT:    return
func.func @two_sums(%x: tensor<64x256xf32>) -> (tensor<64x1xf32>, tensor<64x1xf32>) {
  %a = tw.reduce %x {kind = sum, axes = [-1], keepdims} : (tensor<64x256xf32>) -> tensor<64x1xf32>
  %b = tw.reduce %x {kind = max, axes = [-1], keepdims} : (tensor<64x256xf32>) -> tensor<64x1xf32>
  return %a, %b : tensor<64x1xf32>, tensor<64x1xf32>
}

// -----

// So do they where they drop their axes.
// CHECK-LABEL: func.func @two_dropped(
// CHECK:         call @two_dropped.reduce(%arg0)
// CHECK-NEXT:    return
func.func @two_dropped(%x: tensor<64x256xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %a = tw.reduce %x {kind = sum, axes = [-1]} : (tensor<64x256xf32>) -> tensor<64xf32>
  %b = tw.reduce %x {kind = max, axes = [-1]} : (tensor<64x256xf32>) -> tensor<64xf32>
  return %a, %b : tensor<64xf32>, tensor<64xf32>
}

// -----

// A reduction that drops leading axes still lines up with what it is read by.
// CHECK-LABEL: func.func @columns(
// CHECK:         call @columns.reduce(%arg0)
// CHECK-NEXT:    return
func.func @columns(%x: tensor<64x256xf32>) -> tensor<64x256xf32> {
  %s = tw.reduce %x {kind = mean, axes = [0]} : (tensor<64x256xf32>) -> tensor<256xf32>
  %d = tw.sub %x, %s : (tensor<64x256xf32>, tensor<256xf32>) -> tensor<64x256xf32>
  return %d : tensor<64x256xf32>
}

// -----

// Weights that are dequantised on their way into the matmul.
// CHECK-LABEL: func.func @dequantise(
// CPU:           call @dequantise.matmul(
// CPU-NEXT:      return
// NPU:           call @dequantise.mul(
// NPU:           call @dequantise.matmul(
// NPUWHY: 2 operations in one kernel move 1.3 MiB instead of 3.3 MiB through global memory
// NPUWHY: matmul not with mul: cube and vector cores differ
func.func @dequantise(%x: tensor<8x512xf32>, %w: tensor<512x512xi8>, %scale: tensor<512xf32>) -> tensor<8x512xf32> {
  %f = tw.cast %w : (tensor<512x512xi8>) -> tensor<512x512xf32>
  %d = tw.mul %f, %scale : (tensor<512x512xf32>, tensor<512xf32>) -> tensor<512x512xf32>
  %y = tw.matmul %x, %d : (tensor<8x512xf32>, tensor<512x512xf32>) -> tensor<8x512xf32>
  return %y : tensor<8x512xf32>
}

// -----

// A prologue that is read elsewhere too is stored anyway.
// CPU-LABEL: func.func @stored(
// CPU:         call @stored.relu(
// CPU:         call @stored.matmul(
// CPUWHY: matmul not with relu: relu is also read elsewhere, so that it is stored anyway
func.func @stored(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %r = tw.relu %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %y = tw.matmul %r, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y, %r : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// Bias over columns and over rows, a residual that is computed, a vector that is cast: all in the matmul's kernel.
// CPU-LABEL: func.func @epilogue(
// CPU:         call @epilogue.matmul(
// CPU-NEXT:    return
func.func @epilogue(%x: tensor<256x128xf32>, %w: tensor<128x192xf32>, %bias: tensor<192xbf16>,
                    %row: tensor<256x1xf32>, %r: tensor<256x192xf32>) -> tensor<256x192xf32> {
  %m = tw.matmul %x, %w : (tensor<256x128xf32>, tensor<128x192xf32>) -> tensor<256x192xf32>
  %c = tw.cast %bias : (tensor<192xbf16>) -> tensor<192xf32>
  %b = tw.add %m, %c : (tensor<256x192xf32>, tensor<192xf32>) -> tensor<256x192xf32>
  %s = tw.mul %b, %row : (tensor<256x192xf32>, tensor<256x1xf32>) -> tensor<256x192xf32>
  %e = tw.exp %r : (tensor<256x192xf32>) -> tensor<256x192xf32>
  %y = tw.add %s, %e : (tensor<256x192xf32>, tensor<256x192xf32>) -> tensor<256x192xf32>
  return %y : tensor<256x192xf32>
}

// -----

// Two matmuls in a row share no tiles, not even if they read the same weights.
// CHECK-LABEL: func.func @chain(
// CHECK:         call @chain.matmul(
// CHECK:         call @chain.matmul
// CPUWHY: matmul not with matmul: every tile of relu reads whole rows or columns of matmul
// NPUWHY: matmul not with matmul: would make a circle: relu reads the one and is needed by the other
func.func @chain(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %a = tw.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %r = tw.relu %a : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %b = tw.matmul %r, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %b : tensor<8x8xf32>
}
