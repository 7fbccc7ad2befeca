//===- Mutator.h - texts that are nearly right ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <random>
#include <string>
#include <vector>

namespace tilewright::fuzz {

/// Changes valid texts token by token, as typing and pasting do: what is wrong
/// then is one thing in a text that is otherwise right, which reaches deeper
/// than random bytes.
class Mutator {
public:
  Mutator(std::vector<std::string> seeds, uint64_t seed);
  std::string next();

private:
  std::string pick(const std::vector<std::string> &from);
  void mutate(std::vector<std::string> &tokens);

  std::vector<std::string> seeds;
  std::vector<std::vector<std::string>> tokenized;
  std::vector<std::string> dictionary;
  std::mt19937_64 random;
};

} // namespace tilewright::fuzz
