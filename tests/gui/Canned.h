//===- Canned.h - one compiled operator as data ---------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "FakeBackend.h"

namespace tilewright::gui {

/// The text of resources/examples/swiglu_ffn.mlir.
QByteArray cannedSource();
/// A backend that knows that operator: stages, IR, graphs, a run with a trace.
std::unique_ptr<FakeBackend> cannedBackend();
/// Chrome JSON of a run on `cores` cores with about `tasks` tasks.
QByteArray cannedTrace(int cores, int tasks);
/// A layered graph of `count` operations, for size tests.
model::Graph cannedLargeGraph(int count);

} // namespace tilewright::gui
