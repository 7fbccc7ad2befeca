//===- DecisionAnswers.h - why, how long, and what if -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers about the decisions of a compilation, from what was kept with it: no
// IR is read and nothing is compiled.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Estimate.h"
#include "core/model/WhatIf.h"
#include "core/pipeline/Session.h"
#include <optional>
#include <string>

namespace tilewright {

/// Every kernel and the program. `key` empty: all; else the kernel that
/// computes that operation. None and `error` TW0217 if no operation has the
/// key.
std::optional<model::EstimateList>
estimateOf(const Compilation &compilation, const std::string &key,
           model::Diagnostic *error = nullptr);

/// The decisions in force on the operation `key` and on the kernel it is
/// computed in, each with its origin, its reason and what was weighed, what the
/// kernel is estimated to cost, and all of it as a text. None and TW0217 if no
/// operation has the key.
std::optional<model::DecisionList> explain(const Compilation &compilation,
                                           const std::string &key,
                                           model::Diagnostic *error = nullptr);

/// The tile space of the kernel that computes the operation `key`, at most
/// `points` of it. None and TW0217 if no operation has the key.
std::optional<model::WhatIf> whatIf(const Compilation &compilation,
                                    const std::string &key,
                                    int64_t points = 1024,
                                    model::Diagnostic *error = nullptr);

} // namespace tilewright
