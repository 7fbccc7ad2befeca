//===- MeasureCpu.h - the machine at hand as a target -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/target/Target.h"
#include <filesystem>

namespace tilewright::target {

/// What identifies the machine: CPU model, features, caches, cores this process
/// may use. Equal text: measured figures still hold.
std::string cpuIdentity();

/// Target "cpu": caches from the system, rates from short probes (about half a
/// second in all; the best of several rounds counts, so that another process
/// at work disturbs little).
Target measureCpu();

/// As measureCpu, but from `folder`/cpu.json where that was written for the
/// same cpuIdentity(); else measured and written there. An unusable or
/// unwritable file only costs the time to measure again. What was measured on a
/// busy machine is kept too, so that equal programs get equal tiles from one
/// command to the next; the description then says so and how to measure again.
Target cachedCpu(const std::filesystem::path &folder);

} // namespace tilewright::target
