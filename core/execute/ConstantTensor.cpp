//===- ConstantTensor.cpp - constants as tensors and back -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/ConstantTensor.h"
#include "core/execute/RunError.h"
#include "core/execute/TensorOperators.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <cstring>

using namespace mlir;

namespace tilewright::execute {

/// Repeats the first `width` bytes over all elements.
static void spread(HostTensor &tensor, size_t width) {
  for (int64_t i = 1; i < tensor.elements(); ++i)
    std::memcpy(tensor.data() + i * width, tensor.data(), width);
}

std::optional<HostTensor> toHostTensor(ElementsAttr value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return std::nullopt;
  try {
    Element element = elementOfType(type.getElementType());
    HostTensor tensor =
        makeTensor(element, {type.getShape().begin(), type.getShape().end()});
    size_t width = size_t(bytesOf(element));
    if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
      if (tensor.elements() == 0)
        return tensor;
      if (element == Element::I1) { // packed in bits there
        if (dense.isSplat()) {
          tensor.set(0, dense.getSplatValue<bool>());
          spread(tensor, width);
        } else {
          for (auto [i, bit] : llvm::enumerate(dense.getValues<bool>()))
            tensor.set(int64_t(i), bit);
        }
        return tensor;
      }
      ArrayRef<char> bytes = dense.getRawData();
      if (dense.isSplat()) {
        std::memcpy(tensor.data(), bytes.data(), width);
        spread(tensor, width);
      } else {
        std::memcpy(tensor.data(), bytes.data(), size_t(tensor.byteSize()));
      }
      return tensor;
    }
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
      AsmResourceBlob *blob = resource.getRawHandle().getBlob();
      if (!blob || element == Element::I1 ||
          blob->getData().size() != size_t(tensor.byteSize()))
        return std::nullopt;
      std::memcpy(tensor.data(), blob->getData().data(),
                  size_t(tensor.byteSize()));
      return tensor;
    }
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
