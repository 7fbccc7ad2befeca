//===- Parameters.cpp - reading what clients send -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/server/Parameters.h"
#include "lsp/protocol/Methods.h"
#include "lsp/protocol/Params.h"

namespace tilewright::lsp {

void refuse(const std::string &code, const std::string &message,
            const std::string &uri, ErrorCode rpcCode,
            const std::string &hint) {
  model::Diagnostic diagnostic;
  diagnostic.code = code;
  diagnostic.message = message;
  diagnostic.uri = uri;
  diagnostic.hint = hint;
  throw RequestError(ResponseError::of(diagnostic, rpcCode));
}

std::string stringField(const Json &json, const char *name) {
  auto it = json.find(name);
  if (it == json.end() || it->is_null())
    return "";
  if (!it->is_string())
    refuse("TW0606", std::string("'") + name + "' must be a string; it is " +
                         describeValue(*it));
  return it->get<std::string>();
}

void requireForm(const Json &params, const Json &example) {
  std::string fault = findFormFault(params, example, "");
  if (fault.empty())
    fault = findMissing(params, example, "");
  if (!fault.empty())
    refuseParams(params, fault);
}

std::string uriOf(const Json &params) {
  if (!params.is_object())
    refuse("TW0606", "params must be an object");
  std::string uri = stringField(params, "uri");
  if (uri.empty())
    if (auto it = params.find("textDocument");
        it != params.end() && it->is_object())
      uri = stringField(*it, "uri");
  if (uri.empty())
    refuse("TW0606", "'uri' is missing");
  return uri;
}

int64_t offsetOf(const Json &params, const TextDocument &text,
                 PositionEncoding encoding) {
  if (auto it = params.find("position"); it != params.end())
    return text.offset(readParams<Position>(*it, "position"), encoding);
  if (params.find("offset") != params.end())
    return readParams<OffsetParams>(params).offset;
  refuse("TW0606", "'position' is missing", text.uri());
}

} // namespace tilewright::lsp
