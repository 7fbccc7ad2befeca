//===- Message.cpp - JSON-RPC 2.0 messages --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "lsp/protocol/Message.h"

namespace tilewright::lsp {

ResponseError ResponseError::of(model::Diagnostic diagnostic, ErrorCode code) {
  ResponseError error;
  error.code = code;
  error.message = diagnostic.message;
  error.data = std::move(diagnostic);
  return error;
}

model::Diagnostic ResponseError::diagnostic() const {
  if (data.is_object() && data.contains("code")) {
    try {
      return data.get<model::Diagnostic>();
    } catch (const std::exception &) {
      // Not one of ours; fall back to the message.
    }
  }
  model::Diagnostic diagnostic;
  diagnostic.code = "TW0604";
  diagnostic.message = message;
  return diagnostic;
}

Json ResponseError::json() const {
  Json json = {{"code", static_cast<int>(code)}, {"message", message}};
  if (!data.is_null())
    json["data"] = data;
  return json;
}

ResponseError ResponseError::fromJson(const Json &json) {
  ResponseError error;
  if (!json.is_object()) {
    error.message = "the peer answered with an error of unknown form";
    return error;
  }
  if (auto it = json.find("code"); it != json.end() && it->is_number_integer())
    error.code = static_cast<ErrorCode>(it->get<int>());
  if (auto it = json.find("message"); it != json.end() && it->is_string())
    error.message = it->get<std::string>();
  if (auto it = json.find("data"); it != json.end())
    error.data = *it;
  return error;
}

Message Message::fromJson(Json json) {
  Message message;
  auto invalid = [&](const char *why) {
    message.kind = Kind::Invalid;
    message.invalid = why;
    return message;
  };
  if (!json.is_object())
    return invalid("a message must be a JSON object");
  auto id = json.find("id");
  if (id != json.end()) {
    if (!id->is_string() && !id->is_number_integer() && !id->is_null())
      return invalid("the id must be a string or an integer");
    message.id = *id;
  }
  auto version = json.find("jsonrpc");
  if (version == json.end() || *version != "2.0")
    return invalid("\"jsonrpc\":\"2.0\" is missing");
  if (auto method = json.find("method"); method != json.end()) {
    if (!method->is_string())
      return invalid("the method must be a string");
    message.method = method->get<std::string>();
    if (auto params = json.find("params"); params != json.end()) {
      if (!params->is_structured() && !params->is_null())
        return invalid("params must be an object or an array");
      message.params = std::move(*params);
    }
    message.kind = id != json.end() ? Kind::Request : Kind::Notification;
    return message;
  }
  if (id == json.end())
    return invalid("neither a method nor an id");
  if (auto error = json.find("error"); error != json.end() && !error->is_null())
    message.error = ResponseError::fromJson(*error);
  else if (auto result = json.find("result"); result != json.end())
    message.result = std::move(*result);
  else
    return invalid("neither a method, a result nor an error");
  message.kind = Kind::Response;
  return message;
}

Json makeRequest(const Json &id, const std::string &method, Json params) {
  Json json = {{"jsonrpc", "2.0"}, {"id", id}, {"method", method}};
  if (!params.is_null())
    json["params"] = std::move(params);
  return json;
}

Json makeNotification(const std::string &method, Json params) {
  Json json = {{"jsonrpc", "2.0"}, {"method", method}};
  if (!params.is_null())
    json["params"] = std::move(params);
  return json;
}

Json makeResult(const Json &id, Json result) {
  Json json = {{"jsonrpc", "2.0"}, {"id", id}};
  json["result"] = std::move(result);
  return json;
}

Json makeError(const Json &id, const ResponseError &error) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", error.json()}};
}

} // namespace tilewright::lsp
