//===- EventGroups.cpp - which events are needed --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/check/EventGroups.h"
#include "core/check/PipeOrder.h"
#include <algorithm>

namespace tilewright::check {

using execute::StepCode;

std::vector<EventGroup> eventGroupsOf(const KernelTrace &trace) {
  // Steps in order of appearance, joined by a union-find.
  std::vector<const StepCode *> steps;
  std::map<const StepCode *, size_t> numbers;
  std::vector<size_t> parents;
  auto numberOf = [&](const StepCode *step) {
    auto [it, isNew] = numbers.try_emplace(step, steps.size());
    if (isNew) {
      steps.push_back(step);
      parents.push_back(parents.size());
    }
    return it->second;
  };
  auto root = [&](size_t at) {
    while (parents[at] != at)
      at = parents[at] = parents[parents[at]];
    return at;
  };
  struct Sides {
    std::vector<size_t> sets, waits;
  };
  std::map<int, Sides> events;
  for (const TraceEntry &entry : trace.entries) {
    if (entry.kind == TraceEntry::Instruction)
      continue;
    size_t number = numberOf(entry.step);
    if (entry.kind == TraceEntry::Set)
      events[entry.event].sets.push_back(number);
    else if (entry.kind == TraceEntry::Wait)
      events[entry.event].waits.push_back(number);
  }
  for (auto &[event, sides] : events)
    for (size_t i = 0; i < std::min(sides.sets.size(), sides.waits.size());
         ++i) {
      size_t a = root(sides.sets[i]), b = root(sides.waits[i]);
      parents[std::max(a, b)] = std::min(a, b);
    }
  std::map<size_t, EventGroup> groups;
  for (size_t i = 0; i < steps.size(); ++i)
    groups[root(i)].push_back(steps[i]);
  std::vector<EventGroup> out;
  for (auto &[first, group] : groups)
    out.push_back(std::move(group));
  return out;
}

void EventUses::add(const KernelTrace &trace, const MemoryOrder &memory) {
  for (EventGroup &group : eventGroupsOf(trace)) {
    if (std::ranges::any_of(group, [&](const StepCode *step) {
          return neededSteps.contains(step);
        })) {
      neededSteps.insert(group.begin(), group.end());
      continue;
    }
    PipeOrder order(trace, [&](const TraceEntry &entry) {
      return entry.kind != TraceEntry::Instruction &&
             std::ranges::find(group, entry.step) != group.end();
    });
    bool right =
        order.completes() && order.problems().empty() &&
        std::ranges::all_of(memory.needed, [&](const OrderNeeded &needed) {
          return order.before(needed.first, needed.second);
        });
    if (right)
      candidates.push_back(std::move(group));
    else
      neededSteps.insert(group.begin(), group.end());
  }
}

std::vector<EventGroup> EventUses::superfluous() const {
  std::vector<EventGroup> out;
  std::set<const StepCode *> told;
  for (const EventGroup &group : candidates) {
    bool isNew = false, isNeeded = false;
    for (const StepCode *step : group) {
      isNeeded |= neededSteps.contains(step);
      isNew |= told.insert(step).second;
    }
    if (isNew && !isNeeded)
      out.push_back(group);
  }
  return out;
}

} // namespace tilewright::check
