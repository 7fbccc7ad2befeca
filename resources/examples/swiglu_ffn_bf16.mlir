// The feed-forward block of one GLM-4.5-Air expert: silu(x Wg) * (x Wu), then down; in bf16.
func.func @swiglu_ffn(%x: tensor<128x4096xbf16>, %w_gate: tensor<4096x1408xbf16>,
                      %w_up: tensor<4096x1408xbf16>, %w_down: tensor<1408x4096xbf16>)
    -> tensor<128x4096xbf16> {
  %gate = tw.matmul %x, %w_gate : (tensor<128x4096xbf16>, tensor<4096x1408xbf16>) -> tensor<128x1408xbf16>
  %up = tw.matmul %x, %w_up : (tensor<128x4096xbf16>, tensor<4096x1408xbf16>) -> tensor<128x1408xbf16>
  %act = tw.silu %gate : (tensor<128x1408xbf16>) -> tensor<128x1408xbf16>
  %hidden = tw.mul %act, %up : (tensor<128x1408xbf16>, tensor<128x1408xbf16>) -> tensor<128x1408xbf16>
  %y = tw.matmul %hidden, %w_down : (tensor<128x1408xbf16>, tensor<1408x4096xbf16>) -> tensor<128x4096xbf16>
  return %y : tensor<128x4096xbf16>
}
