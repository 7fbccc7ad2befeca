//===- Signature.h - what an operation or call takes ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::frontend {

class SourceSnapshot;

struct SignatureParameter {
  int64_t begin = 0, end = 0; ///< bytes of the label
  std::string documentation;  ///< markdown; may be empty
};

struct Signature {
  std::string label; ///< `tw.matmul lhs, rhs [acc acc] {…} : (types) -> types`
  std::string documentation; ///< markdown
  std::vector<SignatureParameter> parameters;
  int active = -1; ///< that is being written; -1: none of them
};

/// Of the operation that is being written around `offset`, or of the function
/// in the brackets of a call. The text need not be right anywhere.
std::optional<Signature> signatureAt(const SourceSnapshot &source,
                                     int64_t offset);

} // namespace tilewright::frontend
