//===- SessionState.h - what all parts of a session share -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "lsp/protocol/Connection.h"
#include "lsp/protocol/WorkerPool.h"
#include "lsp/server/LspConversion.h"
#include "lsp/server/OpenDocuments.h"
#include "lsp/server/Server.h"
#include <atomic>
#include <memory>
#include <set>

namespace tilewright::lsp {

using Request = std::shared_ptr<IncomingRequest>;

/// One client's session: its texts, what it said of itself when it began, and
/// the ends it is joined to. What initialize() sets is written by the reading
/// thread before any other request comes.
struct SessionState {
  Server::Options options;
  PositionEncoding encoding = PositionEncoding::Utf16;
  bool positions = false;    ///< ranges in our results as positions, not bytes
  bool watchesFiles = false; ///< the client lets us say which files to watch
  bool refreshesLenses = false; ///< the client lets us ask for that
  bool snippets = false;        ///< the client takes them in completions
  bool labelOffsets = false;    ///< the client takes them in signatures
  bool codeLens = true;         ///< the client wants them
  bool chinese = false;         ///< the client's language
  /// Code may be run. Only what the client says of itself counts, never a
  /// setting: those may come with the very folder that is in question.
  std::atomic<bool> trusted = false;
  /// Commands that the client carries out itself, and may be offered.
  std::set<std::string> commands;
  bool versionedEdits = false; ///< the client takes `documentChanges`

  OpenDocuments documents;
  Connection *rpc = nullptr;
  EngineSupervisor *engines = nullptr; ///< valid while its destructor runs, too
  /// Draws pictures; null when the session ends.
  std::unique_ptr<WorkerPool> drawing = std::make_unique<WorkerPool>(1);

  /// Empty: the engine's default.
  std::string target() const {
    std::lock_guard lock(mutex);
    return currentTarget;
  }
  void setTarget(const std::string &name) {
    std::lock_guard lock(mutex);
    currentTarget = name;
  }

  /// The text of a document that can be asked about; throws RequestError TW0605
  /// (not open) or TW0612 (out of step).
  TextSnapshot require(const std::string &uri) const;

  TextLookup lookup() const {
    return [this](const std::string &uri) { return documents.find(uri); };
  }

  /// TW0612: an edit was lost.
  static model::Diagnostic outOfStep(const std::string &uri,
                                     const std::string &why);
  /// Stage documents are shown, not compiled.
  static bool isSource(const std::string &uri) {
    return !uri.starts_with("tilewright:");
  }

private:
  mutable std::mutex mutex;
  std::string currentTarget;
};

} // namespace tilewright::lsp
