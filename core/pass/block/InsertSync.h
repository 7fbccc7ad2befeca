//===- InsertSync.h - events between pipes ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Block/BlockDialect.h"
#include "core/pass/TargetPass.h"

namespace tilewright::pass {

/// Makes every instruction of `kernel` wait for those of other pipes whose
/// bytes it shares: `set_event` behind the earlier one, `wait_event` before the
/// later one. No event is superfluous: without any of them some run is wrong.
/// An event from one turn of a loop to the next is set once before the
/// outermost loop and waited for once behind it; loops that follow each other
/// and use the same buffers hand it on. Where a pair of pipes needs more events
/// than `target.scheduling.eventIds` (0: as many as are wanted), ids are used
/// again where that is safe, then events are taken together, and only then a
/// barrier takes the place of one: else TW0422. Nothing is inserted where the
/// core has one pipe. Replaces events that are there.
///
/// Needs pipes (TW0421) and, to know which buffers share room, offsets.
mlir::LogicalResult insertSync(block::KernelOp kernel,
                               const target::Target &target);

std::unique_ptr<mlir::Pass> createInsertSyncPass(TargetPtr target = nullptr);

} // namespace tilewright::pass
