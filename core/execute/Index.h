//===- Index.h - index arithmetic that folds --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace tilewright::execute {

/// A 64-bit integer: known now, or a value of type i64.
struct Index {
  int64_t number = 0;
  mlir::Value value;

  Index() = default;
  Index(int64_t number) : number(number) {}
  Index(mlir::Value value) : value(value) {}

  bool isKnown() const { return !value; }
  bool is(int64_t other) const { return !value && number == other; }
  friend bool operator==(const Index &a, const Index &b) {
    return a.value == b.value && (a.value || a.number == b.number);
  }
};

/// Builds index arithmetic in arith over i64; what is known is computed here,
/// so that lowered kernels need no folding pass.
class IndexBuilder {
public:
  IndexBuilder(mlir::OpBuilder &builder, mlir::Location &loc)
      : b(builder), loc(loc) {}

  mlir::Value value(Index index);
  Index add(Index a, Index b);
  Index sub(Index a, Index b);
  Index mul(Index a, Index b);
  Index min(Index a, Index b);
  Index max(Index a, Index b);
  Index floorDiv(Index a, Index b);
  Index ceilDiv(Index a, Index b);
  Index mod(Index a, Index b);
  /// `a` rounded down to a multiple of the number `b`; `a` is not negative.
  Index roundDown(Index a, int64_t b);
  /// The results of an affine map; dimensions first, then symbols.
  llvm::SmallVector<Index> apply(mlir::AffineMap map,
                                 llvm::ArrayRef<Index> operands);

private:
  mlir::OpBuilder &b;
  mlir::Location &loc;

  Index evaluate(mlir::AffineExpr expr, unsigned dims,
                 llvm::ArrayRef<Index> operands);
};

} // namespace tilewright::execute
