//===- TiledScope.cpp - a kernel as its tile decision saw it --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/TiledScope.h"
#include <charconv>

namespace tilewright::decision {

std::string shownName(const std::string &name,
                      const std::vector<std::string> &keys) {
  if (name.empty() || name.front() != '$')
    return name;
  const char *end = name.data() + name.size();
  size_t number = 0;
  auto [rest, error] = std::from_chars(name.data() + 1, end, number);
  if (error != std::errc() || number >= keys.size())
    return name;
  const std::string &key = keys[number];
  return key.substr(key.rfind('/') + 1) + std::string(rest, end);
}

TileProblem shownProblem(const TileProblem &problem, const std::string &key,
                         const std::vector<std::string> &keys) {
  TileProblem shown = problem;
  shown.key = key;
  for (auto *buffers : {&shown.buffers, &shown.pieceBuffers})
    for (TileProblem::Buffer &buffer : *buffers)
      buffer.name = shownName(buffer.name, keys);
  for (TileProblem::Tensor &tensor : shown.tensors)
    tensor.name = shownName(tensor.name, keys);
  return shown;
}

} // namespace tilewright::decision
