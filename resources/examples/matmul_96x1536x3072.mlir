// C = A x B, m = 96, k = 1536, n = 3072.
func.func @matmul_96x1536x3072(%a: tensor<96x1536xf32>, %b: tensor<1536x3072xf32>) -> tensor<96x3072xf32> {
  %c = tw.matmul %a, %b : (tensor<96x1536xf32>, tensor<1536x3072xf32>) -> tensor<96x3072xf32>
  return %c : tensor<96x3072xf32>
}
