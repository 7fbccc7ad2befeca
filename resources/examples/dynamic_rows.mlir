// Any number of tokens: the first dimension is known only when the operator runs.
func.func @dynamic_rows(%x: tensor<?x1024xf32>, %weight: tensor<1024xf32>, %w: tensor<1024x512xf32>) -> tensor<?x512xf32> {
  %n = tw.rms_norm %x, %weight {epsilon = 1.0e-05} : (tensor<?x1024xf32>, tensor<1024xf32>) -> tensor<?x1024xf32>
  %h = tw.matmul %n, %w : (tensor<?x1024xf32>, tensor<1024x512xf32>) -> tensor<?x512xf32>
  %y = tw.gelu %h : (tensor<?x512xf32>) -> tensor<?x512xf32>
  return %y : tensor<?x512xf32>
}
