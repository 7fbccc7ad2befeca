// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: echo '{"schema": "tilewright/pins", "version": 1, "pins": [' > %t.json
// RUN: echo '{"key": "f/a", "kind": "split_k", "value": 4},' >> %t.json
// RUN: echo '{"key": "f/b", "kind": "split_k", "value": "many"},' >> %t.json
// RUN: echo '{"key": "f/m", "kind": "split_k", "value": 2}]}' >> %t.json
// RUN: tilewright-opt --form-scopes=target=cpu-generic "--choose-tiles=target=cpu-generic pins=%t.json" %s -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --input-file=%t.mlir

// SAID-DAG: split_k pin of f/b is not obeyed, the default is used: split_k is "many"; a number of parts from 1 to 65536 is meant [TW0214]
// The depth of a matmul is split before (split-depths.mlir).
// SAID-NOT: pin of f/m

// CHECK-COUNT-1: tile.split = 4
// CHECK-NOT:     tile.split
func.func @f(%x: tensor<8x1000xf32>, %y: tensor<8x640xf32>, %w: tensor<640x8xf32>)
    -> (tensor<8x1xf32>, tensor<8x1xf32>, tensor<8x8xf32>) {
  %a = tw.reduce %x {kind = sum, axes = [1], keepdims} : (tensor<8x1000xf32>) -> tensor<8x1xf32> loc(fused<"f/a">["f":1:1])
  %b = tw.reduce %y {kind = max, axes = [1], keepdims} : (tensor<8x640xf32>) -> tensor<8x1xf32> loc(fused<"f/b">["f":2:1])
  %m = tw.matmul %y, %w : (tensor<8x640xf32>, tensor<640x8xf32>) -> tensor<8x8xf32> loc(fused<"f/m">["f":3:1])
  return %a, %b, %m : tensor<8x1xf32>, tensor<8x1xf32>, tensor<8x8xf32>
}
