//===- OverrideFiles.h - the overrides of a source as one text --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::model {

/// Where the overrides of the source at `path` are kept:
/// `.tilewright/overrides/SOURCE` beside it.
std::string overridesFolder(const std::string &path);

/// The files of the overrides of the source at `path` as one text, a JSON
/// object from name (without ".json") to what the file holds, byte by byte as
/// far as that is UTF-8; empty if there are none. What cannot be read is left
/// out.
std::string overrideFilesText(const std::string &path);

/// The names that only one of two such texts has, or that are not the same in
/// both; sorted.
std::vector<std::string> differingOverrides(std::string_view before,
                                            std::string_view after);

/// Makes the overrides of the source at `path` those of `text`: files that are
/// not in it go. Empty on success, else what failed.
std::string restoreOverrideFiles(const std::string &path,
                                 std::string_view text);

} // namespace tilewright::model
