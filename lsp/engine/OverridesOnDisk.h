//===- OverridesOnDisk.h - the files overrides are kept in ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "core/model/Override.h"
#include <string>
#include <vector>

namespace tilewright::engine {

/// Where the overrides of a document are: `.tilewright/overrides/SOURCE` in its
/// folder. Empty if it is no file.
std::string overridesFolderOf(const std::string &uri);

/// What is kept for a document.
struct StoredOverrides {
  /// A file that is there and holds no override that can be read.
  struct Unreadable {
    std::string name;
    model::Diagnostic problem; ///< TW0242
  };
  std::vector<model::Override> overrides; ///< by name
  std::vector<Unreadable> unreadable;     ///< by name
  /// Another one whenever anything of it changes; empty if there is nothing.
  std::string fingerprint;
};

/// Never fails: what cannot be read is told of.
StoredOverrides readOverrides(const std::string &uri);

/// Writes one, as a whole or not at all; an unchanged file is left alone. False
/// and `problem` TW0250 if it cannot be written, or if the document is no file.
bool writeOverride(const std::string &uri, const model::Override &override,
                   model::Diagnostic &problem);
/// Takes one away, and the folder with the last.
bool removeOverride(const std::string &uri, const std::string &name,
                    model::Diagnostic &problem);

} // namespace tilewright::engine
