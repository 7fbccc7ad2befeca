//===- InsertSync.h - events between pipes ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"
#include "core/pass/TargetPass.h"

namespace tilewright::pass {

/// Events a pair of pipes has.
inline constexpr unsigned eventsPerPair = 8;

/// Makes every instruction of `kernel` wait for those of other pipes whose
/// buffers it shares: `set_event` behind the earlier one, `wait_event` before
/// the later one. Dependencies on the previous turn of a loop get one event a
/// pair of pipes, set once before the outermost loop and waited for once behind
/// it. What
/// follows from other events gets none; where events run out, a barrier.
/// Nothing is inserted where the core has one pipe. Replaces events that are
/// there.
///
/// Needs pipes and, to know which buffers share room, offsets.
mlir::LogicalResult insertSync(block::KernelOp kernel,
                               const target::Target &target);

std::unique_ptr<mlir::Pass> createInsertSyncPass(TargetPtr target = nullptr);

} // namespace tilewright::pass
