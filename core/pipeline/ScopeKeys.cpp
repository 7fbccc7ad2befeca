//===- ScopeKeys.cpp - scope-relative keys and what they stand for --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/ScopeKeys.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace tilewright {

llvm::StringMap<ScopeBindings> collectBindings(ModuleOp program) {
  llvm::StringMap<ScopeBindings> result;
  program.walk([&](func::CallOp call) {
    auto names = call->getAttrOfType<ArrayAttr>(tile::bindingsAttrName);
    if (!names)
      return;
    ScopeBindings &bindings = result[call.getCallee()];
    if (bindings.size() < names.size())
      bindings.resize(names.size());
    for (auto [i, name] : llvm::enumerate(names))
      if (auto text = dyn_cast<StringAttr>(name))
        bindings[i].push_back(text.str());
  });
  return result;
}

/// Number of "$3" or "$3.row_max"; the rest stays in `suffix`.
static std::optional<size_t> relative(StringRef key, StringRef &suffix) {
  size_t number;
  if (!key.consume_front("$") || key.consumeInteger(10, number))
    return std::nullopt;
  suffix = key;
  return number;
}

std::vector<std::string> boundKeys(StringRef key,
                                   const ScopeBindings &bindings) {
  StringRef suffix;
  auto number = relative(key, suffix);
  if (!number || *number >= bindings.size())
    return {key.str()};
  std::vector<std::string> bound;
  for (const std::string &name : bindings[*number])
    bound.push_back(name + suffix.str());
  return bound;
}

namespace {
/// Binds locations, remembering what it made: most repeat.
class Binder {
public:
  Binder(MLIRContext *context, const ScopeBindings &bindings)
      : context(context), bindings(bindings) {}

  Location bind(Location loc) {
    auto found = done.find(loc);
    if (found != done.end())
      return found->second;
    Location bound = make(loc);
    done.try_emplace(loc, bound);
    return bound;
  }

private:
  Location make(Location loc) {
    size_t instances = 0;
    for (StringRef key : keysOf(loc)) {
      StringRef suffix;
      auto number = relative(key, suffix);
      if (number && *number < bindings.size())
        instances = std::max(instances, bindings[*number].size());
    }
    if (instances == 0)
      return loc;
    SmallVector<Location> parts;
    for (size_t i = 0; i < instances; ++i)
      parts.push_back(mapKeys(loc, [&](StringRef key) {
        StringRef suffix;
        auto number = relative(key, suffix);
        if (!number || *number >= bindings.size() ||
            i >= bindings[*number].size())
          return key.str();
        return bindings[*number][i] + suffix.str();
      }));
    return fuseKeys(context, parts);
  }

  MLIRContext *context;
  const ScopeBindings &bindings;
  llvm::DenseMap<Location, Location> done;
};
} // namespace

void bindKeys(Operation *root, const ScopeBindings &bindings) {
  Binder binder(root->getContext(), bindings);
  root->walk([&](Operation *op) {
    op->setLoc(binder.bind(op->getLoc()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setLoc(binder.bind(argument.getLoc()));
  });
}

} // namespace tilewright
