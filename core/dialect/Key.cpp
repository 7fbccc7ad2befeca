//===- Key.cpp - stable operation names carried on locations --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Key.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewright {

static StringAttr keyMetadata(FusedLoc fused) {
  return dyn_cast_or_null<StringAttr>(fused.getMetadata());
}

/// The location without the key on its outside.
static Location withoutKey(Location loc) {
  if (auto fused = dyn_cast<FusedLoc>(loc))
    if (keyMetadata(fused))
      return FusedLoc::get(loc.getContext(), fused.getLocations());
  return loc;
}

Location withKey(Location loc, StringRef key) {
  return FusedLoc::get({withoutKey(loc)},
                       StringAttr::get(loc.getContext(), key),
                       loc.getContext());
}

static void collect(Location loc, llvm::SetVector<StringRef> &keys) {
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    if (StringAttr key = keyMetadata(fused)) {
      keys.insert(key.getValue());
      return;
    }
    for (Location part : fused.getLocations())
      collect(part, keys);
  } else if (auto name = dyn_cast<NameLoc>(loc)) {
    collect(name.getChildLoc(), keys);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    collect(call.getCallee(), keys);
  }
}

/// The key of a location that carries one itself, as most do.
static StringAttr ownKey(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  return fused ? keyMetadata(fused) : StringAttr();
}

SmallVector<StringRef> keysOf(Location loc) {
  if (StringAttr key = ownKey(loc))
    return {key.getValue()};
  llvm::SetVector<StringRef> keys;
  collect(loc, keys);
  return SmallVector<StringRef>(keys.begin(), keys.end());
}

StringRef primaryKey(Operation *op) {
  if (StringAttr key = ownKey(op->getLoc()))
    return key.getValue();
  SmallVector<StringRef> keys = keysOf(op);
  return keys.empty() ? StringRef() : keys.front();
}

static void flatten(Location loc, llvm::SetVector<Location> &parts) {
  auto fused = dyn_cast<FusedLoc>(loc);
  if (fused && !fused.getMetadata()) {
    for (Location part : fused.getLocations())
      flatten(part, parts);
    return;
  }
  if (!isa<UnknownLoc>(loc))
    parts.insert(loc);
}

Location fuseKeys(MLIRContext *context, ArrayRef<Location> locs) {
  llvm::SetVector<Location> parts;
  for (Location loc : locs)
    flatten(loc, parts);
  // One location a key is enough; the rest would only grow.
  llvm::SetVector<StringRef> seen;
  SmallVector<Location> kept;
  for (Location loc : parts) {
    bool adds = false;
    for (StringRef key : keysOf(loc))
      adds |= seen.insert(key);
    if (adds)
      kept.push_back(loc);
  }
  if (kept.empty())
    return parts.empty() ? Location(UnknownLoc::get(context)) : parts.front();
  if (kept.size() == 1)
    return kept.front();
  return FusedLoc::get(context, kept);
}

Location mapKeys(Location loc, llvm::function_ref<std::string(StringRef)> map) {
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    MLIRContext *context = loc.getContext();
    if (StringAttr key = keyMetadata(fused))
      return FusedLoc::get(fused.getLocations(),
                           StringAttr::get(context, map(key.getValue())),
                           context);
    SmallVector<Location> parts;
    for (Location part : fused.getLocations())
      parts.push_back(mapKeys(part, map));
    return FusedLoc::get(parts, fused.getMetadata(), context);
  }
  if (auto name = dyn_cast<NameLoc>(loc))
    return NameLoc::get(name.getName(), mapKeys(name.getChildLoc(), map));
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return CallSiteLoc::get(mapKeys(call.getCallee(), map), call.getCaller());
  return loc;
}

Location keyPart(Location whole, StringRef part) {
  return mapKeys(whole,
                 [&](StringRef key) { return (key + "." + part).str(); });
}

std::string encodeKeySegment(StringRef name) {
  std::string out;
  for (unsigned char c : name) {
    if (StringRef("%/:#~*@.").contains(char(c)) || c < 0x20 || c == 0x7f) {
      out += '%';
      out += llvm::hexdigit(c >> 4);
      out += llvm::hexdigit(c & 15);
    } else {
      out += char(c);
    }
  }
  return out;
}

/// The location of the nearest keyed user, looking through keyless ones.
static std::optional<Location> keyedUser(Operation *op, unsigned depth) {
  for (Operation *user : op->getUsers()) {
    if (!keysOf(user).empty())
      return user->getLoc();
    if (depth)
      if (auto loc = keyedUser(user, depth - 1))
        return loc;
  }
  return std::nullopt;
}

void repairKeys(Operation *root) {
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!keysOf(op).empty())
      return;
    if (op->getNumRegions() == 0)
      if (auto loc = keyedUser(op, 4)) {
        op->setLoc(*loc);
        return;
      }
    if (Operation *parent = op->getParentOp())
      if (!keysOf(parent).empty()) {
        op->setLoc(parent->getLoc());
        return;
      }
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp())
        if (!keysOf(def).empty()) {
          op->setLoc(def->getLoc());
          return;
        }
  });
}

} // namespace tilewright
