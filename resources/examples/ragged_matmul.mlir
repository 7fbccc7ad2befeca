// Matrix products whose sizes no tile divides.
func.func @matmul_1x1x1(%a: tensor<1x1xf32>, %b: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %c = tw.matmul %a, %b : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  return %c : tensor<1x1xf32>
}
func.func @matmul_7x7x7(%a: tensor<7x7xf32>, %b: tensor<7x7xf32>) -> tensor<7x7xf32> {
  %c = tw.matmul %a, %b : (tensor<7x7xf32>, tensor<7x7xf32>) -> tensor<7x7xf32>
  return %c : tensor<7x7xf32>
}
func.func @matmul_127x127x127(%a: tensor<127x127xf32>, %b: tensor<127x127xf32>) -> tensor<127x127xf32> {
  %c = tw.matmul %a, %b : (tensor<127x127xf32>, tensor<127x127xf32>) -> tensor<127x127xf32>
  return %c : tensor<127x127xf32>
}
func.func @matmul_129x129x129(%a: tensor<129x129xf32>, %b: tensor<129x129xf32>) -> tensor<129x129xf32> {
  %c = tw.matmul %a, %b : (tensor<129x129xf32>, tensor<129x129xf32>) -> tensor<129x129xf32>
  return %c : tensor<129x129xf32>
}
func.func @matmul_1x1000x129(%a: tensor<1x1000xf32>, %b: tensor<1000x129xf32>) -> tensor<1x129xf32> {
  %c = tw.matmul %a, %b : (tensor<1x1000xf32>, tensor<1000x129xf32>) -> tensor<1x129xf32>
  return %c : tensor<1x129xf32>
}
func.func @matmul_7x129x1000(%a: tensor<7x129xf32>, %b: tensor<129x1000xf32>) -> tensor<7x1000xf32> {
  %c = tw.matmul %a, %b : (tensor<7x129xf32>, tensor<129x1000xf32>) -> tensor<7x1000xf32>
  return %c : tensor<7x1000xf32>
}
func.func @matmul_127x1x7(%a: tensor<127x1xf32>, %b: tensor<1x7xf32>) -> tensor<127x7xf32> {
  %c = tw.matmul %a, %b : (tensor<127x1xf32>, tensor<1x7xf32>) -> tensor<127x7xf32>
  return %c : tensor<127x7xf32>
}
func.func @matmul_129x7x1(%a: tensor<129x7xf32>, %b: tensor<7x1xf32>) -> tensor<129x1xf32> {
  %c = tw.matmul %a, %b : (tensor<129x7xf32>, tensor<7x1xf32>) -> tensor<129x1xf32>
  return %c : tensor<129x1xf32>
}
func.func @matmul_1000x127x1(%a: tensor<1000x127xf32>, %b: tensor<127x1xf32>) -> tensor<1000x1xf32> {
  %c = tw.matmul %a, %b : (tensor<1000x127xf32>, tensor<127x1xf32>) -> tensor<1000x1xf32>
  return %c : tensor<1000x1xf32>
}
func.func @matmul_1000x1000x127(%a: tensor<1000x1000xf32>, %b: tensor<1000x127xf32>) -> tensor<1000x127xf32> {
  %c = tw.matmul %a, %b : (tensor<1000x1000xf32>, tensor<1000x127xf32>) -> tensor<1000x127xf32>
  return %c : tensor<1000x127xf32>
}
