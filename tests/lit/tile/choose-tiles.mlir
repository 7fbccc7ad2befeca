// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: split-file %s %t
// RUN: tilewright-opt --form-scopes=target=cpu-generic --choose-tiles=target=cpu-generic %t/in.mlir | FileCheck %s --check-prefix=CPU
// RUN: tilewright-opt --form-scopes=target=ascend-a3 --choose-tiles=target=ascend-a3 %t/in.mlir | FileCheck %s --check-prefix=NPU
// RUN: tilewright-opt --form-scopes=target=cpu-generic "--choose-tiles=target=cpu-generic pins=%t/pins.json" %t/in.mlir 2>&1 | FileCheck %s --check-prefix=PIN
// RUN: tilewright-opt --form-scopes=target=ascend-a3 "--choose-tiles=target=ascend-a3 pins=%t/bad.json" %t/in.mlir 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: tilewright-opt --form-scopes=target=ascend-a3 "--choose-tiles=target=ascend-a3 pins=%t/later.json" %t/in.mlir 2>&1 | FileCheck %s --check-prefix=LATER

// CPU: tw.matmul {{.*}} {tile.sizes = {cache2 = {k = {{[0-9]+}} : i64, m = {{[0-9]+}} : i64, n = {{[0-9]+}} : i64}, reg = {m = 6 : i64, n = 16 : i64}}}
// CPU: tw.exp {{.*}} {tile.sizes = {cache2 = {d0 = {{[0-9]+}} : i64, d1 = {{[0-9]+}} : i64}}}
// NPU: tw.matmul {{.*}} {tile.sizes = {L0 = {k = 64 : i64, m = {{[0-9]+}} : i64, n = {{[0-9]+}} : i64}, L1 = {k = {{[0-9]+}} : i64, m = {{[0-9]+}} : i64, n = {{[0-9]+}} : i64}}}
// NPU: tw.exp {{.*}} {tile.sizes = {UB = {

// A pin of one instance gives it a function of its own.
// PIN: warning: pin of f/nobody has no effect: no operation has this key; {{.*}}[TW0206]
// PIN: call @f.a(
// PIN: call @[[B:f.a_[0-9]+]](
// PIN: func.func private @f.a(
// PIN:   cache2 = {k = {{[0-9]+}} : i64, m =
// PIN: func.func private @[[B]](
// PIN:   cache2 = {k = 128 : i64, m = 96 : i64, n = 64 : i64}

// Pins of later passes, and what a task does, ride on the scope's function.
// LATER: func.func private @f.a({{.*}} attributes {tile.pins = {buffers = {"0" = 2 : i64, all = 3 : i64}, merge = array<i64: {{[01]}}, 4>{{.*}}}, tile.scope}

// BAD-DAG: warning: pin of f/a is not obeyed, the default is used: L0C needs 256 KiB of 128 KiB usable: accumulator 256 KiB; L0.n=256 would do [TW0201]
// BAD-DAG: warning: pin of f/b is not obeyed, the default is used: L0.m=100 is no multiple of 16, the block ascend-a3 computes at a time; L0.m=96 would do [TW0202]
// BAD-DAG: remark: pin of f/e is not obeyed, the default is used: level cache2 is not applicable on ascend-a3; its levels are UB [TW0205]

//--- in.mlir
func.func @f(%x: tensor<1024x1024xf16>, %w: tensor<1024x1024xf16>) -> (tensor<1024x1024xf16>, tensor<1024x1024xf16>) {
  %a = tw.matmul %x, %w : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16> loc(fused<"f/a">["f":1:1])
  %b = tw.matmul %a, %w : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16> loc(fused<"f/b">["f":2:1])
  %e = tw.exp %x : (tensor<1024x1024xf16>) -> tensor<1024x1024xf16> loc(fused<"f/e">["f":3:1])
  return %b, %e : tensor<1024x1024xf16>, tensor<1024x1024xf16>
}
//--- pins.json
{"schema": "tilewright/pins", "version": 1, "pins": [
  {"key": "f/b", "kind": "tile", "value": {"cache2": {"m": 96, "n": 64, "k": 128}}},
  {"key": "f/nobody", "kind": "tile", "value": {"cache2": {"m": 96}}}]}
//--- bad.json
{"schema": "tilewright/pins", "version": 1, "pins": [
  {"key": "f/a", "kind": "tile", "value": {"L0": {"m": 128, "n": 512}}},
  {"key": "f/b", "kind": "tile", "value": {"L0": {"m": 100}}},
  {"key": "f/e", "kind": "tile", "value": {"cache2": {"d0": 8}}}]}
//--- later.json
{"schema": "tilewright/pins", "version": 1, "pins": [
  {"key": "f/a", "kind": "buffers", "value": 3},
  {"key": "f/a#0", "kind": "buffers", "value": 2},
  {"key": "f/a", "kind": "merge", "value": 4}]}
