//===- ScopeKeys.cpp - scope-relative keys and what they stand for --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/ScopeKeys.h"
#include "core/dialect/Tile/BoundKeys.h"
#include "core/dialect/Tile/TileDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tilewright {

llvm::StringMap<ScopeBindings> collectBindings(ModuleOp program) {
  llvm::StringMap<ScopeBindings> result;
  program.walk([&](func::CallOp call) {
    auto names = call->getAttrOfType<ArrayAttr>(tile::bindingsAttrName);
    if (!names)
      return;
    result[call.getCallee()].push_back(names);
  });
  return result;
}

std::vector<std::string> boundKeys(StringRef key,
                                   const ScopeBindings &bindings) {
  std::vector<std::string> bound;
  for (ArrayAttr instance : bindings)
    bound.push_back(boundKey(key, instance));
  // A key that is not relative is the same for all.
  if (bound.empty() || bound.front() == key)
    return {key.str()};
  return bound;
}

std::string boundText(std::string text, const ScopeBindings &bindings) {
  for (size_t at = text.find('$'); at != std::string::npos && !bindings.empty();
       at = text.find('$', at + 1)) {
    size_t end = text.find_first_not_of("0123456789", at + 1);
    size_t length = (end == std::string::npos ? text.size() : end) - at;
    std::string key = boundKeys(text.substr(at, length), bindings).front();
    text.replace(at, length, key);
    at += key.size() - 1;
  }
  return text;
}

void bindKeys(Operation *root, const ScopeBindings &bindings) {
  LocationBinder binder(root->getContext(), bindings);
  root->walk([&](Operation *op) {
    op->setLoc(binder.bind(op->getLoc()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setLoc(binder.bind(argument.getLoc()));
  });
}

} // namespace tilewright
