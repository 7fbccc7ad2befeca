// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --decompose-composites --form-scopes=target=ascend-a3 %s | FileCheck %s

// 20,000 keys are 80 KB a row: they are taken in chunks of equal size, the last one a little shorter. Each is a product,
// a softmax kernel that carries maximum and sum on, a product and the addition to the result so far.
// CHECK-LABEL: func.func @long(
// CHECK-COUNT-5: tensor<2x20000x16xf32>) -> tensor<2x{{3456|2720}}x16xf32>
// CHECK-NOT:     tensor<2x4x20000xf32>
// CHECK:         return
// CHECK-DAG:   tw.slice {{.*}}offsets = [0, 17280, 0], sizes = [2, 2720, 16]
// CHECK-DAG:   tw.matmul {{.*}} (tensor<2x4x3456xf32>, tensor<2x3456x8xf32>) -> tensor<2x4x8xf32>
// CHECK-DAG:   tw.matmul {{.*}} (tensor<2x4x2720xf32>, tensor<2x2720x8xf32>) -> tensor<2x4x8xf32>
// CHECK-DAG:   %[[LEFT:.*]] = tw.exp {{.*}} : (tensor<2x4x1xf32>) -> tensor<2x4x1xf32>
// CHECK-DAG:   tw.mul {{.*}} : (tensor<2x4x8xf32>, tensor<2x4x1xf32>) -> tensor<2x4x8xf32>
func.func @long(%q: tensor<2x4x16xf32>, %k: tensor<2x20000x16xf32>, %v: tensor<2x20000x8xf32>) -> tensor<2x4x8xf32> {
  %qk = tw.matmul %q, %k {transpose_rhs} : (tensor<2x4x16xf32>, tensor<2x20000x16xf32>) -> tensor<2x4x20000xf32>
  %p = tw.softmax %qk {axis = -1} : (tensor<2x4x20000xf32>) -> tensor<2x4x20000xf32>
  %o = tw.matmul %p, %v : (tensor<2x4x20000xf32>, tensor<2x20000x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}

// -----

// Short rows stay whole.
// CHECK-LABEL: func.func @short(
// CHECK-COUNT-3: call @
// CHECK-NOT:     call @
// CHECK:         return
func.func @short(%q: tensor<2x4x16xf32>, %k: tensor<2x1000x16xf32>, %v: tensor<2x1000x8xf32>) -> tensor<2x4x8xf32> {
  %qk = tw.matmul %q, %k {transpose_rhs} : (tensor<2x4x16xf32>, tensor<2x1000x16xf32>) -> tensor<2x4x1000xf32>
  %p = tw.softmax %qk {axis = -1} : (tensor<2x4x1000xf32>) -> tensor<2x4x1000xf32>
  %o = tw.matmul %p, %v : (tensor<2x4x1000xf32>, tensor<2x1000x8xf32>) -> tensor<2x4x8xf32>
  return %o : tensor<2x4x8xf32>
}
