//===- ParsedModule.h - IR text made ready to run ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/dialect/Tensor/TensorDialect.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/execute/SeededTensor.h"
#include "core/execute/TensorInterpreter.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/TensorInferTypeOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>

/// A module with what is needed to run its functions.
struct ParsedModule {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;

  explicit ParsedModule(const std::string &text) : context(registry()) {
    context.loadAllAvailableDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    REQUIRE(module);
  }

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    tilewright::registerTensorDialect(registry);
    registry.insert<tilewright::tile::TileDialect, mlir::scf::SCFDialect,
                    mlir::linalg::LinalgDialect, mlir::math::MathDialect>();
    mlir::linalg::registerTilingInterfaceExternalModels(registry);
    mlir::tensor::registerTilingInterfaceExternalModels(registry);
    mlir::tensor::registerInferTypeOpInterfaceExternalModels(registry);
    return registry;
  }

  mlir::func::FuncOp function(llvm::StringRef name) {
    auto function = module->lookupSymbol<mlir::func::FuncOp>(name);
    REQUIRE(function);
    return function;
  }
};

/// Random inputs for a function; `sizes` are taken for its `?` in order.
inline std::vector<tilewright::execute::TensorRef>
seededInputs(mlir::func::FuncOp function, std::vector<int64_t> sizes = {},
             double scale = 1.0) {
  using namespace tilewright::execute;
  std::vector<TensorRef> inputs;
  size_t next = 0;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    std::vector<int64_t> shape(tensor.getShape().begin(),
                               tensor.getShape().end());
    for (int64_t &size : shape)
      if (mlir::ShapedType::isDynamic(size))
        size = sizes.at(next++);
    tilewright::model::Diagnostic error;
    auto made = seededTensor(elementOfType(tensor.getElementType()), shape, 1,
                             "x" + std::to_string(i), error, scale);
    REQUIRE(made);
    inputs.push_back(std::make_shared<HostTensor>(std::move(*made)));
  }
  return inputs;
}

/// Runs a function that must run.
inline std::vector<tilewright::execute::TensorRef>
interpret(mlir::func::FuncOp function,
          const std::vector<tilewright::execute::TensorRef> &inputs) {
  tilewright::model::Diagnostic error;
  auto run =
      tilewright::execute::interpretTensorGraph(function, inputs, {}, error);
  INFO(error.code << " " << error.message);
  REQUIRE(run);
  return run->results;
}

/// A tensor of given numbers.
inline tilewright::execute::TensorRef
tensorOf(tilewright::execute::Element element, std::vector<int64_t> shape,
         std::vector<double> values) {
  tilewright::model::Diagnostic error;
  auto tensor =
      tilewright::execute::HostTensor::make(element, std::move(shape), error);
  REQUIRE(tensor);
  REQUIRE(tensor->elements() == int64_t(values.size()));
  tensor->write(0, values);
  return std::make_shared<tilewright::execute::HostTensor>(std::move(*tensor));
}

inline std::vector<double>
numbers(const tilewright::execute::TensorRef &tensor) {
  std::vector<double> values(size_t(tensor->elements()));
  tensor->read(0, values);
  return values;
}
