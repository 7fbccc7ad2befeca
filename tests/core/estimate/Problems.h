//===- Problems.h - kernels to estimate -------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/decision/TileProblem.h"
#include "core/target/TargetRegistry.h"
#include <catch2/catch.hpp>

namespace tilewright::testing {

inline target::TargetRegistry::TargetPtr shipped(const char *name) {
  static std::vector<model::Diagnostic> problems;
  static target::TargetRegistry *registry = [] {
    auto *made = new target::TargetRegistry;
    made->addFolder(TILEWRIGHT_SOURCE_DIR "/resources/targets", problems);
    return made;
  }();
  model::Diagnostic error;
  auto found = registry->find(name, error);
  INFO(error.message);
  REQUIRE(found);
  return found;
}

inline decision::TileProblem matmul(int64_t m, int64_t n, int64_t k,
                                    std::string dtype, int64_t bytes,
                                    int64_t resultBytes) {
  decision::TileProblem problem;
  problem.key = "f/y";
  problem.matmul = true;
  problem.dims = {{"m", m}, {"n", n}, {"k", k, false}};
  problem.dtype = std::move(dtype);
  problem.lhsBytes = problem.rhsBytes = bytes;
  problem.resultBytes = resultBytes;
  return problem;
}

/// An exponential of rows x columns of f32.
inline decision::TileProblem exponential(int64_t rows, int64_t columns) {
  decision::TileProblem problem;
  problem.key = "f/e";
  problem.dims = {{"d0", rows}, {"d1", columns}};
  problem.buffers = {{"operand0", 4, {true, true}}};
  problem.work = {{"transcendental", "f32", {true, true}}};
  problem.tensors = {{"operand0", 4, {true, true}, false},
                     {"e", 4, {true, true}, true}};
  return problem;
}

} // namespace tilewright::testing
