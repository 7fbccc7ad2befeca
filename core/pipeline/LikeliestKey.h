//===- LikeliestKey.h - where an orphaned pin may belong --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/PinsFile.h"
#include "core/pipeline/CompilationImpl.h"
#include <string>
#include <vector>

namespace tilewright {

/// Where the last segment of `key` begins to be a part or an operand; npos if
/// nowhere.
size_t partOf(const std::string &key);

/// The likeliest new key of the operation that `pin`, one of `file`, was made
/// for and that has none now: the one spelt most alike among those that have
/// such a decision, else the only one of its function that could obey it. Empty
/// if there is no such one.
std::string likeliestKey(const Compilation::Impl &impl,
                         const decision::PinsFile &file, const model::Pin &pin);

/// Names it in the warnings about `pins` whose key no operation has (TW0206).
void nameLikeliestKeys(Compilation::Impl &impl,
                       const std::vector<model::Pin> &pins);

} // namespace tilewright
