//===- IndexMap.h - integer maps over grid coordinates ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

namespace tilewright::execute {

/// An affine map in a form that evaluates fast and needs no MLIR: one postfix
/// program for each result. Arithmetic wraps; division by zero gives 0.
class IndexMap {
public:
  enum class Op : int64_t { Constant, Input, Add, Mul, FloorDiv, CeilDiv, Mod };

  /// Adds a result computed by `code`: Constant and Input are followed by their
  /// operand. False if the program is malformed.
  bool addResult(std::vector<int64_t> code, int64_t inputs);

  size_t size() const { return results.size(); }
  int64_t evaluate(size_t result, std::span<const int64_t> inputs) const;

  /// The number of inputs evaluate() reads at most.
  int64_t inputCount() const { return inputs; }

  friend bool operator==(const IndexMap &, const IndexMap &) = default;
  friend void to_json(nlohmann::json &json, const IndexMap &map);
  /// Throws nlohmann::json::exception on a malformed program.
  friend void from_json(const nlohmann::json &json, IndexMap &map);

private:
  std::vector<std::vector<int64_t>> results;
  int64_t inputs = 0;
};

int64_t floorDiv(int64_t a, int64_t b);
int64_t ceilDiv(int64_t a, int64_t b);

} // namespace tilewright::execute
