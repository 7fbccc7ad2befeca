//===- Resources.h - where our data files are -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <filesystem>

namespace tilewright::target {

/// The folder with targets/, schemas/, examples/. The first that exists of:
/// $TILEWRIGHT_RESOURCES; ../share/tilewright and ../resources seen from this
/// program; the source tree this was built from. Empty if there is none.
std::filesystem::path resourceFolder();

/// Where a person puts machines of their own:
/// $XDG_CONFIG_HOME/tilewright/targets, or ~/.config/tilewright/targets.
std::filesystem::path userTargetFolder();

/// $XDG_CACHE_HOME/tilewright, or ~/.cache/tilewright. Empty if neither
/// variable is set; not created.
std::filesystem::path cacheFolder();

} // namespace tilewright::target
