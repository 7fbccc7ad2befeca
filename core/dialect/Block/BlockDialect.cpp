//===- BlockDialect.cpp - the Block graph ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Block/BlockDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::block;

#include "core/dialect/Block/BlockDialect.cpp.inc"
#include "core/dialect/Block/BlockEnums.cpp.inc"

/// `[4, 8]`; `[]` for a buffer of rank 0.
static ParseResult parseSizes(AsmParser &parser, SmallVector<int64_t> &sizes) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(sizes.emplace_back());
  });
}

static void printSizes(AsmPrinter &printer, ArrayRef<int64_t> sizes) {
  printer << '[';
  llvm::interleaveComma(sizes, printer);
  printer << ']';
}

#define GET_ATTRDEF_CLASSES
#include "core/dialect/Block/BlockAttributes.cpp.inc"

void BlockDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "core/dialect/Block/BlockAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "core/dialect/Block/BlockOps.cpp.inc"
      >();
}

namespace tilewright::block {

StringRef levelOf(MemRefType type) {
  auto level = dyn_cast_or_null<LevelAttr>(type.getMemorySpace());
  return level ? level.getName() : StringRef(globalLevel);
}

MemRefType withLevel(MemRefType type, StringRef level) {
  return MemRefType::get(type.getShape(), type.getElementType(),
                         type.getLayout(),
                         LevelAttr::get(type.getContext(), level));
}

bool isInstruction(Operation *op) {
  return isa<MoveOp, FillOp, UnaryOp, BinaryOp, CastOp, CompareOp, SelectOp,
             ReduceOp, MatmulOp, TransposeOp, ReshapeOp, GenericOp>(op);
}

StringRef pipeOf(Operation *op) {
  auto pipe = op->getAttrOfType<StringAttr>("pipe");
  return pipe ? pipe.getValue() : StringRef();
}

Accesses accessesOf(Operation *op) {
  Accesses accesses;
  if (auto generic = dyn_cast<GenericOp>(op)) {
    llvm::append_range(accesses.reads, generic.getInputs());
    Block &body = generic.getBody().front();
    unsigned inputs = generic.getInputs().size();
    for (auto [i, output] : llvm::enumerate(generic.getOutputs())) {
      accesses.writes.push_back(output);
      if (inputs + i < body.getNumArguments() &&
          !body.getArgument(inputs + i).use_empty())
        accesses.reads.push_back(output);
    }
    return accesses;
  }
  if (!isInstruction(op))
    return accesses;
  Value dest;
  for (Value operand : op->getOperands())
    if (isa<MemRefType>(operand.getType())) {
      if (dest)
        accesses.reads.push_back(dest);
      dest = operand; // the destination is the last memref
    }
  accesses.writes.push_back(dest);
  if (op->hasAttr("accumulate"))
    accesses.reads.push_back(dest);
  return accesses;
}

Value underlyingBuffer(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

} // namespace tilewright::block
