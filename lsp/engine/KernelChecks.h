//===- KernelChecks.h - the static checker on a compilation -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/pipeline/Session.h"

namespace tilewright::engine {

/// What check::checkBlock finds in the kernels of a compilation, on its source
/// lines; nothing if it did not get as far as kernels.
std::vector<model::Diagnostic> checkKernels(const Compilation &compilation,
                                            const std::string &uri);

} // namespace tilewright::engine
