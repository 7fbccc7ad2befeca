// Elementwise chains over shapes whose sizes no tile divides, with broadcasting on either side.
func.func @elementwise_1x1(%x: tensor<1x1xf32>, %row: tensor<1xf32>, %column: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %a = tw.add %x, %row : (tensor<1x1xf32>, tensor<1xf32>) -> tensor<1x1xf32>
  %g = tw.gelu %a : (tensor<1x1xf32>) -> tensor<1x1xf32>
  %y = tw.mul %g, %column : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}
func.func @elementwise_7x127(%x: tensor<7x127xf32>, %row: tensor<127xf32>, %column: tensor<7x1xf32>) -> tensor<7x127xf32> {
  %a = tw.add %x, %row : (tensor<7x127xf32>, tensor<127xf32>) -> tensor<7x127xf32>
  %g = tw.gelu %a : (tensor<7x127xf32>) -> tensor<7x127xf32>
  %y = tw.mul %g, %column : (tensor<7x127xf32>, tensor<7x1xf32>) -> tensor<7x127xf32>
  return %y : tensor<7x127xf32>
}
func.func @elementwise_127x129(%x: tensor<127x129xf32>, %row: tensor<129xf32>, %column: tensor<127x1xf32>) -> tensor<127x129xf32> {
  %a = tw.add %x, %row : (tensor<127x129xf32>, tensor<129xf32>) -> tensor<127x129xf32>
  %g = tw.gelu %a : (tensor<127x129xf32>) -> tensor<127x129xf32>
  %y = tw.mul %g, %column : (tensor<127x129xf32>, tensor<127x1xf32>) -> tensor<127x129xf32>
  return %y : tensor<127x129xf32>
}
func.func @elementwise_129x1000(%x: tensor<129x1000xf32>, %row: tensor<1000xf32>, %column: tensor<129x1xf32>) -> tensor<129x1000xf32> {
  %a = tw.add %x, %row : (tensor<129x1000xf32>, tensor<1000xf32>) -> tensor<129x1000xf32>
  %g = tw.gelu %a : (tensor<129x1000xf32>) -> tensor<129x1000xf32>
  %y = tw.mul %g, %column : (tensor<129x1000xf32>, tensor<129x1xf32>) -> tensor<129x1000xf32>
  return %y : tensor<129x1000xf32>
}
func.func @elementwise_1000x7(%x: tensor<1000x7xf32>, %row: tensor<7xf32>, %column: tensor<1000x1xf32>) -> tensor<1000x7xf32> {
  %a = tw.add %x, %row : (tensor<1000x7xf32>, tensor<7xf32>) -> tensor<1000x7xf32>
  %g = tw.gelu %a : (tensor<1000x7xf32>) -> tensor<1000x7xf32>
  %y = tw.mul %g, %column : (tensor<1000x7xf32>, tensor<1000x1xf32>) -> tensor<1000x7xf32>
  return %y : tensor<1000x7xf32>
}
func.func @elementwise_1x1000(%x: tensor<1x1000xf32>, %row: tensor<1000xf32>, %column: tensor<1x1xf32>) -> tensor<1x1000xf32> {
  %a = tw.add %x, %row : (tensor<1x1000xf32>, tensor<1000xf32>) -> tensor<1x1000xf32>
  %g = tw.gelu %a : (tensor<1x1000xf32>) -> tensor<1x1000xf32>
  %y = tw.mul %g, %column : (tensor<1x1000xf32>, tensor<1x1xf32>) -> tensor<1x1000xf32>
  return %y : tensor<1x1000xf32>
}
