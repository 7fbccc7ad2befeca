// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --expand-tiles=target=cpu-generic --place-tiles=target=cpu-generic --bufferize=target=cpu-generic --outline-kernels=target=cpu-generic --pack-weights=target=cpu-generic %s | FileCheck %s

// 100 columns are seven panels of 16; the product reads the part that its block
// begins with, and its kernel moves nothing any more.
// CHECK-LABEL: block.program private @ffn(
// CHECK-SAME:    %arg1: memref<64x100xf32, #block.level<"GM">> {tw.weight}
// CHECK:         %[[PANELS:.*]] = block.buffer : memref<7x64x16xf32, #block.level<"GM">>
// CHECK-NEXT:    block.dispatch @ffn.pack1 grid [1](%arg1, %[[PANELS]]) {{.*}}block.once} :
// CHECK-NEXT:    block.dispatch @ffn.kernel grid [2, 4](%arg0, %[[PANELS]], %arg2) {access = [{{.*}}, #block.access<read, (d0, d1) -> (d1 * 2, 0, 0), [2, 64, 16]>,
// CHECK:       block.kernel @ffn.pack1(%arg0: memref<64x100xf32, {{.*}}, %arg1: memref<7x64x16xf32,
// CHECK:         block.move %{{.*}} to %{{.*}} layout <packed axis = 1 block = 16>
// CHECK:       block.kernel @ffn.kernel(
// CHECK-NOT:     block.move
// CHECK-NOT:     block.alloc
// CHECK:         %[[PART:.*]] = memref.subview %{{.*}}[%{{.*}}, 0, 0] [%{{.*}}, 64, 16]
// CHECK:         block.matmul %{{.*}}, %[[PART]] layout <packed axis = 1 block = 16>
func.func private @ffn(%x: tensor<96x64xf32>, %w: tensor<64x100xf32> {tw.weight}) -> tensor<96x100xf32> attributes {tile.scope} {
  %y = tw.matmul %x, %w {tile.sizes = {cache2 = {m = 48, n = 32, k = 64}}} : (tensor<96x64xf32>, tensor<64x100xf32>) -> tensor<96x100xf32>
  return %y : tensor<96x100xf32>
}

// -----

// Transposed and of 16 bits, in steps of the depth: panels hold f32, once.
// CHECK-LABEL: block.program private @transposed(
// CHECK:         block.buffer : memref<4x128x16xf32, #block.level<"GM">>
// CHECK:         block.dispatch @transposed.pack1 grid [1]
// CHECK:       block.kernel @transposed.pack1(
// CHECK:         block.move %{{.*}} to %{{.*}} layout <packed block = 16> : memref<64x128xbf16, {{.*}} to memref<4x128x16xf32,
// CHECK:       block.kernel @transposed.kernel(
// CHECK:         scf.for %[[K:.*]] = 
// CHECK:           block.move %{{.*}} layout <packed block = 6>
// CHECK-NOT:       block.move
// CHECK:           memref.subview %{{.*}}[%{{.*}}, %[[K]], 0] [2, 64, 16]
// CHECK:           block.matmul
func.func private @transposed(%x: tensor<48x128xbf16>, %w: tensor<64x128xbf16> {tw.weight}) -> tensor<48x64xf32> attributes {tile.scope} {
  %y = tw.matmul %x, %w {transpose_rhs, tile.sizes = {cache2 = {m = 48, n = 32, k = 64}}} : (tensor<48x128xbf16>, tensor<64x128xbf16>) -> tensor<48x64xf32>
  return %y : tensor<48x64xf32>
}

// -----

// Not marked: each run packs what it is given.
// CHECK-LABEL: block.program private @changes(
// CHECK-NOT:     block.once
func.func private @changes(%x: tensor<96x64xf32>, %w: tensor<64x100xf32>) -> tensor<96x100xf32> attributes {tile.scope} {
  %y = tw.matmul %x, %w {tile.sizes = {cache2 = {m = 48, n = 32, k = 64}}} : (tensor<96x64xf32>, tensor<64x100xf32>) -> tensor<96x100xf32>
  return %y : tensor<96x100xf32>
}
