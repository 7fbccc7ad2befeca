//===- ScalarCode.h - scalar arithmetic as data -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/execute/Element.h"
#include <array>
#include <cstdint>

namespace tilewright::execute {

/// An integer (index, iN sign-extended, i1 as 0 or 1) or a floating value held
/// in double and rounded to its type after every operation. Rounding a double
/// result of + - * / sqrt to a shorter type gives that type's own result.
struct Scalar {
  int64_t i = 0;
  double f = 0;
};

enum class ScalarOp : uint8_t {
  Constant,
  Copy,
  AddF,
  SubF,
  MulF,
  DivF,
  RemF,
  MaximumF,
  MinimumF,
  MaxNumF,
  MinNumF,
  NegF,
  FmaF,
  AbsF,
  Exp,
  Exp2,
  Expm1,
  Log,
  Log2,
  Log1p,
  Log10,
  Sqrt,
  Rsqrt,
  Tanh,
  Erf,
  Sin,
  Cos,
  Atan,
  Atan2,
  Floor,
  Ceil,
  Round,
  RoundEven,
  Trunc,
  PowF,
  AddI,
  SubI,
  MulI,
  DivSI,
  DivUI,
  CeilDivSI,
  FloorDivSI,
  RemSI,
  RemUI,
  AndI,
  OrI,
  XorI,
  ShlI,
  ShrSI,
  ShrUI,
  MaxSI,
  MinSI,
  MaxUI,
  MinUI,
  AbsI,
  CmpI,
  CmpF,
  Select,
  IntToInt,
  UIntToInt,
  FloatToFloat,
  SIntToFloat,
  UIntToFloat,
  FloatToSInt,
  FloatToUInt
};

/// `dest = op(operands)`. `type` is the result's type, `from` the operands'.
/// Comparisons hold MLIR's predicate number.
struct ScalarInstruction {
  ScalarOp op = ScalarOp::Constant;
  uint8_t predicate = 0;
  Element type = Element::I64;
  Element from = Element::I64;
  int dest = 0;
  std::array<int, 3> operands = {0, 0, 0};
  Scalar constant;
};

/// Runs one instruction on a register file.
void evaluate(const ScalarInstruction &instruction, Scalar *registers);

/// `value` rounded to a floating type or wrapped to an integer type.
Scalar roundTo(Element type, Scalar value);

} // namespace tilewright::execute
