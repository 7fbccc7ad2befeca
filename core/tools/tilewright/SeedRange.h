//===- SeedRange.h - which numbers are seeds --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/tools/tilewright/Table.h"
#include <CLI/CLI.hpp>
#include <charconv>

namespace tilewright::tool {

/// Refuses what is no integer of 64 bits: the parser would take -1 for the
/// largest number there is.
inline CLI::Validator seedRange() {
  return CLI::Validator(
      [](const std::string &text) {
        uint64_t value = 0;
        const char *end = text.data() + text.size();
        auto [at, failed] = std::from_chars(text.data(), end, value);
        return failed == std::errc() && at == end
                   ? std::string()
                   : "must be an integer from 0 to 18446744073709551615; it "
                     "is " +
                         printable(text);
      },
      "");
}

} // namespace tilewright::tool
