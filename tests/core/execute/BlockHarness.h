//===- BlockHarness.h - runs Block graphs both ways -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/BlockInterpreter.h"
#include "core/execute/CompiledProgram.h"
#include "core/execute/CpuFeatures.h"
#include "core/execute/Element.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <random>
#include <string>
#include <vector>

namespace tilewright::test {

using execute::Element;

/// A tensor as bytes.
struct Tensor {
  Element element = Element::F32;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;

  Tensor() = default;
  Tensor(Element element, std::vector<int64_t> shape);
  int64_t count() const;
  double get(int64_t i) const;
  void set(int64_t i, double value);
  /// "4x8xf32"
  std::string type() const {
    std::string out;
    for (int64_t size : shape)
      out += std::to_string(size) + "x";
    return out + std::string(nameOf(element));
  }

  /// Values in [low, high), rounded to the element.
  static Tensor random(Element element, std::vector<int64_t> shape,
                       std::mt19937 &rng, double low = -2, double high = 2);
};

/// A parsed module; fails the test if it does not parse.
class BlockModule {
public:
  explicit BlockModule(const std::string &text);
  mlir::ModuleOp get() { return *module; }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Runs the only program of `text` in the interpreter.
std::vector<Tensor> interpret(const std::string &text,
                              const std::vector<Tensor> &inputs,
                              const std::vector<Tensor> &results);
/// Compiles it for this machine and runs it.
std::vector<Tensor> runCompiled(const std::string &text,
                                const std::vector<Tensor> &inputs,
                                const std::vector<Tensor> &results,
                                int threads = 2);
std::vector<Tensor> runProgram(execute::CompiledProgram program,
                               const std::vector<Tensor> &inputs,
                               const std::vector<Tensor> &results,
                               int threads = 2);
execute::CompiledProgram compile(const std::string &text,
                                 const execute::CpuFeatures &cpu);

/// Largest |a - b| over the largest |b|.
double relativeError(const Tensor &a, const Tensor &b);
/// What one rounding to the element costs, relative.
double epsilon(Element element);

} // namespace tilewright::test
