// Every operation that the tensor passes make or keep carries a key.
// RUN: tilewright-opt %s --infer-shapes --decompose-composites --eliminate-nops --simplify-algebra --fold-constants --cse --dce --mlir-print-debuginfo --mlir-print-local-scope -o %t
// RUN: grep -c " = " %t
// RUN: grep " = " %t | not grep -v "loc(fused"
// RUN: FileCheck %s < %t
// The check sees what has none.
// RUN: tilewright-opt %S/dce.mlir --mlir-print-debuginfo --mlir-print-local-scope | grep " = " | grep -v "loc(fused"

// CHECK-LABEL: func.func @f
func.func @f(%x: tensor<?x64xbf16>, %g: tensor<64xbf16>, %w: tensor<32x64xbf16>, %b: tensor<32xbf16>) -> (tensor<?x32xbf16>, tensor<2x0xf32>, tensor<?x32xbf16>) {
  %n = tw.rms_norm %x, %g : (tensor<?x64xbf16>, tensor<64xbf16>) -> tensor<?x64xbf16> loc(fused<"f/n">["s":1:1])
  %t = tw.transpose %w {permutation = [1, 0]} : (tensor<32x64xbf16>) -> tensor<64x32xbf16> loc(fused<"f/t">["s":2:1])
  %h = tw.matmul %n, %t : (tensor<?x64xbf16>, tensor<64x32xbf16>) -> tensor<?x?xbf16> loc(fused<"f/h">["s":3:1])
  %one = tw.full {value = 1} : () -> tensor<32xbf16> loc(fused<"f/one">["s":4:1])
  %two = tw.add %one, %one : (tensor<32xbf16>, tensor<32xbf16>) -> tensor<32xbf16> loc(fused<"f/two">["s":5:1])
  %c = arith.constant dense<[1.0, 2.0, 4.0, 8.0]> : tensor<4xbf16> loc(fused<"f/c">["s":6:1])
  %d = tw.concat %c, %c, %c, %c, %c, %c, %c, %c {axis = 0} : (tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>) -> tensor<32xbf16> loc(fused<"f/d">["s":7:1])
  %s = tw.mul %h, %one : (tensor<?x?xbf16>, tensor<32xbf16>) -> tensor<?x32xbf16> loc(fused<"f/s">["s":8:1])
  %u = tw.div %s, %two : (tensor<?x32xbf16>, tensor<32xbf16>) -> tensor<?x32xbf16> loc(fused<"f/u">["s":9:1])
  %v = tw.add %u, %d : (tensor<?x32xbf16>, tensor<32xbf16>) -> tensor<?x32xbf16> loc(fused<"f/v">["s":10:1])
  %p = tw.softmax %v : (tensor<?x32xbf16>) -> tensor<?x32xbf16> loc(fused<"f/p">["s":11:1])
  %q = tw.softmax %v {axis = 1} : (tensor<?x32xbf16>) -> tensor<?x32xbf16> loc(fused<"f/q">["s":12:1])
  %l = tw.layer_norm %q, %b, %b : (tensor<?x32xbf16>, tensor<32xbf16>, tensor<32xbf16>) -> tensor<?x32xbf16> loc(fused<"f/l">["s":13:1])
  %y = tw.gelu %l : (tensor<?x32xbf16>) -> tensor<?x32xbf16> loc(fused<"f/y">["s":14:1])
  %e0 = tw.full {value = 0} : () -> tensor<2x0xf32> loc(fused<"f/e0">["s":15:1])
  %e = tw.exp %e0 : (tensor<2x0xf32>) -> tensor<2x0xf32> loc(fused<"f/e">["s":16:1])
  return %y, %e, %p : tensor<?x32xbf16>, tensor<2x0xf32>, tensor<?x32xbf16> loc("s":17:1)
}
