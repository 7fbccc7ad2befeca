// C = A x B, 6144 cubed.
func.func @matmul_6144(%a: tensor<6144x6144xf32>, %b: tensor<6144x6144xf32>) -> tensor<6144x6144xf32> {
  %c = tw.matmul %a, %b : (tensor<6144x6144xf32>, tensor<6144x6144xf32>) -> tensor<6144x6144xf32>
  return %c : tensor<6144x6144xf32>
}
