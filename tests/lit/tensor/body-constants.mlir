// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --eliminate-nops | FileCheck %s
// RUN: tilewright-opt %s --cse | FileCheck %s
// RUN: tilewright-opt %s --eliminate-nops --fold-constants --simplify-algebra --cse --form-scopes=target=cpu-generic | FileCheck %s

// What a body computes with stays in it, whatever else is moved: two bodies with the same constant, and one given from outside.
#id = affine_map<(d0) -> (d0)>
// CHECK-LABEL: func.func {{.*}}@
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %[[C:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      arith.maximumf %{{.*}}, %[[C]]
// CHECK:         linalg.generic
// CHECK-NEXT:    ^bb0
// CHECK-NEXT:      %[[D:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:      arith.minimumf %{{.*}}, %[[D]]
func.func @two(%x: tensor<40xf32>, %y: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xf32>) {
  %e = tensor.empty() : tensor<40xf32>
  %outside = arith.constant 0.0 : f32
  %a = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<40xf32>) outs(%e : tensor<40xf32>) {
  ^bb0(%i: f32, %o: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %i, %zero : f32
    linalg.yield %m : f32
  } -> tensor<40xf32>
  %b = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%y : tensor<40xf32>) outs(%e : tensor<40xf32>) {
  ^bb0(%i: f32, %o: f32):
    %m = arith.minimumf %i, %outside : f32
    linalg.yield %m : f32
  } -> tensor<40xf32>
  return %a, %b : tensor<40xf32>, tensor<40xf32>
}
