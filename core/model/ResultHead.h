//===- ResultHead.h - what every result about a text begins with *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace tilewright::model {

/// Which text, in which state and compiled for what, a result is about.
struct ResultHead {
  std::string uri;
  int64_t documentVersion = 0;
  int64_t generation = 0; ///< number of the compilation
  std::string target;
};

/// A JSON object with schema, version and the head.
nlohmann::json makeHeader(const char *schema, int version,
                          const ResultHead &head);
/// Throws what checkHeader() throws.
void readHeader(const nlohmann::json &json, const char *schema, int version,
                ResultHead &head);

} // namespace tilewright::model
