//===- BoundKeys.h - what scope-relative keys stand for ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scope is compiled once for all places that call it, and its operations
// carry keys relative to the call: `$3`, `$3.row_max`. The bindings of a call
// (its `tile.bindings`: an array of strings) say what `$i` is there.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright {

/// What `$0.part` stands for under `bindings`; the key itself if it is not
/// relative, or beyond them.
std::string boundKey(llvm::StringRef key, mlir::ArrayAttr bindings);

/// What a context remembers of locations that were bound: from one compilation
/// to the next nearly all instances are the same ones. The tile dialect holds
/// it.
struct BoundLocations {
  std::mutex mutex;
  /// By the instances; then from relative to bound.
  std::map<std::vector<const void *>,
           llvm::DenseMap<mlir::Location, mlir::Location>>
      byInstances;
};

/// Binds the locations of one scope for all its instances. Thread safe.
class LocationBinder {
public:
  LocationBinder(mlir::MLIRContext *context,
                 llvm::ArrayRef<mlir::ArrayAttr> instances);

  /// `loc` with its relative keys replaced by what they stand for: all keys of
  /// the first instance, then those of the next. One without relative keys
  /// stays as it is.
  mlir::Location bind(mlir::Location loc);

private:
  llvm::SmallVector<mlir::ArrayAttr> instances;
  BoundLocations &cache;
  llvm::DenseMap<mlir::Location, mlir::Location> *known;
};

} // namespace tilewright
