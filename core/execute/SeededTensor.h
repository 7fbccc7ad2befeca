//===- SeededTensor.h - the same random numbers everywhere ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/HostTensor.h"
#include <string_view>

namespace tilewright::execute {

/// Small enough that chains of matmuls of a few thousand stay within f16.
inline constexpr double defaultSeedScale = 0.25;

/// A tensor of random numbers that depend on `seed`, `name` (of the argument)
/// and the position alone, not on the machine: no library function is used.
/// Floats are close to normal (a sum of twelve, so within 6 standard
/// deviations) with mean 0 and standard deviation `scale`; i1 is even odds,
/// other integers are spread over [-64, 64). Fails as HostTensor::make does.
std::optional<HostTensor> seededTensor(Element element,
                                       std::vector<int64_t> shape,
                                       uint64_t seed, std::string_view name,
                                       model::Diagnostic &error,
                                       double scale = defaultSeedScale);

} // namespace tilewright::execute
