//===- TileMemo.h - tile choices that were made before ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TileProblem.h"
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace tilewright::decision {

/// All of a problem and of a target that a choice depends on, but for keys and
/// other names: equal texts have equal choices.
std::string textOf(const TileProblem &problem, const target::Target &target,
                   double budget);

/// Choices by that text. A thousand of them at most: then those made longest
/// ago go. Any thread may ask.
class TileMemo {
public:
  std::optional<TileChoice> find(const std::string &text);
  void add(std::string text, const TileChoice &choice);

private:
  static constexpr size_t most = 512;
  std::mutex mutex;
  /// What was made or asked for lately, and what was before that.
  std::unordered_map<std::string, TileChoice> young, old;
};

} // namespace tilewright::decision
