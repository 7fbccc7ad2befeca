//===- KeyDigest.cpp - which keys a pass touched --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pipeline/KeyDigest.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/pipeline/ScopeKeys.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include <algorithm>

using namespace mlir;

namespace tilewright {

static uint64_t digestOf(Operation *op) {
  // To put properties into one dictionary costs more than all the rest.
  llvm::hash_code code =
      llvm::hash_combine(op->getName().getAsOpaquePointer(),
                         op->getRawDictionaryAttrs().getAsOpaquePointer(),
                         op->hashProperties(), op->getNumOperands());
  for (Type type : op->getResultTypes())
    code = llvm::hash_combine(code, type.getAsOpaquePointer());
  for (Value operand : op->getOperands())
    if (Operation *def = operand.getDefiningOp())
      code = llvm::hash_combine(code, primaryKey(def));
    else
      code =
          llvm::hash_combine(code, cast<BlockArgument>(operand).getArgNumber());
  return code;
}

KeyDigests digestByKey(ModuleOp module) {
  KeyDigests digests;
  llvm::StringMap<ScopeBindings> bindings = collectBindings(module);
  for (Operation &top : *module.getBody()) {
    // Relative keys of a scope mean what its callers say.
    const ScopeBindings *scope = nullptr;
    if (top.hasAttr(tile::scopeAttrName)) {
      auto found = bindings.find(SymbolTable::getSymbolName(&top).getValue());
      if (found != bindings.end())
        scope = &found->second;
    }
    // Many operations share a location, and a location may have many keys.
    llvm::DenseMap<Location, uint64_t> byLocation;
    top.walk([&](Operation *op) { byLocation[op->getLoc()] += digestOf(op); });
    for (auto [loc, digest] : byLocation)
      for (StringRef key : keysOf(loc)) {
        if (!scope) {
          digests[key] += digest;
          continue;
        }
        for (const std::string &bound : boundKeys(key, *scope))
          digests[bound] += digest;
      }
  }
  return digests;
}

std::vector<std::string> changedKeys(const KeyDigests &before,
                                     const KeyDigests &after, size_t limit) {
  std::vector<StringRef> changed;
  for (const auto &entry : after) {
    auto found = before.find(entry.getKey());
    if (found == before.end() || found->second != entry.second)
      changed.push_back(entry.getKey());
  }
  for (const auto &entry : before)
    if (!after.contains(entry.getKey()))
      changed.push_back(entry.getKey());
  auto end = changed.begin() + std::ptrdiff_t(std::min(limit, changed.size()));
  std::partial_sort(changed.begin(), end, changed.end());
  std::vector<std::string> result;
  result.reserve(size_t(end - changed.begin()));
  for (StringRef key : llvm::make_range(changed.begin(), end))
    result.push_back(key.str());
  return result;
}

} // namespace tilewright
