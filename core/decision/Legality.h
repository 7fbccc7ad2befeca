//===- Legality.h - may tiles of these sizes be used ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TileProblem.h"
#include "core/model/Diagnostic.h"
#include <functional>
#include <optional>

namespace tilewright::decision {

/// Reads the value of a pin of kind `tile`. TW0203 if it is not an object
/// level -> dimension -> positive whole number.
std::optional<model::TileSizes> readTileSizes(const nlohmann::json &value,
                                              model::Diagnostic &problem);

/// Whether the buffers of one tile fit their levels; nothing else is looked at.
/// For searches, which ask often and want no reason.
bool fitsLevels(const TileProblem &problem, const model::TileSizes &sizes,
                const target::Target &target, double budget = 1.0);

bool fitsLevels(const TileProblem &problem, const ResolvedTiles &tiles,
                const target::Target &target, double budget = 1.0);

/// Whether `sizes` can be used for `problem` on `target`. On refusal `why` says
/// what is wrong with the figures and which change would do:
///   TW0201 a buffer does not fit its level
///   TW0202 a size breaks a rule of the machine (multiples, unequal levels)
///   TW0204 a dimension the operation does not have, or that cannot be cut
/// A level the target lacks makes the pin not applicable: TW0205, information.
/// `budget` is the share of each level that may be used.
bool isLegal(const TileProblem &problem, const model::TileSizes &sizes,
             const target::Target &target, model::Diagnostic &why,
             double budget = 1.0);

/// Makes of the sizes a pin names those that would be in force.
using CompletePin =
    std::function<model::TileSizes(const model::TileSizes &pinned)>;

/// As isLegal() of `complete(pinned)`; the changes that would do are to what
/// the pin names.
bool isLegalPin(const TileProblem &problem, const model::TileSizes &pinned,
                const CompletePin &complete, const target::Target &target,
                model::Diagnostic &why, double budget = 1.0);

} // namespace tilewright::decision
