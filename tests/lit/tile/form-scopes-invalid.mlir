// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --verify-diagnostics --form-scopes=target=cpu-generic %s

func.func private @other(tensor<4xf32>) -> tensor<4xf32>
func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{calls a function; put its operations here instead [TW0303]}}
  %y = call @other(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @branches(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{has a region; control flow is not compiled yet, write the operations out [TW0303]}}
  %y = scf.if %c -> tensor<4xf32> {
    scf.yield %x : tensor<4xf32>
  } else {
    %z = tw.neg %x : (tensor<4xf32>) -> tensor<4xf32>
    scf.yield %z : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
