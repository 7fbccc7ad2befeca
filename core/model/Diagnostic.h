//===- Diagnostic.h - what is wrong, where, and what to do ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewright::model {

/// A half-open range of bytes in a text. The only range kept inside; fronts
/// convert to lines and to the encoding their client wants.
struct TextRange {
  int64_t begin = 0;
  int64_t end = 0;
  friend bool operator==(const TextRange &, const TextRange &) = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TextRange, begin, end)

/// LSP's numbering, so that it passes through unchanged.
enum class Severity { Error = 1, Warning = 2, Information = 3, Hint = 4 };
NLOHMANN_JSON_SERIALIZE_ENUM(Severity, {{Severity::Error, "error"},
                                        {Severity::Warning, "warning"},
                                        {Severity::Information, "information"},
                                        {Severity::Hint, "hint"}})

struct RelatedInformation {
  std::string uri;
  TextRange range;
  std::string message;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(RelatedInformation, uri, range,
                                                message)

/// One message. `code` is stable and has a section in docs/diagnostics.md.
struct Diagnostic {
  std::string code; ///< "TW0123"
  Severity severity = Severity::Error;
  std::string message; ///< what is wrong, with the figures
  std::string hint;    ///< what to do; may be empty
  std::string uri;
  TextRange range;
  std::string key; ///< key of the operation concerned; may be empty
  std::vector<RelatedInformation> related;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Diagnostic, code, severity,
                                                message, hint, uri, range, key,
                                                related)

/// Every message of one document. The result of `tilewright/diagnostics`.
struct DiagnosticList {
  static constexpr const char *schema = "tilewright/diagnostics";
  static constexpr int version = 1;

  std::string uri;
  int64_t documentVersion = 0;
  int64_t generation = 0;
  std::vector<Diagnostic> diagnostics;
};
void to_json(nlohmann::json &json, const DiagnosticList &list);
void from_json(const nlohmann::json &json, DiagnosticList &list);

} // namespace tilewright::model
