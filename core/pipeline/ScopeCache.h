//===- ScopeCache.h - scope results by content ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/pipeline/Snapshot.h"
#include <list>
#include <mutex>
#include <string>
#include <unordered_map>

namespace tilewright {

/// What makes two scopes the same: operations, relative keys and decisions of
/// `module` (locations in the file do not count), and the target.
std::string scopeFingerprint(mlir::ModuleOp module, llvm::StringRef target);

/// Complete scope results by fingerprint; the least recently used are dropped
/// beyond a number of bytes. Thread safe.
class ScopeCache {
public:
  explicit ScopeCache(size_t maxBytes = size_t(256) << 20)
      : maxBytes(maxBytes) {}

  std::shared_ptr<const ScopeResult> find(const std::string &fingerprint);
  void insert(const std::string &fingerprint,
              std::shared_ptr<const ScopeResult> result);

private:
  struct Entry {
    std::string fingerprint;
    std::shared_ptr<const ScopeResult> result;
    size_t bytes;
  };
  std::mutex mutex;
  std::list<Entry> entries; ///< most recently used first
  std::unordered_map<std::string, std::list<Entry>::iterator> index;
  size_t maxBytes;
  size_t bytes = 0;
};

} // namespace tilewright
