// The feed-forward block of one GLM-4.5-Air expert: silu(x Wg) * (x Wu), then down.
func.func @swiglu_ffn(%x: tensor<128x4096xf32>, %w_gate: tensor<4096x1408xf32>,
                      %w_up: tensor<4096x1408xf32>, %w_down: tensor<1408x4096xf32>)
    -> tensor<128x4096xf32> {
  %gate = tw.matmul %x, %w_gate : (tensor<128x4096xf32>, tensor<4096x1408xf32>) -> tensor<128x1408xf32>
  %up = tw.matmul %x, %w_up : (tensor<128x4096xf32>, tensor<4096x1408xf32>) -> tensor<128x1408xf32>
  %act = tw.silu %gate : (tensor<128x1408xf32>) -> tensor<128x1408xf32>
  %hidden = tw.mul %act, %up : (tensor<128x1408xf32>, tensor<128x1408xf32>) -> tensor<128x1408xf32>
  %y = tw.matmul %hidden, %w_down : (tensor<128x1408xf32>, tensor<1408x4096xf32>) -> tensor<128x4096xf32>
  return %y : tensor<128x4096xf32>
}
