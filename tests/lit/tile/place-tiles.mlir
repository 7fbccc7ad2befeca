// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --expand-tiles=target=cpu-generic --place-tiles=target=cpu-generic %s | FileCheck %s --check-prefix=CPU
// RUN: tilewright-opt --expand-tiles=target=ascend-a3 --place-tiles=target=ascend-a3 %s | FileCheck %s --check-prefix=NPU

// Panels in f32 for the micro-kernel; a transposed operand is packed along the
// dimension that becomes n.
// CPU-LABEL: func.func private @matmul(
// CPU:         tile.move %{{.*}} to "cache2" layout <packed block = 6> : tensor<64x64xf16> -> tensor<64x64xf32>
// CPU:         tile.move %{{.*}} to "cache2" layout <packed block = 16> : tensor<64x64xf16> -> tensor<64x64xf32>

// Each step of the way in the innermost loop that cuts its tile; two steps are
// one after the other, as a loop of a single turn would have events between its
// turns. The store converts.
// NPU-LABEL: func.func private @matmul(
// NPU:         scf.forall
// NPU:           tile.move %{{.*}} to "L1" layout <nz> : tensor<64x64xf16> -> tensor<64x64xf16>
// NPU:           tile.move %{{.*}} to "L0A" layout <zz> : tensor<64x32xf16> -> tensor<64x32xf16>
// NPU:           tile.move %{{.*}} to "L0B" layout <zn>
// NPU:           %[[FIRST:.*]] = tw.matmul
// NPU-NOT:       scf.for
// NPU:           tile.move %{{.*}} to "L0A" layout <zz> : tensor<64x32xf16> -> tensor<64x32xf16>
// NPU:           %[[SECOND:.*]] = tw.matmul {{.*}} acc %[[FIRST]]
// NPU:           %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[SECOND]])
// NPU:             "L1"
// NPU:             %[[INNER:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[ACC]])
// NPU-NOT:           "L1"
// NPU:               "L0A"
// NPU:             scf.yield %[[INNER]]
// NPU:           %[[OUT:.*]] = tile.move %[[SUM]] to "GM" : tensor<64x64xf32> -> tensor<64x64xf16>
// NPU:           tensor.parallel_insert_slice %[[OUT]]
func.func private @matmul(%a: tensor<128x256xf16>, %b: tensor<128x256xf16>) -> tensor<128x128xf16> attributes {tile.scope} {
  %c = tw.matmul %a, %b {transpose_rhs, tile.sizes = {cache2 = {m = 64, n = 64, k = 64}, L1 = {m = 64, n = 64, k = 64}, L0 = {m = 64, n = 64, k = 32}}}
     : (tensor<128x256xf16>, tensor<128x256xf16>) -> tensor<128x128xf16>
  return %c : tensor<128x128xf16>
}

// The stores of matmuls beside each other convert, also where there are batches.
// NPU-LABEL: func.func private @siblings(
// NPU-COUNT-2: tw.matmul
// NPU:         %[[X:.*]] = tile.move %{{.*}} to "GM" : tensor<64x64xf32> -> tensor<64x64xf16>
// NPU:         %[[Y:.*]] = tile.move %{{.*}} to "GM" : tensor<64x64xf32> -> tensor<64x64xf16>
// NPU-DAG:     tensor.parallel_insert_slice %[[X]]
// NPU-DAG:     tensor.parallel_insert_slice %[[Y]]
func.func private @siblings(%a: tensor<2x64x64xf16>, %b: tensor<2x64x64xf16>, %c: tensor<2x64x64xf16>) -> (tensor<2x64x64xf16>, tensor<2x64x64xf16>) attributes {tile.scope} {
  %x = tw.matmul %a, %b {transpose_rhs, tile.sizes = {cache2 = {m = 64, n = 64, k = 64}, L1 = {m = 64, n = 64, k = 64}, L0 = {m = 64, n = 64, k = 64}}}
     : (tensor<2x64x64xf16>, tensor<2x64x64xf16>) -> tensor<2x64x64xf16>
  %y = tw.matmul %a, %c {transpose_rhs} : (tensor<2x64x64xf16>, tensor<2x64x64xf16>) -> tensor<2x64x64xf16>
  return %x, %y : tensor<2x64x64xf16>, tensor<2x64x64xf16>
}

// A tile that two operations read is moved once.
// NPU-LABEL: func.func private @rows(
// NPU:         %[[X:.*]] = tile.move %{{.*}} to "UB"
// NPU-NEXT:    %[[M:.*]] = tw.reduce %[[X]]
// NPU-NEXT:    tw.sub %[[X]], %[[M]]
func.func private @rows(%x: tensor<64x128xf32>) -> tensor<64x128xf32> attributes {tile.scope} {
  %m = tw.reduce %x {kind = max, axes = [-1], keepdims} : (tensor<64x128xf32>) -> tensor<64x1xf32>
  %d = tw.sub %x, %m : (tensor<64x128xf32>, tensor<64x1xf32>) -> tensor<64x128xf32>
  return %d : tensor<64x128xf32>
}

// The rows of the left operand meet few panels of the right one: they are read
// as they lie. A page apart they meet in the same places of the cache.
// CPU-LABEL: func.func private @left_stays(
// CPU:         %[[A:.*]] = tile.move %{{.*}} to "cache2" : tensor<48x127xf32> -> tensor<48x127xf32>
// CPU:         %[[B:.*]] = tile.move %{{.*}} to "cache2" layout <packed axis = 1 block = 16>
// CPU:         tw.matmul %[[A]], %[[B]]
func.func private @left_stays(%a: tensor<96x127xf32>, %b: tensor<127x256xf32>) -> tensor<96x256xf32> attributes {tile.scope} {
  %c = tw.matmul %a, %b {tile.sizes = {cache2 = {m = 48, n = 128, k = 127}}}
     : (tensor<96x127xf32>, tensor<127x256xf32>) -> tensor<96x256xf32>
  return %c : tensor<96x256xf32>
}
// A small right operand is read as it lies beside such a left one; not where its
// rows lie 1 KiB apart, nor where it is large.
// CPU-LABEL: func.func private @right_stays(
// CPU:         %[[A:.*]] = tile.move %{{.*}} to "cache2" : tensor<48x127xf32> -> tensor<48x127xf32>
// CPU:         %[[B:.*]] = tile.move %{{.*}} to "cache2" : tensor<127x125xf32> -> tensor<127x125xf32>
// CPU:         tw.matmul %[[A]], %[[B]]
func.func private @right_stays(%a: tensor<96x127xf32>, %b: tensor<127x125xf32>) -> tensor<96x125xf32> attributes {tile.scope} {
  %c = tw.matmul %a, %b {tile.sizes = {cache2 = {m = 48, n = 128, k = 127}}}
     : (tensor<96x127xf32>, tensor<127x125xf32>) -> tensor<96x125xf32>
  return %c : tensor<96x125xf32>
}
// CPU-LABEL: func.func private @large_right(
// CPU:         layout <packed axis = 1 block = 16>
func.func private @large_right(%a: tensor<96x300xf32>, %b: tensor<300x125xf32>) -> tensor<96x125xf32> attributes {tile.scope} {
  %c = tw.matmul %a, %b {tile.sizes = {cache2 = {m = 48, n = 128, k = 300}}}
     : (tensor<96x300xf32>, tensor<300x125xf32>) -> tensor<96x125xf32>
  return %c : tensor<96x125xf32>
}
// CPU-LABEL: func.func private @many_panels(
// CPU:         tile.move %{{.*}} to "cache2" layout <packed block = 6> : tensor<48x127xf32> -> tensor<48x127xf32>
func.func private @many_panels(%a: tensor<96x127xf32>, %b: tensor<127x256xf32>) -> tensor<96x256xf32> attributes {tile.scope} {
  %c = tw.matmul %a, %b {tile.sizes = {cache2 = {m = 48, n = 144, k = 127}}}
     : (tensor<96x127xf32>, tensor<127x256xf32>) -> tensor<96x256xf32>
  return %c : tensor<96x256xf32>
}
// CPU-LABEL: func.func private @a_page_apart(
// CPU:         tile.move %{{.*}} to "cache2" layout <packed block = 6> : tensor<48x256xf32> -> tensor<48x256xf32>
func.func private @a_page_apart(%a: tensor<96x1024xf32>, %b: tensor<1024x256xf32>) -> tensor<96x256xf32> attributes {tile.scope} {
  %c = tw.matmul %a, %b {tile.sizes = {cache2 = {m = 48, n = 80, k = 256}}}
     : (tensor<96x1024xf32>, tensor<1024x256xf32>) -> tensor<96x256xf32>
  return %c : tensor<96x256xf32>
}
