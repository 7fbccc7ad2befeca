// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: echo '{"schema": "tilewright/pins", "version": 1, "pins": [' > %t.json
// RUN: echo '{"key": "f/b", "kind": "scope", "value": {"apart": true}},' >> %t.json
// RUN: echo '{"key": "f/d", "kind": "scope", "value": {"apart": ["f/c"]}},' >> %t.json
// RUN: echo '{"key": "f/t", "kind": "scope", "value": {"fuse": ["f/m"]}},' >> %t.json
// RUN: echo '{"key": "f/m", "kind": "scope", "value": 3},' >> %t.json
// RUN: echo '{"key": "f/gone", "kind": "scope", "value": {"apart": true}}]}' >> %t.json
// RUN: tilewright-opt --form-scopes="target=cpu-generic pins=%t.json" %s -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --input-file=%t.mlir

// SAID-DAG: warning: scope pin of f/m says neither what to fuse nor what to keep apart: 3 [TW0212]
// SAID-DAG: warning: scope pin of f/t is not obeyed: f/t and f/m are not fused: a reduction needs whole rows, of which a tile of the matmul has a part [TW0213]
// SAID-DAG: warning: scope pin of f/gone has no effect: no operation has this key [TW0206]

// CHECK-LABEL: func.func @f(
// CHECK-COUNT-6: call @
// CHECK-NOT:     call @
// CHECK:         return
func.func @f(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x1xf32>) {
  %a = tw.exp %x : (tensor<64x64xf32>) -> tensor<64x64xf32> loc(fused<"f/a">["f":1:1])
  %b = tw.neg %a : (tensor<64x64xf32>) -> tensor<64x64xf32> loc(fused<"f/b">["f":2:1])
  %c = tw.exp %b : (tensor<64x64xf32>) -> tensor<64x64xf32> loc(fused<"f/c">["f":3:1])
  %d = tw.neg %c : (tensor<64x64xf32>) -> tensor<64x64xf32> loc(fused<"f/d">["f":4:1])
  %m = tw.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32> loc(fused<"f/m">["f":5:1])
  %t = tw.reduce %m {kind = sum, axes = [1], keepdims} : (tensor<64x64xf32>) -> tensor<64x1xf32> loc(fused<"f/t">["f":6:1])
  return %d, %t : tensor<64x64xf32>, tensor<64x1xf32>
}
