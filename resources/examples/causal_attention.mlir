// A small causal attention whose mask is made of truth values: where a token may not look, its score is replaced by -inf.
// The mask is what another operator made of positions, one row a query; 100 queries stand at the end of 130 keys.
func.func @causal_attention(%q: tensor<2x100x32xf32>,
                            %k: tensor<2x130x32xf32>,
                            %v: tensor<2x130x32xf32>,
                            %may_look: tensor<100x130xi1>) -> tensor<2x100x32xf32> {
  %scale = tw.full {value = 0.17677669529663687} : () -> tensor<f32>
  %never = tw.full {value = neg_inf} : () -> tensor<f32>
  %qk = tw.matmul %q, %k {transpose_rhs} : (tensor<2x100x32xf32>, tensor<2x130x32xf32>) -> tensor<2x100x130xf32>
  %scaled = tw.mul %qk, %scale : (tensor<2x100x130xf32>, tensor<f32>) -> tensor<2x100x130xf32>
  %masked = tw.select %may_look, %scaled, %never : (tensor<100x130xi1>, tensor<2x100x130xf32>, tensor<f32>) -> tensor<2x100x130xf32>
  %p = tw.softmax %masked {axis = -1} : (tensor<2x100x130xf32>) -> tensor<2x100x130xf32>
  %o = tw.matmul %p, %v : (tensor<2x100x130xf32>, tensor<2x130x32xf32>) -> tensor<2x100x32xf32>
  return %o : tensor<2x100x32xf32>
}
