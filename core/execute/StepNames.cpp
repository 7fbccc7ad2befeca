//===- StepNames.cpp - what messages call a step --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/StepNames.h"

namespace tilewright::execute {

std::string eventName(const BlockCode &code, const RoutineCode &kernel,
                      const StepCode &step) {
  const EventCode &event = kernel.events[size_t(step.event)];
  return code.pipes[size_t(event.from)] + " to " +
         code.pipes[size_t(event.to)] + " id " + std::to_string(event.id);
}

std::string stepName(const BlockCode &code, const RoutineCode &kernel,
                     const StepCode &step) {
  std::string text = step.name;
  if (step.event >= 0)
    text += " " + eventName(code, kernel, step);
  else if (step.pipe >= 0)
    text += " on " + code.pipes[size_t(step.pipe)];
  if (!step.key.empty())
    text += " (" + step.key + ")";
  return text;
}

} // namespace tilewright::execute
