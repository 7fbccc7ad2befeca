//===- ByteCount.h - sizes for a person -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace tilewright::model {

/// "96 bytes", "213 KiB", "1.5 MiB": at most one decimal.
std::string formatBytes(int64_t bytes);

} // namespace tilewright::model
