//===- Verify.cpp - which pass first gave wrong numbers -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/Verify.h"
#include "core/model/Json.h"

namespace tilewright::model {

using nlohmann::json;

void to_json(json &out, const ErrorHistogram &histogram) {
  json decades = json::array();
  for (auto [exponent, count] : histogram.decades)
    decades.push_back({{"exponent", exponent}, {"count", count}});
  out = {{"equal", histogram.equal},
         {"notFinite", histogram.notFinite},
         {"decades", std::move(decades)}};
}

void from_json(const json &in, ErrorHistogram &histogram) {
  histogram = ErrorHistogram();
  requireObject(in, "a histogram");
  readField(in, "equal", histogram.equal);
  readField(in, "notFinite", histogram.notFinite);
  std::vector<json> decades;
  readField(in, "decades", decades);
  for (const json &decade : decades) {
    requireObject(decade, "a decade");
    int exponent = 0;
    int64_t count = 0;
    readField(decade, "exponent", exponent);
    readField(decade, "count", count);
    histogram.decades[exponent] += count;
  }
}

void to_json(json &out, const VerifyCheck &check) {
  out = {{"key", check.key},         {"scope", check.scope},
         {"output", check.output},   {"passed", check.passed},
         {"error", check.error},     {"tolerance", check.tolerance},
         {"rule", check.rule},       {"index", check.index},
         {"got", check.got},         {"want", check.want},
         {"problem", check.problem}, {"histogram", check.histogram}};
}

void from_json(const json &in, VerifyCheck &check) {
  check = VerifyCheck();
  requireObject(in, "a check");
  readField(in, "key", check.key);
  readField(in, "scope", check.scope);
  readField(in, "output", check.output);
  readField(in, "passed", check.passed);
  // NaN and infinities have no numbers in JSON.
  readNumber(in, "error", check.error);
  readNumber(in, "tolerance", check.tolerance);
  readField(in, "rule", check.rule);
  readField(in, "index", check.index);
  readNumber(in, "got", check.got);
  readNumber(in, "want", check.want);
  readField(in, "problem", check.problem);
  readField(in, "histogram", check.histogram);
}

void to_json(json &out, const VerifiedPass &pass) {
  out = {{"pass", pass.pass},
         {"result", pass.result},
         {"milliseconds", pass.milliseconds},
         {"compared", pass.compared},
         {"failing", pass.failing}};
  if (pass.resultsOnly)
    out["resultsOnly"] = true;
  if (pass.worst)
    out["worst"] = *pass.worst;
  if (pass.diagnostic)
    out["diagnostic"] = *pass.diagnostic;
}

template <typename T>
static void readOptional(const json &in, const char *field,
                         std::optional<T> &into) {
  auto found = in.find(field);
  if (found == in.end() || found->is_null())
    return;
  T value;
  readField(in, field, value);
  into = std::move(value);
}

void from_json(const json &in, VerifiedPass &pass) {
  pass = VerifiedPass();
  requireObject(in, "a pass");
  readField(in, "pass", pass.pass);
  readField(in, "result", pass.result);
  readField(in, "milliseconds", pass.milliseconds);
  readField(in, "compared", pass.compared);
  readField(in, "resultsOnly", pass.resultsOnly);
  readField(in, "failing", pass.failing);
  readOptional(in, "worst", pass.worst);
  readOptional(in, "diagnostic", pass.diagnostic);
}

void to_json(json &out, const VerifyDump &dump) {
  out = {{"key", dump.key}, {"pass", dump.pass}, {"path", dump.path}};
}

void from_json(const json &in, VerifyDump &dump) {
  dump = VerifyDump();
  requireObject(in, "a dump");
  readField(in, "key", dump.key);
  readField(in, "pass", dump.pass);
  readField(in, "path", dump.path);
}

void to_json(json &out, const VerifyResult &result) {
  out = makeHeader(VerifyResult::schema, VerifyResult::version, result);
  out["function"] = result.function;
  out["seed"] = result.seed;
  out["passed"] = result.passed;
  out["firstPass"] = result.firstPass;
  out["firstScope"] = result.firstScope;
  out["firstKey"] = result.firstKey;
  if (!result.stoppedAfter.empty())
    out["stoppedAfter"] = result.stoppedAfter;
  out["passes"] = result.passes;
  out["dumps"] = result.dumps;
  out["diagnostics"] = result.diagnostics;
}

void from_json(const json &in, VerifyResult &result) {
  result = VerifyResult();
  readHeader(in, VerifyResult::schema, VerifyResult::version, result);
  readField(in, "function", result.function);
  readField(in, "seed", result.seed);
  readField(in, "passed", result.passed);
  readField(in, "firstPass", result.firstPass);
  readField(in, "firstScope", result.firstScope);
  readField(in, "firstKey", result.firstKey);
  readField(in, "stoppedAfter", result.stoppedAfter);
  readField(in, "passes", result.passes);
  readField(in, "dumps", result.dumps);
  readField(in, "diagnostics", result.diagnostics);
}

} // namespace tilewright::model
