//===- BlockHarness.cpp - runs Block graphs both ways ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BlockHarness.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/execute/ElementLoops.h"
#include "core/execute/LoadedObject.h"
#include "core/execute/ProgramCompiler.h"
#include "core/execute/TaskRuntime.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>

using namespace mlir;

namespace tilewright::test {

Tensor::Tensor(Element element, std::vector<int64_t> dims)
    : element(element), shape(std::move(dims)) {
  bytes.resize(size_t(count() * bytesOf(element)));
}

int64_t Tensor::count() const {
  int64_t n = 1;
  for (int64_t size : shape)
    n *= size;
  return n;
}

double Tensor::get(int64_t i) const {
  double value;
  execute::loadRow(bytes.data() + i * bytesOf(element), element, 1, 1, &value);
  return value;
}

void Tensor::set(int64_t i, double value) {
  execute::storeRow(&value, element, 1, 1, bytes.data() + i * bytesOf(element));
}

Tensor Tensor::random(Element element, std::vector<int64_t> shape,
                      std::mt19937 &rng, double low, double high) {
  Tensor tensor(element, std::move(shape));
  std::uniform_real_distribution<double> values(low, high);
  for (int64_t i = 0; i < tensor.count(); ++i)
    tensor.set(i, values(rng));
  return tensor;
}

static DialectRegistry registry() {
  DialectRegistry registry;
  registry
      .insert<tilewright::block::BlockDialect, tilewright::tile::TileDialect,
              memref::MemRefDialect, arith::ArithDialect, math::MathDialect,
              scf::SCFDialect, affine::AffineDialect>();
  return registry;
}

BlockModule::BlockModule(const std::string &text) : context(registry()) {
  std::string what;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    what += diagnostic.str() + "\n";
    return success();
  });
  module = parseSourceString<ModuleOp>(text, &context);
  INFO(what << "\n" << text);
  REQUIRE(module);
}

std::vector<Tensor> interpret(const std::string &text,
                              const std::vector<Tensor> &inputs,
                              const std::vector<Tensor> &results) {
  BlockModule module(text);
  execute::BlockInterpreter::Options options;
  options.levelBytes = {{"UB", 1 << 20}, {"L1", 1 << 20}};
  auto created = execute::BlockInterpreter::create(module.get(), "", options);
  if (auto *diagnostic = std::get_if<model::Diagnostic>(&created))
    FAIL(diagnostic->code << ": " << diagnostic->message);
  std::vector<Tensor> out = results;
  std::vector<std::span<const std::byte>> from;
  std::vector<std::span<std::byte>> to;
  for (const Tensor &tensor : inputs)
    from.push_back(tensor.bytes);
  for (Tensor &tensor : out)
    to.push_back(tensor.bytes);
  auto error = std::get<execute::BlockInterpreter>(created).run(from, to);
  if (error)
    FAIL(error->code << ": " << error->message);
  return out;
}

execute::CompiledProgram compile(const std::string &text,
                                 const execute::CpuFeatures &cpu) {
  BlockModule module(text);
  auto compiled = execute::compileProgram(module.get(), "", cpu);
  if (auto *diagnostic = std::get_if<model::Diagnostic>(&compiled))
    FAIL(diagnostic->code << ": " << diagnostic->message);
  return std::move(std::get<execute::CompiledProgram>(compiled));
}

std::vector<Tensor> runCompiled(const std::string &text,
                                const std::vector<Tensor> &inputs,
                                const std::vector<Tensor> &results,
                                int threads) {
  return runProgram(compile(text, execute::hostCpu()), inputs, results,
                    threads);
}

std::vector<Tensor> runProgram(execute::CompiledProgram program,
                               const std::vector<Tensor> &inputs,
                               const std::vector<Tensor> &results,
                               int threads) {
  auto loaded = execute::LoadedObject::load(program);
  if (auto *diagnostic = std::get_if<model::Diagnostic>(&loaded))
    FAIL(diagnostic->code << ": " << diagnostic->message);
  std::vector<Tensor> in = inputs, out = results;
  std::vector<std::vector<std::byte>> own;
  std::vector<void *> buffers;
  size_t argument = 0, result = 0;
  for (const execute::ProgramBuffer &buffer : program.buffers) {
    using Kind = execute::ProgramBuffer::Kind;
    switch (buffer.kind) {
    case Kind::Argument:
      buffers.push_back(in.at(argument++).bytes.data());
      break;
    case Kind::Result:
      buffers.push_back(out.at(result++).bytes.data());
      break;
    case Kind::Temporary:
      own.emplace_back(size_t(buffer.bytes), std::byte(0xff));
      buffers.push_back(own.back().data());
      break;
    case Kind::Constant:
      buffers.push_back(program.constants.data() + buffer.constantOffset);
      break;
    }
  }
  execute::TaskRuntime::Options options;
  options.threads = threads;
  execute::TaskRuntime runtime(
      program, std::get<execute::LoadedObject>(loaded).kernels(), options);
  REQUIRE(runtime.run(buffers));
  for (size_t i = 0; i < inputs.size(); ++i) // inputs are only read
    REQUIRE(in[i].bytes == inputs[i].bytes);
  return out;
}

double relativeError(const Tensor &a, const Tensor &b) {
  double worst = 0, largest = 1e-30;
  for (int64_t i = 0; i < b.count(); ++i) {
    double x = a.get(i), y = b.get(i);
    if (std::isnan(x) && std::isnan(y))
      continue;
    if (std::isfinite(y))
      largest = std::max(largest, std::fabs(y));
    if (x == y)
      continue;
    if (!std::isfinite(x) || !std::isfinite(y))
      return HUGE_VAL;
    worst = std::max(worst, std::fabs(x - y));
  }
  return worst / largest;
}

double epsilon(Element element) {
  switch (element) {
  case Element::F64:
    return 0x1p-52;
  case Element::F32:
    return 0x1p-23;
  case Element::F16:
    return 0x1p-10;
  case Element::BF16:
    return 0x1p-7;
  default:
    return 0;
  }
}

} // namespace tilewright::test
