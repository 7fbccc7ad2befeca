//===- NodeText.cpp - what is written on nodes and edges ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/NodeText.h"

namespace tilewright::viz {

const std::string &titleOf(const model::Node &node) {
  return !node.label.empty() ? node.label
         : !node.op.empty()  ? node.op
                             : node.id;
}

std::string subtitleOf(const model::Node &node, int64_t hidden,
                       Language language) {
  std::string text;
  auto add = [&](const std::string &part) {
    if (part.empty())
      return;
    if (!text.empty())
      text += " \u00b7 ";
    text += part;
  };
  const std::string &title = titleOf(node);
  if (node.op != title)
    add(node.op);
  if (hidden > 0) {
    add(insideText(hidden, language));
    return text;
  }
  size_t shown = 0;
  for (const auto &[name, value] : node.attributes) {
    constexpr size_t shortEnough = 18;
    if (name.size() + value.size() > shortEnough || shown == 2)
      continue;
    add(name + "=" + value);
    ++shown;
  }
  return text;
}

std::string groupTitleOf(const model::Node &node, Language language) {
  const std::string &title = titleOf(node);
  std::string kind = node.op.empty() ? kindName(node.kind, language) : node.op;
  return title == kind ? title : title + " \u00b7 " + kind;
}

std::string gridText(const model::Node &node) {
  std::string text;
  for (const model::Expr &size : node.grid) {
    if (!text.empty())
      text += "\u00d7";
    text += size.str();
  }
  return text;
}

std::string typeText(const model::TensorType &type) {
  if (type.dtype.empty())
    return {};
  std::string text;
  for (const model::Expr &size : type.shape) {
    // A sum would run into the next size.
    std::string written = size.str();
    bool plain = size.isConstant() || size.kind() == model::Expr::Kind::Symbol;
    text += plain ? written : "(" + written + ")";
    text += "\u00d7";
  }
  text += type.dtype;
  if (!type.level.empty())
    text += " @" + type.level;
  return text;
}

} // namespace tilewright::viz
