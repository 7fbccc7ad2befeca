//===- IndexMap.cpp - integer maps over grid coordinates ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/IndexMap.h"
#include <algorithm>

namespace tilewright::execute {

static constexpr size_t maxDepth = 64;

int64_t floorDiv(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  if (b == -1)
    return int64_t(0 - uint64_t(a));
  int64_t quotient = a / b;
  return quotient - ((a % b != 0) && ((a < 0) != (b < 0)));
}

int64_t ceilDiv(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  if (b == -1)
    return int64_t(0 - uint64_t(a));
  int64_t quotient = a / b;
  return quotient + ((a % b != 0) && ((a < 0) == (b < 0)));
}

bool IndexMap::addResult(std::vector<int64_t> code, int64_t inputCount) {
  size_t depth = 0;
  for (size_t i = 0; i < code.size(); ++i) {
    switch (Op(code[i])) {
    case Op::Constant:
    case Op::Input:
      if (++i == code.size() || ++depth > maxDepth)
        return false;
      if (Op(code[i - 1]) == Op::Input &&
          (code[i] < 0 || code[i] >= inputCount))
        return false;
      break;
    case Op::Add:
    case Op::Mul:
    case Op::FloorDiv:
    case Op::CeilDiv:
    case Op::Mod:
      if (depth < 2)
        return false;
      --depth;
      break;
    default:
      return false;
    }
  }
  if (depth != 1)
    return false;
  inputs = std::max(inputs, inputCount);
  results.push_back(std::move(code));
  return true;
}

int64_t IndexMap::evaluate(size_t result, std::span<const int64_t> in) const {
  int64_t stack[maxDepth];
  size_t depth = 0;
  const std::vector<int64_t> &code = results[result];
  for (size_t i = 0; i < code.size(); ++i) {
    Op op = Op(code[i]);
    if (op == Op::Constant) {
      stack[depth++] = code[++i];
      continue;
    }
    if (op == Op::Input) {
      stack[depth++] = in[size_t(code[++i])];
      continue;
    }
    int64_t b = stack[--depth], &a = stack[depth - 1];
    switch (op) {
    case Op::Add:
      a = int64_t(uint64_t(a) + uint64_t(b));
      break;
    case Op::Mul:
      a = int64_t(uint64_t(a) * uint64_t(b));
      break;
    case Op::FloorDiv:
      a = floorDiv(a, b);
      break;
    case Op::CeilDiv:
      a = ceilDiv(a, b);
      break;
    default:
      a = int64_t(uint64_t(a) - uint64_t(floorDiv(a, b)) * uint64_t(b));
      break;
    }
  }
  return stack[0];
}

void to_json(nlohmann::json &json, const IndexMap &map) {
  json = {{"inputs", map.inputs}, {"results", map.results}};
}

void from_json(const nlohmann::json &json, IndexMap &map) {
  map = IndexMap();
  map.inputs = json.at("inputs").get<int64_t>();
  for (auto &code : json.at("results").get<std::vector<std::vector<int64_t>>>())
    if (!map.addResult(std::move(code), map.inputs))
      throw nlohmann::json::other_error::create(
          600, "an index map holds a malformed program", &json);
}

} // namespace tilewright::execute
