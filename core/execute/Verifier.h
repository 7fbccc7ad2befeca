//===- Verifier.h - finds the first pass with wrong numbers -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/SnapshotRun.h"
#include "core/model/Verify.h"

namespace tilewright::execute {

struct VerifierOptions {
  std::string function;
  std::vector<TensorRef> inputs;
  SnapshotRunOptions run; ///< `observe` and `bounds` are set by the verifier
  /// Keys of tensors to write; where to. A key is written for every snapshot
  /// that holds it as a whole tensor, as FOLDER/KEY/NN-STAGE-PASS.npy.
  std::vector<std::string> dumpKeys;
  std::string dumpFolder;
};

/// Runs snapshots in their order on the same inputs and compares what they make
/// with what the first one, the source, makes: results of the function and of
/// scopes, which decide whether a pass is right, and what else goes by a name,
/// which tells where it went wrong. The tolerance is compareTensors'.
///
/// A name made on the way ("p.row_max") is compared with the first snapshot
/// that has it, and may be off by what errors carried through that snapshot
/// come to. An operation that stands for several keys agrees if it agrees with
/// one of them.
class Verifier {
public:
  explicit Verifier(VerifierOptions options);

  /// Runs `snapshot`, which `pass` left; the first is the reference. False if
  /// cancelled.
  bool run(const std::string &pass, SnapshotParts &snapshot);
  /// `pass` changed nothing.
  void unchanged(const std::string &pass);
  /// The results of the function by other means, or why there are none.
  void results(const std::string &pass, const std::vector<TensorRef> &tensors,
               double milliseconds);
  void failed(const std::string &pass, model::Diagnostic diagnostic,
              const std::string &scope = "");

  /// What was found. `uri`, `target` and the like are left to the caller.
  model::VerifyResult take();

private:
  struct Reference {
    TensorRef tensor;
    MatmulBound bound;
    size_t origin = 0; ///< the snapshot it comes from, one of `origins`
  };
  /// A snapshot that others are compared with, and the errors that products
  /// and roundings in it may have made; worked out when first asked for.
  struct Origin {
    SnapshotParts parts;
    bool hasCarried = false;
    std::map<std::string, MatmulBound> byKey;
    std::vector<MatmulBound> outputs;
  };

  /// For a tensor whose rows may have cancelled; null: not known.
  const MatmulBound *carried(const Reference &want, const std::string &key,
                             int output);
  /// `snapshot`: what made them; null if there is none.
  void compare(const std::string &pass, std::vector<SnapshotTensor> found,
               double milliseconds, SnapshotParts *snapshot);
  /// `count`: with a histogram.
  std::optional<model::VerifyCheck> check(const SnapshotTensor &got,
                                          bool count);
  void addOrigin(SnapshotParts &snapshot);
  /// Whether anything new was learned; of the snapshot that comes next.
  bool learn(const std::vector<SnapshotTensor> &found, bool all);
  void dump(const std::string &pass, const std::vector<SnapshotTensor> &found);

  VerifierOptions options;
  SnapshotRunner runner;
  SnapshotRunner source;                       ///< as `runner`, with bounds
  std::map<std::string, Reference> references; ///< by key
  std::vector<Reference> outputs;
  std::vector<Origin> origins; ///< the source first
  int64_t referenceBytes = 0;
  int dumped = 0;
  model::VerifyResult result;
};

} // namespace tilewright::execute
