// RUN: tilewright-opt %s --fold-constants --dce | FileCheck %s
// RUN: tilewright-opt %s --fold-constants --dce --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=KEY
// RUN: tilewright-opt %s --fold-constants="limit=2" --dce | FileCheck %s --check-prefix=LIMIT

// CHECK-LABEL: func.func @folded
// KEY-LABEL: func.func @folded
func.func @folded(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xi1>) {
  %a = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32> loc(fused<"folded/a">["s":1:1])
  %two = tw.full {value = 2} : () -> tensor<f32> loc(fused<"folded/two">["s":2:1])
  // CHECK-DAG: arith.constant dense<{{\[}}[7.000000e+00, 1.000000e+01], [1.500000e+01, 2.200000e+01]]> : tensor<2x2xf32>
  // KEY-DAG: arith.constant dense<{{.*}}7.000000e+00, {{.*}} loc(fused<"folded/m">
  %m = tw.matmul %a, %a : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc(fused<"folded/m">["s":3:1])
  %n = tw.div %m, %two : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32> loc(fused<"folded/n">["s":4:1])
  %r = tw.sub %m, %n : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc(fused<"folded/r">["s":5:1])
  // CHECK-DAG: arith.constant dense<{{\[}}[3.500000e+00, 5.000000e+00], [7.500000e+00, 1.100000e+01]]>
  // One value everywhere is a tw.full.
  // CHECK-DAG: tw.full {value = 1.000000e+00} : () -> tensor<2xi1>
  %s = tw.slice %a {offsets = [0, 0], sizes = [2, 1]} : (tensor<2x2xf32>) -> tensor<2x1xf32> loc(fused<"folded/s">["s":6:1])
  %t = tw.reshape %s : (tensor<2x1xf32>) -> tensor<2xf32> loc(fused<"folded/t">["s":7:1])
  %c = tw.compare %t, %two {predicate = ne} : (tensor<2xf32>, tensor<f32>) -> tensor<2xi1> loc(fused<"folded/c">["s":8:1])
  // CHECK: tw.add
  %y = tw.add %x, %m : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc(fused<"folded/y">["s":9:1])
  // CHECK: return
  // LIMIT: tw.matmul
  return %y, %r, %c : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xi1>
}

// A large constant is not made from a small one.
// CHECK-LABEL: func.func @large
func.func @large() -> tensor<1024x1024xf32> {
  // CHECK: tw.exp
  %a = tw.full {value = 0.5} : () -> tensor<1024x1024xf32>
  %e = tw.exp %a : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %e : tensor<1024x1024xf32>
}
