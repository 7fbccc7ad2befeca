//===- JsonFault.cpp - exceptions of the JSON library in our words --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/JsonFault.h"
#include "lsp/protocol/Json.h"
#include "lsp/protocol/Utf8.h"

namespace tilewright::lsp {

std::string describe(const std::exception &thrown) {
  std::string_view text = thrown.what();
  const auto *json = dynamic_cast<const Json::exception *>(&thrown);
  if (!json)
    return replaceInvalidUtf8(text);
  const Json::exception &error = *json;
  size_t quote = text.find('\'');
  if (error.id == 403 && quote != std::string_view::npos)
    return "the field " +
           replaceInvalidUtf8(
               text.substr(quote, text.rfind('\'') + 1 - quote)) +
           " is missing";
  if (error.id >= 300 && error.id < 400)
    return "a value is of another type than docs/protocol.md has it";
  return "it has not the form that docs/protocol.md gives";
}

} // namespace tilewright::lsp
