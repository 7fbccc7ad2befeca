//===- CheckBlock.h - faults of kernels, without running them ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "core/target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include <functional>
#include <vector>

namespace tilewright::check {

struct CheckOptions {
  std::string uri; ///< put into the findings
  /// Where the operation of a key stands in the source; may be empty.
  std::function<model::TextRange(llvm::StringRef key)> rangeOf;
  bool superfluous = true; ///< look for superfluous events too
  size_t maxFindings = 20; ///< for each kernel
};

/// Checks the kernels of a Block graph whose instructions have pipes, buffers
/// offsets and events (what `insert-sync` leaves; also a person's). Each kernel
/// is followed through loops and branches at the corners of the grids it is
/// dispatched over, and at up to 64 tasks between where control depends on the
/// task; with loaded conditions taken both ways; a large loop through its first
/// and last turns. Of that, every order the pipes may take is covered, not one.
/// Findings (empty: none):
///
///   TW0450  two accesses of the same bytes, one a write, that nothing orders
///   TW0451  bytes read that no instruction wrote
///   TW0452  a buffer's bytes overwritten through another buffer while in use
///   TW0453  a wait that no set reaches
///   TW0454  an event set again before it was waited for
///   TW0455  an event set that nobody waits for
///   TW0456  pipes that wait for each other for ever
///   TW0457  a superfluous event or barrier (warning)
///   TW0458  a buffer at an offset the level's alignment forbids
///   TW0459  an access outside its buffer
///   TW0460  an instruction that overwrites what it still reads
///   TW0461  an event id the target does not have
///   TW0433  a buffer beyond the level's end
///
/// Errors of decoding (TW0430 to TW0434) come back as the only finding.
std::vector<model::Diagnostic> checkBlock(mlir::ModuleOp module,
                                          const target::Target &target,
                                          const CheckOptions &options = {});

} // namespace tilewright::check
