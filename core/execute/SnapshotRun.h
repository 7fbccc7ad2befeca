//===- SnapshotRun.h - runs what any pass left ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/TensorInterpreter.h"
#include "mlir/IR/OwningOpRef.h"
#include <map>
#include <string>
#include <vector>

namespace tilewright::execute {

/// A snapshot in the parts it is kept in. Scope keys stay relative ("$3"); the
/// calls in `program` say what they stand for.
struct SnapshotParts {
  /// The whole program; or, with `scopes`, what is outside them: functions that
  /// call the scopes by name.
  mlir::OwningOpRef<mlir::ModuleOp> program;
  struct Scope {
    std::string name;
    /// Equal for scopes of equal content, also across snapshots.
    std::string content;
    mlir::OwningOpRef<mlir::ModuleOp> module;
  };
  std::vector<Scope> scopes;
  /// The pipes of a core wait for each other by events: they are run at the
  /// same time, under another schedule each task.
  bool isSynchronized = false;
};

/// A whole tensor met during a run.
struct SnapshotTensor {
  /// All the keys it may be known by, without scope-relative ones.
  std::vector<std::string> keys;
  std::string scope; ///< symbol; empty outside scopes
  TensorRef tensor;
  MatmulBound bound;
  /// A result of the function or of a scope: a buffer of the compiled program.
  bool isStored = false;
  int output = -1; ///< which result of the function; -1: none
};

struct SnapshotRunOptions {
  const std::atomic<bool> *cancel = nullptr;
  int threads = 0; ///< 0: all
  /// Bytes of each on-chip level of the target by name.
  std::map<std::string, int64_t> levelBytes;
  /// Also keep what is neither a result of the function nor of a scope.
  bool observe = true;
  bool bounds = false;      ///< as in TensorRunOptions
  bool carryErrors = false; ///< as in TensorRunOptions
};

/// Runs the snapshots of one compilation in their order, all on the same
/// inputs. A scope that a pass left as it was, called with the same tensors, is
/// not run again. Not thread safe.
class SnapshotRunner {
public:
  SnapshotRunner(std::string function, std::vector<TensorRef> inputs,
                 SnapshotRunOptions options);

  /// What the function and its scopes made, in program order, the function's
  /// results last. On failure empty and `error` set: the codes of
  /// interpretTensorGraph and BlockInterpreter, TW0561 (nothing in it that can
  /// be run), TW0519 (cancelled).
  std::optional<std::vector<SnapshotTensor>> run(SnapshotParts &snapshot,
                                                 model::Diagnostic &error);

  /// Keys of the results of the function, known once its first snapshot ran.
  const std::vector<std::vector<std::string>> &outputKeys() const {
    return outputs;
  }

  /// The scope in which the last run failed; empty if outside of any.
  const std::string &failedScope() const { return failed; }

private:
  struct Memo {
    std::string content;
    bool isSynchronized = false;
    std::vector<TensorRef> arguments, results;
  };
  class Running;

  std::vector<TensorRef> runBlocks(mlir::ModuleOp module,
                                   llvm::StringRef program,
                                   const std::vector<TensorRef> &arguments,
                                   const std::map<std::string, int64_t> &bytes,
                                   bool isSynchronized);

  std::string function;
  std::vector<TensorRef> inputs;
  SnapshotRunOptions options;
  std::vector<std::vector<std::string>> outputs;
  /// Relative keys of each result of each scope, from the first snapshot that
  /// has scopes: later ones name loops and buffers instead.
  llvm::StringMap<std::vector<std::vector<std::string>>> scopeResults;
  std::string failed;
  std::vector<Memo> memos; ///< one a call of a scope, in program order
};

} // namespace tilewright::execute
