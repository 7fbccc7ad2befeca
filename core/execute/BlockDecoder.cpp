//===- BlockDecoder.cpp - from the Block graph to its code ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/BlockDecoder.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/dialect/Key.h"
#include "core/execute/AffineToIndexMap.h"
#include "core/execute/ElementsBytes.h"
#include "core/execute/ScalarDecoder.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilewright::block;

namespace tilewright::execute {
namespace {

/// Ends decoding; caught in decodeBlock, so that it crosses no MLIR callback.
struct DecodeError {
  model::Diagnostic diagnostic;
};

[[noreturn]] void fail(Operation *op, std::string code, std::string message,
                       std::string hint = "") {
  model::Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.hint = std::move(hint);
  diagnostic.key = primaryKey(op).str();
  throw DecodeError{std::move(diagnostic)};
}

[[noreturn]] void failUnknown(Operation *op) {
  fail(op, "TW0430",
       (op->getName().getStringRef() + " cannot be executed").str(),
       "Kernels hold block instructions, views of memrefs, scf.for, scf.if and "
       "scalar arith, math and affine operations.");
}

std::string text(Type type) {
  std::string out;
  llvm::raw_string_ostream(out) << type;
  return out;
}

/// Decodes one kernel or program.
class RoutineDecoder {
public:
  RoutineDecoder(BlockCode &code, RoutineCode &routine,
                 const llvm::StringMap<int> &kernels)
      : code(code), routine(routine), kernels(kernels) {}

  void decode(FunctionOpInterface function, int gridRank) {
    Region &region = function.getFunctionBody();
    if (region.empty() || !region.hasOneBlock())
      fail(function, "TW0430", "it has no body to execute, or several blocks");
    routine.name = function.getName().str();
    routine.gridRank = gridRank;
    routine.levelBytes.assign(code.levels.size(), 0);
    Block &block = region.front();
    routine.buffers = int(block.getNumArguments()) - gridRank;
    for (BlockArgument argument : block.getArguments()) {
      auto type = dyn_cast<MemRefType>(argument.getType());
      if (bool(type) != (int(argument.getArgNumber()) < routine.buffers))
        fail(function, "TW0430",
             "argument " + std::to_string(argument.getArgNumber()) +
                 " has the type " + text(argument.getType()) +
                 "; memrefs come first, then grid coordinates");
      if (!type) {
        scalarOf(argument);
        continue;
      }
      viewOf(argument);
      routine.elements.push_back(element(function, type));
      routine.shapes.push_back(type.getShape());
    }
    routine.bodies.emplace_back();
    decodeBody(block, 0);
    routine.views = int(viewRegisters.size());
    routine.scalars = int(scalarRegisters.size());
  }

private:
  BlockCode &code;
  RoutineCode &routine;
  const llvm::StringMap<int> &kernels;
  llvm::DenseMap<Value, int> viewRegisters, scalarRegisters;

  int pipeOf(StringRef name) {
    size_t pipe = 0;
    while (pipe < code.pipes.size() && code.pipes[pipe] != name)
      ++pipe;
    if (pipe == code.pipes.size())
      code.pipes.push_back(name.str());
    if (!llvm::is_contained(routine.pipes, int(pipe)))
      routine.pipes.push_back(int(pipe));
    return int(pipe);
  }

  int eventOf(StringRef from, StringRef to, int64_t id) {
    EventCode event{pipeOf(from), pipeOf(to), id};
    for (auto [i, known] : llvm::enumerate(routine.events))
      if (known.from == event.from && known.to == event.to &&
          known.id == event.id)
        return int(i);
    routine.events.push_back(event);
    return int(routine.events.size()) - 1;
  }

  int viewOf(Value value) {
    auto [it, isNew] =
        viewRegisters.try_emplace(value, int(viewRegisters.size()));
    return it->second;
  }
  int scalarOf(Value value) {
    auto [it, isNew] =
        scalarRegisters.try_emplace(value, int(scalarRegisters.size()));
    return it->second;
  }

  Element element(Operation *op, MemRefType type) {
    std::optional<Element> element = elementOf(type.getElementType());
    if (!element)
      fail(op, "TW0430",
           "elements of type " + text(type.getElementType()) +
               " cannot be executed",
           "Use f64, f32, f16, bf16, i1, i8, i16, i32 or i64.");
    if (type.getRank() > maxRank)
      fail(op, "TW0430",
           "a buffer has " + std::to_string(type.getRank()) +
               " dimensions; at most " + std::to_string(maxRank) +
               " are executed");
    return *element;
  }

  IndexOperand operand(OpFoldResult value) {
    if (auto attr = dyn_cast<Attribute>(value))
      return {cast<IntegerAttr>(attr).getInt(), -1};
    Value dynamic = cast<Value>(value);
    return {IndexOperand::dynamic, scalarOf(dynamic)};
  }
  std::vector<IndexOperand> operands(ArrayRef<OpFoldResult> values) {
    std::vector<IndexOperand> out;
    for (OpFoldResult value : values)
      out.push_back(operand(value));
    return out;
  }

  StepCode start(Operation *op, Step step) {
    StepCode out;
    out.step = step;
    out.key = primaryKey(op).str();
    // Registered operation names live as long as the context; the code may
    // outlive it, and so takes its names from here.
    out.name = stepName(step);
    if (StringRef pipe = block::pipeOf(op); !pipe.empty())
      out.pipe = pipeOf(pipe);
    return out;
  }

  static const char *stepName(Step step) {
    switch (step) {
    case Step::Move:
      return "block.move";
    case Step::Fill:
      return "block.fill";
    case Step::Unary:
      return "block.unary";
    case Step::Binary:
      return "block.binary";
    case Step::Cast:
      return "block.cast";
    case Step::Compare:
      return "block.compare";
    case Step::Select:
      return "block.select";
    case Step::Reduce:
      return "block.reduce";
    case Step::Matmul:
      return "block.matmul";
    case Step::Transpose:
      return "block.transpose";
    case Step::Reshape:
      return "block.reshape";
    case Step::Generic:
      return "block.generic";
    case Step::Dispatch:
      return "block.dispatch";
    case Step::Alloc:
      return "block.alloc";
    case Step::SetEvent:
      return "block.set_event";
    case Step::WaitEvent:
      return "block.wait_event";
    case Step::Barrier:
      return "block.barrier";
    case Step::Load:
      return "memref.load";
    case Step::Store:
      return "memref.store";
    default:
      return "memref.subview";
    }
  }

  void decodeBody(Block &block, int body) {
    for (Operation &op : block)
      if (!op.hasTrait<OpTrait::IsTerminator>())
        decodeOperation(&op, body);
  }

  int newBody(Block &block) {
    int body = int(routine.bodies.size());
    routine.bodies.emplace_back();
    decodeBody(block, body);
    return body;
  }

  void push(int body, StepCode step) {
    routine.bodies[size_t(body)].push_back(std::move(step));
  }

  /// An instruction with its memrefs as views, the destination last.
  StepCode instruction(Operation *op, Step step) {
    StepCode out = start(op, step);
    for (Value value : op->getOperands())
      if (auto type = dyn_cast<MemRefType>(value.getType())) {
        out.views.push_back(viewOf(value));
        out.element = element(op, type);
      }
    return out;
  }

  static PackedLayout packed(std::optional<tile::LayoutAttr> layout) {
    // Other layouts permute elements inside a tile whose logical shape stays;
    // nothing an instruction computes depends on them.
    if (!layout || layout->getKind() != tile::LayoutKind::Packed)
      return {};
    return {int(layout->getAxis()), layout->getBlock(), layout->getGroup(),
            layout->getMultiple()};
  }

  void carry(ValueRange from, ValueRange to,
             std::vector<std::pair<int, int>> &scalars,
             std::vector<std::pair<int, int>> &views) {
    for (auto [a, b] : llvm::zip(from, to))
      if (isa<MemRefType>(a.getType()))
        views.push_back({viewOf(a), viewOf(b)});
      else
        scalars.push_back({scalarOf(a), scalarOf(b)});
  }

  void decodeOperation(Operation *op, int body) {
    if (std::optional<ScalarInstruction> scalar = decodeScalar(op)) {
      StepCode out = start(op, Step::Scalar);
      out.scalar = *scalar;
      for (auto [i, value] : llvm::enumerate(op->getOperands()))
        out.scalar.operands[i] = scalarOf(value);
      out.scalar.dest = scalarOf(op->getResult(0));
      return push(body, std::move(out));
    }
    llvm::TypeSwitch<Operation *>(op)
        .Case<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
            [&](auto affine) { decodeAffine(affine, body); })
        .Case<memref::DimOp, memref::SubViewOp, memref::CastOp,
              memref::CollapseShapeOp, memref::ExpandShapeOp,
              memref::ReinterpretCastOp, memref::LoadOp, memref::StoreOp,
              memref::MemorySpaceCastOp>(
            [&](auto view) { decodeView(view, body); })
        .Case<scf::ForOp, scf::IfOp>(
            [&](auto control) { decodeControl(control, body); })
        .Case<AllocOp, MoveOp, FillOp, UnaryOp, BinaryOp, CastOp, CompareOp,
              SelectOp, ReduceOp, MatmulOp, TransposeOp, ReshapeOp, GenericOp,
              BufferOp, ConstantOp, DispatchOp>(
            [&](auto named) { decodeBlock(named, body); })
        .Case<SetEventOp, WaitEventOp>([&](auto event) {
          constexpr bool isSet = std::is_same_v<decltype(event), SetEventOp>;
          StepCode out = start(event, isSet ? Step::SetEvent : Step::WaitEvent);
          out.event =
              eventOf(event.getFrom(), event.getTo(), int64_t(event.getId()));
          out.pipe = pipeOf(isSet ? event.getFrom() : event.getTo());
          push(body, std::move(out));
        })
        .Case<BarrierOp>(
            [&](auto barrier) { push(body, start(barrier, Step::Barrier)); })
        .Default([](Operation *unknown) { failUnknown(unknown); });
  }

  template <typename AffineOp> void decodeAffine(AffineOp op, int body) {
    Step step = isa<affine::AffineMinOp>(op)   ? Step::AffineMin
                : isa<affine::AffineMaxOp>(op) ? Step::AffineMax
                                               : Step::AffineApply;
    StepCode out = start(op, step);
    std::optional<IndexMap> map = toIndexMap(op.getAffineMap());
    if (!map)
      fail(op, "TW0430", "an affine expression nests too deep to be executed");
    out.map = std::move(*map);
    for (Value value : op->getOperands())
      out.scalars.push_back(scalarOf(value));
    out.dest = scalarOf(op->getResult(0));
    push(body, std::move(out));
  }

  //===--- views ----------------------------------------------------------===//

  void decodeView(memref::DimOp op, int body) {
    StepCode out = start(op, Step::Dim);
    out.views = {viewOf(op.getSource())};
    out.scalars = {scalarOf(op.getIndex())};
    out.dest = scalarOf(op.getResult());
    push(body, std::move(out));
  }
  void decodeView(memref::SubViewOp op, int body) {
    StepCode out = start(op, Step::Subview);
    out.views = {viewOf(op.getSource())};
    out.offsets = operands(op.getMixedOffsets());
    out.sizes = operands(op.getMixedSizes());
    out.strides = operands(op.getMixedStrides());
    llvm::SmallBitVector dropped = op.getDroppedDims();
    for (unsigned d = 0; d < dropped.size(); ++d)
      out.numbers.push_back(dropped.test(d));
    out.dest = viewOf(op.getResult());
    push(body, std::move(out));
  }
  template <typename CastOp> void decodeSame(CastOp op, int body) {
    StepCode out = start(op, Step::CopyView);
    out.views = {viewOf(op.getSource())};
    out.dest = viewOf(op->getResult(0));
    push(body, std::move(out));
  }
  void decodeView(memref::CastOp op, int body) { decodeSame(op, body); }
  void decodeView(memref::MemorySpaceCastOp op, int body) {
    decodeSame(op, body);
  }
  void decodeView(memref::CollapseShapeOp op, int body) {
    StepCode out = start(op, Step::Reshaped);
    out.kind = 0;
    out.views = {viewOf(op.getSrc())};
    for (const ReassociationIndices &group : op.getReassociationIndices())
      out.numbers.push_back(int64_t(group.size()));
    out.dest = viewOf(op.getResult());
    push(body, std::move(out));
  }
  void decodeView(memref::ExpandShapeOp op, int body) {
    Builder builder(op.getContext());
    StepCode out = start(op, Step::Reshaped);
    out.kind = 1;
    out.views = {viewOf(op.getSrc())};
    for (const ReassociationIndices &group : op.getReassociationIndices())
      out.numbers.push_back(int64_t(group.size()));
    out.sizes = operands(getMixedValues(op.getStaticOutputShape(),
                                        op.getOutputShape(), builder));
    out.dest = viewOf(op.getResult());
    push(body, std::move(out));
  }
  void decodeView(memref::ReinterpretCastOp op, int body) {
    StepCode out = start(op, Step::Reshaped);
    out.kind = 2;
    out.views = {viewOf(op.getSource())};
    out.offsets = operands(op.getMixedOffsets());
    out.sizes = operands(op.getMixedSizes());
    out.strides = operands(op.getMixedStrides());
    out.dest = viewOf(op.getResult());
    push(body, std::move(out));
  }
  void decodeView(memref::LoadOp op, int body) {
    StepCode out = start(op, Step::Load);
    out.views = {viewOf(op.getMemRef())};
    for (Value index : op.getIndices())
      out.scalars.push_back(scalarOf(index));
    out.element = element(op, op.getMemRefType());
    out.pipe = pipeOf(scalarPipe);
    out.dest = scalarOf(op.getResult());
    push(body, std::move(out));
  }
  void decodeView(memref::StoreOp op, int body) {
    StepCode out = start(op, Step::Store);
    out.views = {viewOf(op.getMemRef())};
    out.scalars = {scalarOf(op.getValueToStore())};
    for (Value index : op.getIndices())
      out.scalars.push_back(scalarOf(index));
    out.element = element(op, op.getMemRefType());
    out.pipe = pipeOf(scalarPipe);
    push(body, std::move(out));
  }

  //===--- control --------------------------------------------------------===//

  void decodeControl(scf::ForOp op, int body) {
    StepCode out = start(op, Step::For);
    out.scalars = {scalarOf(op.getLowerBound()), scalarOf(op.getUpperBound()),
                   scalarOf(op.getStep()), scalarOf(op.getInductionVar())};
    carry(op.getInitArgs(), op.getRegionIterArgs(), out.initScalars,
          out.initViews);
    out.body = newBody(*op.getBody());
    auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
    carry(yield.getResults(), op.getRegionIterArgs(), out.yieldScalars,
          out.yieldViews);
    carry(ValueRange(op.getRegionIterArgs()), op.getResults(),
          out.resultScalars, out.resultViews);
    push(body, std::move(out));
  }
  void decodeControl(scf::IfOp op, int body) {
    StepCode out = start(op, Step::If);
    out.scalars = {scalarOf(op.getCondition())};
    out.body = newBody(*op.thenBlock());
    carry(op.thenYield().getResults(), op.getResults(), out.yieldScalars,
          out.yieldViews);
    if (Block *block = op.elseBlock()) {
      out.elseBody = newBody(*block);
      carry(op.elseYield().getResults(), op.getResults(), out.elseScalars,
            out.elseViews);
    }
    push(body, std::move(out));
  }

  //===--- block operations -----------------------------------------------===//

  void decodeBlock(AllocOp op, int body) {
    StepCode out = start(op, Step::Alloc);
    MemRefType type = op.getMemref().getType();
    out.element = element(op, type);
    out.bytes = type.getNumElements() * bytesOf(out.element);
    StringRef level = levelOf(type);
    for (auto [i, candidate] : llvm::enumerate(code.levels))
      if (candidate.name == level)
        out.level = int(i);
    if (out.level < 0)
      fail(op, "TW0432",
           "a buffer is at level " + level.str() + ", which the target lacks");
    if (!op.getOffset())
      fail(op, "TW0431",
           "a buffer of " + std::to_string(out.bytes) + " bytes at level " +
               level.str() + " has no address",
           "Run block/allocate-onchip first.");
    out.offset = int64_t(*op.getOffset());
    int64_t capacity = code.levels[size_t(out.level)].bytes;
    if (out.offset < 0 || out.offset > capacity ||
        out.bytes > capacity - out.offset)
      fail(op, "TW0433",
           "a buffer of " + std::to_string(out.bytes) + " bytes at offset " +
               std::to_string(out.offset) + " ends beyond the " +
               std::to_string(capacity) + " bytes of level " + level.str());
    int64_t &reach = routine.levelBytes[size_t(out.level)];
    reach = std::max(reach, out.offset + out.bytes);
    out.numbers = type.getShape();
    out.dest = viewOf(op.getMemref());
    push(body, std::move(out));
  }
  void decodeBlock(MoveOp op, int body) {
    StepCode out = instruction(op, Step::Move);
    out.lhsLayout = packed(op.getLayout());
    push(body, std::move(out));
  }
  void decodeBlock(FillOp op, int body) {
    StepCode out = instruction(op, Step::Fill);
    if (auto real = dyn_cast<FloatAttr>(op.getValue())) {
      APFloat value = real.getValue();
      bool lost;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
      out.scalar.constant.f = value.convertToDouble();
    } else {
      auto integer = cast<IntegerAttr>(op.getValue());
      out.scalar.constant.i = integer.getValue().getBitWidth() == 1
                                  ? int64_t(integer.getValue().getZExtValue())
                                  : integer.getValue().getSExtValue();
    }
    push(body, std::move(out));
  }
  void decodeBlock(UnaryOp op, int body) {
    StepCode out = instruction(op, Step::Unary);
    out.kind = uint8_t(op.getKind());
    auto function = UnaryFunction(out.kind);
    if (!isFloat(out.element) && function != UnaryFunction::Neg &&
        function != UnaryFunction::Abs && function != UnaryFunction::Relu)
      fail(op, "TW0430",
           (stringifyUnaryKind(op.getKind()) + " of integers is not defined")
               .str());
    push(body, std::move(out));
  }
  void decodeBlock(BinaryOp op, int body) {
    StepCode out = instruction(op, Step::Binary);
    out.kind = uint8_t(op.getKind());
    push(body, std::move(out));
  }
  void decodeBlock(CastOp op, int body) {
    push(body, instruction(op, Step::Cast));
  }
  void decodeBlock(CompareOp op, int body) {
    StepCode out = instruction(op, Step::Compare);
    out.kind = uint8_t(op.getPredicate());
    out.element = element(op, cast<MemRefType>(op.getLhs().getType()));
    push(body, std::move(out));
  }
  void decodeBlock(SelectOp op, int body) {
    push(body, instruction(op, Step::Select));
  }
  void decodeBlock(ReduceOp op, int body) {
    StepCode out = instruction(op, Step::Reduce);
    out.kind = uint8_t(op.getKind());
    out.accumulate = op.getAccumulate();
    out.numbers = op.getAxes();
    push(body, std::move(out));
  }
  void decodeBlock(MatmulOp op, int body) {
    StepCode out = instruction(op, Step::Matmul);
    out.lhsLayout = packed(op.getLhsLayout());
    out.rhsLayout = packed(op.getRhsLayout());
    out.transposeLhs = op.getTransposeLhs();
    out.transposeRhs = op.getTransposeRhs();
    out.accumulate = op.getAccumulate();
    if (Value k = op.getK())
      out.scalars = {scalarOf(k)};
    push(body, std::move(out));
  }
  void decodeBlock(TransposeOp op, int body) {
    StepCode out = instruction(op, Step::Transpose);
    out.numbers = op.getPermutation();
    push(body, std::move(out));
  }
  void decodeBlock(ReshapeOp op, int body) {
    push(body, instruction(op, Step::Reshape));
  }

  void decodeBlock(GenericOp op, int body) {
    StepCode out = instruction(op, Step::Generic);
    auto generic = std::make_shared<GenericCode>();
    generic->dims = int(op.getIteratorTypes().size());
    generic->inputs = int(op.getInputs().size());
    generic->extents.assign(size_t(generic->dims), {-1, -1});
    if (generic->dims > maxRank)
      fail(op, "TW0430",
           "it iterates over " + std::to_string(generic->dims) +
               " dimensions; at most " + std::to_string(maxRank) +
               " are executed");
    for (auto [i, attr] : llvm::enumerate(op.getIndexingMaps())) {
      AffineMap map = cast<AffineMapAttr>(attr).getValue();
      std::optional<IndexMap> converted = toIndexMap(map);
      if (!converted)
        fail(op, "TW0430", "an indexing map nests too deep to be executed");
      generic->maps.push_back(std::move(*converted));
      for (auto [r, result] : llvm::enumerate(map.getResults()))
        if (auto dim = dyn_cast<AffineDimExpr>(result)) {
          auto &extent = generic->extents[dim.getPosition()];
          if (extent.first < 0)
            extent = {int(i), int(r)};
        }
    }
    for (auto extent : generic->extents)
      if (extent.first < 0)
        fail(op, "TW0430", "no operand gives the length of one of its loops");

    Block &block = op.getBody().front();
    llvm::DenseMap<Value, int> inner;
    auto regOf = [&](Value value) {
      auto it = inner.find(value);
      if (it != inner.end())
        return it->second;
      int reg = int(inner.size());
      inner[value] = reg;
      if (value.getParentBlock() != &block) // computed outside
        generic->captured.push_back({scalarOf(value), reg});
      return reg;
    };
    for (BlockArgument argument : block.getArguments()) {
      regOf(argument);
      if (argument.getArgNumber() >= op.getInputs().size())
        generic->readsOutput.push_back(!argument.use_empty());
    }
    for (Operation &inside : block.without_terminator()) {
      std::optional<ScalarInstruction> scalar = decodeScalar(&inside);
      if (!scalar)
        failUnknown(&inside);
      for (auto [i, value] : llvm::enumerate(inside.getOperands()))
        scalar->operands[i] = regOf(value);
      scalar->dest = regOf(inside.getResult(0));
      generic->body.push_back(*scalar);
    }
    for (Value value : block.getTerminator()->getOperands())
      generic->yields.push_back(regOf(value));
    generic->registers = int(inner.size());
    out.generic = std::move(generic);
    push(body, std::move(out));
  }

  void decodeBlock(BufferOp op, int body) {
    StepCode out = start(op, Step::Buffer);
    MemRefType type = op.getMemref().getType();
    out.element = element(op, type);
    out.bytes = type.getNumElements() * bytesOf(out.element);
    out.numbers = type.getShape();
    out.dest = viewOf(op.getMemref());
    push(body, std::move(out));
  }
  void decodeBlock(ConstantOp op, int body) {
    StepCode out = start(op, Step::Constant);
    MemRefType type = op.getMemref().getType();
    out.element = element(op, type);
    out.numbers = type.getShape();
    std::optional<std::vector<std::byte>> bytes = bytesOf(op.getValue());
    if (!bytes)
      fail(op, "TW0430",
           "a constant of type " + text(type) +
               " is stored in a form that cannot be read");
    out.bytes = int64_t(bytes->size());
    out.constant =
        std::make_shared<const std::vector<std::byte>>(std::move(*bytes));
    out.dest = viewOf(op.getMemref());
    push(body, std::move(out));
  }
  void decodeBlock(DispatchOp op, int body) {
    StepCode out = start(op, Step::Dispatch);
    for (Value buffer : op.getBuffers())
      out.views.push_back(viewOf(buffer));
    Builder builder(op.getContext());
    auto dispatch = std::make_shared<DispatchCode>();
    auto found = kernels.find(op.getKernel());
    if (found == kernels.end())
      fail(op, "TW0430", "no kernel is named @" + op.getKernel().str());
    dispatch->kernel = found->second;
    dispatch->grid = operands(
        getMixedValues(op.getStaticGrid(), op.getDynamicGrid(), builder));
    const RoutineCode &kernel = code.kernels[size_t(dispatch->kernel)];
    if (kernel.buffers != int(out.views.size()) ||
        kernel.gridRank != int(dispatch->grid.size()))
      fail(op, "TW0430",
           "it passes " + std::to_string(out.views.size()) +
               " buffers and a grid of rank " +
               std::to_string(dispatch->grid.size()) + " to @" + kernel.name +
               ", which takes " + std::to_string(kernel.buffers) + " and " +
               std::to_string(kernel.gridRank));
    out.dispatch = std::move(dispatch);
    push(body, std::move(out));
  }
};

} // namespace

static llvm::StringMap<int>
decodeKernels(ModuleOp module, const std::map<std::string, int64_t> &levelBytes,
              BlockCode &code) {
  for (const auto &[level, bytes] : levelBytes)
    code.levels.push_back({level, bytes});
  llvm::StringMap<int> kernels;
  for (auto kernel : module.getOps<KernelOp>()) {
    kernels[kernel.getSymName()] = int(code.kernels.size());
    RoutineCode routine;
    RoutineDecoder(code, routine, kernels)
        .decode(kernel, int(kernel.getGridRank()));
    code.kernels.push_back(std::move(routine));
  }
  return kernels;
}

std::variant<BlockCode, model::Diagnostic>
decodeBlock(ModuleOp module, StringRef name,
            const std::map<std::string, int64_t> &levelBytes) {
  try {
    BlockCode code;
    llvm::StringMap<int> kernels = decodeKernels(module, levelBytes, code);
    for (auto program : module.getOps<ProgramOp>()) {
      if (!name.empty() && program.getSymName() != name)
        continue;
      RoutineDecoder(code, code.program, kernels).decode(program, 0);
      code.results = int(program.getResultCount());
      return code;
    }
    model::Diagnostic diagnostic;
    diagnostic.code = "TW0434";
    diagnostic.message =
        name.empty() ? "the module holds no block.program"
                     : "the module holds no block.program @" + name.str();
    return diagnostic;
  } catch (DecodeError &error) {
    return std::move(error.diagnostic);
  }
}

std::variant<KernelCodes, model::Diagnostic>
decodeKernels(ModuleOp module,
              const std::map<std::string, int64_t> &levelBytes) {
  try {
    KernelCodes out;
    llvm::StringMap<int> kernels = decodeKernels(module, levelBytes, out.code);
    for (auto program : module.getOps<ProgramOp>()) {
      out.programs.emplace_back();
      RoutineDecoder(out.code, out.programs.back(), kernels).decode(program, 0);
    }
    return out;
  } catch (DecodeError &error) {
    return std::move(error.diagnostic);
  }
}

} // namespace tilewright::execute
