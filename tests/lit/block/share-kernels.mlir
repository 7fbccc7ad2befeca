// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --expand-tiles=target=cpu-generic --place-tiles=target=cpu-generic --bufferize=target=cpu-generic --outline-kernels=target=cpu-generic --mlir-print-debuginfo --mlir-print-local-scope %s | FileCheck %s

// Two scopes whose kernels differ in keys only: one kernel, which stands for
// the operations of both.
// CHECK:       block.program @twice
// CHECK:         block.dispatch @first.kernel
// CHECK:         block.dispatch @first.kernel
// CHECK:       block.kernel @first.kernel
// CHECK:         block.unary <tanh> {{.*}} loc(fused<["twice/a", "twice/c.part"]>["f":1:1])
// CHECK-NOT:   block.kernel @second.kernel
func.func @twice(%x: tensor<100x96xf32>) -> tensor<100x96xf32> {
  %a = call @first(%x) {tile.bindings = ["twice/a"]} : (tensor<100x96xf32>) -> tensor<100x96xf32>
  %b = call @second(%a) {tile.bindings = ["twice/b", "twice/c"]} : (tensor<100x96xf32>) -> tensor<100x96xf32>
  return %b : tensor<100x96xf32>
}
func.func private @first(%x: tensor<100x96xf32>) -> tensor<100x96xf32> attributes {tile.scope} {
  %e = tw.tanh %x {tile.sizes = {cache2 = {d0 = 50, d1 = 96}}} : (tensor<100x96xf32>) -> tensor<100x96xf32> loc(fused<"$0">["f":1:1])
  return %e : tensor<100x96xf32>
}
func.func private @second(%x: tensor<100x96xf32>) -> tensor<100x96xf32> attributes {tile.scope} {
  %e = tw.tanh %x {tile.sizes = {cache2 = {d0 = 50, d1 = 96}}} : (tensor<100x96xf32>) -> tensor<100x96xf32> loc(fused<"$1.part">["f":2:1])
  return %e : tensor<100x96xf32>
}
