//===- CompileService.h - compiled states of open documents -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Decision.h"
#include "core/pipeline/Session.h"
#include "core/target/Target.h"
#include "lsp/engine/EngineDocuments.h"
#include "lsp/engine/OverrideTrials.h"
#include "lsp/protocol/Connection.h"
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace tilewright::engine {

/// The compile side of the engine: compiles what a request names, once per
/// document version and target, and keeps the last few results. Thread safe.
class CompileService {
public:
  CompileService(std::shared_ptr<target::TargetRegistry> targets,
                 const EngineDocuments &documents);

  /// The compiled state that `request` asks for by its `uri` and `target`
  /// parameters. Stops and throws when the request is cancelled; throws
  /// RequestError for an unknown document.
  std::shared_ptr<const Compilation>
  compile(const lsp::IncomingRequest &request, const std::string &uri,
          const std::string &target);

  /// As compile(); if the whole cannot be read or compiled, of `function` alone
  /// (with what it uses), unless that is empty: errors elsewhere in the
  /// document are warnings then.
  std::shared_ptr<const Compilation>
  compileFunction(const lsp::IncomingRequest &request, const std::string &uri,
                  const std::string &target, const std::string &function);

  /// The same state, which must be complete: otherwise throws its first error.
  std::shared_ptr<const Compilation>
  compileWhole(const lsp::IncomingRequest &request, const std::string &uri,
               const std::string &target, const std::string &function = "");

  /// As compile(), but with `overrides` in place of those that are kept beside
  /// the document.
  std::shared_ptr<const Compilation>
  compileWith(const lsp::IncomingRequest &request, const std::string &uri,
              const std::string &target,
              std::vector<model::Override> overrides);
  /// An override that brought an engine down is compiled with again.
  void tryAgain(const std::string &uri, const model::Override &override);

  target::TargetRegistry &registry() const { return *targets; }
  std::string currentTarget() const;
  /// As EngineDocuments has it.
  std::string pinsPathOf(const std::string &uri) const {
    return documents.pinsPathOf(uri);
  }
  /// Throws RequestError if there is no such target.
  void setCurrentTarget(const std::string &name);

private:
  std::shared_ptr<const Compilation>
  compilePart(const lsp::IncomingRequest &request, const std::string &uri,
              const std::string &target, const std::string &function,
              std::vector<model::Diagnostic> elsewhere);
  /// What a request asks for, but its text and pins.
  CompileRequest wantedOf(const std::string &uri, const std::string &target,
                          const std::string &function,
                          const EngineDocuments::Text &document) const;
  EngineDocuments::Text requireText(const std::string &uri) const;
  /// Throws when the request is cancelled.
  std::shared_ptr<const Compilation> run(const lsp::IncomingRequest &request,
                                         CompileRequest wanted);

  struct Kept {
    std::string uri;
    std::string target;
    std::string function; ///< compiled alone; empty: all
    int64_t version;
    std::string pins;      ///< text of the pins file it was compiled with
    std::string overrides; ///< fingerprint of those it was compiled with
    std::shared_ptr<const target::Target> machine;
    std::shared_ptr<const Compilation> compilation;
  };

  std::shared_ptr<target::TargetRegistry> targets;
  const EngineDocuments &documents;
  Session session;
  OverrideTrials trials;
  mutable std::mutex mutex; ///< guards what follows
  std::string current = "cpu";
  std::list<Kept> kept; ///< most recently used first
};

/// Folder of a document's file; empty if it is none.
std::string folderOf(const std::string &uri);

/// The printed stage a request means; throws RequestError if there is none.
model::PrintedStage printedStage(CompileService &service,
                                 const lsp::IncomingRequest &request,
                                 const std::string &uri,
                                 const std::string &target,
                                 const std::string &stage);

/// Registers stages, ir, graph, diff, compile, targets, setTarget and
/// checkTarget.
void registerCompileMethods(lsp::Connection &connection,
                            CompileService &service);

} // namespace tilewright::engine
