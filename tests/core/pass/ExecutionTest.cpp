//===- ExecutionTest.cpp - what comes out computes what went in -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators through all passes, then executed: the Block graph in program order
// on byte-addressed memories for every target, and as machine code on this one.
// The reference evaluates the source operation by operation in double.
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Block/BlockDialect.h"
#include "core/execute/BlockInterpreter.h"
#include "core/execute/CompareTensors.h"
#include "core/execute/ConstantTensor.h"
#include "core/execute/CpuFeatures.h"
#include "core/execute/ProgramCompiler.h"
#include "core/execute/ProgramRun.h"
#include "core/execute/SeededTensor.h"
#include "core/execute/TensorOperators.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tests/core/pass/PassPipeline.h"
#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright;
using execute::HostTensor;
using execute::TensorRef;

namespace {

std::vector<TensorRef> inputsOf(func::FuncOp func) {
  std::vector<TensorRef> inputs;
  for (auto [i, type] : llvm::enumerate(func.getArgumentTypes())) {
    auto tensor = cast<RankedTensorType>(type);
    model::Diagnostic error;
    auto made =
        execute::seededTensor(execute::elementOfType(tensor.getElementType()),
                              std::vector<int64_t>(tensor.getShape()), 7,
                              "x" + std::to_string(i), error);
    INFO(error.message);
    REQUIRE(made);
    inputs.push_back(std::make_shared<HostTensor>(std::move(*made)));
  }
  return inputs;
}

std::vector<TensorRef> reference(func::FuncOp func,
                                 const std::vector<TensorRef> &inputs) {
  llvm::DenseMap<Value, TensorRef> values;
  for (auto [argument, input] : llvm::zip(func.getArguments(), inputs))
    values[argument] = input;
  std::vector<TensorRef> results;
  for (Operation &op : func.front()) {
    if (auto ret = dyn_cast<func::ReturnOp>(op)) {
      for (Value value : ret.getOperands())
        results.push_back(values.lookup(value));
      continue;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      auto tensor =
          execute::toHostTensor(cast<ElementsAttr>(constant.getValue()));
      REQUIRE(tensor);
      values[constant.getResult()] =
          std::make_shared<HostTensor>(std::move(*tensor));
      continue;
    }
    SmallVector<TensorRef> operands;
    for (Value operand : op.getOperands())
      operands.push_back(values.lookup(operand));
    values[op.getResult(0)] = std::make_shared<HostTensor>(
        execute::evaluateOperator(&op, operands, {}));
  }
  return results;
}

std::vector<HostTensor> emptyLike(const std::vector<TensorRef> &wanted) {
  std::vector<HostTensor> results;
  for (const TensorRef &want : wanted) {
    model::Diagnostic error;
    auto made = HostTensor::make(want->element(), want->shape(), error);
    REQUIRE(made);
    results.push_back(std::move(*made));
    // What is not written must be seen.
    std::fill_n(results.back().data(), results.back().byteSize(),
                std::byte(0xff));
  }
  return results;
}

void checkResults(const std::vector<HostTensor> &got,
                  const std::vector<TensorRef> &want) {
  for (size_t i = 0; i < want.size(); ++i) {
    model::CheckResult check = execute::compareTensors(got[i], *want[i]);
    INFO("result " << i << ", worst " << check.worst << ", rule "
                   << check.rule);
    CHECK(check.error <= check.tolerance);
  }
}

void interpret(ModuleOp module, const target::Target &target,
               const std::vector<TensorRef> &inputs,
               const std::vector<TensorRef> &want) {
  execute::BlockInterpreter::Options options;
  for (const target::Level &level : target.levels)
    options.levelBytes[level.name] = int64_t(level.capacity.value);
  auto created = execute::BlockInterpreter::create(module, "", options);
  if (auto *error = std::get_if<model::Diagnostic>(&created))
    FAIL(error->code << ": " << error->message);
  std::vector<HostTensor> results = emptyLike(want);
  std::vector<std::span<const std::byte>> from;
  std::vector<std::span<std::byte>> to;
  for (const TensorRef &input : inputs)
    from.push_back({input->data(), size_t(input->byteSize())});
  for (HostTensor &result : results)
    to.push_back({result.data(), size_t(result.byteSize())});
  auto error = std::get<execute::BlockInterpreter>(created).run(from, to);
  if (error)
    FAIL(error->code << ": " << error->message);
  checkResults(results, want);
}

void runCompiled(ModuleOp module, const std::vector<TensorRef> &inputs,
                 const std::vector<TensorRef> &want) {
  auto compiled = execute::compileProgram(module, "", execute::hostCpu());
  if (auto *error = std::get_if<model::Diagnostic>(&compiled))
    FAIL(error->code << ": " << error->message);
  auto loaded = execute::ProgramRun::load(
      std::move(std::get<execute::CompiledProgram>(compiled)));
  if (auto *error = std::get_if<model::Diagnostic>(&loaded))
    FAIL(error->code << ": " << error->message);
  auto &run = std::get<execute::ProgramRun>(loaded);
  for (size_t i = 0; i < inputs.size(); ++i)
    std::copy_n(inputs[i]->data(), inputs[i]->byteSize(),
                static_cast<std::byte *>(run.data(i)));
  run.run(2, 1, false);
  std::vector<HostTensor> results = emptyLike(want);
  for (size_t i = 0; i < results.size(); ++i)
    std::copy_n(static_cast<const std::byte *>(run.data(inputs.size() + i)),
                results[i].byteSize(), results[i].data());
  checkResults(results, want);
}

/// Runs `source` on every target.
void check(const std::string &source) {
  for (const char *name : {"cpu-generic", "ascend-a3"}) {
    auto context = test::makeContext();
    OwningOpRef<ModuleOp> module = test::parse(*context, source);
    auto func = *module->getOps<func::FuncOp>().begin();
    std::vector<TensorRef> inputs = inputsOf(func);
    std::vector<TensorRef> want = reference(func, inputs);
    pass::TargetPtr target = test::targetNamed(name);
    INFO(name << "\n" << source);
    REQUIRE(test::runPasses(*module, target, [](llvm::StringRef) {}) == "");
    interpret(*module, *target, inputs, want);
    if (target->core("any"))
      runCompiled(*module, inputs, want);
  }
}

std::string matmul(int64_t m, int64_t n, int64_t k, const std::string &type,
                   bool transposed) {
  auto tensor = [&](int64_t rows, int64_t columns) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
           "x" + type + ">";
  };
  std::string b = transposed ? tensor(n, k) : tensor(k, n);
  return "func.func @f(%a: " + tensor(m, k) + ", %b: " + b + ") -> " +
         tensor(m, n) + " {\n  %c = tw.matmul %a, %b " +
         (transposed ? "{transpose_rhs} " : "") + ": (" + tensor(m, k) + ", " +
         b + ") -> " + tensor(m, n) + "\n  return %c : " + tensor(m, n) +
         "\n}\n";
}

} // namespace

TEST_CASE("operators compute what their source says") {
  for (const std::string &source : test::sampleSources()) {
    // Without upstream operations, which the reference does not know.
    if (source.find("linalg.") != std::string::npos)
      continue;
    check(source);
  }
}

TEST_CASE("ragged matmuls") {
  for (int64_t m : {1, 7, 129})
    for (int64_t n : {1, 127, 1000})
      for (int64_t k : {1, 7, 300})
        check(matmul(m, n, k, m == 7 ? "bf16" : "f32", n == 127));
}

TEST_CASE("a matmul with everything around it") {
  check(
      R"(func.func @f(%a: tensor<100x600xf32>, %b: tensor<600x70xf32>, %u: tensor<100x70xf32>, %v: tensor<70xf32>) -> (tensor<100x70xf32>, tensor<100x70xf32>) {
  %c = tw.matmul %a, %b : (tensor<100x600xf32>, tensor<600x70xf32>) -> tensor<100x70xf32>
  %d = tw.add %c, %v : (tensor<100x70xf32>, tensor<70xf32>) -> tensor<100x70xf32>
  %e = tw.silu %d : (tensor<100x70xf32>) -> tensor<100x70xf32>
  %g = tw.mul %e, %u : (tensor<100x70xf32>, tensor<100x70xf32>) -> tensor<100x70xf32>
  return %g, %d : tensor<100x70xf32>, tensor<100x70xf32>
})");
}

TEST_CASE("a sum on top of an accumulator") {
  check(
      R"(func.func @f(%a: tensor<50x40xf32>, %b: tensor<40x30xf32>, %c: tensor<50x30xf32>) -> tensor<50x30xf32> {
  %d = tw.matmul %a, %b acc %c : (tensor<50x40xf32>, tensor<40x30xf32>, tensor<50x30xf32>) -> tensor<50x30xf32>
  return %d : tensor<50x30xf32>
})");
  // Two on top of each other, of 16 bits, in batches and deep.
  check(
      R"(func.func @f(%a: tensor<2x50x700xf16>, %b: tensor<2x700x30xf16>, %c: tensor<2x50x30xf16>) -> tensor<2x50x30xf16> {
  %d = tw.matmul %a, %b acc %c : (tensor<2x50x700xf16>, tensor<2x700x30xf16>, tensor<2x50x30xf16>) -> tensor<2x50x30xf16>
  %e = tw.matmul %a, %b acc %d : (tensor<2x50x700xf16>, tensor<2x700x30xf16>, tensor<2x50x30xf16>) -> tensor<2x50x30xf16>
  return %e : tensor<2x50x30xf16>
})");
}

TEST_CASE("tensors without elements") {
  // Wherever the 0 stands, as argument, as operand and as result.
  for (const char *shape : {"0", "0x3", "3x0", "2x0x3", "2x3x0", "0x0"}) {
    std::string x = "tensor<" + std::string(shape) + "xf32>";
    check("func.func @f(%x: " + x + ", %y: tensor<4xf32>) -> (" + x + ", " + x +
          ", " + x +
          ", tensor<4xf32>) {\n  %k = tw.full {value = 2.0} : () -> " + x +
          "\n  %e = tw.exp %x : (" + x + ") -> " + x + "\n  %s = tw.add %e, " +
          "%k : (" + x + ", " + x + ") -> " + x + "\n  %z = tw.exp %y : " +
          "(tensor<4xf32>) -> tensor<4xf32>\n  return %x, %s, %k, %z : " + x +
          ", " + x + ", " + x + ", tensor<4xf32>\n}");
  }
  check(
      R"(func.func @f(%a: tensor<4x0xf32>, %b: tensor<0x5xf32>, %c: tensor<4x5xf16>, %d: tensor<4x0xf16>, %e: tensor<0x5xf16>) -> (tensor<4x5xf32>, tensor<4x5xf16>, tensor<4xf32>, tensor<4x0xf32>, tensor<0x4xf32>, tensor<4x5xf32>, tensor<2x0x1xf32>, tensor<3x0xf32>) {
  %p = tw.matmul %a, %b : (tensor<4x0xf32>, tensor<0x5xf32>) -> tensor<4x5xf32>
  %q = tw.matmul %d, %e acc %c : (tensor<4x0xf16>, tensor<0x5xf16>, tensor<4x5xf16>) -> tensor<4x5xf16>
  %r = tw.reduce %a {kind = sum, axes = [1]} : (tensor<4x0xf32>) -> tensor<4xf32>
  %s = tw.softmax %a {axis = 1} : (tensor<4x0xf32>) -> tensor<4x0xf32>
  %t = tw.transpose %a {permutation = [1, 0]} : (tensor<4x0xf32>) -> tensor<0x4xf32>
  %u = tw.concat %a, %p {axis = 1} : (tensor<4x0xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %v = tw.reshape %a : (tensor<4x0xf32>) -> tensor<2x0x1xf32>
  %w = tw.slice %p {offsets = [1, 2], sizes = [3, 0]} : (tensor<4x5xf32>) -> tensor<3x0xf32>
  return %p, %q, %r, %s, %t, %u, %v, %w : tensor<4x5xf32>, tensor<4x5xf16>, tensor<4xf32>, tensor<4x0xf32>, tensor<0x4xf32>, tensor<4x5xf32>, tensor<2x0x1xf32>, tensor<3x0xf32>
})");
}
