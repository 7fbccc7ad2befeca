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

// One condition for all elements: known, an element, and worked out from elements once for all who ask.
// CHECK-LABEL: func.func @chosen(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x8xf32>, %[[Y:[^:]*]]: tensor<4x8xf32>, %[[B:[^:]*]]: tensor<2x3xi1>, %[[S:[^:]*]]: tensor<f32>
// CHECK:         %[[L:.*]] = tw.full {value = 5.000000e-01} : () -> tensor<f32>
// CHECK:         %[[P:.*]] = tw.slice %[[B]] {offsets = [1, 2], sizes = [1, 1]} : (tensor<2x3xi1>) -> tensor<1x1xi1>
// CHECK:         %[[C:.*]] = tw.reshape %[[P]] : (tensor<1x1xi1>) -> tensor<i1>
// CHECK:         %[[T:.*]] = tw.compare %[[S]], %[[L]] {predicate = gt} : (tensor<f32>, tensor<f32>) -> tensor<i1>
// CHECK:         %[[F:.*]] = tw.select %[[C]], %[[X]], %[[Y]] : (tensor<i1>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK:         %[[G:.*]] = tw.select %[[T]], %[[Y]], %[[X]] :
// CHECK:         %[[H:.*]] = tw.select %[[T]], %[[F]], %[[G]] :
// CHECK:         return %[[X]], %[[Y]], %[[F]], %[[H]]
// KEY-LABEL: func.func @chosen(
// KEY:         tw.slice {{.*}} loc(fused<"chosen/c.slice">
// KEY:         tw.reshape {{.*}} loc(fused<"chosen/c">
// KEY:         tw.select {{.*}} loc(fused<"chosen/f">
func.func @chosen(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %b: tensor<2x3xi1>, %s: tensor<f32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %half = arith.constant 0.5 : f32
  %yes = arith.constant true
  %no = arith.constant false
  %c = tensor.extract %b[%one, %two] : tensor<2x3xi1> loc(fused<"chosen/c">["m":1:1])
  %v = tensor.extract %s[] : tensor<f32>
  %t = arith.cmpf ogt, %v, %half : f32
  %d = arith.select %yes, %x, %y : tensor<4x8xf32>
  %e = arith.select %no, %x, %y : tensor<4x8xf32>
  %f = arith.select %c, %x, %y : tensor<4x8xf32> loc(fused<"chosen/f">["m":2:1])
  %g = arith.select %t, %y, %x : tensor<4x8xf32>
  %h = arith.select %t, %f, %g : tensor<4x8xf32>
  return %d, %e, %f, %h : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func.func @around(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<4x8xf32>, %[[I:[^:]*]]: tensor<3xi64>, %[[S:[^:]*]]: tensor<1xf32>
// CHECK:         %[[R:.*]] = tw.reshape %{{.*}} : (tensor<1xf32>) -> tensor<f32>
// CHECK:         %[[Z:.*]] = tw.full {value = -1.500000e+00} : () -> tensor<7x9xf32>
// CHECK:         %[[A:.*]] = tw.insert %[[X]], %[[Z]] {offsets = [1, 0]} : (tensor<4x8xf32>, tensor<7x9xf32>) -> tensor<7x9xf32>
// CHECK:         %[[M:.*]] = arith.constant dense<9007199254740993> : tensor<5xi64>
// CHECK:         %[[B:.*]] = tw.insert %[[I]], %[[M]] {offsets = [2]} :
// CHECK:         %[[E:.*]] = tw.full {value = 1.000000e+00} : () -> tensor<4x9xi1>
// CHECK:         %[[V:.*]] = tw.select %[[E]], %[[R]], %[[R]] : (tensor<4x9xi1>, tensor<f32>, tensor<f32>) -> tensor<4x9xf32>
// CHECK:         %[[C:.*]] = tw.insert %[[X]], %[[V]] {offsets = [0, 1]} :
// CHECK:         return %[[A]], %[[B]], %[[C]]
// KEY-LABEL: func.func @around(
// KEY:         tw.full {{.*}} loc(fused<"around/a.around">
// KEY:         tw.insert {{.*}} loc(fused<"around/a">
func.func @around(%x: tensor<4x8xf32>, %i: tensor<3xi64>, %s: tensor<1xf32>) -> (tensor<7x9xf32>, tensor<5xi64>, tensor<4x9xf32>) {
  %low = arith.constant -1.5 : f32
  %zero = arith.constant 0 : index
  %v = tensor.extract %s[%zero] : tensor<1xf32>
  %a = tensor.pad %x low[1, 0] high[2, 1] {
  ^bb0(%j: index, %k: index):
    tensor.yield %low : f32
  } : tensor<4x8xf32> to tensor<7x9xf32> loc(fused<"around/a">["m":1:1])
  %b = tensor.pad %i low[2] high[0] {
  ^bb0(%j: index):
    %most = arith.constant 9007199254740993 : i64
    tensor.yield %most : i64
  } : tensor<3xi64> to tensor<5xi64>
  %c = tensor.pad %x low[0, 1] high[0, 0] {
  ^bb0(%j: index, %k: index):
    tensor.yield %v : f32
  } : tensor<4x8xf32> to tensor<4x9xf32>
  return %a, %b, %c : tensor<7x9xf32>, tensor<5xi64>, tensor<4x9xf32>
}

// -----

// Numbers that only a run tells where they lie, values by place, sizes of a run.
// CHECK-LABEL: func.func @numbers(
// CHECK-NOT:     tw.
// CHECK:         arith.select
// CHECK:         tensor.pad
// CHECK:         tensor.pad
func.func @numbers(%x: tensor<4xf32>, %b: tensor<3xi1>, %n: index) -> (tensor<4xf32>, tensor<6xf32>, tensor<?xf32>) {
  %c = tensor.extract %b[%n] : tensor<3xi1>
  %s = arith.select %c, %x, %x : tensor<4xf32>
  %p = tensor.pad %x low[1] high[1] {
  ^bb0(%i: index):
    %k = arith.index_cast %i : index to i32
    %f = arith.sitofp %k : i32 to f32
    tensor.yield %f : f32
  } : tensor<4xf32> to tensor<6xf32>
  %z = arith.constant 0.0 : f32
  %q = tensor.pad %x low[%n] high[1] {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<4xf32> to tensor<?xf32>
  return %s, %p, %q : tensor<4xf32>, tensor<6xf32>, tensor<?xf32>
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
