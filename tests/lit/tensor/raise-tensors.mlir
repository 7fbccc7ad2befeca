// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --raise-tensors %s | FileCheck %s
// RUN: tilewright-opt --split-input-file --raise-tensors --mlir-print-debuginfo --mlir-print-local-scope %s | FileCheck %s --check-prefix=KEY

// CHECK-LABEL: func.func @elementwise(
// CHECK-SAME:    %[[X:[^:]*]]: {{[^,]*}}, %[[Y:[^:]*]]: {{[^,]*}}, %[[H:[^:]*]]:
// CHECK-NEXT:    %[[A:.*]] = tw.add %[[X]], %[[Y]] : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
// CHECK-NEXT:    %[[B:.*]] = tw.exp %[[A]] :
// CHECK-NEXT:    %[[C:.*]] = tw.cast %[[H]] : (tensor<4x?xf16>) -> tensor<4x?xf32>
// CHECK-NEXT:    %[[M:.*]] = tw.compare %[[B]], %[[C]] {predicate = lt} :
// CHECK-NEXT:    %[[S:.*]] = tw.select %[[M]], %[[B]], %[[C]] :
// CHECK-NEXT:    return %[[S]]
// KEY-LABEL: func.func @elementwise(
// KEY:         tw.add {{.*}} loc(fused<"elementwise/a">
// KEY:         tw.exp {{.*}} loc(fused<"elementwise/b">
func.func @elementwise(%x: tensor<4x?xf32>, %y: tensor<4x?xf32>, %h: tensor<4x?xf16>) -> tensor<4x?xf32> {
  %a = arith.addf %x, %y : tensor<4x?xf32> loc(fused<"elementwise/a">["m":1:1])
  %b = math.exp %a : tensor<4x?xf32> loc(fused<"elementwise/b">["m":2:1])
  %c = arith.extf %h : tensor<4x?xf16> to tensor<4x?xf32>
  %m = arith.cmpf olt, %b, %c : tensor<4x?xf32>
  %s = arith.select %m, %b, %c : tensor<4x?xi1>, tensor<4x?xf32>
  return %s : tensor<4x?xf32>
}

// -----

// What tw has not, or says otherwise, keeps its meaning in a generic.
// CHECK-LABEL: func.func @generic(
// CHECK-NOT:     tw.
// CHECK:         linalg.generic
// CHECK:           arith.muli %{{.*}} : i32
// CHECK:         linalg.generic
// CHECK:           arith.maxnumf %{{.*}} : f32
// CHECK:         linalg.generic
// CHECK:           arith.cmpf ult, %{{.*}} : f32
// CHECK:         linalg.generic
// CHECK:           arith.sitofp %{{.*}} : i1 to f32
// CHECK:         linalg.generic
// CHECK:           arith.addf %{{.*}} : f64
// KEY-LABEL: func.func @generic(
// KEY:         arith.muli {{.*}} loc(fused<"generic/a">
// KEY:         tensor<4xi32> loc(fused<"generic/a">
func.func @generic(%i: tensor<4xi32>, %x: tensor<4xf32>, %d: tensor<4xf64>) -> (tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf64>) {
  %a = arith.muli %i, %i : tensor<4xi32> loc(fused<"generic/a">["m":1:1])
  %b = arith.maxnumf %x, %x : tensor<4xf32>
  %m = arith.cmpf ult, %x, %b : tensor<4xf32>
  %c = arith.sitofp %m : tensor<4xi1> to tensor<4xf32>
  %e = arith.addf %d, %d : tensor<4xf64>
  return %a, %b, %c, %e : tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf64>
}

// -----

// CHECK-LABEL: func.func @pieces(
// CHECK-SAME:    %[[X:[^:]*]]: {{[^,]*}}, %[[R:[^:]*]]:
// CHECK-NEXT:    %[[A:.*]] = tw.slice %[[X]] {offsets = [0, 1], sizes = [3, 4], strides = [2, 1]} : (tensor<6x8xf32>) -> tensor<3x4xf32>
// CHECK-NEXT:    %[[W:.*]] = tw.slice %[[X]] {offsets = [2, 0], sizes = [1, 8]} : (tensor<6x8xf32>) -> tensor<1x8xf32>
// CHECK-NEXT:    %[[B:.*]] = tw.reshape %[[W]] : (tensor<1x8xf32>) -> tensor<8xf32>
// CHECK-NEXT:    %[[V:.*]] = tw.reshape %[[R]] : (tensor<8xf32>) -> tensor<1x8xf32>
// CHECK-NEXT:    %[[C:.*]] = tw.insert %[[V]], %[[X]] {offsets = [5, 0]} : (tensor<1x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
// CHECK-NEXT:    %[[D:.*]] = tw.reshape %[[C]] : (tensor<6x8xf32>) -> tensor<48xf32>
// CHECK-NEXT:    %[[E:.*]] = tw.reshape %[[D]] : (tensor<48xf32>) -> tensor<2x24xf32>
// CHECK-NEXT:    %[[F:.*]] = tw.concat %[[E]], %[[E]] {axis = 1} : (tensor<2x24xf32>, tensor<2x24xf32>) -> tensor<2x48xf32>
// CHECK-NEXT:    return %[[A]], %[[B]], %[[F]]
// KEY-LABEL: func.func @pieces(
// KEY:         tw.slice {{.*}} loc(fused<"pieces/a">
// KEY:         tw.slice {{.*}} loc(fused<"pieces/b.slice">
// KEY:         tw.reshape {{.*}} loc(fused<"pieces/b">
// KEY:         tw.reshape {{.*}} loc(fused<"pieces/c.source">
// KEY:         tw.insert {{.*}} loc(fused<"pieces/c">
func.func @pieces(%x: tensor<6x8xf32>, %r: tensor<8xf32>) -> (tensor<3x4xf32>, tensor<8xf32>, tensor<2x48xf32>) {
  %a = tensor.extract_slice %x[0, 1] [3, 4] [2, 1] : tensor<6x8xf32> to tensor<3x4xf32> loc(fused<"pieces/a">["m":1:1])
  %b = tensor.extract_slice %x[2, 0] [1, 8] [1, 1] : tensor<6x8xf32> to tensor<8xf32> loc(fused<"pieces/b">["m":2:1])
  %c = tensor.insert_slice %r into %x[5, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<6x8xf32> loc(fused<"pieces/c">["m":3:1])
  %d = tensor.collapse_shape %c [[0, 1]] : tensor<6x8xf32> into tensor<48xf32>
  %e = tensor.expand_shape %d [[0, 1]] output_shape [2, 24] : tensor<48xf32> into tensor<2x24xf32>
  %f = tensor.concat dim(1) %e, %e : (tensor<2x24xf32>, tensor<2x24xf32>) -> tensor<2x48xf32>
  return %a, %b, %f : tensor<3x4xf32>, tensor<8xf32>, tensor<2x48xf32>
}

// -----

// Sizes of a run, and what lies in a loop, stay.
// CHECK-LABEL: func.func @stays(
// CHECK:         tensor.extract_slice
// CHECK:         scf.for
// CHECK:           tensor.insert_slice
// CHECK-NOT:     tw.
func.func @stays(%x: tensor<6x8xf32>, %n: index) -> (tensor<?x8xf32>, tensor<6x8xf32>) {
  %a = tensor.extract_slice %x[0, 0] [%n, 8] [1, 1] : tensor<6x8xf32> to tensor<?x8xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<6x8xf32> {
    %p = tensor.extract_slice %t[0, 0] [1, 8] [1, 1] : tensor<6x8xf32> to tensor<1x8xf32>
    %q = tensor.insert_slice %p into %t[1, 0] [1, 8] [1, 1] : tensor<1x8xf32> into tensor<6x8xf32>
    scf.yield %q : tensor<6x8xf32>
  }
  return %a, %b : tensor<?x8xf32>, tensor<6x8xf32>
}
