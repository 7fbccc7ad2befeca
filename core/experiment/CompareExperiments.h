//===- CompareExperiments.h - two experiments side by side ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Experiment.h"

namespace tilewright::experiment {

/// Which decisions differ and what became of each number. Decisions are matched
/// by key and kind, numbers by name and unit. n log n.
model::ExperimentComparison compare(const model::Experiment &before,
                                    const model::Experiment &after);

} // namespace tilewright::experiment
