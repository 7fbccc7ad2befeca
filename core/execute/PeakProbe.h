//===- PeakProbe.h - how fast this machine can multiply and add -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include <variant>

namespace tilewright::execute {

/// Measured f32 multiply-add rate on registers, in 1e9 flop/s, of `threads`
/// threads together (0: all processors), for about `seconds`. Code for the
/// widest vectors is generated for it, as for kernels.
std::variant<double, model::Diagnostic> measurePeakGflops(int threads,
                                                          double seconds);

} // namespace tilewright::execute
