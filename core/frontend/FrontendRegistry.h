//===- FrontendRegistry.h - what reads which files --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/frontend/SourceDocument.h"
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::frontend {

/// Turns files of one kind into a Tensor graph with keys.
class Frontend {
public:
  virtual ~Frontend() = default;
  virtual std::string name() const = 0;
  /// With the dot, lower case: ".mlir".
  virtual std::vector<std::string> extensions() const = 0;
  /// True if `read` makes an MLIR text that a SourceDocument can hold: editors
  /// then see the text itself.
  virtual bool isText() const = 0;
  /// Reads `bytes`, the content of `uri`. Every operation it makes has a key.
  /// Bad input gives diagnostics, never a crash.
  virtual SourceModule read(std::string_view bytes, const std::string &uri,
                            mlir::MLIRContext &context,
                            const std::atomic<bool> *cancel) const = 0;
};

/// The frontends of one session. Plugins add theirs before it starts; not to be
/// changed while used.
class FrontendRegistry {
public:
  /// With the MLIR text frontend in it.
  FrontendRegistry();
  void add(std::shared_ptr<const Frontend> frontend);
  /// By the path's or URI's extension; null if none claims it.
  const Frontend *find(std::string_view path) const;
  /// Every extension, sorted.
  std::vector<std::string> extensions() const;

private:
  std::map<std::string, std::shared_ptr<const Frontend>> byExtension;
};

} // namespace tilewright::frontend
