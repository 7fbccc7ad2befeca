//===- FormedProgram.h - a program up to its scopes -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/frontend/SourceDocument.h"
#include "core/pipeline/CompilationImpl.h"
#include "core/pipeline/KeyDigest.h"
#include "core/pipeline/Session.h"

namespace tilewright {

/// What the passes before choose-tiles make of a source. No pin of a tile, of
/// buffers or of merging has a say in it, so that a compilation that differs
/// from the last one in such pins only begins here.
struct FormedProgram {
  // What it was made from.
  CompileRequest request; ///< with the pins and overrides that had a say
  pass::TargetPtr target;
  SharedContext context; ///< the digests are of it

  // What came of it.
  Kept program;
  std::shared_ptr<const KeyDigests> digests;
  std::vector<model::PassRecord> records;
  std::vector<Snapshot> snapshots;
  std::map<std::string, size_t> snapshotIndex;
  std::shared_ptr<const frontend::SourceSnapshot> source;
  std::vector<model::Diagnostic> reading; ///< what reading said
  std::vector<model::Diagnostic> passes;  ///< what the passes said
  std::vector<model::Decision> decisions; ///< of form-scopes
  OverrideOutcomes overrides;             ///< behind these passes

  /// Whether a compilation of `request` for `target` in `context` begins with
  /// the same.
  bool serves(const CompileRequest &request, const pass::TargetPtr &target,
              const SharedContext &context) const;
};

/// `pins` without those that only passes from choose-tiles on obey.
std::vector<model::Pin> formingPins(const std::vector<model::Pin> &pins);

} // namespace tilewright
