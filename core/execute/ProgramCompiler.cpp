//===- ProgramCompiler.cpp - a block.program as a compiled program --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/ProgramCompiler.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/dialect/Key.h"
#include "core/dialect/Weights.h"
#include "core/execute/AffineToIndexMap.h"
#include "core/execute/CodeEmitter.h"
#include "core/execute/CpuLowering.h"
#include "core/execute/ElementsBytes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

using namespace mlir;
using namespace tilewright::block;

namespace tilewright::execute {
namespace {

struct CompileError {
  model::Diagnostic diagnostic;
};

[[noreturn]] void fail(Operation *op, std::string code, std::string message) {
  CompileError error;
  error.diagnostic.code = std::move(code);
  error.diagnostic.message = std::move(message);
  error.diagnostic.key = primaryKey(op).str();
  throw error;
}

class ProgramBuilder {
public:
  ProgramBuilder(CompiledProgram &program, SymbolTable &symbols)
      : program(program), symbols(symbols) {}

  void build(ProgramOp op) {
    program.name = op.getSymName().str();
    Block &body = op.getBody().front();
    int64_t inputs =
        int64_t(body.getNumArguments()) - int64_t(op.getResultCount());
    for (BlockArgument argument : body.getArguments())
      addBuffer(op, argument,
                argument.getArgNumber() < inputs ? ProgramBuffer::Kind::Argument
                                                 : ProgramBuffer::Kind::Result);
    for (Operation &inside : body.without_terminator()) {
      if (auto buffer = dyn_cast<BufferOp>(inside))
        addBuffer(buffer, buffer.getMemref(), ProgramBuffer::Kind::Temporary);
      else if (auto constant = dyn_cast<ConstantOp>(inside))
        addConstant(constant);
      else if (auto dispatch = dyn_cast<DispatchOp>(inside))
        addDispatch(dispatch);
      else if (!isa<ViewLikeOpInterface>(inside) &&
               !inside.hasTrait<OpTrait::ConstantLike>())
        fail(&inside, "TW0430",
             (inside.getName().getStringRef() +
              " in a program cannot be compiled")
                 .str());
    }
  }

private:
  CompiledProgram &program;
  SymbolTable &symbols;
  llvm::DenseMap<Value, BufferReference> references;
  /// Of each dispatch: buffers it reads and writes.
  std::vector<std::pair<std::set<int64_t>, std::set<int64_t>>> touched;

  void addBuffer(Operation *op, Value value, ProgramBuffer::Kind kind) {
    auto type = dyn_cast<MemRefType>(value.getType());
    std::optional<Element> element =
        type ? elementOf(type.getElementType()) : std::nullopt;
    if (!element || !type.hasStaticShape()) {
      std::string text;
      llvm::raw_string_ostream(text) << value.getType();
      fail(op, "TW0440",
           "a buffer of type " + text +
               " cannot be compiled; shapes must be known and elements f64, "
               "f32, f16, bf16, i1, i8, i16, i32 or i64");
    }
    ProgramBuffer buffer;
    buffer.kind = kind;
    buffer.dtype = nameOf(*element);
    buffer.shape = type.getShape();
    buffer.bytes = type.getNumElements() * bytesOf(*element);
    references[value] = {int64_t(program.buffers.size()), 0};
    program.buffers.push_back(std::move(buffer));
  }

  void addConstant(ConstantOp op) {
    addBuffer(op, op.getMemref(), ProgramBuffer::Kind::Constant);
    std::optional<std::vector<std::byte>> bytes = bytesOf(op.getValue());
    if (!bytes)
      fail(op, "TW0430", "a constant is stored in a form that cannot be read");
    // Each at a cache line.
    program.constants.resize((program.constants.size() + 63) / 64 * 64);
    program.buffers.back().constantOffset = int64_t(program.constants.size());
    program.constants.insert(program.constants.end(), bytes->begin(),
                             bytes->end());
  }

  BufferReference reference(Operation *user, Value value) {
    auto it = references.find(value);
    if (it != references.end())
      return it->second;
    auto viewOp = value.getDefiningOp<ViewLikeOpInterface>();
    if (!viewOp)
      fail(user, "TW0441",
           "a dispatch passes a buffer that is none of the program's");
    BufferReference base = reference(user, viewOp.getViewSource());
    if (auto type = cast<MemRefType>(value.getType());
        type.hasStaticShape() && type.getNumElements() == 0)
      return references[value] = base; // nothing lies there, wherever it is
    auto offsetIn = [&](Value memref) {
      SmallVector<int64_t> strides;
      int64_t offset;
      if (failed(getStridesAndOffset(cast<MemRefType>(memref.getType()),
                                     strides, offset)) ||
          ShapedType::isDynamic(offset))
        fail(user, "TW0441",
             "a dispatch passes a part of a buffer that starts "
             "at no known place");
      return offset;
    };
    int64_t bytes =
        bytesOf(*elementOf(cast<MemRefType>(value.getType()).getElementType()));
    BufferReference out = base;
    // Offsets in types count from the start of the whole buffer.
    out.byteOffset +=
        (offsetIn(value) - offsetIn(viewOp.getViewSource())) * bytes;
    references[value] = out;
    return out;
  }

  void addDispatch(DispatchOp op) {
    ProgramDispatch dispatch;
    dispatch.kernel = op.getKernel().str();
    dispatch.name = dispatch.kernel;
    for (StringRef key : keysOf(op))
      dispatch.keys.push_back(key.str());
    if (!op.getDynamicGrid().empty())
      fail(op, "TW0440",
           "the grid of @" + dispatch.kernel + " has a size that is not known");
    dispatch.grid = op.getStaticGrid();
    dispatch.once = op->hasAttr(onceAttrName);
    if (auto strip = op->getAttrOfType<IntegerAttr>(block::orderAttrName))
      dispatch.strip = strip.getInt();
    for (Value buffer : op.getBuffers())
      dispatch.buffers.push_back(reference(op, buffer));
    if (!symbols.lookup<KernelOp>(op.getKernel()))
      fail(op, "TW0434", "no kernel is named @" + dispatch.kernel);

    std::set<int64_t> reads, writes;
    for (auto [i, reference] : llvm::enumerate(dispatch.buffers)) {
      AccessMode mode = AccessMode::ReadWrite;
      if (op.getAccess())
        mode = cast<AccessAttr>((*op.getAccess())[i]).getMode();
      if (mode != AccessMode::Write)
        reads.insert(reference.buffer);
      if (mode != AccessMode::Read)
        writes.insert(reference.buffer);
    }
    if (auto dependencies = op.getDependencies())
      for (Attribute attr : *dependencies) {
        auto dependency = cast<DependencyAttr>(attr);
        std::optional<IndexMap> lower = toIndexMap(dependency.getLower()),
                                upper = toIndexMap(dependency.getUpper());
        if (!lower || !upper)
          fail(op, "TW0430", "a dependency map nests too deep");
        dispatch.dependencies.push_back(
            {dependency.getProducer(), std::move(*lower), std::move(*upper)});
      }
    else
      for (auto [earlier, sets] : llvm::enumerate(touched)) {
        auto meets = [](const std::set<int64_t> &a,
                        const std::set<int64_t> &b) {
          return llvm::any_of(a, [&](int64_t x) { return b.count(x); });
        };
        if (meets(sets.second, reads) || meets(sets.second, writes) ||
            meets(sets.first, writes))
          dispatch.dependencies.push_back(
              wholeGrid(int64_t(earlier), int64_t(dispatch.grid.size())));
      }
    touched.push_back({std::move(reads), std::move(writes)});
    program.dispatches.push_back(std::move(dispatch));
  }

  ProgramDependency wholeGrid(int64_t producer, int64_t inputs) {
    ProgramDependency dependency;
    dependency.producer = producer;
    for (int64_t size : program.dispatches[size_t(producer)].grid) {
      dependency.lower.addResult({int64_t(IndexMap::Op::Constant), 0}, inputs);
      dependency.upper.addResult({int64_t(IndexMap::Op::Constant), size},
                                 inputs);
    }
    return dependency;
  }
};

} // namespace

std::variant<CompiledProgram, model::Diagnostic>
compileProgram(ModuleOp module, StringRef name, const CpuFeatures &cpu) {
  CompiledProgram program;
  ProgramOp found;
  for (auto op : module.getOps<ProgramOp>())
    if (name.empty() || op.getSymName() == name) {
      found = op;
      break;
    }
  if (!found) {
    model::Diagnostic diagnostic;
    diagnostic.code = "TW0434";
    diagnostic.message =
        name.empty() ? "the module holds no block.program"
                     : "the module holds no block.program @" + name.str();
    return diagnostic;
  }
  try {
    SymbolTable symbols(module);
    ProgramBuilder(program, symbols).build(found);
  } catch (CompileError &error) {
    return std::move(error.diagnostic);
  }
  auto lowered = lowerKernels(module, cpu);
  if (auto *diagnostic = std::get_if<model::Diagnostic>(&lowered))
    return std::move(*diagnostic);
  auto &kernels = std::get<LoweredKernels>(lowered);
  for (ProgramDispatch &dispatch : program.dispatches)
    dispatch.scratchBytes = kernels.scratchBytes[dispatch.kernel];
  kernels.module->walk([&](LLVM::CallIntrinsicOp call) {
    program.matrixTiles |= call.getIntrin() == "llvm.x86.ldtilecfg";
  });
  auto object = emitCode(*kernels.module, cpu, CodeKind::Object);
  if (auto *diagnostic = std::get_if<model::Diagnostic>(&object))
    return std::move(*diagnostic);
  const std::string &bytes = std::get<std::string>(object);
  program.object.resize(bytes.size());
  std::copy(bytes.begin(), bytes.end(),
            reinterpret_cast<char *>(program.object.data()));
  if (std::string what = program.inconsistency(); !what.empty()) {
    model::Diagnostic diagnostic;
    diagnostic.code = "TW0442";
    diagnostic.message = what;
    return diagnostic;
  }
  return program;
}

} // namespace tilewright::execute
