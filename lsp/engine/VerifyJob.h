//===- VerifyJob.h - what the runner is given to verify ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Verify.h"
#include "lsp/protocol/Connection.h"
#include <map>
#include <string>
#include <vector>

namespace tilewright::engine {

/// The snapshots of a compilation as files of bytecode, in the order of their
/// passes. All paths are files that both processes reach.
struct VerifyJob {
  struct Scope {
    std::string name;
    std::string file; ///< the same for scopes of the same content
  };
  struct Step {
    std::string pass;
    std::string program; ///< empty: the pass changed nothing
    std::vector<Scope> scopes;
  };

  std::string function;
  std::vector<std::string> inputs; ///< .npy, one an argument
  int threads = 0;                 ///< 0: all processors
  std::map<std::string, int64_t> levelBytes;
  std::vector<Step> steps;
  std::string compiled; ///< written by CompiledProgram::write; may be empty
  std::vector<std::string> dumpKeys;
  std::string dumpFolder; ///< may be empty
};
void to_json(lsp::Json &json, const VerifyJob &job);
void from_json(const lsp::Json &json, VerifyJob &job);

/// Runs in the runner. Reports progress by pass. Throws RequestError: TW0563
/// (a file is damaged), what reading inputs may say, RequestCancelled.
model::VerifyResult runVerifyJob(const VerifyJob &job,
                                 const lsp::IncomingRequest &request);

} // namespace tilewright::engine
