//===- Session.h - compiles operators and keeps every stage -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C++ API of the compiler. A Session turns a source text into a
// Compilation: every stage, every pass result, diagnostics, decisions and the
// program to run. It runs MLIR in this process: half-typed or hostile text can
// bring the process down (see docs/architecture.md); the language server and
// the command line keep it in a child process for that reason.
//
// No MLIR type appears here, so that users need no MLIR headers.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Decision.h"
#include "core/model/Diagnostic.h"
#include "core/model/Diff.h"
#include "core/model/GraphPart.h"
#include "core/model/MemoryMap.h"
#include "core/model/Override.h"
#include "core/model/Stage.h"
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace tilewright {

namespace target {
class TargetRegistry;
}
struct PassEntry;

/// What to compile.
struct CompileRequest {
  std::string uri;  ///< for diagnostics; need not exist as a file
  std::string text; ///< the source
  int64_t documentVersion = 0;
  std::string target = "cpu"; ///< a name known to the target registry
  /// Folder of the source: targets beside it are known, too. Empty: none.
  std::string sourceFolder;
  /// Compiles this function alone, with the functions it uses; empty, or no
  /// function of the source: all. The rest of the text need not be right.
  std::string function;
  /// Errors that compiling all functions met. Those that `function` alone does
  /// not meet join the diagnostics as warnings.
  std::vector<model::Diagnostic> elsewhere;
  std::vector<model::Pin> pins;
  /// What reading the pins file found wrong; joins the diagnostics.
  std::vector<model::Diagnostic> pinProblems;
  /// IR that persons wrote for what passes leave; see docs/overrides.md. One
  /// that is wrong, or that a pass fails with, is reported and left out.
  std::vector<model::Override> overrides;
  /// What reading them found wrong; joins the diagnostics.
  std::vector<model::Diagnostic> overrideProblems;
};

/// Fraction is in [0, 1]; the message names the pass.
using CompileProgress =
    std::function<void(double fraction, const std::string &message)>;

/// One compiled state. Immutable: it can be kept and read from any thread while
/// the session compiles something else, and outlives the session's caches.
class Compilation {
public:
  ~Compilation();

  /// Every pass in the order it ran, with diagnostics.
  const model::StageTable &stages() const;
  /// The decisions in force, by key.
  const std::vector<model::Decision> &decisions() const;
  /// False if an error stopped the compilation; the stages before it exist.
  bool complete() const { return stages().complete; }

  /// The name of the snapshot that `name` means: "tile/expand-tiles" itself
  /// (a pass that changed nothing means the last one that did), or "tile" for
  /// the last of its stage. Empty and `error` set (TW0610) if there is none.
  std::string resolve(const std::string &name,
                      model::Diagnostic *error = nullptr) const;

  /// A snapshot as text. Empty and `error` set if there is no such snapshot.
  std::optional<model::PrintedStage>
  print(const std::string &snapshot, model::Diagnostic *error = nullptr) const;
  /// A snapshot as a graph, or a part of it; null and `error` set if there is
  /// no such snapshot (TW0610) or group (TW0618). What is not told is not made;
  /// the last parts asked for are remembered, and compilations that share the
  /// snapshot share them.
  std::shared_ptr<const model::Graph>
  graph(const std::string &snapshot, model::Diagnostic *error = nullptr,
        const model::GraphPart &part = {}) const;
  /// The on-chip buffers of a snapshot of the Block graph in address and time.
  /// TW0613 if it has no offsets (yet).
  std::optional<model::MemoryMap>
  memoryMap(const std::string &snapshot = "block",
            model::Diagnostic *error = nullptr) const;
  /// What changed from one snapshot to another, by key.
  std::optional<model::Diff> diff(const std::string &from,
                                  const std::string &to,
                                  model::Diagnostic *error = nullptr) const;

  struct Impl;
  /// For the rooms of the engine; the type is private to core/pipeline.
  const Impl &impl() const { return *state; }
  explicit Compilation(std::unique_ptr<Impl> state);

private:
  std::unique_ptr<Impl> state;
};

/// Figures about the caches, for tests and the status line.
struct SessionStatistics {
  int64_t scopesCompiled = 0; ///< ran the scope passes
  int64_t scopesReused = 0;   ///< found by content
  int64_t compilations = 0;
  /// Milliseconds of the scopes compiled: in passes, and in what it costs to
  /// keep their results (fingerprints, bytecode, digests by key). Measured.
  double passMilliseconds = 0, captureMilliseconds = 0;
};

/// Compiles texts, re-using scopes by content between compilations. Thread
/// safe; compilations run one after the other.
class Session {
public:
  explicit Session(std::shared_ptr<target::TargetRegistry> targets);
  /// With other passes than passList(), in the same order of units; for tests
  /// that need a pass to be wrong.
  Session(std::shared_ptr<target::TargetRegistry> targets,
          std::vector<PassEntry> passes);
  ~Session();

  /// Never null, never throws for bad input: look at `complete()` and
  /// `stages().diagnostics`. Null only if stopped by `stop`.
  std::shared_ptr<const Compilation>
  compile(const CompileRequest &request, std::stop_token stop = {},
          const CompileProgress &progress = {});

  SessionStatistics statistics() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace tilewright
