//===- OperatorFunctions.cpp - functions of elementwise operators ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/OperatorFunctions.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/execute/ScalarFunctions.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::execute {

UnaryFunction unaryFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, UnaryFunction>(op)
      .Case([](tw::NegOp) { return [](double x) { return -x; }; })
      .Case([](tw::AbsOp) { return [](double x) { return std::fabs(x); }; })
      .Case([](tw::ExpOp) { return [](double x) { return std::exp(x); }; })
      .Case([](tw::LogOp) { return [](double x) { return std::log(x); }; })
      .Case([](tw::SqrtOp) { return [](double x) { return std::sqrt(x); }; })
      .Case(
          [](tw::RsqrtOp) { return [](double x) { return 1 / std::sqrt(x); }; })
      .Case([](tw::ReciprocalOp) { return [](double x) { return 1 / x; }; })
      .Case([](tw::TanhOp) { return [](double x) { return std::tanh(x); }; })
      .Case([](tw::ErfOp) { return [](double x) { return std::erf(x); }; })
      .Case([](tw::SigmoidOp) { return &sigmoid; })
      .Case([](tw::SiluOp) { return &silu; })
      .Case([](tw::GeluOp) { return &gelu; })
      .Case([](tw::ReluOp) { return &relu; })
      .Default([](Operation *) { return nullptr; });
}

BinaryFunction binaryFunction(Operation *op) {
  return llvm::TypeSwitch<Operation *, BinaryFunction>(op)
      .Case([](tw::AddOp) { return [](double x, double y) { return x + y; }; })
      .Case([](tw::SubOp) { return [](double x, double y) { return x - y; }; })
      .Case([](tw::MulOp) { return [](double x, double y) { return x * y; }; })
      .Case([](tw::DivOp) { return [](double x, double y) { return x / y; }; })
      .Case([](tw::MaximumOp) { return &maximum; })
      .Case([](tw::MinimumOp) { return &minimum; })
      .Case([](tw::PowOp) {
        return [](double x, double y) { return std::pow(x, y); };
      })
      .Default([](Operation *) { return nullptr; });
}

} // namespace tilewright::execute
