//===- NumpyFile.h - .npy files ---------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// numpy has no bf16. It is written as `<V2` (two raw bytes an element), as the
// ml_dtypes package does: `np.load(f).view(ml_dtypes.bfloat16)`, or without
// that package `np.load(f).view("u2")` gives the bits.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/HostTensor.h"

namespace tilewright::execute {

/// A tensor from the bytes of a .npy file (versions 1 to 3, either byte order,
/// C or Fortran order; Fortran order is turned into row-major). `V2` reads as
/// bf16. `name` is used in messages. Fails with TW0513 if this is no complete
/// .npy, TW0514 if its element type is none of ours, TW0511 for its size.
std::optional<HostTensor> parseNumpy(std::span<const std::byte> bytes,
                                     const std::string &name,
                                     model::Diagnostic &error);

/// The same from a file; also fails with TW0512 if it cannot be read.
std::optional<HostTensor> readNumpy(const std::string &path,
                                    model::Diagnostic &error);

/// A file that must hold `element` and `shape` (a negative size: any). Wider
/// floats are rounded, `<u2` and `<i2` are taken as the bits of a bf16. Fails
/// also with TW0515 if type or shape are others.
std::optional<HostTensor> readNumpyAs(const std::string &path, Element element,
                                      std::span<const int64_t> shape,
                                      model::Diagnostic &error);

/// Writes to a new file beside `path` and puts that in its place, so that a
/// full disk leaves no half a file. False: `error` is TW0512.
bool writeNumpy(const HostTensor &tensor, const std::string &path,
                model::Diagnostic &error);
/// The same of bytes that lie elsewhere.
bool writeNumpy(Element element, std::span<const int64_t> shape,
                std::span<const std::byte> data, const std::string &path,
                model::Diagnostic &error);

} // namespace tilewright::execute
