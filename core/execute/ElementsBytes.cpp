//===- ElementsBytes.cpp - constants as bytes -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/ElementsBytes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <cstring>

using namespace mlir;

namespace tilewright::execute {

std::optional<Element> elementOf(Type type) {
  if (type.isF64())
    return Element::F64;
  if (type.isF32())
    return Element::F32;
  if (type.isF16())
    return Element::F16;
  if (type.isBF16())
    return Element::BF16;
  if (type.isIndex())
    return Element::I64;
  if (auto integer = dyn_cast<IntegerType>(type))
    switch (integer.getWidth()) {
    case 1:
      return Element::I1;
    case 8:
      return Element::I8;
    case 16:
      return Element::I16;
    case 32:
      return Element::I32;
    case 64:
      return Element::I64;
    default:
      break;
    }
  return std::nullopt;
}

std::optional<std::vector<std::byte>> bytesOf(ElementsAttr value) {
  ShapedType type = value.getShapedType();
  std::optional<Element> element = elementOf(type.getElementType());
  if (!element || !type.hasStaticShape())
    return std::nullopt;
  size_t width = size_t(bytesOf(*element));
  size_t count = size_t(type.getNumElements());
  std::vector<std::byte> bytes(count * width);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || blob->getData().size() != bytes.size())
      return std::nullopt;
    std::memcpy(bytes.data(), blob->getData().data(), bytes.size());
    return bytes;
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return std::nullopt;
  if (*element == Element::I1) {
    size_t i = 0;
    for (bool bit : dense.getValues<bool>())
      bytes[i++] = std::byte(bit);
    return bytes;
  }
  ArrayRef<char> raw = dense.getRawData();
  if (dense.isSplat())
    for (size_t i = 0; i < count; ++i)
      std::memcpy(bytes.data() + i * width, raw.data(), width);
  else if (raw.size() == bytes.size())
    std::memcpy(bytes.data(), raw.data(), bytes.size());
  else
    return std::nullopt;
  return bytes;
}

} // namespace tilewright::execute
