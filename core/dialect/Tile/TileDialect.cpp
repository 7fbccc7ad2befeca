//===- TileDialect.cpp - the Tile graph -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/dialect/Tile/TileDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::tile;

#include "core/dialect/Tile/TileDialect.cpp.inc"
#include "core/dialect/Tile/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "core/dialect/Tile/TileAttributes.cpp.inc"

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "core/dialect/Tile/TileAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "core/dialect/Tile/TileOps.cpp.inc"
      >();
}

LogicalResult
LayoutAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   LayoutKind kind, int64_t axis, int64_t block, int64_t group,
                   int64_t multiple) {
  if (kind == LayoutKind::Packed) {
    if (axis != 0 && axis != 1)
      return emitError() << "packed layout has axis " << axis
                         << "; a matrix has axes 0 and 1 [TW0301]";
    if (block < 1 || block > 4096)
      return emitError() << "packed layout has panels of " << block
                         << " elements; 1 to 4096 are possible [TW0301]";
    if (group < 1 || group > 64)
      return emitError() << "packed layout has groups of " << group
                         << " steps; 1 to 64 are possible [TW0301]";
    if (multiple < 1 || multiple > 4096 || multiple % group)
      return emitError() << "packed layout pads to a multiple of " << multiple
                         << " steps; a multiple of its group, " << group
                         << ", up to 4096 is possible [TW0301]";
  } else if (axis != 0 || block != 0 || group != 1 || multiple != 1) {
    return emitError() << stringifyLayoutKind(kind)
                       << " layout takes no axis, block, group and multiple "
                          "[TW0301]";
  }
  return success();
}

int64_t LayoutAttr::groupsOf(int64_t depth) const {
  return int64_t(llvm::divideCeil(depth, getMultiple())) * getMultiple() /
         getGroup();
}

SmallVector<int64_t> tilewright::tile::physicalShape(LayoutAttr layout,
                                                     ArrayRef<int64_t> shape) {
  if (!layout || layout.getKind() != LayoutKind::Packed || shape.size() != 2)
    return SmallVector<int64_t>(shape);
  int64_t along = shape[layout.getAxis()];
  int64_t other = shape[1 - layout.getAxis()];
  int64_t panels = ShapedType::isDynamic(along)
                       ? ShapedType::kDynamic
                       : int64_t(llvm::divideCeil(along, layout.getBlock()));
  int64_t groups = ShapedType::isDynamic(other) ? ShapedType::kDynamic
                                                : layout.groupsOf(other);
  return {panels, groups, layout.getBlock() * layout.getGroup()};
}
