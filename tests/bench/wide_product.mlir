// A product with more than 400 tiles to choose from, for decision_answers.
func.func @wide(%x: tensor<24576x4096xf16>, %w: tensor<4096x24576xf16>) -> tensor<24576x24576xf16> {
  %y = tw.matmul %x, %w : (tensor<24576x4096xf16>, tensor<4096x24576xf16>) -> tensor<24576x24576xf16>
  return %y : tensor<24576x24576xf16>
}
