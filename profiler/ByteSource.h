//===- ByteSource.h - bytes of a file, unpacked if need be ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace tilewright::profiler {

/// A stream of bytes.
class ByteSource {
public:
  virtual ~ByteSource() = default;
  /// Up to `size` bytes; 0 at the end, -1 on failure with `error` set.
  virtual int64_t read(char *into, size_t size, model::Diagnostic &error) = 0;
  /// Share of the underlying bytes that were read, 0 to 1.
  virtual double progress() const = 0;
};

/// Null on failure, with `error` set (TW0080).
std::unique_ptr<ByteSource> openFile(const std::string &path,
                                     model::Diagnostic &error);
/// `text` must outlive the source.
std::unique_ptr<ByteSource> openText(std::string_view text);
/// `packed` unpacked if it is gzip (one or more members), else as it is. Null
/// on failure.
std::unique_ptr<ByteSource> unpack(std::unique_ptr<ByteSource> packed,
                                   model::Diagnostic &error);

} // namespace tilewright::profiler
