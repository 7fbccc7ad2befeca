//===- EventGroups.h - which events are needed ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/check/MemoryOrder.h"
#include <map>
#include <set>

namespace tilewright::check {

/// The sets and waits that belong together because in some run one meets the
/// other, or one barrier. In order of their first run.
using EventGroup = std::vector<const execute::StepCode *>;

/// The groups of a trace. Needs a trace whose waits are all met.
std::vector<EventGroup> eventGroupsOf(const KernelTrace &trace);

/// Gathers over several traces of a kernel which groups are needed: without
/// them some order of the pipes would be wrong. `memory` is that of the trace,
/// which must be right with all its events.
class EventUses {
public:
  void add(const KernelTrace &trace, const MemoryOrder &memory);
  /// Groups no trace needs. Each can go alone; not always several at once.
  std::vector<EventGroup> superfluous() const;

private:
  std::vector<EventGroup> candidates;
  std::set<const execute::StepCode *> neededSteps;
};

} // namespace tilewright::check
