//===- Parameters.h - reading what clients send -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/protocol/Message.h"
#include "lsp/protocol/TextDocument.h"
#include <string>

namespace tilewright::lsp {

/// Throws RequestError with a diagnostic.
[[noreturn]] void refuse(const std::string &code, const std::string &message,
                         const std::string &uri = "",
                         ErrorCode rpcCode = ErrorCode::InvalidParams,
                         const std::string &hint = "");

/// `json[name]`, empty if there is none; what is no string is refused (TW0606).
std::string stringField(const Json &json, const char *name);

/// `{uri}` or LSP's `{textDocument: {uri}}`; else refused (TW0606).
std::string uriOf(const Json &params);

/// The byte that `position` (in the client's encoding) or `offset` means in
/// `text`; else refused (TW0606).
int64_t offsetOf(const Json &params, const TextDocument &text,
                 PositionEncoding encoding);

/// Refuses (TW0606) params that lack a field of `example` or have one of
/// another kind.
void requireForm(const Json &params, const Json &example);

} // namespace tilewright::lsp
