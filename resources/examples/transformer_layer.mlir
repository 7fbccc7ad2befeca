// One transformer layer: 128 tokens, hidden 1024, 8 query heads and 2 key/value heads of 128, SwiGLU over 2816.
// Written by transformer_stack.py. The mask is added to the scores: 0 where a token may look, -inf elsewhere.
func.func @transformer_layer(%x: tensor<128x1024xf32>,
                             %mask: tensor<128x128xf32>,
                             %norm_attention: tensor<1024xf32>,
                             %w_q: tensor<1024x1024xf32>,
                             %w_k: tensor<1024x256xf32>,
                             %w_v: tensor<1024x256xf32>,
                             %w_o: tensor<1024x1024xf32>,
                             %norm_ffn: tensor<1024xf32>,
                             %w_gate: tensor<1024x2816xf32>,
                             %w_up: tensor<1024x2816xf32>,
                             %w_down: tensor<2816x1024xf32>) -> tensor<128x1024xf32> {
  %scale = tw.full {value = 0.08838834764831845} : () -> tensor<f32>
  %normed = tw.rms_norm %x, %norm_attention : (tensor<128x1024xf32>, tensor<1024xf32>) -> tensor<128x1024xf32>
  %q = tw.matmul %normed, %w_q : (tensor<128x1024xf32>, tensor<1024x1024xf32>) -> tensor<128x1024xf32>
  %q_split = tw.reshape %q : (tensor<128x1024xf32>) -> tensor<128x2x4x128xf32>
  %q_heads = tw.transpose %q_split {permutation = [1, 2, 0, 3]} : (tensor<128x2x4x128xf32>) -> tensor<2x4x128x128xf32>
  %k = tw.matmul %normed, %w_k : (tensor<128x1024xf32>, tensor<1024x256xf32>) -> tensor<128x256xf32>
  %k_split = tw.reshape %k : (tensor<128x256xf32>) -> tensor<128x2x1x128xf32>
  %k_heads = tw.transpose %k_split {permutation = [1, 2, 0, 3]} : (tensor<128x2x1x128xf32>) -> tensor<2x1x128x128xf32>
  %v = tw.matmul %normed, %w_v : (tensor<128x1024xf32>, tensor<1024x256xf32>) -> tensor<128x256xf32>
  %v_split = tw.reshape %v : (tensor<128x256xf32>) -> tensor<128x2x1x128xf32>
  %v_heads = tw.transpose %v_split {permutation = [1, 2, 0, 3]} : (tensor<128x2x1x128xf32>) -> tensor<2x1x128x128xf32>
  %qk = tw.matmul %q_heads, %k_heads {transpose_rhs} : (tensor<2x4x128x128xf32>, tensor<2x1x128x128xf32>) -> tensor<2x4x128x128xf32>
  %scaled = tw.mul %qk, %scale : (tensor<2x4x128x128xf32>, tensor<f32>) -> tensor<2x4x128x128xf32>
  %masked = tw.add %scaled, %mask : (tensor<2x4x128x128xf32>, tensor<128x128xf32>) -> tensor<2x4x128x128xf32>
  %p = tw.softmax %masked {axis = -1} : (tensor<2x4x128x128xf32>) -> tensor<2x4x128x128xf32>
  %pv = tw.matmul %p, %v_heads : (tensor<2x4x128x128xf32>, tensor<2x1x128x128xf32>) -> tensor<2x4x128x128xf32>
  %pv_tokens = tw.transpose %pv {permutation = [2, 0, 1, 3]} : (tensor<2x4x128x128xf32>) -> tensor<128x2x4x128xf32>
  %attended = tw.reshape %pv_tokens : (tensor<128x2x4x128xf32>) -> tensor<128x1024xf32>
  %projected = tw.matmul %attended, %w_o : (tensor<128x1024xf32>, tensor<1024x1024xf32>) -> tensor<128x1024xf32>
  %middle = tw.add %x, %projected : (tensor<128x1024xf32>, tensor<128x1024xf32>) -> tensor<128x1024xf32>
  %normed_ffn = tw.rms_norm %middle, %norm_ffn : (tensor<128x1024xf32>, tensor<1024xf32>) -> tensor<128x1024xf32>
  %gate = tw.matmul %normed_ffn, %w_gate : (tensor<128x1024xf32>, tensor<1024x2816xf32>) -> tensor<128x2816xf32>
  %up = tw.matmul %normed_ffn, %w_up : (tensor<128x1024xf32>, tensor<1024x2816xf32>) -> tensor<128x2816xf32>
  %act = tw.silu %gate : (tensor<128x2816xf32>) -> tensor<128x2816xf32>
  %hidden = tw.mul %act, %up : (tensor<128x2816xf32>, tensor<128x2816xf32>) -> tensor<128x2816xf32>
  %down = tw.matmul %hidden, %w_down : (tensor<128x2816xf32>, tensor<2816x1024xf32>) -> tensor<128x1024xf32>
  %y = tw.add %middle, %down : (tensor<128x1024xf32>, tensor<128x1024xf32>) -> tensor<128x1024xf32>
  return %y : tensor<128x1024xf32>
}
