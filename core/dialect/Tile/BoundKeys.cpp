//===- BoundKeys.cpp - what scope-relative keys stand for -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Tile/BoundKeys.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallString.h"

using namespace mlir;

namespace tilewright {

namespace {
/// `$3.row_max`: number and suffix.
struct RelativeKey {
  unsigned number = 0;
  StringRef suffix;
};
} // namespace

static std::optional<RelativeKey> relative(StringRef key) {
  RelativeKey result;
  if (!key.consume_front("$") || key.consumeInteger(10, result.number))
    return std::nullopt;
  result.suffix = key;
  return result;
}

/// Null if `key` means nothing in `bindings`.
static StringAttr nameOf(RelativeKey key, ArrayAttr bindings) {
  return bindings && key.number < bindings.size()
             ? dyn_cast<StringAttr>(bindings[key.number])
             : StringAttr();
}

std::string boundKey(StringRef key, ArrayAttr bindings) {
  if (std::optional<RelativeKey> parts = relative(key))
    if (StringAttr name = nameOf(*parts, bindings))
      return name.getValue().str() + parts->suffix.str();
  return key.str();
}

static Location bound(Location loc, ArrayRef<ArrayAttr> instances) {
  SmallVector<StringAttr> keys = keyAttrsOf(loc);
  SmallVector<std::optional<RelativeKey>> parts;
  for (StringAttr key : keys)
    parts.push_back(relative(key.getValue()));
  auto bindsAny = [&](ArrayAttr instance) {
    return llvm::any_of(parts, [&](const std::optional<RelativeKey> &part) {
      return part && nameOf(*part, instance);
    });
  };
  llvm::SetVector<StringAttr> result;
  SmallString<64> text;
  for (ArrayAttr instance : instances) {
    if (!bindsAny(instance))
      continue;
    for (auto [key, part] : llvm::zip(keys, parts)) {
      StringAttr name = part ? nameOf(*part, instance) : StringAttr();
      if (name && !part->suffix.empty()) {
        text = name.getValue();
        text += part->suffix;
        name = StringAttr::get(loc.getContext(), text);
      }
      result.insert(name ? name : key);
    }
  }
  return result.empty() ? loc : withKeys(loc, result.getArrayRef());
}

LocationBinder::LocationBinder(MLIRContext *context,
                               ArrayRef<ArrayAttr> instances)
    : instances(instances),
      cache(context->getOrLoadDialect<tile::TileDialect>()->boundLocations) {
  std::vector<const void *> names;
  names.reserve(instances.size());
  for (ArrayAttr instance : instances)
    names.push_back(instance.getAsOpaquePointer());
  std::lock_guard lock(cache.mutex);
  known = &cache.byInstances[std::move(names)];
}

Location LocationBinder::bind(Location loc) {
  std::lock_guard lock(cache.mutex);
  auto found = known->find(loc);
  if (found == known->end())
    found = known->try_emplace(loc, bound(loc, instances)).first;
  return found->second;
}

} // namespace tilewright
