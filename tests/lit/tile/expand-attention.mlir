// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: split-file %s %t
// RUN: tilewright-opt --decompose-composites --form-scopes=target=cpu-generic "--choose-tiles=target=cpu-generic pins=%t/pins.json" --expand-tiles=target=cpu-generic --place-tiles=target=cpu-generic %t/in.mlir | FileCheck %s

// 50 keys in tiles of 16: three whole ones in the loop, the rest behind it. Rows of queries that do not fill a tile.
// CHECK-LABEL: func.func private @ragged.
// CHECK:         scf.forall (%[[HEAD:.*]], %[[ROW:.*]]) = (0, 0) to (4, 40) step (1, 12)
// CHECK:           %[[ROWS:.*]] = affine.min
// CHECK:           %[[Q:.*]] = tensor.extract_slice %{{.*}}[%[[HEAD]], %[[ROW]], 0] [1, %[[ROWS]], 16]
// CHECK:           %[[QUERIES:.*]] = tile.move %[[Q]] to "cache2" : tensor<?x16xf32> -> tensor<?x16xf32>
// CHECK:           %[[MAX0:.*]] = tw.full %[[ROWS]] {value = -3.4028234663852886E+38} : (index) -> tensor<?x1xf32>
// CHECK:           %[[LOOP:.*]]:3 = scf.for %[[KEY:.*]] = %c0{{.*}} to %c48{{.*}} step %c16{{.*}} iter_args(%[[MAX:.*]] = %[[MAX0]], %[[SUM:.*]] = %{{.*}}, %[[ACC:.*]] = %{{.*}})
// One head of keys for all heads of queries.
// CHECK:             %[[K:.*]] = tensor.extract_slice %{{.*}}[0, %[[KEY]], 0] [1, 16, 16]
// CHECK:             %[[KP:.*]] = tile.move %[[K]] to "cache2" layout <packed block = 16>
// CHECK:             %[[S:.*]] = tw.matmul %[[QUERIES]], %[[KP]] {transpose_rhs}
// CHECK:             %[[M:.*]] = tensor.extract_slice %{{.*}}[%[[ROW]], %[[KEY]]] [%[[ROWS]], 16]
// CHECK:             %[[X:.*]] = tw.add %[[S]],
// CHECK:             %[[ROWMAX:.*]] = tw.reduce %[[X]] {{.*}}kind = max
// CHECK:             %[[NEWMAX:.*]] = tw.maximum %[[ROWMAX]], %[[MAX]]
// CHECK:             %[[SHIFT:.*]] = tw.sub %[[MAX]], %[[NEWMAX]]
// CHECK:             %[[KEPT:.*]] = tw.exp %[[SHIFT]]
// CHECK:             %[[OLDSUM:.*]] = tw.mul %[[SUM]], %[[KEPT]]
// CHECK:             %[[OLDACC:.*]] = tw.mul %[[ACC]], %[[KEPT]]
// CHECK:             %[[C:.*]] = tw.sub %[[X]], %[[NEWMAX]]
// CHECK:             %[[P:.*]] = tw.exp %[[C]]
// CHECK:             %[[ROWSUM:.*]] = tw.reduce %[[P]] {{.*}}kind = sum
// CHECK:             %[[NEWSUM:.*]] = tw.add %[[OLDSUM]], %[[ROWSUM]]
// The weights are read as they lie.
// CHECK:             %[[VP:.*]] = tile.move %{{.*}} to "cache2" layout <packed axis = 1 block = 16>
// CHECK:             %[[NEWACC:.*]] = tw.matmul %[[P]], %[[VP]] acc %[[OLDACC]]
// CHECK:             scf.yield %[[NEWMAX]], %[[NEWSUM]], %[[NEWACC]]
// CHECK:           tensor.extract_slice %{{.*}}[0, 48, 0] [1, 2, 16]
// CHECK:           %[[LASTSUM:.*]] = tw.add {{.*}} : (tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>
// CHECK:           %[[LAST:.*]] = tw.matmul {{.*}} acc
// CHECK:           %[[O:.*]] = tw.div %[[LAST]], %[[LASTSUM]]
// CHECK:           tensor.parallel_insert_slice %[[O]] into %{{.*}}[%[[HEAD]], %[[ROW]], 0] [1, %[[ROWS]], 8]

// 20 keys in tiles of 16: one after the other, no loop of a single turn.
// CHECK-LABEL: func.func private @few.
// CHECK-NOT:     scf.for %{{.*}} step
// CHECK:         tensor.extract_slice %{{.*}}[0, 0, 0] [1, 16, 16]
// CHECK-NOT:     scf.for %{{.*}} step
// CHECK:         tensor.extract_slice %{{.*}}[0, 16, 0] [1, 4, 16]
// CHECK:         tw.maximum
// CHECK:         tw.matmul {{.*}} acc
// CHECK:         tw.div

//--- pins.json
{"schema": "tilewright/pins", "version": 1, "pins": [
  {"key": "few/o", "target": "*", "kind": "tile", "value": {"cache2": {"m": 12, "n": 16}}},
  {"key": "ragged/o", "target": "*", "kind": "tile", "value": {"cache2": {"m": 12, "n": 16}}}
]}
//--- in.mlir
func.func @ragged(%q: tensor<4x40x16xf32>, %k: tensor<1x50x16xf32>, %v: tensor<1x50x8xf32>, %mask: tensor<40x50xf32>) -> tensor<4x40x8xf32> {
  %qk = tw.matmul %q, %k {transpose_rhs} : (tensor<4x40x16xf32>, tensor<1x50x16xf32>) -> tensor<4x40x50xf32>
  %m = tw.add %qk, %mask : (tensor<4x40x50xf32>, tensor<40x50xf32>) -> tensor<4x40x50xf32>
  %p = tw.softmax %m {axis = -1} : (tensor<4x40x50xf32>) -> tensor<4x40x50xf32>
  %o = tw.matmul %p, %v : (tensor<4x40x50xf32>, tensor<1x50x8xf32>) -> tensor<4x40x8xf32> loc(fused<"ragged/o">["s":5:1])
  return %o : tensor<4x40x8xf32>
}
func.func @few(%q: tensor<4x40x16xf32>, %k: tensor<1x20x16xf32>, %v: tensor<1x20x8xf32>) -> tensor<4x40x8xf32> {
  %qk = tw.matmul %q, %k {transpose_rhs} : (tensor<4x40x16xf32>, tensor<1x20x16xf32>) -> tensor<4x40x20xf32>
  %p = tw.softmax %qk {axis = -1} : (tensor<4x40x20xf32>) -> tensor<4x40x20xf32>
  %o = tw.matmul %p, %v : (tensor<4x40x20xf32>, tensor<1x20x8xf32>) -> tensor<4x40x8xf32> loc(fused<"few/o">["s":11:1])
  return %o : tensor<4x40x8xf32>
}
