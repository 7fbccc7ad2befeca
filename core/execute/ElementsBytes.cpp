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

bool writeElements(ElementsAttr value, std::span<std::byte> into) {
  std::optional<Element> element = elementOf(value.getElementType());
  if (!element)
    return false;
  size_t width = size_t(bytesOf(*element));
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    // How bits are packed there is nowhere said.
    if (!blob || *element == Element::I1 ||
        blob->getData().size() != into.size())
      return false;
    std::memcpy(into.data(), blob->getData().data(), into.size());
    return true;
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return false;
  if (into.empty())
    return true;
  if (*element == Element::I1) {
    size_t i = 0;
    for (bool bit : dense.getValues<bool>())
      into[i++] = std::byte(bit);
    return true;
  }
  ArrayRef<char> raw = dense.getRawData();
  if (dense.isSplat()) {
    for (size_t at = 0; at < into.size(); at += width)
      std::memcpy(into.data() + at, raw.data(), width);
    return true;
  }
  if (raw.size() != into.size())
    return false;
  std::memcpy(into.data(), raw.data(), into.size());
  return true;
}

std::optional<std::vector<std::byte>> bytesOf(ElementsAttr value) {
  ShapedType type = value.getShapedType();
  std::optional<Element> element = elementOf(type.getElementType());
  if (!element || !type.hasStaticShape())
    return std::nullopt;
  std::vector<std::byte> bytes(size_t(type.getNumElements()) *
                               size_t(bytesOf(*element)));
  if (!writeElements(value, bytes))
    return std::nullopt;
  return bytes;
}

} // namespace tilewright::execute
