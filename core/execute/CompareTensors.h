//===- CompareTensors.h - whether two results agree -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/HostTensor.h"
#include "core/model/Run.h"
#include "core/model/Verify.h"
#include <memory>

namespace tilewright::execute {

/// How far a result may be off, element by element.
struct MatmulBound {
  /// Of a matrix product: |A| |B|, with an accumulator + |C|, f64, of the
  /// result's shape. Null: unknown.
  std::shared_ptr<const HostTensor> magnitudes;
  int64_t depth = 0; ///< k
  /// What products too small for a normal number may add up to: 2^-126 for each
  /// that is flushed to zero, and as much for each unit that an operand flushed
  /// to zero would have been multiplied by.
  double underflow = 0;
  /// Where `magnitudes` are not known: the largest absolute difference, f64, of
  /// the result's shape, as errors were carried through the operators (see
  /// AllowedErrors.h). Null: unknown.
  std::shared_ptr<const HostTensor> allowed;
};

/// Compares `got` with `want`.
///
/// With magnitudes, rule "matmul-bound": |got - want| <= 4 eps sqrt(k) (|A||B|)
/// + underflow, eps = 2^-24, plus one unit in the last place of a 16-bit
/// result. `error` is the largest quotient of the two sides, `tolerance` 1.
///
/// With allowed differences, rule "carried-errors": |got - want| is at most
/// what is allowed; `error` and `tolerance` as above.
///
/// Without either, rule "row-relative": the largest |got - want| of a row over
/// the row's largest magnitude in `want`; `tolerance` is 1e-5 for f32, 2^-10
/// for f16, 2^-7 for bf16. Rows lie along the last dimension.
///
/// NaN agrees with NaN, an infinity with the same one, nothing else with
/// either. Integers must be equal (rule "exact").
///
/// `want` may be f64; its shape must be that of `got`, else the check fails and
/// `worst` says so.
model::CheckResult compareTensors(const HostTensor &got, const HostTensor &want,
                                  const MatmulBound &bound = {});

/// The distance of two neighbouring numbers of a float type about `value`; of
/// the smallest normal ones where it is less.
double unitInLastPlace(Element element, double value);

/// The same comparison with the worst element in numbers and, if `count`, all
/// errors counted (which takes a logarithm an element). `key`, `scope` and
/// `output` are left to the caller.
model::VerifyCheck compareInDetail(const HostTensor &got,
                                   const HostTensor &want,
                                   const MatmulBound &bound = {},
                                   bool count = true);

} // namespace tilewright::execute
