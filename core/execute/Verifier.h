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
/// that has it. An operation that stands for several keys agrees if it agrees
/// with one of them.
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
  };

  /// The errors that products and roundings of the source may have made, for a
  /// tensor whose rows may have cancelled; worked out when first asked for.
  const MatmulBound *carried(const std::string &key, int output);
  void compare(const std::string &pass, std::vector<SnapshotTensor> found,
               double milliseconds);
  /// `count`: with a histogram.
  std::optional<model::VerifyCheck> check(const SnapshotTensor &got,
                                          bool count);
  void learn(const std::vector<SnapshotTensor> &found, bool all);
  void dump(const std::string &pass, const std::vector<SnapshotTensor> &found);

  VerifierOptions options;
  SnapshotRunner runner;
  SnapshotRunner source;                       ///< as `runner`, with bounds
  std::map<std::string, Reference> references; ///< by key
  std::vector<Reference> outputs;
  SnapshotParts sourceParts; ///< the first snapshot's program
  bool hasCarried = false;
  std::map<std::string, MatmulBound> carriedByKey;
  std::vector<MatmulBound> carriedOutputs;
  int64_t referenceBytes = 0;
  int dumped = 0;
  model::VerifyResult result;
};

} // namespace tilewright::execute
