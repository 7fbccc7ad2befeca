//===- Params.h - parameters read with errors that help ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/protocol/JsonFault.h"
#include "lsp/protocol/Methods.h"
#include "lsp/protocol/Position.h"
#include <string>

namespace tilewright::lsp {

/// A value of T's form: which fields there are, and of which kind. Lists hold
/// one element, which says what their elements look like.
template <typename T> inline Json exampleOf() { return Json(T{}); }
template <> inline Json exampleOf<RunParams>() {
  RunParams params;
  params.inputs.emplace_back();
  return params;
}
template <> inline Json exampleOf<VerifyParams>() {
  VerifyParams params;
  params.inputs.emplace_back();
  params.tensors.emplace_back();
  return params;
}
template <> inline Json exampleOf<PinParams>() {
  PinParams params;
  params.words.emplace_back();
  return params;
}
template <> inline Json exampleOf<ChangeParams>() {
  ChangeParams params;
  params.edits.emplace_back();
  return params;
}

/// What a field of `json` should be and is not, in words for its sender; empty
/// if all is well. Fields that `example` has and `json` lacks count as faults
/// only in nested values, those that `example` lacks never. `path` leads to
/// `json`.
std::string findFormFault(const Json &json, const Json &example,
                          const std::string &path);
/// The number that became another one when it was read; empty if there is none.
std::string findRangeFault(const Json &json, const Json &read,
                           const std::string &path);
/// The field of `example` that `json` lacks.
std::string findMissing(const Json &json, const Json &example,
                        const std::string &path);
/// Throws RequestError: -32602 with TW0606.
[[noreturn]] void refuseParams(const Json &json, const std::string &fault);
/// `json` without members that are null: those count as absent.
Json withoutNulls(const Json &json);
/// "a string (\"x\")": for error messages.
std::string describeValue(const Json &json);

/// `json` as a T. Throws RequestError (-32602, TW0606) that says which field is
/// wrong, what it must be and what it is. `path` is where `json` was found.
template <typename T>
T readParams(const Json &json, const std::string &path = "") {
  const Json example = exampleOf<T>();
  const Json given = json.is_object() ? withoutNulls(json) : json;
  if (std::string fault = findFormFault(given, example, path); !fault.empty())
    refuseParams(json, fault);
  T value;
  try {
    value = given.get<T>();
  } catch (const Json::exception &) {
    std::string missing = findMissing(given, example, path);
    refuseParams(json, missing.empty() ? "the params cannot be read" : missing);
  }
  if (std::string fault = findRangeFault(given, Json(value), path);
      !fault.empty())
    refuseParams(json, fault);
  return value;
}

} // namespace tilewright::lsp
