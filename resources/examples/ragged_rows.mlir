// Softmax and norms over rows whose sizes no tile divides.
func.func @softmax_1x1(%x: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %p = tw.softmax %x {axis = -1} : (tensor<1x1xf32>) -> tensor<1x1xf32>
  return %p : tensor<1x1xf32>
}
func.func @rms_norm_1x1(%x: tensor<1x1xf32>, %weight: tensor<1xf32>) -> tensor<1x1xf32> {
  %y = tw.rms_norm %x, %weight {epsilon = 1.0e-05} : (tensor<1x1xf32>, tensor<1xf32>) -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}
func.func @layer_norm_1x1(%x: tensor<1x1xf32>, %weight: tensor<1xf32>, %bias: tensor<1xf32>) -> tensor<1x1xf32> {
  %y = tw.layer_norm %x, %weight, %bias {epsilon = 1.0e-05} : (tensor<1x1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}
func.func @softmax_7x127(%x: tensor<7x127xf32>) -> tensor<7x127xf32> {
  %p = tw.softmax %x {axis = -1} : (tensor<7x127xf32>) -> tensor<7x127xf32>
  return %p : tensor<7x127xf32>
}
func.func @rms_norm_7x127(%x: tensor<7x127xf32>, %weight: tensor<127xf32>) -> tensor<7x127xf32> {
  %y = tw.rms_norm %x, %weight {epsilon = 1.0e-05} : (tensor<7x127xf32>, tensor<127xf32>) -> tensor<7x127xf32>
  return %y : tensor<7x127xf32>
}
func.func @layer_norm_7x127(%x: tensor<7x127xf32>, %weight: tensor<127xf32>, %bias: tensor<127xf32>) -> tensor<7x127xf32> {
  %y = tw.layer_norm %x, %weight, %bias {epsilon = 1.0e-05} : (tensor<7x127xf32>, tensor<127xf32>, tensor<127xf32>) -> tensor<7x127xf32>
  return %y : tensor<7x127xf32>
}
func.func @softmax_127x129(%x: tensor<127x129xf32>) -> tensor<127x129xf32> {
  %p = tw.softmax %x {axis = -1} : (tensor<127x129xf32>) -> tensor<127x129xf32>
  return %p : tensor<127x129xf32>
}
func.func @rms_norm_127x129(%x: tensor<127x129xf32>, %weight: tensor<129xf32>) -> tensor<127x129xf32> {
  %y = tw.rms_norm %x, %weight {epsilon = 1.0e-05} : (tensor<127x129xf32>, tensor<129xf32>) -> tensor<127x129xf32>
  return %y : tensor<127x129xf32>
}
func.func @layer_norm_127x129(%x: tensor<127x129xf32>, %weight: tensor<129xf32>, %bias: tensor<129xf32>) -> tensor<127x129xf32> {
  %y = tw.layer_norm %x, %weight, %bias {epsilon = 1.0e-05} : (tensor<127x129xf32>, tensor<129xf32>, tensor<129xf32>) -> tensor<127x129xf32>
  return %y : tensor<127x129xf32>
}
func.func @softmax_129x1000(%x: tensor<129x1000xf32>) -> tensor<129x1000xf32> {
  %p = tw.softmax %x {axis = -1} : (tensor<129x1000xf32>) -> tensor<129x1000xf32>
  return %p : tensor<129x1000xf32>
}
func.func @rms_norm_129x1000(%x: tensor<129x1000xf32>, %weight: tensor<1000xf32>) -> tensor<129x1000xf32> {
  %y = tw.rms_norm %x, %weight {epsilon = 1.0e-05} : (tensor<129x1000xf32>, tensor<1000xf32>) -> tensor<129x1000xf32>
  return %y : tensor<129x1000xf32>
}
func.func @layer_norm_129x1000(%x: tensor<129x1000xf32>, %weight: tensor<1000xf32>, %bias: tensor<1000xf32>) -> tensor<129x1000xf32> {
  %y = tw.layer_norm %x, %weight, %bias {epsilon = 1.0e-05} : (tensor<129x1000xf32>, tensor<1000xf32>, tensor<1000xf32>) -> tensor<129x1000xf32>
  return %y : tensor<129x1000xf32>
}
func.func @softmax_1000x7(%x: tensor<1000x7xf32>) -> tensor<1000x7xf32> {
  %p = tw.softmax %x {axis = -1} : (tensor<1000x7xf32>) -> tensor<1000x7xf32>
  return %p : tensor<1000x7xf32>
}
func.func @rms_norm_1000x7(%x: tensor<1000x7xf32>, %weight: tensor<7xf32>) -> tensor<1000x7xf32> {
  %y = tw.rms_norm %x, %weight {epsilon = 1.0e-05} : (tensor<1000x7xf32>, tensor<7xf32>) -> tensor<1000x7xf32>
  return %y : tensor<1000x7xf32>
}
func.func @layer_norm_1000x7(%x: tensor<1000x7xf32>, %weight: tensor<7xf32>, %bias: tensor<7xf32>) -> tensor<1000x7xf32> {
  %y = tw.layer_norm %x, %weight, %bias {epsilon = 1.0e-05} : (tensor<1000x7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<1000x7xf32>
  return %y : tensor<1000x7xf32>
}
func.func @softmax_1x1000(%x: tensor<1x1000xf32>) -> tensor<1x1000xf32> {
  %p = tw.softmax %x {axis = -1} : (tensor<1x1000xf32>) -> tensor<1x1000xf32>
  return %p : tensor<1x1000xf32>
}
func.func @rms_norm_1x1000(%x: tensor<1x1000xf32>, %weight: tensor<1000xf32>) -> tensor<1x1000xf32> {
  %y = tw.rms_norm %x, %weight {epsilon = 1.0e-05} : (tensor<1x1000xf32>, tensor<1000xf32>) -> tensor<1x1000xf32>
  return %y : tensor<1x1000xf32>
}
func.func @layer_norm_1x1000(%x: tensor<1x1000xf32>, %weight: tensor<1000xf32>, %bias: tensor<1000xf32>) -> tensor<1x1000xf32> {
  %y = tw.layer_norm %x, %weight, %bias {epsilon = 1.0e-05} : (tensor<1x1000xf32>, tensor<1000xf32>, tensor<1000xf32>) -> tensor<1x1000xf32>
  return %y : tensor<1x1000xf32>
}
