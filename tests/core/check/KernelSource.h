//===- KernelSource.h - small kernels as text -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tilewright::test {

/// A program of one kernel on a vector core, with an input `%x` and a result
/// `%y` of 8x16xf32 in global memory, dispatched over a grid of 1. `body` is
/// the kernel's, in a short form, one operation a line:
///
///   alloc a 0 2x16      buffer %a at offset 0 of UB; "-": nowhere yet
///   load a x 0          rows of %x from 0 on into %a, on MTE2
///   store a y 2         %a into rows of %y from 2 on, on MTE3
///   exp a b             %b = exp(%a), on VEC; also neg
///   add a b c           %c = %a + %b, on VEC
///   set MTE2 VEC 0      wait MTE2 VEC 0      barrier
///
/// Anything else is passed on as it stands.
std::string kernelSource(const std::string &body);

/// Kernels that are right, by name: what people and the pipeline write.
std::vector<std::pair<std::string, std::string>> rightKernels();

} // namespace tilewright::test
