// Root-mean-square normalisation of the rows of a matrix.
func.func @rms_norm(%x: tensor<4096x4096xf32>, %weight: tensor<4096xf32>) -> tensor<4096x4096xf32> {
  %y = tw.rms_norm %x, %weight {epsilon = 1.0e-05} : (tensor<4096x4096xf32>, tensor<4096xf32>) -> tensor<4096x4096xf32>
  return %y : tensor<4096x4096xf32>
}
