// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: split-file %s %t
// RUN: tilewright-opt "--form-scopes=target=cpu-generic pins=%t/pins.json" %t/in.mlir -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --input-file=%t/out.mlir

// SAID-DAG: split_k pin of f/prime is not obeyed, the default is used: parts are equal, and 4 does not divide k = 127 [TW0215]
// SAID-DAG: split_k pin of f/word is not obeyed, the default is used: split_k is "many"; a number of parts from 1 to 65536 is meant [TW0214]
// SAID-DAG: split_k pin of f/qk is not obeyed, the default is used: it is part of an attention, which goes through its keys step by step [TW0215]

// Rows of the left operand are cut where they lie, the right operand is cut between rows.
// CHECK-LABEL: func.func private @f.c.parts(
// CHECK-SAME:      %[[A:.*]]: tensor<8x96xf16>, %[[B:.*]]: tensor<96x8xf16>) -> tensor<4x8x8xf32>
// CHECK:         %[[ROWS:.*]] = tw.reshape %[[A]] : (tensor<8x96xf16>) -> tensor<8x4x24xf16>
// CHECK:         %[[LHS:.*]] = tw.transpose %[[ROWS]] {permutation = [1, 0, 2]}
// CHECK:         %[[RHS:.*]] = tw.reshape %[[B]] : (tensor<96x8xf16>) -> tensor<4x24x8xf16>
// CHECK:         tw.matmul %[[LHS]], %[[RHS]] {tile.depth_part} : (tensor<4x8x24xf16>, tensor<4x24x8xf16>) -> tensor<4x8x8xf32>
// The accumulator comes to the sum, which is rounded once.
// CHECK-LABEL: func.func private @f.c.sum(
// CHECK:         %[[SUM:.*]] = tw.reduce %{{.*}} {axes = [0], kind = sum, tile.depth_part} : (tensor<4x8x8xf32>) -> tensor<8x8xf32>
// CHECK:         %[[WITH:.*]] = tw.add %[[SUM]], %{{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK:         tw.cast %[[WITH]] : (tensor<8x8xf32>) -> tensor<8x8xf16>

//--- pins.json
{"schema": "tilewright/pins", "version": 1, "pins": [
  {"key": "f/c", "target": "*", "kind": "split_k", "value": 4},
  {"key": "f/prime", "target": "*", "kind": "split_k", "value": 4},
  {"key": "f/word", "target": "*", "kind": "split_k", "value": "many"},
  {"key": "f/qk", "target": "*", "kind": "split_k", "value": 2}
]}
//--- in.mlir
func.func @f(%a: tensor<8x96xf16>, %b: tensor<96x8xf16>, %d: tensor<8x8xf16>, %e: tensor<8x127xf32>, %g: tensor<127x8xf32>,
             %q: tensor<4x16xf32>) -> (tensor<8x8xf16>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<4x16xf32>) {
  %c = tw.matmul %a, %b acc %d : (tensor<8x96xf16>, tensor<96x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16> loc(fused<"f/c">["f":1:1])
  %prime = tw.matmul %e, %g : (tensor<8x127xf32>, tensor<127x8xf32>) -> tensor<8x8xf32> loc(fused<"f/prime">["f":2:1])
  %word = tw.matmul %e, %e {transpose_rhs} : (tensor<8x127xf32>, tensor<8x127xf32>) -> tensor<8x8xf32> loc(fused<"f/word">["f":3:1])
  %qk = tw.matmul %q, %q {transpose_rhs} : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x4xf32> loc(fused<"f/qk">["f":4:1])
  %max = tw.reduce %qk {kind = max, axes = [1], keepdims} : (tensor<4x4xf32>) -> tensor<4x1xf32> loc(fused<"f/max">["f":5:1])
  %cent = tw.sub %qk, %max : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32> loc(fused<"f/cent">["f":6:1])
  %exp = tw.exp %cent : (tensor<4x4xf32>) -> tensor<4x4xf32> loc(fused<"f/exp">["f":7:1])
  %sum = tw.reduce %exp {kind = sum, axes = [1], keepdims} : (tensor<4x4xf32>) -> tensor<4x1xf32> loc(fused<"f/sum">["f":8:1])
  %p = tw.div %exp, %sum : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32> loc(fused<"f/p">["f":9:1])
  %o = tw.matmul %p, %q : (tensor<4x4xf32>, tensor<4x16xf32>) -> tensor<4x16xf32> loc(fused<"f/o">["f":10:1])
  return %c, %prime, %word, %o : tensor<8x8xf16>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<4x16xf32>
}
