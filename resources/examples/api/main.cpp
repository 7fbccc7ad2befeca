//===- main.cpp - the C++ API in one page ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/target/TargetRegistry.h"
#include <iostream>

using namespace tilewright;

int main(int argc, char **argv) {
  std::vector<model::Diagnostic> problems;
  auto targets = target::TargetRegistry::standard(problems);
  for (const model::Diagnostic &problem : problems)
    std::cerr << problem.code << ": " << problem.message << '\n';
  for (const auto &target : targets->list())
    std::cout << target.name << ": " << target.description << '\n';
  return 0;
}
