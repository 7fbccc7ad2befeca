//===- JoinProgram.cpp - the program of a function from its scopes --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/pass/block/JoinProgram.h"
#include "core/dialect/Block/BlockDialect.h"
#include "core/dialect/Key.h"
#include "core/dialect/Tile/TileDialect.h"
#include "core/dialect/Weights.h"
#include "core/pass/block/Bufferize.h"
#include "core/pass/tile/ChooseTiles.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;

namespace tilewright::pass {
namespace {

enum class ScopeForm { Tensors, Buffers, Program };

std::optional<ScopeForm> formOf(Operation *callee) {
  if (isa_and_nonnull<block::ProgramOp>(callee))
    return ScopeForm::Program;
  if (auto func = dyn_cast_or_null<func::FuncOp>(callee))
    return func->hasAttr(resultCountAttrName) ? ScopeForm::Buffers
                                              : ScopeForm::Tensors;
  return std::nullopt;
}

class Joiner {
public:
  explicit Joiner(ModuleOp module)
      : module(module), symbols(module), builder(module.getContext()) {}

  LogicalResult run() {
    for (auto func : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (!func->hasAttr(tile::scopeAttrName) && !func.isExternal() &&
          failed(joinFunction(func)))
        return failure();
    for (auto program : llvm::to_vector(module.getOps<block::ProgramOp>()))
      if (!program->hasAttr(tile::scopeAttrName) &&
          failed(inlineCalls(program)))
        return failure();
    bindKernels();
    shareKernels();
    for (auto program : module.getOps<block::ProgramOp>())
      if (!program->hasAttr(tile::scopeAttrName))
        sharePanels(program);
    for (Operation *scope : inlined)
      scope->erase();
    return success();
  }

private:
  Type globalType(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return MemRefType::get(
        tensor.getShape(), tensor.getElementType(), MemRefLayoutAttrInterface(),
        block::LevelAttr::get(builder.getContext(), block::globalLevel));
  }

  LogicalResult joinFunction(func::FuncOp func) {
    bool any = false;
    for (auto call : func.getOps<func::CallOp>()) {
      std::optional<ScopeForm> form = formOf(symbols.lookup(call.getCallee()));
      if (!form)
        return call.emitError() << "calls @" << call.getCallee()
                                << ", which is no scope [TW0408]";
      if (*form == ScopeForm::Tensors)
        return success(); // nothing to join yet
      any = true;
    }
    FunctionType type = func.getFunctionType();
    for (Type each :
         llvm::concat<const Type>(type.getInputs(), type.getResults())) {
      auto tensor = dyn_cast<RankedTensorType>(each);
      if (!tensor || !tensor.hasStaticShape())
        return any ? func.emitError()
                         << "has " << each
                         << " in its signature; programs take tensors of known "
                            "sizes [TW0404]"
                   : success();
    }
    SmallVector<Type> arguments;
    for (Type each :
         llvm::concat<const Type>(type.getInputs(), type.getResults()))
      arguments.push_back(globalType(each));
    builder.setInsertionPoint(func);
    auto program = builder.create<block::ProgramOp>(
        func.getLoc(), func.getSymName(),
        builder.getFunctionType(arguments, {}), type.getNumResults());
    program->setDiscardableAttrs(func->getDiscardableAttrDictionary());
    Block &from = func.front(), &body = program.getBody().front();
    IRMapping buffers;
    for (unsigned i = 0; i < type.getNumInputs(); ++i) {
      buffers.map(from.getArgument(i), body.getArgument(i));
      body.getArgument(i).setLoc(from.getArgument(i).getLoc());
    }
    // What is returned is written where the caller wants it.
    llvm::DenseMap<Value, Value> outputs;
    auto ret = cast<func::ReturnOp>(from.getTerminator());
    for (auto [i, value] : llvm::enumerate(ret.getOperands())) {
      while (auto cast = value.getDefiningOp<tensor::CastOp>())
        value = cast.getSource();
      BlockArgument output = body.getArgument(type.getNumInputs() + i);
      output.setLoc(locationOf(value));
      if (!outputs.try_emplace(value, output).second ||
          !value.getDefiningOp<func::CallOp>()) {
        program.erase();
        return func.emitError() << "returns a value that no scope makes for it "
                                   "alone [TW0408]";
      }
    }
    builder.setInsertionPointToEnd(&body);
    for (Operation &op : from.without_terminator())
      if (failed(joinOp(&op, buffers, outputs))) {
        program.erase();
        return failure();
      }
    builder.create<block::ReturnOp>(ret.getLoc());
    symbols.remove(func);
    func.erase();
    symbols.insert(program);
    return success();
  }

  /// Of several results of a scope each has a key of its own.
  static Location locationOf(Value value) {
    auto result = dyn_cast<OpResult>(value);
    auto keys =
        result
            ? result.getOwner()->getAttrOfType<ArrayAttr>(tile::resultsAttrName)
            : ArrayAttr();
    if (!keys || result.getResultNumber() >= keys.size())
      return value.getLoc();
    return withKey(value.getLoc(),
                   cast<StringAttr>(keys[result.getResultNumber()]).getValue());
  }

  LogicalResult joinOp(Operation *op, IRMapping &buffers,
                       llvm::DenseMap<Value, Value> &outputs) {
    if (auto call = dyn_cast<func::CallOp>(op)) {
      if (formOf(symbols.lookup(call.getCallee())) == ScopeForm::Tensors)
        return call.emitError() << "calls a scope that is still on tensors "
                                   "among others that are not [TW0408]";
      SmallVector<Value> operands;
      for (Value operand : call.getOperands())
        operands.push_back(buffers.lookupOrNull(operand));
      for (Value result : call.getResults()) {
        Value buffer = outputs.lookup(result);
        if (!buffer)
          buffer = builder.create<block::BufferOp>(
              locationOf(result), globalType(result.getType()));
        buffers.map(result, buffer);
        operands.push_back(buffer);
      }
      if (llvm::is_contained(operands, Value()))
        return call.emitError() << "reads a value that has no buffer [TW0408]";
      // Checked as a call only once its callee is a function or is inlined.
      auto made = builder.create<func::CallOp>(op->getLoc(), call.getCallee(),
                                               TypeRange(), operands);
      made->setDiscardableAttrs(call->getDiscardableAttrDictionary());
      return success();
    }
    if (auto cast = dyn_cast<tensor::CastOp>(op)) {
      if (cast.getType() != cast.getSource().getType() &&
          !cast.getType().hasStaticShape())
        return op->emitError() << "makes a size unknown that was known "
                                  "[TW0404]";
      buffers.map(cast.getResult(), buffers.lookup(cast.getSource()));
      return success();
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      if (auto value = dyn_cast<ElementsAttr>(constant.getValue())) {
        buffers.map(constant.getResult(),
                    builder
                        .create<block::ConstantOp>(
                            op->getLoc(), globalType(constant.getType()), value)
                        .getResult());
      }
      return success();
    }
    if (isOpTriviallyDead(op))
      return success();
    return op->emitError() << "stands between scopes, where only constants and "
                              "calls can [TW0408]";
  }

  LogicalResult inlineCalls(block::ProgramOp program) {
    for (auto call :
         llvm::to_vector(program.getBody().getOps<func::CallOp>())) {
      auto scope =
          dyn_cast_or_null<block::ProgramOp>(symbols.lookup(call.getCallee()));
      if (!scope)
        continue;
      if (TypeRange(scope.getFunctionType().getInputs()) !=
          TypeRange(call.getOperands()))
        return call.emitError() << "passes other buffers than scope @"
                                << call.getCallee() << " takes [TW0408]";
      auto bindings = call->getAttrOfType<ArrayAttr>(tile::bindingsAttrName);
      builder.setInsertionPoint(call);
      LocationBinder binder(builder.getContext(), bindings);
      IRMapping mapping;
      mapping.map(scope.getBody().getArguments(), call.getOperands());
      for (Operation &op : scope.getBody().front().without_terminator()) {
        Operation *clone = builder.clone(op, mapping);
        clone->setLoc(binder.bind(op.getLoc()));
        if (auto dispatch = dyn_cast<block::DispatchOp>(clone))
          instances[dispatch.getKernel()].push_back(bindings);
      }
      inlined.insert(scope);
      call.erase();
    }
    return success();
  }

  /// A kernel stands for the operations of all its instances.
  void bindKernels() {
    for (auto &[name, users] : instances) {
      Operation *kernel = symbols.lookup(name);
      if (!kernel)
        continue;
      LocationBinder binder(module.getContext(), users);
      kernel->walk(
          [&](Operation *op) { op->setLoc(binder.bind(op->getLoc())); });
    }
  }

  /// Kernels of several scopes that differ in names and keys only become one,
  /// which stands for the operations of all.
  void shareKernels() {
    auto sizeOf = [](block::KernelOp kernel) {
      unsigned size = 0;
      llvm::hash_code hash = llvm::hash_value(0);
      kernel.getBody().walk([&](Operation *op) {
        ++size;
        hash = llvm::hash_combine(hash, op->getName(), op->getAttrDictionary());
      });
      return std::tuple(size, size_t(hash));
    };
    auto attributesOf = [](block::KernelOp kernel) {
      NamedAttrList attributes(kernel->getAttrDictionary());
      attributes.erase(SymbolTable::getSymbolAttrName());
      return attributes.getDictionary(kernel.getContext());
    };
    std::map<std::tuple<unsigned, size_t>, SmallVector<block::KernelOp>> known;
    llvm::StringMap<StringRef> renamed;
    SmallVector<block::KernelOp> gone;
    for (auto kernel : module.getOps<block::KernelOp>()) {
      if (!instances.count(kernel.getSymName()))
        continue;
      SmallVector<block::KernelOp> &alike = known[sizeOf(kernel)];
      auto same = llvm::find_if(alike, [&](block::KernelOp other) {
        return attributesOf(other) == attributesOf(kernel) &&
               OperationEquivalence::isRegionEquivalentTo(
                   &other.getBody(), &kernel.getBody(),
                   OperationEquivalence::IgnoreLocations);
      });
      if (same == alike.end()) {
        alike.push_back(kernel);
        continue;
      }
      SmallVector<Operation *> into, from;
      (*same)->walk([&](Operation *op) { into.push_back(op); });
      kernel->walk([&](Operation *op) { from.push_back(op); });
      for (auto [a, b] : llvm::zip(into, from))
        a->setLoc(fuseKeys(module.getContext(), {a->getLoc(), b->getLoc()}));
      renamed[kernel.getSymName()] = same->getSymName();
      gone.push_back(kernel);
    }
    if (gone.empty())
      return;
    module.walk([&](block::DispatchOp dispatch) {
      if (auto it = renamed.find(dispatch.getKernel()); it != renamed.end())
        dispatch.setKernel(it->second);
    });
    for (block::KernelOp kernel : gone)
      symbols.erase(kernel);
  }

  /// A weight that several scopes read in the same panels is packed once: by
  /// the first of the dispatches that differ in what they fill only.
  void sharePanels(block::ProgramOp program) {
    std::map<std::pair<StringRef, void *>, block::DispatchOp> known;
    for (auto dispatch : llvm::make_early_inc_range(
             program.getBody().getOps<block::DispatchOp>())) {
      if (!dispatch->hasAttr(onceAttrName) || dispatch.getBuffers().size() != 2)
        continue;
      Value weight = dispatch.getBuffers()[0];
      auto panels = dispatch.getBuffers()[1].getDefiningOp<block::BufferOp>();
      if (!panels)
        continue;
      auto [first, isNew] = known.try_emplace(
          {dispatch.getKernel(), weight.getAsOpaquePointer()}, dispatch);
      if (isNew)
        continue;
      block::DispatchOp kept = first->second;
      auto into = kept.getBuffers()[1].getDefiningOp<block::BufferOp>();
      kept->setLoc(
          fuseKeys(module.getContext(), {kept.getLoc(), dispatch.getLoc()}));
      into->setLoc(
          fuseKeys(module.getContext(), {into.getLoc(), panels.getLoc()}));
      panels.getMemref().replaceAllUsesWith(into.getMemref());
      dispatch.erase();
      panels.erase();
    }
  }

  ModuleOp module;
  SymbolTable symbols;
  OpBuilder builder;
  llvm::MapVector<StringRef, SmallVector<ArrayAttr>> instances;
  llvm::SetVector<Operation *> inlined;
};

} // namespace

LogicalResult joinProgram(ModuleOp module) { return Joiner(module).run(); }

} // namespace tilewright::pass
