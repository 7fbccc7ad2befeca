//===- ExperimentService.h - records compiled states ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Experiment.h"
#include "core/model/Run.h"
#include "lsp/engine/CompileService.h"

namespace tilewright::engine {

/// Keeps compiled states and their numbers in the folder of their source
/// (core/experiment). Thread safe: each call opens the database for itself.
class ExperimentService {
public:
  explicit ExperimentService(const EngineDocuments &documents)
      : documents(documents) {}

  /// Records what `compilation` of `uri` was made from and decided, with the
  /// numbers of `run`, if given. Returns its id. Throws RequestError: TW0642
  /// for a text that is in no folder, TW0640.
  int64_t record(const std::string &uri, const Compilation &compilation,
                 const model::RunResult *run, const std::string &note);
  /// As record(), of an estimate: the times of the program and of each kernel.
  int64_t recordEstimate(const std::string &uri, const Compilation &compilation,
                         const model::EstimateList &estimate,
                         const std::string &note);

private:
  /// What every experiment has.
  model::Experiment begin(const std::string &uri,
                          const Compilation &compilation,
                          const std::string &note);
  int64_t keep(const std::string &uri, model::Experiment experiment);

  const EngineDocuments &documents;
};

/// Registers experiments and compare.
void registerExperimentMethods(lsp::Connection &connection);
/// Registers estimate, which may be recorded.
void registerEstimateMethod(lsp::Connection &connection,
                            CompileService &compiler,
                            ExperimentService &experiments);

} // namespace tilewright::engine
