//===- Verifiers.cpp - what a tw operator must satisfy --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Tensor/ShapeInference.h"
#include "core/dialect/Tensor/TensorDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace tilewright::tw;

/// No machine in sight holds a larger tensor; beyond it a size is a slip.
static constexpr int64_t maxTensorBytes = int64_t(1) << 44;

static bool isArithmetic(Type type) {
  return isa<Float32Type, Float16Type, BFloat16Type>(type);
}
static bool isElement(Type type) {
  return isArithmetic(type) || type.isSignlessInteger(1) ||
         type.isSignlessInteger(8) || type.isSignlessInteger(32) ||
         type.isSignlessInteger(64);
}

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// "operand 1" or "the result" of `value` at position `index`.
static std::string valueText(Operation *op, int index) {
  if (index < 0)
    return "the result";
  return op->getNumOperands() == 1 ? "the operand"
                                   : "operand " + std::to_string(index);
}

static LogicalResult verifySize(Operation *op, RankedTensorType type,
                                int index) {
  int64_t bytes = 1;
  bool overflow = false;
  for (int64_t size : type.getShape()) {
    if (size == 0)
      return success();
    if (!ShapedType::isDynamic(size))
      overflow |= bool(llvm::MulOverflow(bytes, size, bytes));
  }
  int64_t width = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  overflow |= bool(llvm::MulOverflow(bytes, width, bytes));
  if (!overflow && bytes <= maxTensorBytes)
    return success();
  return op->emitOpError() << valueText(op, index) << " of type " << type
                           << (overflow
                                   ? " has more than 2^63 bytes"
                                   : " has " + std::to_string(bytes) + " bytes")
                           << "; at most 16 TiB are possible [TW0102]";
}

/// Element types of operands and result.
static LogicalResult verifyElements(Operation *op) {
  auto fail = [&](int index, Type found, const llvm::Twine &wanted) {
    return op->emitOpError() << valueText(op, index) << " has elements of type "
                             << found << ", but " << wanted << " [TW0101]";
  };
  bool moves = isa<TransposeOp, ReshapeOp, SliceOp, InsertOp, ConcatOp, FullOp,
                   CastOp, CompareOp, SelectOp>(op);
  Type result =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  auto elementOf = [&](unsigned i) -> Type {
    auto type = dyn_cast<RankedTensorType>(op->getOperand(i).getType());
    return type ? type.getElementType() : Type();
  };
  auto check = [&](int index, Type type) -> LogicalResult {
    if (moves ? isElement(type) : isArithmetic(type))
      return success();
    return fail(index, type,
                moves ? "f32, f16, bf16, i1, i8, i32 and i64 are supported"
                      : "f32, f16 and bf16 are supported; use tw.cast");
  };
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (Type type = elementOf(i); type && failed(check(i, type)))
      return failure();
  if (failed(check(-1, result)))
    return failure();

  // Which operands share an element type, and whether the result has it too.
  unsigned first = 0, last = op->getNumOperands();
  bool sameResult = !isa<CastOp, CompareOp, MatmulOp, FullOp>(op);
  if (isa<MatmulOp>(op))
    last = 2;
  if (isa<SelectOp>(op)) {
    first = 1;
    if (!elementOf(0).isInteger(1))
      return fail(0, elementOf(0), "a condition has i1; use tw.compare");
  }
  if (isa<FullOp>(op))
    last = 0;
  for (unsigned i = first + 1; i < last; ++i)
    if (elementOf(i) != elementOf(first))
      return fail(i, elementOf(i),
                  valueText(op, first) + " has " + typeText(elementOf(first)) +
                      "; use tw.cast on one of them");
  if (sameResult && first < last && result != elementOf(first))
    return fail(-1, result,
                valueText(op, first) + " has " + typeText(elementOf(first)));
  if (isa<CompareOp>(op) && !result.isInteger(1))
    return fail(-1, result, "a comparison gives i1");
  if (auto matmul = dyn_cast<MatmulOp>(op))
    if (matmul.getAcc() && elementOf(2) != result)
      return fail(2, elementOf(2),
                  "an accumulator has that of the result, " + typeText(result));
  return success();
}

static LogicalResult verifyAttributes(Operation *op) {
  FloatAttr epsilon;
  if (auto norm = dyn_cast<RmsNormOp>(op))
    epsilon = norm.getEpsilonAttr();
  else if (auto norm = dyn_cast<LayerNormOp>(op))
    epsilon = norm.getEpsilonAttr();
  if (epsilon) {
    double value = epsilon.getValueAsDouble();
    if (!(value >= 0) || std::isinf(value))
      return op->emitOpError()
             << "epsilon is " << value << "; it must be 0 or more [TW0112]";
  }
  if (auto full = dyn_cast<FullOp>(op)) {
    double value = full.getValue().convertToDouble();
    Type type = full.getType().getElementType();
    if (auto integer = dyn_cast<IntegerType>(type)) {
      unsigned width = integer.getWidth();
      double low = width == 1 ? 0 : -std::ldexp(1.0, width - 1);
      double high = width == 1 ? 2 : std::ldexp(1.0, width - 1);
      if (!(value >= low && value < high && std::trunc(value) == value))
        return op->emitOpError()
               << "value " << value << " is no " << type << " [TW0112]";
    }
  }
  return success();
}

/// The accessors of attributes with a default take for granted that one is
/// there; a value of another kind in the text leaves none.
static LogicalResult verifyPresent(Operation *op) {
  for (StringAttr name : op->getName().getAttributeNames()) {
    if (!llvm::is_contained({"axes", "axis", "epsilon", "kind", "offsets",
                             "permutation", "predicate", "sizes", "value"},
                            name.getValue()))
      continue;
    std::optional<Attribute> value = op->getInherentAttr(name);
    if (!value || !*value)
      return op->emitOpError() << "attribute '" << name.getValue()
                               << "' is missing or of another kind [TW0112]";
  }
  return success();
}

/// The name in `known` that `name` was probably meant to be, or "".
static StringRef nearestName(StringRef name, ArrayRef<StringRef> known) {
  StringRef nearest;
  unsigned limit = std::max<unsigned>(1, name.size() / 3);
  for (StringRef candidate : known) {
    // A shortened name ("eps") is far away in letters.
    if (name.size() > 1 && candidate.starts_with(name))
      return candidate;
    unsigned distance = name.edit_distance(candidate, true, limit);
    if (distance > limit)
      continue;
    nearest = candidate;
    limit = distance ? distance - 1 : 0;
  }
  return nearest;
}

/// MLIR keeps an attribute that no operation knows; one that is misspelt
/// would leave its default in force in silence. What passes attach has the
/// name of a dialect in front.
static LogicalResult verifyNames(Operation *op) {
  for (NamedAttribute entry : op->getDiscardableAttrs()) {
    StringRef name = entry.getName().getValue();
    if (name.contains('.'))
      continue;
    SmallVector<StringRef> known;
    for (StringAttr attribute : op->getName().getAttributeNames())
      known.push_back(attribute.getValue());
    InFlightDiagnostic error = op->emitError();
    error << op->getName() << " has no attribute " << name;
    if (StringRef meant = nearestName(name, known); !meant.empty())
      error << "; did you mean " << meant << "?";
    else
      error << ";";
    if (known.empty())
      error << " it has none";
    else
      error << " it has: " << llvm::join(known, ", ");
    return error << " [TW0114]";
  }
  return success();
}

LogicalResult tilewright::tw::verifyOperator(Operation *op) {
  if (failed(verifyNames(op)) || failed(verifyPresent(op)))
    return failure();
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
      if (failed(verifySize(op, type, i)))
        return failure();
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  // Element types first: sizes in bytes need them.
  if (failed(verifyElements(op)) || failed(verifySize(op, result, -1)) ||
      failed(verifyAttributes(op)))
    return failure();

  std::string error;
  auto shape = inferShape(op, error);
  if (failed(shape))
    return op->emitOpError(error);
  if (failed(joinShapes(*shape, result.getShape())))
    return op->emitOpError()
           << "the result type says " << shapeText(result.getShape())
           << ", but the operands give " << shapeText(*shape) << " [TW0105]";
  return success();
}
