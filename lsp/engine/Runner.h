//===- Runner.h - the process that runs compiled code -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `tilewright-engine --runner` does: serves, over lsp/protocol,
//
//   runner/load {program: path} -> {tasks, inputs, results}
//     with inputs and results as [{dtype, shape}]
//   runner/run {inputs: [path], outputs: [path], threads, repeats, trace?:
//   path}
//     -> {milliseconds: [n], threads, tasks}
//     of the program loaded last; tensors as .npy, the trace (of the
//     fastest repeat) as a tilewright/trace document
//   runner/verify (a VerifyJob) -> tilewright/verify's result
//   runner/peak {threads} -> {gflops}
//
// Compiled code may do anything to this process; its parent reports its death.
//
//===----------------------------------------------------------------------===//
#pragma once

namespace tilewright::engine {

/// Serves until the stream ends; does not return. `in` and `out` are file
/// descriptors.
[[noreturn]] void serveRunner(int in, int out);

} // namespace tilewright::engine
