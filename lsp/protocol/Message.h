//===- Message.h - JSON-RPC 2.0 messages ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "lsp/protocol/Json.h"
#include <optional>
#include <stdexcept>
#include <string>

namespace tilewright::lsp {

/// The error numbers of JSON-RPC and LSP that are used here.
enum class ErrorCode : int {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  InternalError = -32603,
  ServerNotInitialized = -32002,
  RequestFailed = -32803,
  ContentModified = -32801,
  RequestCancelled = -32800,
  /// Ours, never sent: the peer went away before it answered.
  ConnectionClosed = -32099
};

/// The error object of a response. `data` is a model::Diagnostic where the
/// error is about someone's input.
struct ResponseError {
  ErrorCode code = ErrorCode::InternalError;
  std::string message;
  Json data;

  /// An error that carries `diagnostic`; its message is the diagnostic's.
  static ResponseError of(model::Diagnostic diagnostic,
                          ErrorCode code = ErrorCode::RequestFailed);
  /// The diagnostic in `data`; if there is none, one with code TW0604 is made
  /// from the message.
  model::Diagnostic diagnostic() const;

  Json json() const;
  static ResponseError fromJson(const Json &json);
};

/// Thrown by a handler to answer its request with an error.
class RequestError : public std::runtime_error {
public:
  explicit RequestError(ResponseError error)
      : std::runtime_error(error.message), error(std::move(error)) {}
  RequestError(ErrorCode code, const std::string &message)
      : RequestError(ResponseError{code, message, nullptr}) {}

  ResponseError error;
};

struct Message {
  enum class Kind { Request, Notification, Response, Invalid };
  Kind kind = Kind::Invalid;
  Json id; ///< a number, a string or null
  std::string method;
  Json params;
  Json result;
  std::optional<ResponseError> error;
  std::string invalid; ///< why, for Kind::Invalid

  /// Sorts out one JSON value (not a batch). A message without
  /// `"jsonrpc":"2.0"` is invalid.
  static Message fromJson(Json json);
};

Json makeRequest(const Json &id, const std::string &method, Json params);
Json makeNotification(const std::string &method, Json params);
Json makeResult(const Json &id, Json result);
Json makeError(const Json &id, const ResponseError &error);

} // namespace tilewright::lsp
