//===- EngineSession.h - one command's talk with the engine -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/tools/tilewright/SourceFile.h"
#include "lsp/client/EngineSupervisor.h"

namespace tilewright::tool {

/// The engine, started when first asked. Shows progress on a terminal. Ctrl-C
/// cancels the request (the engine is killed if it does not listen) and throws
/// Failure with exit code 130; a second one ends the program at once. Make it
/// before any thread is started.
class EngineSession {
public:
  EngineSession();
  ~EngineSession();
  EngineSession(const EngineSession &) = delete;
  EngineSession &operator=(const EngineSession &) = delete;

  void open(const SourceFile &source);
  /// The result; errors are thrown as Failure.
  lsp::Json ask(const char *method, lsp::Json params);

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tilewright::tool
