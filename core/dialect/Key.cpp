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

/// A StringAttr or, of several keys, an ArrayAttr; else null.
static Attribute keyMetadata(FusedLoc fused) {
  Attribute metadata = fused.getMetadata();
  return isa_and_nonnull<StringAttr, ArrayAttr>(metadata) ? metadata
                                                          : Attribute();
}

static void append(Attribute metadata, SmallVectorImpl<StringAttr> &keys) {
  if (auto key = dyn_cast<StringAttr>(metadata)) {
    keys.push_back(key);
    return;
  }
  for (Attribute each : cast<ArrayAttr>(metadata))
    if (auto key = dyn_cast<StringAttr>(each))
      keys.push_back(key);
}

/// The location without the keys on its outside.
static Location withoutKeys(Location loc) {
  if (auto fused = dyn_cast<FusedLoc>(loc))
    if (keyMetadata(fused))
      return FusedLoc::get(loc.getContext(), fused.getLocations());
  return loc;
}

Location withKeys(Location place, ArrayRef<StringAttr> keys) {
  if (keys.empty())
    return place;
  MLIRContext *context = place.getContext();
  Attribute metadata = keys.front();
  if (keys.size() > 1)
    metadata = ArrayAttr::get(context,
                              SmallVector<Attribute>(keys.begin(), keys.end()));
  return FusedLoc::get({withoutKeys(place)}, metadata, context);
}

Location withKey(Location loc, StringRef key) {
  return withKeys(loc, StringAttr::get(loc.getContext(), key));
}

static void collect(Location loc, llvm::SetVector<StringAttr> &keys) {
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    if (Attribute metadata = keyMetadata(fused)) {
      SmallVector<StringAttr> own;
      append(metadata, own);
      keys.insert(own.begin(), own.end());
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

/// The keys of a location that carries them itself, as most do.
static Attribute ownKeys(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  return fused ? keyMetadata(fused) : Attribute();
}

SmallVector<StringAttr> keyAttrsOf(Location loc) {
  SmallVector<StringAttr> result;
  if (Attribute own = ownKeys(loc)) {
    append(own, result);
    return result;
  }
  llvm::SetVector<StringAttr> keys;
  collect(loc, keys);
  result.assign(keys.begin(), keys.end());
  return result;
}

SmallVector<StringRef> keysOf(Location loc) {
  SmallVector<StringRef> result;
  for (StringAttr key : keyAttrsOf(loc))
    result.push_back(key.getValue());
  return result;
}

StringRef primaryKey(Operation *op) {
  Attribute own = ownKeys(op->getLoc());
  // What hundreds of instances share has the keys of all; one is wanted.
  if (auto keys = dyn_cast_or_null<ArrayAttr>(own); keys && !keys.empty())
    own = keys[0];
  if (auto key = dyn_cast_or_null<StringAttr>(own))
    return key.getValue();
  SmallVector<StringAttr> keys = keyAttrsOf(op->getLoc());
  return keys.empty() ? StringRef() : keys.front().getValue();
}

Location fuseKeys(MLIRContext *context, ArrayRef<Location> locs) {
  llvm::SetVector<StringAttr> keys;
  Location first = UnknownLoc::get(context), place = first;
  bool single = true;
  for (Location loc : locs) {
    if (isa<UnknownLoc>(first))
      first = loc;
    size_t before = keys.size();
    collect(loc, keys);
    if (keys.size() == before)
      continue;
    single = before == 0;
    if (single)
      place = loc;
  }
  if (keys.empty())
    return first;
  // One place is enough: the source knows those of all keys.
  return single ? place : withKeys(place, keys.getArrayRef());
}

Location mapKeys(Location loc, llvm::function_ref<std::string(StringRef)> map) {
  MLIRContext *context = loc.getContext();
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    if (Attribute metadata = keyMetadata(fused)) {
      SmallVector<StringAttr> keys;
      append(metadata, keys);
      llvm::SetVector<StringAttr> mapped;
      for (StringAttr key : keys)
        mapped.insert(StringAttr::get(context, map(key.getValue())));
      return withKeys(loc, mapped.getArrayRef());
    }
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
