//===- TextMerge.h - two changes of one text brought together ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>
#include <string>

namespace tilewright::inspect {

/// A three-way merge by lines: `base` with what `ours` and `theirs` each make
/// of it. None if both change the same lines, or lines beside each other, in
/// different ways.
std::optional<std::string> mergeLines(const std::string &base,
                                      const std::string &ours,
                                      const std::string &theirs);

} // namespace tilewright::inspect
