// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --expand-tiles=target=cpu-amx --place-tiles=target=cpu-amx %s | FileCheck %s
// RUN: tilewright-opt --expand-tiles=target=cpu-generic --place-tiles=target=cpu-generic %s | FileCheck %s --check-prefix=PLAIN

// Panels of bf16 stay bf16 where the target has a block for them: 32 steps of a
// row side by side on the left, pairs of steps on the right, both padded alike.
// CHECK-LABEL: func.func private @both(
// CHECK:         tile.move %{{.*}} to "cache2" layout <packed block = 32 group = 32 multiple = 32> : tensor<64x64xbf16> -> tensor<64x64xbf16>
// CHECK:         tile.move %{{.*}} to "cache2" layout <packed axis = 1 block = 32 group = 2 multiple = 32> : tensor<64x64xbf16> -> tensor<64x64xbf16>
// CHECK:         tw.matmul {{.*}} : (tensor<64x64xbf16>, tensor<64x64xbf16>
// Elsewhere they become f32.
// PLAIN-LABEL: func.func private @both(
// PLAIN:         layout <packed block = 6> : tensor<64x64xbf16> -> tensor<64x64xf32>
func.func private @both(%a: tensor<128x256xbf16>, %b: tensor<256x128xbf16>) -> tensor<128x128xf32> attributes {tile.scope} {
  %c = tw.matmul %a, %b {tile.sizes = {cache2 = {m = 64, n = 64, k = 64}}}
     : (tensor<128x256xbf16>, tensor<256x128xbf16>) -> tensor<128x128xf32>
  return %c : tensor<128x128xf32>
}

// Transposed operands are packed along what becomes m and n.
// CHECK-LABEL: func.func private @transposed(
// CHECK:         layout <packed axis = 1 block = 32 group = 32 multiple = 32>
// CHECK:         layout <packed block = 32 group = 2 multiple = 32>
func.func private @transposed(%a: tensor<256x128xbf16>, %b: tensor<128x256xbf16>) -> tensor<128x128xf32> attributes {tile.scope} {
  %c = tw.matmul %a, %b {transpose_lhs, transpose_rhs, tile.sizes = {cache2 = {m = 64, n = 64, k = 64}}}
     : (tensor<256x128xbf16>, tensor<128x256xbf16>) -> tensor<128x128xf32>
  return %c : tensor<128x128xf32>
}

// Other types keep the f32 micro-kernel.
// CHECK-LABEL: func.func private @half(
// CHECK:         layout <packed block = 12> : tensor<64x64xf16> -> tensor<64x64xf32>
// CHECK:         layout <packed axis = 1 block = 32> : tensor<64x64xf16> -> tensor<64x64xf32>
func.func private @half(%a: tensor<128x256xf16>, %b: tensor<256x128xf16>) -> tensor<128x128xf32> attributes {tile.scope} {
  %c = tw.matmul %a, %b {tile.sizes = {cache2 = {m = 64, n = 64, k = 64}}}
     : (tensor<128x256xf16>, tensor<256x128xf16>) -> tensor<128x128xf32>
  return %c : tensor<128x128xf32>
}
