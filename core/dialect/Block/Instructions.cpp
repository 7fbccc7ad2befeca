//===- Instructions.cpp - verifiers of kernel instructions ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Block/BlockDialect.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::block;

/// Sizes that may be equal: a dynamic one may be anything.
static bool mayEqual(int64_t a, int64_t b) {
  return a == b || ShapedType::isDynamic(a) || ShapedType::isDynamic(b);
}

static bool mayEqual(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return mayEqual(std::get<0>(pair), std::get<1>(pair));
         });
}

static MemRefType typeOf(Value value) {
  return cast<MemRefType>(value.getType());
}

/// Whether `shape` broadcasts to `dest` as numpy does: aligned at the end, a
/// static 1 stretches.
static bool broadcasts(ArrayRef<int64_t> shape, ArrayRef<int64_t> dest) {
  if (shape.size() > dest.size())
    return false;
  ArrayRef<int64_t> tail = dest.take_back(shape.size());
  return llvm::all_of(llvm::zip(shape, tail), [](auto pair) {
    return std::get<0>(pair) == 1 ||
           mayEqual(std::get<0>(pair), std::get<1>(pair));
  });
}

static LogicalResult verifyBroadcast(Operation *op, ValueRange sources,
                                     Value dest) {
  for (Value source : sources)
    if (!broadcasts(typeOf(source).getShape(), typeOf(dest).getShape()))
      return op->emitOpError()
             << "operand " << source.getType() << " does not broadcast to "
             << dest.getType() << " [TW0410]";
  return success();
}

static LogicalResult verifySameElement(Operation *op, Value a, Value b) {
  if (typeOf(a).getElementType() != typeOf(b).getElementType())
    return op->emitOpError()
           << "mixes " << typeOf(a).getElementType() << " and "
           << typeOf(b).getElementType() << "; cast first [TW0411]";
  return success();
}

LogicalResult MoveOp::verify() {
  ArrayRef<int64_t> source = typeOf(getSource()).getShape();
  ArrayRef<int64_t> dest = typeOf(getDest()).getShape();
  if (getLayout() && getLayout()->getKind() == tile::LayoutKind::Packed) {
    if (source.size() != 2)
      return emitOpError() << "packs " << getSource().getType()
                           << "; only matrices are packed [TW0412]";
    SmallVector<int64_t> wanted = tile::physicalShape(*getLayout(), source);
    if (!mayEqual(wanted, dest) || dest.back() != wanted.back())
      return emitOpError() << "packs " << getSource().getType() << " as "
                           << *getLayout() << ", which is not the shape of "
                           << getDest().getType() << " [TW0412]";
    return success();
  }
  if (!mayEqual(source, dest))
    return emitOpError() << "moves " << getSource().getType() << " to "
                         << getDest().getType()
                         << "; the shapes differ [TW0412]";
  return success();
}

LogicalResult FillOp::verify() {
  auto value = cast<TypedAttr>(getValue());
  if (value.getType() != typeOf(getDest()).getElementType())
    return emitOpError() << "sets " << value.getType() << " in "
                         << getDest().getType() << " [TW0411]";
  return success();
}

LogicalResult UnaryOp::verify() {
  if (!mayEqual(typeOf(getSource()).getShape(), typeOf(getDest()).getShape()))
    return emitOpError() << "maps " << getSource().getType() << " to "
                         << getDest().getType()
                         << "; the shapes differ [TW0410]";
  return verifySameElement(*this, getSource(), getDest());
}

LogicalResult BinaryOp::verify() {
  if (failed(verifyBroadcast(*this, {getLhs(), getRhs()}, getDest())))
    return failure();
  if (failed(verifySameElement(*this, getLhs(), getRhs())))
    return failure();
  return verifySameElement(*this, getLhs(), getDest());
}

LogicalResult CastOp::verify() {
  if (!mayEqual(typeOf(getSource()).getShape(), typeOf(getDest()).getShape()))
    return emitOpError() << "casts " << getSource().getType() << " to "
                         << getDest().getType()
                         << "; the shapes differ [TW0410]";
  return success();
}

LogicalResult CompareOp::verify() {
  if (!typeOf(getDest()).getElementType().isInteger(1))
    return emitOpError() << "writes " << getDest().getType()
                         << "; comparisons give i1 [TW0411]";
  if (failed(verifySameElement(*this, getLhs(), getRhs())))
    return failure();
  return verifyBroadcast(*this, {getLhs(), getRhs()}, getDest());
}

LogicalResult SelectOp::verify() {
  if (!typeOf(getCondition()).getElementType().isInteger(1))
    return emitOpError() << "chooses by " << getCondition().getType()
                         << "; a condition is i1 [TW0411]";
  if (failed(verifySameElement(*this, getLhs(), getRhs())) ||
      failed(verifySameElement(*this, getLhs(), getDest())))
    return failure();
  return verifyBroadcast(*this, {getCondition(), getLhs(), getRhs()},
                         getDest());
}

LogicalResult ReduceOp::verify() {
  ArrayRef<int64_t> source = typeOf(getSource()).getShape();
  ArrayRef<int64_t> dest = typeOf(getDest()).getShape();
  llvm::SmallSet<int64_t, 4> axes;
  for (int64_t axis : getAxes())
    if (axis < 0 || axis >= int64_t(source.size()) || !axes.insert(axis).second)
      return emitOpError() << "reduces axis " << axis << " of "
                           << getSource().getType()
                           << "; each axis once, from 0 [TW0413]";
  SmallVector<int64_t> kept, dropped;
  for (auto [i, size] : llvm::enumerate(source)) {
    bool reduced = axes.contains(i);
    kept.push_back(reduced ? 1 : size);
    if (!reduced)
      dropped.push_back(size);
  }
  if (!mayEqual(kept, dest) && !mayEqual(dropped, dest))
    return emitOpError() << "reduces " << getSource().getType() << " to "
                         << getDest().getType()
                         << "; the shapes do not fit [TW0413]";
  if (getAccumulate() && getKind() == ReduceKind::Mean)
    return emitOpError("accumulates a mean; sum, then divide [TW0413]");
  return success();
}

LogicalResult MatmulOp::verify() {
  auto packed = [](std::optional<tile::LayoutAttr> layout) {
    return layout && layout->getKind() == tile::LayoutKind::Packed;
  };
  bool lhsPacked = packed(getLhsLayout()), rhsPacked = packed(getRhsLayout());
  ArrayRef<int64_t> lhs = typeOf(getLhs()).getShape();
  ArrayRef<int64_t> rhs = typeOf(getRhs()).getShape();
  ArrayRef<int64_t> dest = typeOf(getDest()).getShape();
  if (dest.size() != 2)
    return emitOpError() << "writes " << getDest().getType()
                         << "; one instruction makes one matrix [TW0414]";
  if (lhs.size() != (lhsPacked ? 3u : 2u) ||
      rhs.size() != (rhsPacked ? 3u : 2u))
    return emitOpError() << "multiplies " << getLhs().getType() << " by "
                         << getRhs().getType()
                         << "; a matrix has 2 dimensions, a packed one 3 "
                            "[TW0414]";
  if ((lhsPacked && (getTransposeLhs() || getLhsLayout()->getAxis() != 0)) ||
      (rhsPacked && (getTransposeRhs() || getRhsLayout()->getAxis() != 1)))
    return emitOpError("has a packed operand that is transposed or packed "
                       "along k; pack lhs along axis 0, rhs along axis 1 "
                       "[TW0414]");
  int64_t lhsK = lhsPacked ? lhs[1] : lhs[getTransposeLhs() ? 0 : 1];
  int64_t rhsK = rhsPacked ? rhs[1] : rhs[getTransposeRhs() ? 1 : 0];
  // Of panels in groups in elements, padding included.
  auto groupOf = [](bool packed, std::optional<tile::LayoutAttr> layout) {
    return packed ? layout->getGroup() : 1;
  };
  auto multipleOf = [](bool packed, std::optional<tile::LayoutAttr> layout) {
    return packed ? layout->getMultiple() : 1;
  };
  if (multipleOf(lhsPacked, getLhsLayout()) !=
      multipleOf(rhsPacked, getRhsLayout()))
    return emitOpError("has operands padded along k to different multiples "
                       "[TW0414]");
  if (!ShapedType::isDynamic(lhsK))
    lhsK *= groupOf(lhsPacked, getLhsLayout());
  if (!ShapedType::isDynamic(rhsK))
    rhsK *= groupOf(rhsPacked, getRhsLayout());
  if (!mayEqual(lhsK, rhsK))
    return emitOpError() << "has k = " << lhsK << " on the left and " << rhsK
                         << " on the right [TW0414]";
  if (!lhsPacked && !mayEqual(lhs[getTransposeLhs() ? 1 : 0], dest[0]))
    return emitOpError() << "has m = " << lhs[getTransposeLhs() ? 1 : 0]
                         << " on the left and " << dest[0]
                         << " in the result [TW0414]";
  if (!rhsPacked && !mayEqual(rhs[getTransposeRhs() ? 0 : 1], dest[1]))
    return emitOpError() << "has n = " << rhs[getTransposeRhs() ? 0 : 1]
                         << " on the right and " << dest[1]
                         << " in the result [TW0414]";
  return success();
}

LogicalResult TransposeOp::verify() {
  ArrayRef<int64_t> source = typeOf(getSource()).getShape();
  ArrayRef<int64_t> dest = typeOf(getDest()).getShape();
  ArrayRef<int64_t> permutation = getPermutation();
  llvm::SmallSet<int64_t, 4> seen;
  bool valid =
      permutation.size() == source.size() && dest.size() == source.size();
  for (int64_t d : permutation)
    valid &= d >= 0 && d < int64_t(source.size()) && seen.insert(d).second;
  if (!valid)
    return emitOpError() << "permutation does not fit " << getSource().getType()
                         << " [TW0415]";
  for (auto [d, p] : llvm::enumerate(permutation))
    if (!mayEqual(dest[d], source[p]))
      return emitOpError() << "makes dimension " << d << " of "
                           << getDest().getType() << " from dimension " << p
                           << " of " << getSource().getType() << " [TW0415]";
  return verifySameElement(*this, getSource(), getDest());
}

LogicalResult ReshapeOp::verify() {
  MemRefType source = typeOf(getSource()), dest = typeOf(getDest());
  if (source.hasStaticShape() && dest.hasStaticShape() &&
      source.getNumElements() != dest.getNumElements())
    return emitOpError() << "reshapes " << source.getNumElements()
                         << " elements to " << dest.getNumElements()
                         << " [TW0416]";
  return verifySameElement(*this, getSource(), getDest());
}

LogicalResult GenericOp::verify() {
  size_t operands = getInputs().size() + getOutputs().size();
  if (getOutputs().empty())
    return emitOpError("writes nothing [TW0417]");
  if (getIndexingMaps().size() != operands)
    return emitOpError() << "has " << operands << " operands and "
                         << getIndexingMaps().size() << " maps [TW0417]";
  for (Attribute iterator : getIteratorTypes()) {
    StringRef name = cast<StringAttr>(iterator).getValue();
    if (name != "parallel" && name != "reduction")
      return emitOpError() << "has iterator type \"" << name
                           << "\"; parallel and reduction exist [TW0417]";
  }
  for (auto [attr, value] :
       llvm::zip(getIndexingMaps(),
                 llvm::concat<Value>(llvm::to_vector(getInputs()),
                                     llvm::to_vector(getOutputs())))) {
    AffineMap map = cast<AffineMapAttr>(attr).getValue();
    if (map.getNumDims() != getIteratorTypes().size() ||
        map.getNumSymbols() != 0 ||
        map.getNumResults() != unsigned(typeOf(value).getRank()))
      return emitOpError() << "map " << attr << " does not fit "
                           << value.getType() << " and "
                           << getIteratorTypes().size()
                           << " iterators [TW0417]";
  }
  Block &body = getBody().front();
  if (body.getNumArguments() != operands)
    return emitOpError() << "has " << operands << " operands and "
                         << body.getNumArguments()
                         << " region arguments [TW0417]";
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || yield.getValues().size() != getOutputs().size())
    return emitOpError("yields another number of values than it has outputs "
                       "[TW0417]");
  return success();
}
