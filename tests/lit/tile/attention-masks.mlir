// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: split-file %s %t
// RUN: tilewright-opt --decompose-composites --eliminate-nops --fold-constants --cse --dce --form-scopes=target=cpu-generic "--choose-tiles=target=cpu-generic pins=%t/pins.json" --expand-tiles=target=cpu-generic %t/in.mlir | FileCheck %s

// 24 queries at the end of 40 keys: query r sees keys up to r + 16. Tiles of 8 queries and 12 keys; 4 keys are behind
// the last whole tile.
// CHECK-DAG:     #[[END:.*]] = affine_map<(d0) -> (36, ((d0 + 35) floordiv 12) * 12)>
// CHECK-DAG:     #[[REST:.*]] = affine_map<(d0) -> (40, d0 + 24)>
// CHECK-LABEL: func.func private @causal.
// CHECK-SAME:      tile.visible_keys = {row_to = 17 : i64}
// CHECK:         scf.forall (%[[HEAD:.*]], %[[ROW:.*]]) = (0, 0) to (2, 24) step (1, 8)
// CHECK:           %[[LAST:.*]] = affine.min #[[END]](%[[ROW]])
// CHECK:           scf.for %[[KEY:.*]] = %c0{{.*}} to %[[LAST]] step %c12
// CHECK:           %[[BEHIND:.*]] = affine.min #[[REST]](%[[ROW]])
// CHECK:           scf.for %{{.*}} = %c36{{.*}} to %[[BEHIND]] step %c4

// A window of 10 keys, hidden by what is added to the scores.
// CHECK-LABEL: func.func private @window.
// CHECK-SAME:      tile.visible_keys = {row_from = -9 : i64, row_to = 1 : i64}
// CHECK:           affine.max
// CHECK:           affine.min

// One of two conditions lets see: what is behind both is hidden from all.
// CHECK-LABEL: func.func private @prefix.
// CHECK-SAME:      tile.visible_keys = {to = 22 : i64}

// What is behind the keys in use is hidden from all.
// CHECK-LABEL: func.func private @padded.
// CHECK-SAME:      tile.visible_keys = {to = 13 : i64}

// A large finite number hides nothing for certain, nor does what the program is given.
// CHECK-LABEL: func.func private @finite.
// CHECK-NOT:       tile.visible_keys
// CHECK-LABEL: func.func private @given.
// CHECK-NOT:       tile.visible_keys

//--- pins.json
{"schema": "tilewright/pins", "version": 1, "pins": [
  {"key": "causal/o", "target": "*", "kind": "tile", "value": {"cache2": {"m": 8, "n": 12}}},
  {"key": "window/o", "target": "*", "kind": "tile", "value": {"cache2": {"m": 8, "n": 4}}}
]}
//--- in.mlir
#place = affine_map<(d0) -> (d0)>
#row = affine_map<(d0, d1) -> (d0, d1)>
func.func @causal(%q: tensor<2x24x16xf32>, %k: tensor<2x40x16xf32>, %v: tensor<2x40x16xf32>) -> tensor<2x24x16xf32> {
  %never = tw.full {value = neg_inf} : () -> tensor<f32>
  %er = tensor.empty() : tensor<24x1xi32>
  %rows = linalg.generic {indexing_maps = [#row], iterator_types = ["parallel", "parallel"]} outs(%er : tensor<24x1xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %c16 = arith.constant 16 : i32
    %p = arith.addi %n, %c16 : i32
    linalg.yield %p : i32
  } -> tensor<24x1xi32>
  %ec = tensor.empty() : tensor<40xi32>
  %cols = linalg.generic {indexing_maps = [#place], iterator_types = ["parallel"]} outs(%ec : tensor<40xi32>) {
  ^bb0(%out: i32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    linalg.yield %n : i32
  } -> tensor<40xi32>
  %later = tw.compare %cols, %rows {predicate = gt} : (tensor<40xi32>, tensor<24x1xi32>) -> tensor<24x40xi1>
  %s = tw.matmul %q, %k {transpose_rhs} : (tensor<2x24x16xf32>, tensor<2x40x16xf32>) -> tensor<2x24x40xf32>
  %m = tw.select %later, %never, %s : (tensor<24x40xi1>, tensor<f32>, tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
  %p = tw.softmax %m {axis = -1} : (tensor<2x24x40xf32>) -> tensor<2x24x40xf32>
  %o = tw.matmul %p, %v : (tensor<2x24x40xf32>, tensor<2x40x16xf32>) -> tensor<2x24x16xf32> loc(fused<"causal/o">["s":1:1])
  return %o : tensor<2x24x16xf32>
}
func.func @window(%q: tensor<24x16xf32>, %k: tensor<24x16xf32>, %v: tensor<24x16xf32>) -> tensor<24x16xf32> {
  %never = tw.full {value = neg_inf} : () -> tensor<f32>
  %zero = tw.full {value = 0.0} : () -> tensor<f32>
  %e = tensor.empty() : tensor<24x24xf32>
  %back = linalg.generic {indexing_maps = [#row], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<24x24xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %d = arith.subi %i, %j : index
    %n = arith.index_cast %d : index to i32
    %f = arith.sitofp %n : i32 to f32
    linalg.yield %f : f32
  } -> tensor<24x24xf32>
  %far = tw.full {value = 10.0} : () -> tensor<f32>
  %old = tw.compare %back, %far {predicate = ge} : (tensor<24x24xf32>, tensor<f32>) -> tensor<24x24xi1>
  %later = tw.compare %back, %zero {predicate = lt} : (tensor<24x24xf32>, tensor<f32>) -> tensor<24x24xi1>
  %a = tw.select %old, %never, %zero : (tensor<24x24xi1>, tensor<f32>, tensor<f32>) -> tensor<24x24xf32>
  %b = tw.select %later, %never, %a : (tensor<24x24xi1>, tensor<f32>, tensor<24x24xf32>) -> tensor<24x24xf32>
  %s = tw.matmul %q, %k {transpose_rhs} : (tensor<24x16xf32>, tensor<24x16xf32>) -> tensor<24x24xf32>
  %m = tw.add %s, %b : (tensor<24x24xf32>, tensor<24x24xf32>) -> tensor<24x24xf32>
  %p = tw.softmax %m {axis = -1} : (tensor<24x24xf32>) -> tensor<24x24xf32>
  %o = tw.matmul %p, %v : (tensor<24x24xf32>, tensor<24x16xf32>) -> tensor<24x16xf32> loc(fused<"window/o">["s":2:1])
  return %o : tensor<24x16xf32>
}
func.func @prefix(%q: tensor<3x16xf32>, %k: tensor<26x16xf32>, %v: tensor<26x16xf32>) -> tensor<3x16xf32> {
  %never = tw.full {value = neg_inf} : () -> tensor<f32>
  %rows = arith.constant dense<[[0], [1], [2]]> : tensor<3x1xi32>
  %cols = arith.constant dense<[[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]]> : tensor<1x26xi32>
  %twenty = arith.constant dense<22> : tensor<1x1xi32>
  %early = tw.compare %cols, %twenty {predicate = lt} : (tensor<1x26xi32>, tensor<1x1xi32>) -> tensor<1x26xi1>
  %seen = tw.compare %rows, %cols {predicate = ge} : (tensor<3x1xi32>, tensor<1x26xi32>) -> tensor<3x26xi1>
  %either = tw.select %early, %early, %seen : (tensor<1x26xi1>, tensor<1x26xi1>, tensor<3x26xi1>) -> tensor<3x26xi1>
  %s = tw.matmul %q, %k {transpose_rhs} : (tensor<3x16xf32>, tensor<26x16xf32>) -> tensor<3x26xf32>
  %m = tw.select %either, %s, %never : (tensor<3x26xi1>, tensor<3x26xf32>, tensor<f32>) -> tensor<3x26xf32>
  %p = tw.softmax %m {axis = -1} : (tensor<3x26xf32>) -> tensor<3x26xf32>
  %o = tw.matmul %p, %v : (tensor<3x26xf32>, tensor<26x16xf32>) -> tensor<3x16xf32> loc(fused<"prefix/o">["s":3:1])
  return %o : tensor<3x16xf32>
}
func.func @padded(%q: tensor<3x16xf32>, %k: tensor<16x16xf32>, %v: tensor<16x16xf32>) -> tensor<3x16xf32> {
  %never = tw.full {value = neg_inf} : () -> tensor<f32>
  %used = arith.constant dense<[1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0]> : tensor<16xi1>
  %s = tw.matmul %q, %k {transpose_rhs} : (tensor<3x16xf32>, tensor<16x16xf32>) -> tensor<3x16xf32>
  %m = tw.select %used, %s, %never : (tensor<16xi1>, tensor<3x16xf32>, tensor<f32>) -> tensor<3x16xf32>
  %p = tw.softmax %m {axis = -1} : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %o = tw.matmul %p, %v : (tensor<3x16xf32>, tensor<16x16xf32>) -> tensor<3x16xf32> loc(fused<"padded/o">["s":4:1])
  return %o : tensor<3x16xf32>
}
func.func @finite(%q: tensor<3x16xf32>, %k: tensor<16x16xf32>, %v: tensor<16x16xf32>) -> tensor<3x16xf32> {
  %never = tw.full {value = -1.0e30} : () -> tensor<f32>
  %used = arith.constant dense<[1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0, 0, 0]> : tensor<16xi1>
  %s = tw.matmul %q, %k {transpose_rhs} : (tensor<3x16xf32>, tensor<16x16xf32>) -> tensor<3x16xf32>
  %m = tw.select %used, %s, %never : (tensor<16xi1>, tensor<3x16xf32>, tensor<f32>) -> tensor<3x16xf32>
  %p = tw.softmax %m {axis = -1} : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %o = tw.matmul %p, %v : (tensor<3x16xf32>, tensor<16x16xf32>) -> tensor<3x16xf32> loc(fused<"finite/o">["s":5:1])
  return %o : tensor<3x16xf32>
}
func.func @given(%q: tensor<3x16xf32>, %k: tensor<16x16xf32>, %v: tensor<16x16xf32>, %used: tensor<16xi1>) -> tensor<3x16xf32> {
  %never = tw.full {value = neg_inf} : () -> tensor<f32>
  %s = tw.matmul %q, %k {transpose_rhs} : (tensor<3x16xf32>, tensor<16x16xf32>) -> tensor<3x16xf32>
  %m = tw.select %used, %s, %never : (tensor<16xi1>, tensor<3x16xf32>, tensor<f32>) -> tensor<3x16xf32>
  %p = tw.softmax %m {axis = -1} : (tensor<3x16xf32>) -> tensor<3x16xf32>
  %o = tw.matmul %p, %v : (tensor<3x16xf32>, tensor<16x16xf32>) -> tensor<3x16xf32> loc(fused<"given/o">["s":6:1])
  return %o : tensor<3x16xf32>
}
