//===- LanguageFeatures.h - what editors ask of a text ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between front and engine. All of it is about one document, which may be the
// text of a stage; it is answered from the text as it is, however wrong.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "lsp/protocol/Json.h"
#include <string>
#include <vector>

namespace tilewright::lsp {

namespace method {
/// Params as of hover.
inline constexpr const char *references = "tilewright/references";
inline constexpr const char *signature = "tilewright/signature";
inline constexpr const char *folding = "tilewright/folding"; ///< DocumentParams
inline constexpr const char *selection = "tilewright/selection";
inline constexpr const char *format = "tilewright/format";
inline constexpr const char *calls = "tilewright/calls";
} // namespace method

struct ReferencePlace {
  model::TextRange range;
  bool definition = false;
  bool write = false;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ReferencePlace, range,
                                                definition, write)

struct ReferencesResult {
  std::string name; ///< with its sign; empty: nothing with a name is there
  std::vector<ReferencePlace> places;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ReferencesResult, name, places)

struct FoldingEntry {
  model::TextRange range;
  std::string kind; ///< comment, imports or empty
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FoldingEntry, range, kind)

struct SelectionParams {
  std::string uri;
  std::vector<int64_t> offsets;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SelectionParams, uri, offsets)

struct SignaturePart {
  model::TextRange range;    ///< bytes of the label
  std::string documentation; ///< markdown; may be empty
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SignaturePart, range,
                                                documentation)

struct SignatureResult {
  std::string label;
  std::string documentation;
  std::vector<SignaturePart> parameters;
  int active = -1; ///< -1: none of them
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(SignatureResult, label,
                                                documentation, parameters,
                                                active)

struct FormatParams {
  std::string uri;
  int indent = 2;
  bool tabs = false;
  int64_t begin = 0;
  int64_t end = -1; ///< -1: the whole text
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FormatParams, uri, indent, tabs,
                                                begin, end)

struct FormatEdit {
  model::TextRange range;
  std::string newText;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FormatEdit, range, newText)

struct CallsParams {
  std::string uri;
  int64_t offset = 0;
  std::string direction; ///< in, out, or empty: only what is there
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CallsParams, uri, offset,
                                                direction)

struct CallableEntry {
  std::string name;
  std::string detail; ///< its operation
  std::string key;
  model::TextRange range;
  model::TextRange selectionRange;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CallableEntry, name, detail,
                                                key, range, selectionRange)

struct CallsEntry {
  CallableEntry callable; ///< the other side
  std::vector<model::TextRange> places;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(CallsEntry, callable, places)

} // namespace tilewright::lsp
