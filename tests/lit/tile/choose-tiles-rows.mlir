// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --choose-tiles=target=cpu-generic %s | FileCheck %s

// A softmax that is not written out has rows only.
// CHECK-LABEL: func.func private @rows(
// CHECK:         tw.softmax {{.*}} tile.sizes = {cache2 = {d0 = 7 : i64}}
func.func private @rows(%x: tensor<7x8xf32>) -> tensor<7x8xf32> attributes {tile.scope} {
  %y = tw.softmax %x {axis = -1} : (tensor<7x8xf32>) -> tensor<7x8xf32>
  return %y : tensor<7x8xf32>
}
