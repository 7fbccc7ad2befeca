//===- ConstantTensor.cpp - constants as tensors and back -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/ConstantTensor.h"
#include "core/execute/ElementsBytes.h"
#include "core/execute/RunError.h"
#include "core/execute/TensorOperators.h"

using namespace mlir;

namespace tilewright::execute {

std::optional<HostTensor> toHostTensor(ElementsAttr value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  try {
    HostTensor tensor =
        makeTensor(elementOfType(type.getElementType()),
                   {type.getShape().begin(), type.getShape().end()});
    if (writeElements(value, {tensor.data(), size_t(tensor.byteSize())}))
      return tensor;
  } catch (const RunError &) {
    // Too large or of a type that is not run: no constant for us.
  }
  return std::nullopt;
}

DenseElementsAttr toElementsAttr(const HostTensor &tensor,
                                 RankedTensorType type) {
  if (tensor.element() == Element::I1) {
    SmallVector<bool> bits;
    for (uint8_t bit : tensor.as<uint8_t>())
      bits.push_back(bit != 0);
    return DenseElementsAttr::get(type, bits);
  }
  return DenseElementsAttr::getFromRawBuffer(
      type, {reinterpret_cast<const char *>(tensor.data()),
             size_t(tensor.byteSize())});
}

} // namespace tilewright::execute
