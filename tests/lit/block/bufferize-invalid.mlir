// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt --split-input-file --verify-diagnostics --expand-tiles=target=cpu-generic --bufferize=target=cpu-generic %s

// expected-error @+1 {{kernels for sizes only known at run time are not made yet; give the sizes to go beyond the Tile graph [TW0404]}}
func.func private @dynamic(%x: tensor<?x16xf32>) -> tensor<?x16xf32> attributes {tile.scope} {
  %e = tw.exp %x : (tensor<?x16xf32>) -> tensor<?x16xf32>
  return %e : tensor<?x16xf32>
}

// -----

func.func private @composite(%x: tensor<8x16xf32>) -> tensor<8x16xf32> attributes {tile.scope} {
  // expected-error @+1 {{has no instruction; decompose-composites writes it out in operations that have [TW0407]}}
  %e = tw.softmax %x : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %e : tensor<8x16xf32>
}
