//===- OverrideTrials.h - overrides that bring the engine down --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "core/model/Override.h"
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace tilewright::engine {

/// Text that a person wrote may bring the compiler down, and would do so again
/// with every compilation. So an engine that compiles with an override for the
/// first time leaves a mark before it begins and takes it away when it is done:
/// who finds the mark of an engine that is no more leaves that override out.
/// Marks are in the cache folder of the user. Thread safe.
class OverrideTrials {
public:
  /// In the cache folder of the user.
  OverrideTrials();
  explicit OverrideTrials(std::string folder) : folder(std::move(folder)) {}

  /// The marks of one compilation, while it lasts.
  class Trial {
  public:
    Trial(OverrideTrials &trials, std::set<std::string> names)
        : trials(trials), names(std::move(names)) {}
    ~Trial();
    Trial(const Trial &) = delete;
    Trial &operator=(const Trial &) = delete;

  private:
    OverrideTrials &trials;
    std::set<std::string> names; ///< of marks that are its own
  };

  /// Takes out of `overrides` of the document those that brought an engine
  /// down, with the reason of each by name (TW0248), and marks the others.
  Trial begin(const std::string &uri, std::vector<model::Override> &overrides,
              std::map<std::string, model::Diagnostic> &leftOut);
  /// Whatever happened, `override` may be tried again.
  void forget(const std::string &uri, const model::Override &override);

private:
  std::string folder;
  std::mutex mutex;
  std::set<std::string> proven; ///< compiled with in this process
};

} // namespace tilewright::engine
