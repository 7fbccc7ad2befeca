//===- ServerCommands.h - what lenses and actions do ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/server/DocumentChecks.h"

namespace tilewright::lsp {

/// The commands the server carries out itself (`workspace/executeCommand`), so
/// that code lenses and actions act in every editor.
class ServerCommands {
public:
  ServerCommands(SessionState &session, Forwarder &requests,
                 DocumentChecks &checks)
      : session(session), requests(requests), checks(checks) {}

  /// Params as of tilewright/pin, as the one argument.
  static constexpr const char *pin = "tilewright.pin";
  /// Params as of tilewright/unpin, likewise.
  static constexpr const char *unpin = "tilewright.unpin";
  static Json names() { return Json::array({pin, unpin}); }

  void registerAt(Connection &connection);

private:
  void execute(Request request);

  SessionState &session;
  Forwarder &requests;
  DocumentChecks &checks;
};

} // namespace tilewright::lsp
