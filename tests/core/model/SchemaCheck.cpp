//===- SchemaCheck.cpp - checks JSON on standard input --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: schema_check FOLDER [SCHEMA] < document
// Without SCHEMA it is the one the document names. For tests of whole programs.
//
//===----------------------------------------------------------------------===//
#include "SchemaChecker.h"
#include <iostream>

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3)
    return 2;
  nlohmann::json json = nlohmann::json::parse(std::cin, nullptr, false);
  if (json.is_discarded()) {
    std::cout << "not JSON\n";
    return 1;
  }
  std::string schema = argc == 3 ? argv[2] : json.value("schema", "");
  if (schema.rfind("tilewright/", 0) == 0)
    schema.erase(0, 11);
  auto problems =
      tilewright::testing::SchemaChecker(argv[1]).check(json, schema);
  for (const std::string &problem : problems)
    std::cout << problem << '\n';
  return problems.empty() ? 0 : 1;
}
