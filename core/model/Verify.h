//===- Verify.h - which pass first gave wrong numbers -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "core/model/ResultHead.h"
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::model {

/// How many elements are how far off, in the measure of the rule compared by.
struct ErrorHistogram {
  int64_t equal = 0;     ///< not off at all
  int64_t notFinite = 0; ///< NaN or infinity on one side only
  /// Exponent e -> elements with an error in [10^e, 10^(e+1)).
  std::map<int, int64_t> decades;
};
void to_json(nlohmann::json &json, const ErrorHistogram &histogram);
void from_json(const nlohmann::json &json, ErrorHistogram &histogram);

/// A tensor of one snapshot compared with the same of the source.
struct VerifyCheck {
  std::string key;   ///< of the operation that makes it
  std::string scope; ///< where it is made; empty before there are scopes
  int output = -1;   ///< which result of the function; -1: none
  bool passed = false;
  double error = 0;           ///< by the rule named in `rule`
  double tolerance = 0;       ///< same unit
  std::string rule;           ///< as in CheckResult
  std::vector<int64_t> index; ///< of the worst element
  double got = 0, want = 0;   ///< there
  std::string problem;        ///< why there is no worst element; may be empty
  ErrorHistogram histogram;
};
void to_json(nlohmann::json &json, const VerifyCheck &check);
void from_json(const nlohmann::json &json, VerifyCheck &check);

/// One pass, or the compiled code, and how what it left computes.
struct VerifiedPass {
  std::string pass; ///< "tile/expand-tiles", "cpu/code"
  /// passed; unchanged (nothing new to run); failed (a result of the function
  /// or of a scope leaves the tolerance); error (it cannot be run: see
  /// `diagnostic`).
  std::string result;
  double milliseconds = 0; ///< measured, of running it
  int64_t compared = 0;    ///< tensors
  /// Nothing but results of the function can be compared: what was made on the
  /// way has no names any more.
  bool resultsOnly = false;
  /// The largest error over tolerance; of the tensors that agree where the pass
  /// passed, of all where it failed.
  std::optional<VerifyCheck> worst;
  /// In program order, at most 20. Of a pass that passed: tensors on the way to
  /// its results, which agree all the same.
  std::vector<VerifyCheck> failing;
  std::optional<Diagnostic> diagnostic;
};
void to_json(nlohmann::json &json, const VerifiedPass &pass);
void from_json(const nlohmann::json &json, VerifiedPass &pass);

/// A tensor written to a file.
struct VerifyDump {
  std::string key;
  std::string pass; ///< "source": what the others are compared with
  std::string path;
};
void to_json(nlohmann::json &json, const VerifyDump &dump);
void from_json(const nlohmann::json &json, VerifyDump &dump);

/// The result of `tilewright/verify`.
struct VerifyResult : ResultHead {
  static constexpr const char *schema = "tilewright/verify";
  static constexpr int version = 1;

  std::string function;
  uint64_t seed = 0;
  bool passed = false;
  /// The first pass that failed, with the scope and the key of the first tensor
  /// that is wrong there; all empty if none did.
  std::string firstPass, firstScope, firstKey;
  /// The last pass that was done, if an error stopped the compilation there;
  /// `passed` is then false. Empty if it went to its end.
  std::string stoppedAfter;
  std::vector<VerifiedPass> passes;
  std::vector<VerifyDump> dumps;
  std::vector<Diagnostic> diagnostics;
};
void to_json(nlohmann::json &json, const VerifyResult &result);
void from_json(const nlohmann::json &json, VerifyResult &result);

} // namespace tilewright::model
