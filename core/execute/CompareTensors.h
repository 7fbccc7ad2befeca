//===- CompareTensors.h - whether two results agree -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/HostTensor.h"
#include "core/model/Run.h"
#include <memory>

namespace tilewright::execute {

/// How far a matrix product may be off, element by element.
struct MatmulBound {
  /// |A| |B|, f64, of the result's shape. Null: no bound is known.
  std::shared_ptr<const HostTensor> magnitudes;
  int64_t depth = 0; ///< k
};

/// Compares `got` with `want`.
///
/// With a bound, rule "matmul-bound": |got - want| <= 4 eps sqrt(k) (|A||B|),
/// eps = 2^-24, plus one unit in the last place of a 16-bit result. `error` is
/// the largest quotient of the two sides, `tolerance` 1.
///
/// Without, rule "row-relative": the largest |got - want| of a row over the
/// row's largest magnitude in `want`; `tolerance` is 1e-5 for f32, 2^-10 for
/// f16, 2^-7 for bf16. Rows lie along the last dimension.
///
/// NaN agrees with NaN, an infinity with the same one, nothing else with
/// either. Integers must be equal (rule "exact").
///
/// `want` may be f64; its shape must be that of `got`, else the check fails and
/// `worst` says so.
model::CheckResult compareTensors(const HostTensor &got, const HostTensor &want,
                                  const MatmulBound &bound = {});

} // namespace tilewright::execute
