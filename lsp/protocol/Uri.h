//===- Uri.h - names of documents -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace tilewright::lsp {

std::string percentEncode(std::string_view text, std::string_view keep);
std::string percentDecode(std::string_view text);

/// `file:///…` for an absolute path.
std::string uriFromPath(std::string_view path);
/// The path of a file URI, as it is of any other text.
std::string pathFromUri(std::string_view uri);

/// A stage of a source as a document:
/// `tilewright:/<stage>/<pass>?source=<uri>`.
struct StageUri {
  std::string stage; ///< "tile/expand-tiles", or "tile" for its last pass
  std::string source;

  std::string str() const;
  /// Empty if `uri` is not of that form.
  static std::optional<StageUri> parse(std::string_view uri);
};

} // namespace tilewright::lsp
