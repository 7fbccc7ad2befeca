//===- ScopeCost.cpp - what computing operations together costs -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/tile/ScopeCost.h"
#include "core/decision/DefaultTiles.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "core/pass/tile/ScopeProblem.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace mlir;

namespace tilewright::pass {

static double extentOf(int64_t size) {
  return ShapedType::isDynamic(size) ? 1024.0 : double(size);
}

static double elementsOf(Value value) {
  double elements = 1;
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    for (int64_t size : type.getShape())
      elements *= extentOf(size);
  return elements;
}

double tensorBytes(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  double bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return elementsOf(value) * std::max(1.0, bits / 8);
}

static std::string typeName(Value value) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << getElementTypeOrSelf(value.getType());
  return text;
}

ScopeCost::ScopeCost(const target::Target &target) : target(target) {
  matmulUnit = unitOf("matmul");
  vectorUnit = unitOf("elementwise");
  if (const target::Level *memory = target.level(target::Target::globalMemory))
    globalRate = memory->sharedBandwidth.value;
  dispatch = target.scheduling.dispatch.value;
}

ScopeCost::Unit ScopeCost::unitOf(std::string_view placementClass) const {
  Unit unit;
  const target::Placement *placement = target.placement(placementClass);
  if (!placement)
    return unit;
  unit.cores = std::max<double>(1, double(target.coreCount(placement->core)));
  const target::CoreKind *core = target.core(placement->core);
  unit.onePipe = core && core->pipes.size() == 1;
  std::vector<target::Stop> path = target.operandPath(placementClass, 0);
  if (path.size() > 1)
    if (const target::Move *move = target.move(path[0].level, path[1].level))
      unit.loadRate = std::max(1.0, move->bytesPerSecond.value);
  return unit;
}

double ScopeCost::computeSeconds(Operation *op) const {
  if (op->getNumOperands() == 0)
    return 0;
  std::string_view name = targetClassOf(op);
  const target::ComputeRate *rate =
      target.rate(name, typeName(op->getOperand(0)));
  double perSecond = rate ? std::max(1.0, rate->perSecond.value) : 1e12;
  if (auto matmul = dyn_cast<tw::MatmulOp>(op))
    return 2 * elementsOf(op->getResult(0)) * extentOf(matmul.getK()) /
           perSecond;
  Value counted = roleOf(op) == OpRole::Reduction ? op->getOperand(0)
                                                  : Value(op->getResult(0));
  return elementsOf(counted) / perSecond;
}

double ScopeCost::tasks(const ScopeSpace &space) const {
  double tasks = 1;
  for (auto [d, size] : llvm::enumerate(space.shape)) {
    if (!space.free[d])
      continue;
    double extent = extentOf(size);
    // A block of a matrix unit is one piece of work.
    if (space.kind == OpRole::Matmul && d + 2 >= space.shape.size())
      extent = std::ceil(extent / 16);
    tasks *= extent;
  }
  return std::max(1.0, tasks);
}

double ScopeCost::seconds(OpRole kind, double computeSeconds, double bytes,
                          double tasks) const {
  const Unit &unit = kind == OpRole::Matmul ? matmulUnit : vectorUnit;
  double compute = computeSeconds / std::min(unit.cores, tasks);
  double rate = std::min(unit.cores, tasks) * unit.loadRate;
  double memory = bytes / (globalRate > 0 ? std::min(rate, globalRate) : rate);
  return dispatch +
         (unit.onePipe ? compute + memory : std::max(compute, memory));
}

double ScopeCost::matmul(Operation *op) const {
  ScopeBody body;
  body.ops = {op};
  body.space = *spaceOf(op);
  double seconds = decision::defaultTiles(problemOf(body, ""), target).seconds;
  return seconds > 0 ? seconds : 1e9; // nothing fits
}

double ScopeCost::writtenOutMatmul(Operation *op) const {
  auto matmul = cast<tw::MatmulOp>(op);
  double results = elementsOf(matmul.getResult());
  double products = results * extentOf(matmul.getK());
  auto perElement = [&](std::string_view name) {
    const target::ComputeRate *rate = target.rate(name, "f32");
    return rate ? 1 / std::max(1.0, rate->perSecond.value) : 1e-12;
  };
  double compute =
      products * (perElement("elementwise") + perElement("reduction"));
  double bytes = tensorBytes(matmul.getResult());
  for (Value operand : {matmul.getLhs(), matmul.getRhs()}) {
    bytes += tensorBytes(operand);
    if (!getElementTypeOrSelf(operand.getType()).isF32())
      compute += elementsOf(operand) * perElement("cast");
  }
  // As the estimate of a matmul has it, with the start of the cores.
  return target.scheduling.coreStart.value +
         seconds(OpRole::Reduction, compute, bytes, results);
}

} // namespace tilewright::pass
