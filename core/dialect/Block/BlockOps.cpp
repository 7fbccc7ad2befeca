//===- BlockOps.cpp - kernels, programs, dispatches -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Block/BlockDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace tilewright::block;

#define GET_OP_CLASSES
#include "core/dialect/Block/BlockOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Kernels and programs
//===----------------------------------------------------------------------===//

// Both are functions without results whose arguments are buffers: built,
// written and read alike, and different in one attribute.

template <typename Op>
static void buildFunctionLike(OpBuilder &builder, OperationState &state,
                              StringRef name, FunctionType type) {
  state.addAttribute(SymbolTable::getSymbolAttrName(),
                     builder.getStringAttr(name));
  state.addAttribute(Op::getFunctionTypeAttrName(state.name),
                     TypeAttr::get(type));
  Region *body = state.addRegion();
  body->push_back(new Block);
  for (Type input : type.getInputs())
    body->front().addArgument(input, state.location);
}

template <typename Op>
static ParseResult parseFunctionLike(OpAsmParser &parser,
                                     OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(inputs, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      Op::getFunctionTypeAttrName(result.name), buildType,
      Op::getArgAttrsAttrName(result.name),
      Op::getResAttrsAttrName(result.name));
}

template <typename Op>
static void printFunctionLike(OpAsmPrinter &printer, Op op) {
  function_interface_impl::printFunctionOp(
      printer, op, /*isVariadic=*/false, op.getFunctionTypeAttrName(),
      op.getArgAttrsAttrName(), op.getResAttrsAttrName());
}

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     FunctionType type, StringRef core, int64_t gridRank) {
  buildFunctionLike<KernelOp>(builder, state, name, type);
  state.addAttribute(getCoreAttrName(state.name), builder.getStringAttr(core));
  state.addAttribute(getGridRankAttrName(state.name),
                     builder.getI64IntegerAttr(gridRank));
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunctionLike<KernelOp>(parser, result);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printFunctionLike(printer, *this);
}

LogicalResult KernelOp::verify() {
  if (getFunctionType().getNumResults() != 0)
    return emitOpError("has results; a kernel writes through its arguments "
                       "[TW0401]");
  int64_t rank = getGridRank();
  ArrayRef<Type> inputs = getFunctionType().getInputs();
  if (rank < 0 || rank > int64_t(inputs.size()))
    return emitOpError() << "has grid rank " << rank << " and " << inputs.size()
                         << " arguments [TW0401]";
  for (auto [i, type] : llvm::enumerate(inputs)) {
    bool isGrid = int64_t(i) >= int64_t(inputs.size()) - rank;
    if (isGrid ? !type.isIndex() : !isa<MemRefType>(type))
      return emitOpError() << "argument " << i << " is " << type
                           << (isGrid ? "; grid coordinates are index [TW0401]"
                                      : "; buffers are memrefs [TW0401]");
  }
  return success();
}

void ProgramOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                      FunctionType type, int64_t resultCount) {
  buildFunctionLike<ProgramOp>(builder, state, name, type);
  state.addAttribute(getResultCountAttrName(state.name),
                     builder.getI64IntegerAttr(resultCount));
}

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunctionLike<ProgramOp>(parser, result);
}

void ProgramOp::print(OpAsmPrinter &printer) {
  printFunctionLike(printer, *this);
}

LogicalResult ProgramOp::verify() {
  ArrayRef<Type> inputs = getFunctionType().getInputs();
  if (getFunctionType().getNumResults() != 0)
    return emitOpError("has results; outputs are its last arguments [TW0401]");
  if (int64_t(getResultCount()) < 0 ||
      int64_t(getResultCount()) > int64_t(inputs.size()))
    return emitOpError() << "says " << int64_t(getResultCount())
                         << " results and has " << inputs.size()
                         << " arguments [TW0401]";
  for (auto [i, type] : llvm::enumerate(inputs))
    if (!isa<MemRefType>(type))
      return emitOpError() << "argument " << i << " is " << type
                           << "; buffers are memrefs [TW0401]";
  return success();
}

LogicalResult ConstantOp::verify() {
  auto value = dyn_cast<RankedTensorType>(getValue().getShapedType());
  auto memref = cast<MemRefType>(getMemref().getType());
  if (!value || value.getShape() != memref.getShape() ||
      value.getElementType() != memref.getElementType())
    return emitOpError() << "holds " << getValue().getShapedType()
                         << " but makes " << memref << " [TW0401]";
  return success();
}

LogicalResult DispatchOp::verify() {
  int64_t dynamic = llvm::count(getStaticGrid(), ShapedType::kDynamic);
  if (dynamic != int64_t(getDynamicGrid().size()))
    return emitOpError() << "has " << dynamic << " dynamic grid sizes and "
                         << getDynamicGrid().size() << " operands for them "
                         << "[TW0402]";
  for (int64_t size : getStaticGrid())
    if (!ShapedType::isDynamic(size) && size < 0)
      return emitOpError() << "has grid size " << size << " [TW0402]";
  if (Attribute order = (*this)->getAttr(orderAttrName)) {
    auto strip = dyn_cast<IntegerAttr>(order);
    if (!strip || strip.getValue().getSignificantBits() > 63 ||
        strip.getInt() < 1)
      return emitOpError() << "has an order of " << order
                           << "; a number of rows from 1 is meant [TW0402]";
  }
  unsigned rank = getStaticGrid().size();
  if (auto accesses = getAccess()) {
    if (accesses->size() != getBuffers().size())
      return emitOpError() << "has " << getBuffers().size()
                           << " arguments and states access for "
                           << accesses->size() << " [TW0402]";
    for (auto [attr, buffer] : llvm::zip(*accesses, getBuffers())) {
      auto access = cast<AccessAttr>(attr);
      int64_t bufferRank = cast<MemRefType>(buffer.getType()).getRank();
      if (access.getMap().getNumDims() != rank ||
          access.getMap().getNumResults() != bufferRank ||
          int64_t(access.getSizes().size()) != bufferRank)
        return emitOpError()
               << "access " << access << " does not fit a grid of rank " << rank
               << " and an argument of rank " << bufferRank << " [TW0402]";
    }
  }
  if (auto dependencies = getDependencies())
    for (auto dependency : dependencies->getAsRange<DependencyAttr>())
      if (dependency.getProducer() < 0 ||
          dependency.getLower().getNumDims() != rank ||
          dependency.getUpper().getNumDims() != rank ||
          dependency.getLower().getNumResults() !=
              dependency.getUpper().getNumResults())
        return emitOpError()
               << "dependency " << dependency << " does not fit a grid of rank "
               << rank << " [TW0402]";
  return success();
}

LogicalResult DispatchOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  auto kernel =
      symbolTable.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError() << "names no kernel @" << getKernel() << " [TW0402]";
  if (kernel.getGridRank() != getStaticGrid().size())
    return emitOpError() << "has a grid of rank " << getStaticGrid().size()
                         << "; kernel @" << getKernel() << " wants "
                         << kernel.getGridRank() << " [TW0402]";
  if (kernel.getNumBuffers() != getBuffers().size())
    return emitOpError() << "passes " << getBuffers().size()
                         << " arguments; kernel @" << getKernel() << " wants "
                         << kernel.getNumBuffers() << " [TW0402]";
  for (auto [i, buffer] : llvm::enumerate(getBuffers()))
    if (buffer.getType() != kernel.getArgumentTypes()[i])
      return emitOpError() << "argument " << i << " is " << buffer.getType()
                           << "; kernel @" << getKernel() << " wants "
                           << kernel.getArgumentTypes()[i] << " [TW0402]";
  return success();
}

LogicalResult AllocOp::verify() {
  if (getOffset() && int64_t(*getOffset()) < 0)
    return emitOpError() << "lies at offset " << int64_t(*getOffset())
                         << " [TW0403]";
  return success();
}
