// Attention of 8 heads over 1,024 tokens with heads of 64, written out: product of queries and keys, scale, mask, softmax,
// product with the values. The mask is added to the scores: 0 where a token may look, -inf elsewhere. It becomes one
// kernel that goes through the keys tile by tile and never holds the scores as a whole.
func.func @attention(%q: tensor<8x1024x64xf32>,
                     %k: tensor<8x1024x64xf32>,
                     %v: tensor<8x1024x64xf32>,
                     %mask: tensor<1024x1024xf32>) -> tensor<8x1024x64xf32> {
  %scale = tw.full {value = 0.125} : () -> tensor<f32>
  %qk = tw.matmul %q, %k {transpose_rhs} : (tensor<8x1024x64xf32>, tensor<8x1024x64xf32>) -> tensor<8x1024x1024xf32>
  %scaled = tw.mul %qk, %scale : (tensor<8x1024x1024xf32>, tensor<f32>) -> tensor<8x1024x1024xf32>
  %masked = tw.add %scaled, %mask : (tensor<8x1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<8x1024x1024xf32>
  %p = tw.softmax %masked {axis = -1} : (tensor<8x1024x1024xf32>) -> tensor<8x1024x1024xf32>
  %o = tw.matmul %p, %v : (tensor<8x1024x1024xf32>, tensor<8x1024x64xf32>) -> tensor<8x1024x64xf32>
  return %o : tensor<8x1024x64xf32>
}
