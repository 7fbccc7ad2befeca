//===- Key.h - stable operation names carried on locations ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A key names a tensor-graph operation for good ("attention/qk"). Keys ride on
// locations: `fused<"attention/qk">["file":3:5]`, that is a FusedLoc whose
// metadata is the key as a StringAttr. An operation made from several others
// has the set of their keys, as an ArrayAttr, and the place in the file of the
// first. Plain FusedLocs, which upstream makes, stand for the keys of all
// parts.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace tilewright {

/// `loc` with `key` on it, replacing any key it had.
mlir::Location withKey(mlir::Location loc, llvm::StringRef key);

/// The keys on `loc` as attributes, in order of first appearance, without
/// repeats.
llvm::SmallVector<mlir::StringAttr> keyAttrsOf(mlir::Location loc);
/// `place` with `keys` on it in that order, replacing any keys it had; without
/// keys `place` as it is. `keys` must not repeat.
mlir::Location withKeys(mlir::Location place,
                        llvm::ArrayRef<mlir::StringAttr> keys);

/// The keys on `loc` in order of first appearance, without repeats.
llvm::SmallVector<llvm::StringRef> keysOf(mlir::Location loc);
inline llvm::SmallVector<llvm::StringRef> keysOf(mlir::Operation *op) {
  return keysOf(op->getLoc());
}

/// The first key, or empty.
llvm::StringRef primaryKey(mlir::Operation *op);

/// A location that carries the keys of all of `locs`.
mlir::Location fuseKeys(mlir::MLIRContext *context,
                        llvm::ArrayRef<mlir::Location> locs);

/// The location of an operation that is part `part` of what `whole` meant:
/// every key `k` becomes `k.part` ("p.row_max").
mlir::Location keyPart(mlir::Location whole, llvm::StringRef part);

/// Percent-encodes the signs `% / : # ~ * @ .` in a name used as a key segment.
std::string encodeKeySegment(llvm::StringRef name);

/// `loc` with every key mapped by `map`, the rest unchanged.
mlir::Location mapKeys(mlir::Location loc,
                       llvm::function_ref<std::string(llvm::StringRef)> map);

/// Gives every operation below `root` that has no key one: a constant takes its
/// first user's, anything else its parent's. For after upstream rewrites that
/// drop locations.
void repairKeys(mlir::Operation *root);

} // namespace tilewright
