// Attention of one step of decoding as GLM-4.5 has it on one of eight devices: 12 query heads share one head of keys and
// values, heads have 128 elements, and 16 tokens look at a cache of 8,192. Written with the one head of keys and values
// standing for all query heads, which numpy's rules do.
func.func @grouped_attention(%q: tensor<12x16x128xf32>,
                             %k_cache: tensor<1x8192x128xf32>,
                             %v_cache: tensor<1x8192x128xf32>,
                             %mask: tensor<16x8192xf32>) -> tensor<12x16x128xf32> {
  %scale = tw.full {value = 0.08838834764831845} : () -> tensor<f32>
  %q_scaled = tw.mul %q, %scale : (tensor<12x16x128xf32>, tensor<f32>) -> tensor<12x16x128xf32>
  %qk = tw.matmul %q_scaled, %k_cache {transpose_rhs} : (tensor<12x16x128xf32>, tensor<1x8192x128xf32>) -> tensor<12x16x8192xf32>
  %masked = tw.add %qk, %mask : (tensor<12x16x8192xf32>, tensor<16x8192xf32>) -> tensor<12x16x8192xf32>
  %p = tw.softmax %masked {axis = -1} : (tensor<12x16x8192xf32>) -> tensor<12x16x8192xf32>
  %o = tw.matmul %p, %v_cache : (tensor<12x16x8192xf32>, tensor<1x8192x128xf32>) -> tensor<12x16x128xf32>
  return %o : tensor<12x16x128xf32>
}
