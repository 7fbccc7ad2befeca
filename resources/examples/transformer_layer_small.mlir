// One transformer layer: 64 tokens, hidden 256, 4 query heads and 2 key/value heads of 64, SwiGLU over 704.
// Written by transformer_stack.py. The mask is added to the scores: 0 where a token may look, -inf elsewhere.
func.func @transformer_layer_small(%x: tensor<64x256xf32>,
                                   %mask: tensor<64x64xf32>,
                                   %norm_attention: tensor<256xf32>,
                                   %w_q: tensor<256x256xf32>,
                                   %w_k: tensor<256x128xf32>,
                                   %w_v: tensor<256x128xf32>,
                                   %w_o: tensor<256x256xf32>,
                                   %norm_ffn: tensor<256xf32>,
                                   %w_gate: tensor<256x704xf32>,
                                   %w_up: tensor<256x704xf32>,
                                   %w_down: tensor<704x256xf32>) -> tensor<64x256xf32> {
  %scale = tw.full {value = 0.125} : () -> tensor<f32>
  %normed = tw.rms_norm %x, %norm_attention : (tensor<64x256xf32>, tensor<256xf32>) -> tensor<64x256xf32>
  %q = tw.matmul %normed, %w_q : (tensor<64x256xf32>, tensor<256x256xf32>) -> tensor<64x256xf32>
  %q_split = tw.reshape %q : (tensor<64x256xf32>) -> tensor<64x2x2x64xf32>
  %q_heads = tw.transpose %q_split {permutation = [1, 2, 0, 3]} : (tensor<64x2x2x64xf32>) -> tensor<2x2x64x64xf32>
  %k = tw.matmul %normed, %w_k : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
  %k_split = tw.reshape %k : (tensor<64x128xf32>) -> tensor<64x2x1x64xf32>
  %k_heads = tw.transpose %k_split {permutation = [1, 2, 0, 3]} : (tensor<64x2x1x64xf32>) -> tensor<2x1x64x64xf32>
  %v = tw.matmul %normed, %w_v : (tensor<64x256xf32>, tensor<256x128xf32>) -> tensor<64x128xf32>
  %v_split = tw.reshape %v : (tensor<64x128xf32>) -> tensor<64x2x1x64xf32>
  %v_heads = tw.transpose %v_split {permutation = [1, 2, 0, 3]} : (tensor<64x2x1x64xf32>) -> tensor<2x1x64x64xf32>
  %qk = tw.matmul %q_heads, %k_heads {transpose_rhs} : (tensor<2x2x64x64xf32>, tensor<2x1x64x64xf32>) -> tensor<2x2x64x64xf32>
  %scaled = tw.mul %qk, %scale : (tensor<2x2x64x64xf32>, tensor<f32>) -> tensor<2x2x64x64xf32>
  %masked = tw.add %scaled, %mask : (tensor<2x2x64x64xf32>, tensor<64x64xf32>) -> tensor<2x2x64x64xf32>
  %p = tw.softmax %masked {axis = -1} : (tensor<2x2x64x64xf32>) -> tensor<2x2x64x64xf32>
  %pv = tw.matmul %p, %v_heads : (tensor<2x2x64x64xf32>, tensor<2x1x64x64xf32>) -> tensor<2x2x64x64xf32>
  %pv_tokens = tw.transpose %pv {permutation = [2, 0, 1, 3]} : (tensor<2x2x64x64xf32>) -> tensor<64x2x2x64xf32>
  %attended = tw.reshape %pv_tokens : (tensor<64x2x2x64xf32>) -> tensor<64x256xf32>
  %projected = tw.matmul %attended, %w_o : (tensor<64x256xf32>, tensor<256x256xf32>) -> tensor<64x256xf32>
  %middle = tw.add %x, %projected : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  %normed_ffn = tw.rms_norm %middle, %norm_ffn : (tensor<64x256xf32>, tensor<256xf32>) -> tensor<64x256xf32>
  %gate = tw.matmul %normed_ffn, %w_gate : (tensor<64x256xf32>, tensor<256x704xf32>) -> tensor<64x704xf32>
  %up = tw.matmul %normed_ffn, %w_up : (tensor<64x256xf32>, tensor<256x704xf32>) -> tensor<64x704xf32>
  %act = tw.silu %gate : (tensor<64x704xf32>) -> tensor<64x704xf32>
  %hidden = tw.mul %act, %up : (tensor<64x704xf32>, tensor<64x704xf32>) -> tensor<64x704xf32>
  %down = tw.matmul %hidden, %w_down : (tensor<64x704xf32>, tensor<704x256xf32>) -> tensor<64x256xf32>
  %y = tw.add %middle, %down : (tensor<64x256xf32>, tensor<64x256xf32>) -> tensor<64x256xf32>
  return %y : tensor<64x256xf32>
}
