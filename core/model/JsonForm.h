//===- JsonForm.h - JSON against the form it should have --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::model {

/// One thing that is wrong with a document written by a person.
struct FormProblem {
  std::string pointer;  ///< JSON pointer of the field ("/levels/5/usable")
  std::string expected; ///< what should be there; may be empty
  std::string message;  ///< what is wrong, with what stands there
  std::string hint;     ///< what to do; may be empty
  Severity severity = Severity::Error;
};

/// What is wrong with `json` by `schema`: JSON Schema 2020-12 as far as
/// resources/schemas uses it, references within `schema` only. An unknown
/// field that is much like a missing one is an error, since it would otherwise
/// count for nothing unseen; any other unknown field is a warning.
std::vector<FormProblem> checkForm(const nlohmann::json &json,
                                   const nlohmann::json &schema);

/// Byte range of every value of the JSON `text` by its pointer; `text` must
/// have been parsed without an error. Of a member the range is that of its
/// value. Of a member that an object has twice it is the last, which is what
/// counts; `repeated` gets the pointer and the range of each earlier one.
std::map<std::string, TextRange>
placesOf(std::string_view text,
         std::vector<std::pair<std::string, TextRange>> *repeated = nullptr);

/// The range of `pointer`, or of the innermost value around it that exists.
TextRange placeOf(const std::map<std::string, TextRange> &places,
                  std::string pointer);

/// `text` with blanks in place of comments (`// …`, `/* … */`), so that
/// everything else stays where it is.
std::string withoutComments(std::string_view text);

/// `name` as a segment of a JSON pointer.
std::string pointerSegment(std::string_view name);

} // namespace tilewright::model
