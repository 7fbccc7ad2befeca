// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --expand-tiles=target=cpu-generic --place-tiles=target=cpu-generic --bufferize=target=cpu-generic %s | FileCheck %s

// Results of the micro-kernel go straight to the output, at borders too: it
// writes no block over an edge. A left operand that stays where it is needs no
// buffer.
// CHECK-LABEL: func.func private @direct(
// CHECK:         scf.forall (%[[I:.*]], %[[J:.*]]) =
// CHECK:           %[[L:.*]] = memref.subview %arg0[%[[I]], 0] [48, 64]
// CHECK:           %[[R:.*]] = block.alloc : memref<2x64x16xf32, #block.level<"cache2">>
// CHECK:           %[[O:.*]] = memref.subview %arg2[%[[I]], %[[J]]] [48, 32]
// CHECK:           block.matmul %[[L]], %[[R]] layout <packed axis = 1 block = 16> into %[[O]] :
// CHECK-NOT:       block.move
func.func private @direct(%a: tensor<96x64xf32>, %b: tensor<64x64xf32> {tw.weight}) -> tensor<96x64xf32> attributes {tile.scope} {
  %c = tw.matmul %a, %b {tile.sizes = {cache2 = {m = 48, n = 32, k = 64}}} : (tensor<96x64xf32>, tensor<64x64xf32>) -> tensor<96x64xf32>
  return %c : tensor<96x64xf32>
}

// -----

// CHECK-LABEL: func.func private @border(
// CHECK-SAME:    %arg0: memref<100x128xbf16, #block.level<"GM">>
// CHECK-SAME:    tile.result_count = 1
// CHECK:         %[[M:.*]] = affine.min
// CHECK:         %[[ACC:.*]] = block.alloc : memref<48x32xf32, #block.level<"cache2">>
// CHECK:         %[[VALID:.*]] = memref.subview %[[ACC]][0, 0] [%[[M]], 32]
// CHECK:         block.fill 0.0{{.*}}, %[[VALID]]
// CHECK:         scf.for
// CHECK:           %[[P:.*]] = affine.apply #{{.*}}(%[[M]])
// CHECK:           memref.subview %{{.*}}[0, 0, 0] [%[[P]], 64, 6]
// CHECK:           block.matmul {{.*}} into %[[VALID]] accumulate
// CHECK:         %[[T:.*]] = block.alloc : memref<48x32xbf16, #block.level<"cache2">>
// CHECK:         %[[TV:.*]] = memref.subview %[[T]]
// CHECK:         block.cast %[[VALID]] into %[[TV]]
// Written over what it reads, then to where it is stored.
// CHECK:         block.unary <silu> %[[TV]] into %[[TV]]
// CHECK:         %[[O:.*]] = memref.subview %arg3
// CHECK:         block.binary <mul> %[[TV]], %{{.*}} into %[[O]]
func.func private @border(%a: tensor<100x128xbf16>, %b: tensor<128x32xbf16>, %u: tensor<100x32xbf16>) -> tensor<100x32xbf16> attributes {tile.scope} {
  %c = tw.matmul %a, %b {tile.sizes = {cache2 = {m = 48, n = 32, k = 64}}} : (tensor<100x128xbf16>, tensor<128x32xbf16>) -> tensor<100x32xbf16>
  %s = tw.silu %c : (tensor<100x32xbf16>) -> tensor<100x32xbf16>
  %h = tw.mul %s, %u : (tensor<100x32xbf16>, tensor<100x32xbf16>) -> tensor<100x32xbf16>
  return %h : tensor<100x32xbf16>
}

// -----

// CHECK-LABEL: func.func private @ragged(
// CHECK:         %[[O:.*]] = memref.subview %arg2[{{.*}}] [%{{.*}}, 31]
// CHECK:         block.matmul {{.*}} into %[[O]] :
// CHECK-NOT:     block.move
func.func private @ragged(%a: tensor<100x64xf32>, %b: tensor<64x31xf32> {tw.weight}) -> tensor<100x31xf32> attributes {tile.scope} {
  %c = tw.matmul %a, %b {tile.sizes = {cache2 = {m = 48, n = 31, k = 64}}} : (tensor<100x64xf32>, tensor<64x31xf32>) -> tensor<100x31xf32>
  return %c : tensor<100x31xf32>
}

// -----

// What is read once more later is not written over.
// CHECK-LABEL: func.func private @kept(
// CHECK:         %[[E:.*]] = block.alloc : memref<8x16xf32
// CHECK:         block.unary <exp> %{{.*}} into %[[E]]
// CHECK:         %[[N:.*]] = block.alloc : memref<8x16xf32
// CHECK:         block.unary <neg> %[[E]] into %[[N]]
// CHECK:         block.binary <add> %[[E]], %[[N]] into %{{.*}} :
func.func private @kept(%x: tensor<8x16xf32>) -> tensor<8x16xf32> attributes {tile.scope} {
  %e = tw.exp %x : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %n = tw.neg %e : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %s = tw.add %e, %n : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  return %s : tensor<8x16xf32>
}

// -----

// An upstream operation keeps its region.
// CHECK-LABEL: func.func private @upstream(
// CHECK:         block.generic maps {{.*}} iterators ["parallel", "parallel"] ins(%{{.*}} outs(%{{.*}}
// CHECK:           arith.mulf
// CHECK:           block.yield
func.func private @upstream(%x: tensor<8x16xf32>) -> tensor<8x16xf32> attributes {tile.scope} {
  %e = tensor.empty() : tensor<8x16xf32>
  %r = linalg.square ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
