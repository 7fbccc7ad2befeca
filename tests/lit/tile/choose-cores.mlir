// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: split-file %s %t
// RUN: tilewright-opt "--form-scopes=target=ascend-a3 pins=%t/pins.json remarks" %t/in.mlir -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: FileCheck %s --input-file=%t/out.mlir
// RUN: tilewright-opt "--form-scopes=target=cpu-generic pins=%t/pins.json" %t/in.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONE

// SAID-DAG: warning: core pin of f/e is not obeyed, the default is used: cube cores multiply matrices; besides they convert what a matmul makes as they store it, nothing else [TW0234]
// SAID-DAG: warning: core pin of f/word is not obeyed, the default is used: "gpu" is no kind of core of ascend-a3 [TW0233]
// SAID-DAG: warning: core pin of f/gone has no effect: no operation has this key [TW0206]
// SAID-DAG: remark: f/v: pinned: products and their sums, {{.*}} us (estimated)
// SAID-DAG: remark: the default: the matrix unit, {{.*}} us (estimated)
// SAID-DAG: remark: f/word: cube cores have the matrix unit
// SAID-DAG: remark: products and their sums, {{.*}} instead of {{.*}} us (estimated)
// SAID-DAG: remark: f/half: the store of cube cores converts what the matmul makes as it writes
// SAID-DAG: remark: f/e: vector cores compute what is no matmul

// Not a level, but a choice that this target does not have.
// ONE: core pin of f/v is not applicable: cpu-generic has cores of one kind

// A row times a matrix: a column times each of its columns, summed along them.
// CHECK-LABEL: func.func private @f.v(
// CHECK-NOT:     tw.matmul
// CHECK:         %[[P:.*]] = tw.mul %{{.*}}, %{{.*}} : (tensor<64x1xf32>, tensor<64x48xf32>) -> tensor<64x48xf32>
// CHECK:         tw.reduce %[[P]] {axes = [0], keepdims, kind = sum} : (tensor<64x48xf32>) -> tensor<1x48xf32>
// The conversion goes with the product that makes what it converts.
// CHECK-LABEL: func.func private @f.wide(
// CHECK:         tw.matmul
// CHECK:         tw.cast
// CHECK:         return %{{.*}} : tensor<32x48xf16>

//--- pins.json
{"schema": "tilewright/pins", "version": 1, "pins": [
  {"key": "f/v", "target": "*", "kind": "core", "value": "vector"},
  {"key": "f/e", "target": "*", "kind": "core", "value": "cube"},
  {"key": "f/word", "target": "*", "kind": "core", "value": "gpu"},
  {"key": "f/gone", "target": "*", "kind": "core", "value": "cube"}
]}
//--- in.mlir
func.func @f(%row: tensor<1x64xf32>, %w: tensor<64x48xf32>, %a: tensor<32x64xf16>, %b: tensor<64x48xf16>)
    -> (tensor<1x48xf32>, tensor<1x48xf32>, tensor<32x48xf16>, tensor<32x48xf32>) {
  %v = tw.matmul %row, %w : (tensor<1x64xf32>, tensor<64x48xf32>) -> tensor<1x48xf32> loc(fused<"f/v">["f":1:1])
  %e = tw.exp %v : (tensor<1x48xf32>) -> tensor<1x48xf32> loc(fused<"f/e">["f":2:1])
  %wide = tw.matmul %a, %b : (tensor<32x64xf16>, tensor<64x48xf16>) -> tensor<32x48xf32> loc(fused<"f/wide">["f":3:1])
  %half = tw.cast %wide : (tensor<32x48xf32>) -> tensor<32x48xf16> loc(fused<"f/half">["f":4:1])
  %word = tw.matmul %a, %b : (tensor<32x64xf16>, tensor<64x48xf16>) -> tensor<32x48xf32> loc(fused<"f/word">["f":5:1])
  return %v, %e, %half, %word : tensor<1x48xf32>, tensor<1x48xf32>, tensor<32x48xf16>, tensor<32x48xf32>
}
