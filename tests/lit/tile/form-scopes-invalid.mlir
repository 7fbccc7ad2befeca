// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --verify-diagnostics --form-scopes=target=cpu-generic %s

func.func private @other(tensor<4xf32>) -> tensor<4xf32>
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{calls a function; put its operations here instead [TW0303]}}
  %y = call @other(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{is a number of type i1, and kernels are given tensors only: make it tensor<i1> and take the number with tensor.extract [TW0303]}}
func.func @number(%c: i1, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = arith.select %c, %x, %y : tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

func.func @branches(%b: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c = tensor.extract %b[] : tensor<i1>
  // expected-error @+1 {{has a region; control flow is not compiled yet, write the operations out [TW0303]}}
  %y = scf.if %c -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  } else {
    %z = tw.neg %x : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %z : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
