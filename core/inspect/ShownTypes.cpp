//===- ShownTypes.cpp - types and attributes as people see them -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/inspect/ShownTypes.h"
#include "core/dialect/Block/BlockDialect.h"

using namespace mlir;

namespace tilewright::inspect {

/// Longer texts are cut in the middle of a node.
constexpr size_t maxText = 80;

static std::string
boundedText(llvm::function_ref<void(llvm::raw_ostream &)> print) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  print(stream);
  stream.flush();
  if (text.size() > maxText) {
    text.resize(maxText);
    // Not in the middle of a character.
    while (!text.empty() && (text.back() & 0xC0) == 0x80)
      text.pop_back();
    text += "…";
  }
  return text;
}

const model::TensorType &ShownTypes::of(Type type) {
  auto [known, isNew] = types.try_emplace(type);
  model::TensorType &result = known->second;
  if (!isNew || !type)
    return result;
  auto shaped = dyn_cast<ShapedType>(type);
  result.dtype = boundedText([&](llvm::raw_ostream &os) {
    os << (shaped ? shaped.getElementType() : type);
  });
  if (shaped && shaped.hasRank())
    for (auto [d, size] : llvm::enumerate(shaped.getShape()))
      // A size known only at run time is most often that of a tile at a border.
      result.shape.push_back(
          ShapedType::isDynamic(size)
              ? model::Expr::symbol("dyn" + std::to_string(d))
              : model::Expr(size));
  if (auto memref = dyn_cast<MemRefType>(type))
    result.level = block::levelOf(memref).str();
  return result;
}

const std::string &ShownTypes::textOf(Attribute attribute) {
  auto [known, isNew] = texts.try_emplace(attribute);
  if (isNew)
    known->second = boundedText([&](llvm::raw_ostream &os) {
      if (auto text = dyn_cast<StringAttr>(attribute))
        os << text.getValue();
      else
        attribute.print(os, /*elideType=*/true);
    });
  return known->second;
}

} // namespace tilewright::inspect
