//===- ByteCount.cpp - sizes for a person ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/model/ByteCount.h"
#include <cmath>
#include <cstdio>

namespace tilewright::model {

std::string formatBytes(int64_t bytes) {
  char text[32];
  auto put = [&](double value, const char *unit) {
    if (std::abs(value - std::round(value)) < 0.05)
      std::snprintf(text, sizeof text, "%.0f %s", value, unit);
    else
      std::snprintf(text, sizeof text, "%.1f %s", value, unit);
  };
  if (bytes < 1024)
    put(double(bytes), "bytes");
  else if (bytes < 1024 * 1024)
    put(double(bytes) / 1024, "KiB");
  else
    put(double(bytes) / (1024 * 1024), "MiB");
  return text;
}

} // namespace tilewright::model
