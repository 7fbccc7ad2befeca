// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{the result type says 5, but the operands give 4 [TW0105]}}
  %0 = tw.neg %x : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{the result has elements of type 'f16', but the operand has f32 [TW0101]}}
  %0 = tw.abs %x : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

func.func @f(%x: tensor<4xi32>) {
  // expected-error @+1 {{the operand has elements of type 'i32', but f32, f16 and bf16 are supported; use tw.cast [TW0101]}}
  %0 = tw.exp %x : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @f(%x: tensor<4x?xbf16>) {
  // expected-error @+1 {{the result type says ?, but the operands give 4x? [TW0105]}}
  %0 = tw.log %x : (tensor<4x?xbf16>) -> tensor<?xbf16>
  return
}

// -----

func.func @f(%x: tensor<4x?xbf16>) {
  // expected-error @+1 {{the result type says ?, but the operands give 4x? [TW0105]}}
  %0 = tw.sqrt %x : (tensor<4x?xbf16>) -> tensor<?xbf16>
  return
}

// -----

func.func @f(%x: tensor<4x?xbf16>) {
  // expected-error @+1 {{the result type says ?, but the operands give 4x? [TW0105]}}
  %0 = tw.rsqrt %x : (tensor<4x?xbf16>) -> tensor<?xbf16>
  return
}

// -----

func.func @f(%x: tensor<4x?xbf16>) {
  // expected-error @+1 {{the result type says ?, but the operands give 4x? [TW0105]}}
  %0 = tw.reciprocal %x : (tensor<4x?xbf16>) -> tensor<?xbf16>
  return
}

// -----

func.func @f(%x: tensor<4x?xbf16>) {
  // expected-error @+1 {{the result type says ?, but the operands give 4x? [TW0105]}}
  %0 = tw.tanh %x : (tensor<4x?xbf16>) -> tensor<?xbf16>
  return
}

// -----

func.func @f(%x: tensor<4x?xbf16>) {
  // expected-error @+1 {{the result type says ?, but the operands give 4x? [TW0105]}}
  %0 = tw.erf %x : (tensor<4x?xbf16>) -> tensor<?xbf16>
  return
}

// -----

func.func @f(%x: tensor<4x?xbf16>) {
  // expected-error @+1 {{the result type says ?, but the operands give 4x? [TW0105]}}
  %0 = tw.sigmoid %x : (tensor<4x?xbf16>) -> tensor<?xbf16>
  return
}

// -----

func.func @f(%x: tensor<4x?xbf16>) {
  // expected-error @+1 {{the result type says ?, but the operands give 4x? [TW0105]}}
  %0 = tw.silu %x : (tensor<4x?xbf16>) -> tensor<?xbf16>
  return
}

// -----

func.func @f(%x: tensor<4x?xbf16>) {
  // expected-error @+1 {{the result type says ?, but the operands give 4x? [TW0105]}}
  %0 = tw.gelu %x : (tensor<4x?xbf16>) -> tensor<?xbf16>
  return
}

// -----

func.func @f(%x: tensor<4x?xbf16>) {
  // expected-error @+1 {{the result type says ?, but the operands give 4x? [TW0105]}}
  %0 = tw.relu %x : (tensor<4x?xbf16>) -> tensor<?xbf16>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>, %z: tensor<4x7xf32>) {
  // expected-error @+1 {{operand shapes 4x8 and 4x7 do not broadcast: dimension 1 is 8 against 7; sizes must be equal or 1 [TW0103]}}
  %0 = tw.add %x, %z : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>, %z: tensor<4x7xf32>) {
  // expected-error @+1 {{operand shapes 4x8 and 4x7 do not broadcast: dimension 1 is 8 against 7; sizes must be equal or 1 [TW0103]}}
  %0 = tw.sub %x, %z : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>, %z: tensor<4x7xf32>) {
  // expected-error @+1 {{operand shapes 4x8 and 4x7 do not broadcast: dimension 1 is 8 against 7; sizes must be equal or 1 [TW0103]}}
  %0 = tw.mul %x, %z : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>, %z: tensor<4x7xf32>) {
  // expected-error @+1 {{operand shapes 4x8 and 4x7 do not broadcast: dimension 1 is 8 against 7; sizes must be equal or 1 [TW0103]}}
  %0 = tw.div %x, %z : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>, %z: tensor<4x7xf32>) {
  // expected-error @+1 {{operand shapes 4x8 and 4x7 do not broadcast: dimension 1 is 8 against 7; sizes must be equal or 1 [TW0103]}}
  %0 = tw.maximum %x, %z : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>, %z: tensor<4x7xf32>) {
  // expected-error @+1 {{operand shapes 4x8 and 4x7 do not broadcast: dimension 1 is 8 against 7; sizes must be equal or 1 [TW0103]}}
  %0 = tw.minimum %x, %z : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>, %z: tensor<4x7xf32>) {
  // expected-error @+1 {{operand shapes 4x8 and 4x7 do not broadcast: dimension 1 is 8 against 7; sizes must be equal or 1 [TW0103]}}
  %0 = tw.pow %x, %z : (tensor<4x8xf32>, tensor<4x7xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<8xbf16>) {
  // expected-error @+1 {{operand 1 has elements of type 'bf16', but operand 0 has f32; use tw.cast on one of them [TW0101]}}
  %0 = tw.add %x, %y : (tensor<4x8xf32>, tensor<8xbf16>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<?x512xf32>, %y: tensor<1x128xf32>) {
  // expected-error @+1 {{operand shapes ?x512 and 1x128 do not broadcast: dimension 1 is 512 against 128; sizes must be equal or 1 [TW0103]}}
  %0 = tw.add %x, %y : (tensor<?x512xf32>, tensor<1x128xf32>) -> tensor<?x128xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{the result has elements of type 'f64', but f32, f16, bf16, i1, i8, i32 and i64 are supported [TW0101]}}
  %0 = tw.cast %x : (tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{the result type says 8, but the operands give 4 [TW0105]}}
  %0 = tw.cast %x : (tensor<4xf32>) -> tensor<8xf16>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{the result has elements of type 'f32', but a comparison gives i1 [TW0101]}}
  %0 = tw.compare %x, %x {predicate = lt} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{operand 0 has elements of type 'f32', but a condition has i1; use tw.compare [TW0101]}}
  %0 = tw.select %x, %x, %x : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error @+1 {{operand 2 has elements of type 'f16', but operand 1 has f32; use tw.cast on one of them [TW0101]}}
  %0 = tw.select %c, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<96x1536xf32>, %y: tensor<1408x3072xf32>) {
  // expected-error @+1 {{inner dimensions differ: the left operand 96x1536 has k = 1536, the right operand 1408x3072 has k = 1408 [TW0104]}}
  %0 = tw.matmul %x, %y : (tensor<96x1536xf32>, tensor<1408x3072xf32>) -> tensor<96x3072xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  // expected-error @+1 {{the result type says 4x8, but the operands give 8x8 [TW0105]}}
  %0 = tw.matmul %x, %y {transpose_lhs} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<8xf32>, %y: tensor<8x8xf32>) {
  // expected-error @+1 {{operands must be matrices or batches of them, but are 8 and 8x8; give both at least 2 dimensions [TW0104]}}
  %0 = tw.matmul %x, %y : (tensor<8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @f(%x: tensor<3x4x8xf32>, %y: tensor<2x8x4xf32>) {
  // expected-error @+1 {{batch dimensions of 3x4x8 and 2x8x4 do not broadcast [TW0104]}}
  %0 = tw.matmul %x, %y : (tensor<3x4x8xf32>, tensor<2x8x4xf32>) -> tensor<3x4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>, %a: tensor<4x5xf32>) {
  // expected-error @+1 {{the accumulator is 4x5, but the product is 4x4 [TW0104]}}
  %0 = tw.matmul %x, %y acc %a : (tensor<4x8xf32>, tensor<8x4xf32>, tensor<4x5xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xbf16>, %y: tensor<8x4xbf16>, %a: tensor<4x4xbf16>) {
  // expected-error @+1 {{operand 2 has elements of type 'bf16', but an accumulator has that of the result, f32 [TW0101]}}
  %0 = tw.matmul %x, %y acc %a : (tensor<4x8xbf16>, tensor<8x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{axis 2 is out of range for 2 dimensions; use -2 to 1 [TW0106]}}
  %0 = tw.reduce %x {kind = sum, axes = [2]} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{axis -1 is given twice [TW0106]}}
  %0 = tw.reduce %x {kind = sum, axes = [1, -1]} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{the result type says 4, but the operands give 4x1 [TW0105]}}
  %0 = tw.reduce %x {kind = sum, axes = [1], keepdims} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{axis -3 is out of range for 2 dimensions; use -2 to 1 [TW0106]}}
  %0 = tw.softmax %x {axis = -3} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{the weight is 4, but must have one dimension of 8, the last axis of the input 4x8 [TW0111]}}
  %0 = tw.rms_norm %x, %w : (tensor<4x8xf32>, tensor<4xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{epsilon is -1.000000e+00; it must be 0 or more [TW0112]}}
  %0 = tw.rms_norm %x, %w {epsilon = -1.0} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<1x8xf32>) {
  // expected-error @+1 {{the bias is 1x8, but must have one dimension of 8, the last axis of the input 4x8 [TW0111]}}
  %0 = tw.layer_norm %x, %w, %b : (tensor<4x8xf32>, tensor<8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<f32>, %w: tensor<8xf32>) {
  // expected-error @+1 {{the input is a scalar; it needs a last axis [TW0111]}}
  %0 = tw.rms_norm %x, %w : (tensor<f32>, tensor<8xf32>) -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{permutation [0, 0] must name each of the 2 dimensions of the input once, counted from 0 [TW0107]}}
  %0 = tw.transpose %x {permutation = [0, 0]} : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{the result type says 4x8, but the operands give 8x4 [TW0105]}}
  %0 = tw.transpose %x {permutation = [1, 0]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{the input 4x8 has 32 elements, the result 5x6 has 30 [TW0108]}}
  %0 = tw.reshape %x : (tensor<4x8xf32>) -> tensor<5x6xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{the input 4x8 has 32 elements, which is no multiple of the 5 that the known sizes of the result 5x? give [TW0108]}}
  %0 = tw.reshape %x : (tensor<4x8xf32>) -> tensor<5x?xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{the result ?x? has 2 unknown sizes; at most one can be worked out [TW0108]}}
  %0 = tw.reshape %x : (tensor<4x8xf32>) -> tensor<?x?xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{dimension 1: the slice ends at element 8, but the dimension has 8 (offset 4, size 5, stride 1) [TW0109]}}
  %0 = tw.slice %x {offsets = [0, 4], sizes = [4, 5]} : (tensor<4x8xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{1 offsets, 2 sizes and no strides for 2 dimensions; give one of each a dimension [TW0109]}}
  %0 = tw.slice %x {offsets = [0], sizes = [4, 5]} : (tensor<4x8xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x?xf32>) {
  // expected-error @+1 {{dimension 1: offset 9223372036854775807 + 5 elements at stride 1 overflows [TW0109]}}
  %0 = tw.slice %x {offsets = [0, 9223372036854775807], sizes = [4, 5]} : (tensor<4x?xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{dimension 0: offset -1, size 4, stride 1; offsets and sizes are 0 or more, strides 1 or more [TW0109]}}
  %0 = tw.slice %x {offsets = [-1, 0], sizes = [4, 8]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%s: tensor<2x8xf32>, %x: tensor<4x8xf32>) {
  // expected-error @+1 {{dimension 0: the slice ends at element 4, but the dimension has 4 (offset 3, size 2, stride 1) [TW0109]}}
  %0 = tw.insert %s, %x {offsets = [3, 0]} : (tensor<2x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%s: tensor<8xf32>, %x: tensor<4x8xf32>) {
  // expected-error @+1 {{the source 8 and the target 4x8 must have the same number of dimensions [TW0109]}}
  %0 = tw.insert %s, %x {offsets = [3, 0]} : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %y: tensor<5x8xf32>) {
  // expected-error @+1 {{operand 1 is 5x8, which differs from operand 0, 4x8, in dimension 0; only axis 1 may [TW0110]}}
  %0 = tw.concat %x, %y {axis = 1} : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{nothing to put together; give at least one operand [TW0110]}}
  %0 = "tw.concat"() {axis = 0 : i64} : () -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<9223372036854775807xi8>, %y: tensor<8xf32>) {
  // expected-error @+1 {{the operand of type 'tensor<9223372036854775807xi8>' has 9223372036854775807 bytes; at most 16 TiB are possible [TW0102]}}
  %0 = tw.cast %x : (tensor<9223372036854775807xi8>) -> tensor<9223372036854775807xi8>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{the result of type 'tensor<4294967296x4294967296xf32>' has more than 2^63 bytes; at most 16 TiB are possible [TW0102]}}
  %0 = tw.full {value = 1.0} : () -> tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{the result 4x? has 1 unknown sizes, but 0 operands give sizes; give one for each ? [TW0112]}}
  %0 = tw.full {value = 1.0} : () -> tensor<4x?xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{value 3.000000e+02 is no 'i8' [TW0112]}}
  %0 = tw.full {value = 300} : () -> tensor<4xi8>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{value 5.000000e-01 is no 'i32' [TW0112]}}
  %0 = tw.full {value = 0.5} : () -> tensor<4xi32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'average' is no kind; it is one of sum, mean, max, min or prod [TW0112]}}
  %0 = tw.reduce %x {kind = average, axes = [1]} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'less' is no predicate; it is one of eq, ne, lt, le, gt or ge [TW0112]}}
  %0 = tw.compare %x, %x {predicate = less} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{attribute 'kind' is given twice [TW0112]}}
  %0 = tw.reduce %x {kind = sum, kind = max, axes = [1]} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<*xf32>) {
  // expected-error @+1 {{'tw.neg' op operand #0 must be ranked tensor, but got 'tensor<*xf32>'}}
  %0 = tw.neg %x : (tensor<*xf32>) -> tensor<*xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tw.reduce' op requires attribute 'kind'}}
  %0 = tw.reduce %x {axes = [1]} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%a: tensor<4x8xf32>, %b: tensor<16x8xf32>) {
  // expected-error @+1 {{tw.matmul has no attribute transpose_rsh; did you mean transpose_rhs? it has: transpose_lhs, transpose_rhs [TW0114]}}
  %0 = tw.matmul %a, %b {transpose_rsh} : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{tw.softmax has no attribute axes; did you mean axis? it has: axis [TW0114]}}
  %0 = tw.softmax %x {axes = 0} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>, %s: tensor<8xf32>) {
  // expected-error @+1 {{tw.rms_norm has no attribute eps; did you mean epsilon? it has: epsilon [TW0114]}}
  %0 = tw.rms_norm %x, %s {eps = 1.0} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{tw.slice has no attribute stride; did you mean strides? it has: offsets, sizes, strides [TW0114]}}
  %0 = tw.slice %x {offsets = [0, 0], sizes = [2, 4], stride = [2, 2]} : (tensor<4x8xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{tw.exp has no attribute bogus; it has none [TW0114]}}
  %0 = tw.exp %x {bogus = 3} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// A name with that of a dialect in front belongs to whoever put it there.
func.func @f(%x: tensor<4x8xf32>) {
  %0 = tw.exp %x {tile.note = 3} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

// expected-error @+1 {{argument 0 has an attribute tw.weigth that means nothing; did you mean tw.weight? [TW0114]}}
func.func @misspelt_weight(%a: tensor<4xf32> {tw.weigth}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----

// expected-error @+1 {{argument 0 has a value for tw.weight, which takes none [TW0114]}}
func.func @weight_with_value(%a: tensor<4xf32> {tw.weight = false}) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}

// -----

// expected-error @+1 {{result 0 has an attribute tw.weight that means nothing; those of tw stand on arguments [TW0114]}}
func.func @weight_result(%a: tensor<4xf32>) -> (tensor<4xf32> {tw.weight}) {
  return %a : tensor<4xf32>
}

// -----

func.func @attribute_of_ours(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{tw.exp has no attribute tw.weight; those of tw stand on arguments of functions [TW0114]}}
  %y = tw.exp %a {tw.weight} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
