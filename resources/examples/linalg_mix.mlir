// Operations of MLIR's own linalg beside ours: a matmul with its init, then bias and activation.
func.func @linalg_mix(%x: tensor<128x256xf32>, %w: tensor<256x192xf32>, %bias: tensor<192xf32>)
    -> tensor<128x192xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128x192xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x192xf32>) -> tensor<128x192xf32>
  %h = linalg.matmul ins(%x, %w : tensor<128x256xf32>, tensor<256x192xf32>)
         outs(%init : tensor<128x192xf32>) -> tensor<128x192xf32>
  %biased = tw.add %h, %bias : (tensor<128x192xf32>, tensor<192xf32>) -> tensor<128x192xf32>
  %y = tw.silu %biased : (tensor<128x192xf32>) -> tensor<128x192xf32>
  return %y : tensor<128x192xf32>
}
