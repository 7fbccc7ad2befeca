//===- SchemaChecker.h - JSON against resources/schemas ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tilewright::testing {

/// Checks JSON against the schemas of a folder, by the part of JSON Schema
/// 2020-12 they use; a schema that uses anything else is itself an error.
class SchemaChecker {
public:
  /// Reads `folder`/*.schema.json.
  explicit SchemaChecker(const std::string &folder);

  /// What is wrong with `json`, each with its place ("/nodes/3/id: …"). With
  /// `strict`, a field the schema does not describe is wrong too: for what we
  /// write ourselves.
  std::vector<std::string> check(const nlohmann::json &json,
                                 const std::string &schema,
                                 bool strict = true) const;

  /// Names of the schemas read, without ".schema.json".
  std::vector<std::string> names() const;

private:
  std::map<std::string, nlohmann::json> schemas;
};

} // namespace tilewright::testing
