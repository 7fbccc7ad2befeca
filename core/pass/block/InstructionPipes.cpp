//===- InstructionPipes.cpp - who does an instruction, how long -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/InstructionPipes.h"
#include "core/pass/tile/ScopeSpace.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilewright::pass {
namespace {

std::string elementName(Value memref) {
  std::string text;
  llvm::raw_string_ostream(text)
      << cast<MemRefType>(memref.getType()).getElementType();
  return text;
}

std::string levelName(Value memref) {
  return block::levelOf(cast<MemRefType>(memref.getType())).str();
}

/// Elements of a memref, dynamic sizes as large as the buffer behind allows.
int64_t elementsOf(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  auto room =
      cast<MemRefType>(block::underlyingBuffer(memref).getType()).getShape();
  int64_t count = 1;
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    count *= !ShapedType::isDynamic(size)            ? size
             : room.size() == size_t(type.getRank()) ? room[d]
                                                     : 1;
  return count;
}

FailureOr<std::string> pipeFor(Operation *op, const target::Target &target) {
  block::Accesses accesses = block::accessesOf(op);
  std::string to = levelName(accesses.writes.front());
  // Everything a core with one pipe does, it does there.
  auto kernel = op->getParentOfType<block::KernelOp>();
  if (hasOnePipe(kernel, target))
    return target.core(kernel.getCore().str())->pipes.front().name;
  if (isa<block::MoveOp>(op)) {
    std::string from = levelName(accesses.reads.front());
    // Through the core's own memory: nothing moves from global to global.
    std::string pipe = target.pipeOfMove(from, to);
    if (pipe.empty())
      return op->emitError()
             << "moves from " << from << " to " << to << ", which "
             << target.name << " has no way for [TW0420]";
    return pipe;
  }
  if (isa<block::FillOp>(op)) {
    // What fills an accumulator is the unit that adds to it.
    const target::Placement *matmul = target.placement("matmul");
    if (matmul && !matmul->result.empty() && matmul->result.front().level == to)
      for (const target::ComputeRate &rate : target.rates)
        if (rate.op == "matmul")
          return rate.pipe;
  }
  Value operand =
      accesses.reads.empty() ? accesses.writes.front() : accesses.reads.front();
  std::string pipe = target.pipeOf(targetClassOf(op), elementName(operand));
  if (pipe.empty())
    return op->emitError() << "is " << std::string(targetClassOf(op)) << " on "
                           << elementName(operand) << ", which " << target.name
                           << " does not compute [TW0420]";
  return pipe;
}

} // namespace

bool hasOnePipe(block::KernelOp kernel, const target::Target &target) {
  const target::CoreKind *core = target.core(kernel.getCore().str());
  return core && core->pipes.size() == 1;
}

LogicalResult assignPipes(block::KernelOp kernel,
                          const target::Target &target) {
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    if (!block::isInstruction(op))
      return WalkResult::advance();
    FailureOr<std::string> pipe = pipeFor(op, target);
    if (failed(pipe))
      return WalkResult::interrupt();
    op->setAttr("pipe", StringAttr::get(op->getContext(), *pipe));
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

double instructionSeconds(Operation *op, const target::Target &target) {
  block::Accesses accesses = block::accessesOf(op);
  if (accesses.writes.empty())
    return 0;
  Value dest = accesses.writes.front();
  if (auto move = dyn_cast<block::MoveOp>(op)) {
    const target::Move *rate =
        target.move(levelName(move.getSource()), levelName(move.getDest()));
    if (!rate || rate->bytesPerSecond.value <= 0)
      return 0;
    auto type = cast<MemRefType>(move.getSource().getType());
    int64_t bytes =
        elementsOf(dest) * ((type.getElementTypeBitWidth() + 7) / 8);
    return rate->seconds.value + double(bytes) / rate->bytesPerSecond.value;
  }
  Value operand = accesses.reads.empty() ? dest : accesses.reads.front();
  const target::ComputeRate *rate =
      target.rate(targetClassOf(op), elementName(operand));
  if (!rate || rate->perSecond.value <= 0)
    return 0;
  double operations = double(elementsOf(dest));
  if (auto matmul = dyn_cast<block::MatmulOp>(op)) {
    auto room = [](Value value, unsigned d) {
      auto type = cast<MemRefType>(value.getType());
      auto whole = cast<MemRefType>(block::underlyingBuffer(value).getType());
      return ShapedType::isDynamic(type.getDimSize(d)) ? whole.getDimSize(d)
                                                       : type.getDimSize(d);
    };
    auto up = [](int64_t size, int64_t to) {
      return double((size + to - 1) / std::max<int64_t>(1, to) *
                    std::max<int64_t>(1, to));
    };
    if (cast<MemRefType>(matmul.getLhs().getType()).getRank() == 2)
      operations = 2 * up(room(dest, 0), rate->granule[0]) *
                   up(room(dest, 1), rate->granule[1]) *
                   up(room(matmul.getLhs(), matmul.getTransposeLhs() ? 0 : 1),
                      rate->granule[2]);
  } else if (auto reduce = dyn_cast<block::ReduceOp>(op)) {
    operations = double(elementsOf(reduce.getSource()));
  }
  return rate->seconds.value + operations / rate->perSecond.value;
}

} // namespace tilewright::pass
