//===- ScalarCode.cpp - scalar arithmetic as data -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/execute/ScalarCode.h"
#include "core/execute/IndexMap.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::execute {

static int64_t wrap(Element type, int64_t value) {
  switch (type) {
  case Element::I1:
    return value & 1;
  case Element::I8:
    return int8_t(value);
  case Element::I16:
    return int16_t(value);
  case Element::I32:
    return int32_t(value);
  default:
    return value;
  }
}

/// The bits of an integer of `type` without its sign.
static uint64_t unsignedOf(Element type, int64_t value) {
  switch (type) {
  case Element::I8:
    return uint8_t(value);
  case Element::I16:
    return uint16_t(value);
  case Element::I32:
    return uint32_t(value);
  default:
    return uint64_t(value);
  }
}

/// `value` in double rounded once to a 16-bit type: rounding through float
/// first would round twice, so the float's last bit is made sticky.
static float stickyFloat(double value) {
  float rounded = float(value);
  if (double(rounded) == value || !(std::fabs(value) < 3e38))
    return rounded;
  uint32_t bits = std::bit_cast<uint32_t>(rounded);
  if (std::fabs(double(rounded)) > std::fabs(value))
    --bits;
  return std::bit_cast<float>(bits | 1);
}

Scalar roundTo(Element type, Scalar value) {
  switch (type) {
  case Element::F64:
    break;
  case Element::F32:
    value.f = float(value.f);
    break;
  case Element::F16:
    value.f = fromF16(toF16(stickyFloat(value.f)));
    break;
  case Element::BF16:
    value.f = fromBf16(toBf16(stickyFloat(value.f)));
    break;
  default:
    value.i = wrap(type, value.i);
  }
  return value;
}

/// What a register holds as the signed number that it is in MLIR: a true i1 is
/// -1.
static int64_t signedOf(Element type, int64_t value) {
  return type == Element::I1 ? -(value & 1) : value;
}

static bool compareInteger(uint8_t predicate, Element type, int64_t a,
                           int64_t b) {
  uint64_t ua = unsignedOf(type, a), ub = unsignedOf(type, b);
  a = signedOf(type, a);
  b = signedOf(type, b);
  switch (predicate) {
  case 0:
    return a == b;
  case 1:
    return a != b;
  case 2:
    return a < b;
  case 3:
    return a <= b;
  case 4:
    return a > b;
  case 5:
    return a >= b;
  case 6:
    return ua < ub;
  case 7:
    return ua <= ub;
  case 8:
    return ua > ub;
  default:
    return ua >= ub;
  }
}

static bool compareFloat(uint8_t predicate, double a, double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  auto relation = [&](unsigned which) {
    switch (which) {
    case 1:
      return a == b;
    case 2:
      return a > b;
    case 3:
      return a >= b;
    case 4:
      return a < b;
    case 5:
      return a <= b;
    case 6:
      return a < b || a > b;
    default:
      return !unordered;
    }
  };
  // 0 false; 1..7 oeq ogt oge olt ole one ord; 8..14 ueq … une uno; 15 true.
  if (predicate == 0 || predicate == 15)
    return predicate == 15;
  if (predicate <= 7)
    return !unordered && relation(predicate);
  if (predicate == 14)
    return unordered;
  return unordered || relation(predicate - 7);
}

static int64_t saturate(double value, Element type) {
  if (std::isnan(value))
    return 0;
  double low = -9.2233720368547758e18, high = 9.2233720368547758e18;
  if (value <= low)
    return std::numeric_limits<int64_t>::min();
  if (value >= high)
    return std::numeric_limits<int64_t>::max();
  return wrap(type, int64_t(value));
}

void evaluate(const ScalarInstruction &in, Scalar *registers) {
  const Scalar &a = registers[in.operands[0]], &b = registers[in.operands[1]],
               &c = registers[in.operands[2]];
  Scalar out;
  auto real = [&](double value) { out.f = value; };
  auto integer = [&](int64_t value) { out.i = value; };
  uint64_t ua = uint64_t(a.i), ub = uint64_t(b.i);
  auto wantNan = [&] { return std::isnan(a.f) || std::isnan(b.f); };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  switch (in.op) {
  case ScalarOp::Constant:
    out = in.constant;
    break;
  case ScalarOp::Copy:
    out = a;
    break;
  case ScalarOp::AddF:
    real(a.f + b.f);
    break;
  case ScalarOp::SubF:
    real(a.f - b.f);
    break;
  case ScalarOp::MulF:
    real(a.f * b.f);
    break;
  case ScalarOp::DivF:
    real(a.f / b.f);
    break;
  case ScalarOp::RemF:
    real(std::fmod(a.f, b.f));
    break;
  case ScalarOp::MaximumF:
    real(wantNan() ? nan : std::max(a.f, b.f));
    break;
  case ScalarOp::MinimumF:
    real(wantNan() ? nan : std::min(a.f, b.f));
    break;
  case ScalarOp::MaxNumF:
    real(std::fmax(a.f, b.f));
    break;
  case ScalarOp::MinNumF:
    real(std::fmin(a.f, b.f));
    break;
  case ScalarOp::NegF:
    real(-a.f);
    break;
  case ScalarOp::FmaF:
    real(in.type == Element::F64 ? std::fma(a.f, b.f, c.f) : a.f * b.f + c.f);
    break;
  case ScalarOp::AbsF:
    real(std::fabs(a.f));
    break;
  case ScalarOp::Exp:
    real(std::exp(a.f));
    break;
  case ScalarOp::Exp2:
    real(std::exp2(a.f));
    break;
  case ScalarOp::Expm1:
    real(std::expm1(a.f));
    break;
  case ScalarOp::Log:
    real(std::log(a.f));
    break;
  case ScalarOp::Log2:
    real(std::log2(a.f));
    break;
  case ScalarOp::Log1p:
    real(std::log1p(a.f));
    break;
  case ScalarOp::Log10:
    real(std::log10(a.f));
    break;
  case ScalarOp::Sqrt:
    real(std::sqrt(a.f));
    break;
  case ScalarOp::Rsqrt:
    real(1 / std::sqrt(a.f));
    break;
  case ScalarOp::Tanh:
    real(std::tanh(a.f));
    break;
  case ScalarOp::Erf:
    real(std::erf(a.f));
    break;
  case ScalarOp::Sin:
    real(std::sin(a.f));
    break;
  case ScalarOp::Cos:
    real(std::cos(a.f));
    break;
  case ScalarOp::Atan:
    real(std::atan(a.f));
    break;
  case ScalarOp::Atan2:
    real(std::atan2(a.f, b.f));
    break;
  case ScalarOp::Floor:
    real(std::floor(a.f));
    break;
  case ScalarOp::Ceil:
    real(std::ceil(a.f));
    break;
  case ScalarOp::Round:
    real(std::round(a.f));
    break;
  case ScalarOp::RoundEven:
    real(std::nearbyint(a.f));
    break;
  case ScalarOp::Trunc:
    real(std::trunc(a.f));
    break;
  case ScalarOp::PowF:
    real(std::pow(a.f, b.f));
    break;
  case ScalarOp::AddI:
    integer(int64_t(ua + ub));
    break;
  case ScalarOp::SubI:
    integer(int64_t(ua - ub));
    break;
  case ScalarOp::MulI:
    integer(int64_t(ua * ub));
    break;
  case ScalarOp::DivSI:
    integer(b.i == 0 ? 0 : b.i == -1 ? int64_t(0 - ua) : a.i / b.i);
    break;
  case ScalarOp::DivUI:
    ua = unsignedOf(in.from, a.i), ub = unsignedOf(in.from, b.i);
    integer(ub == 0 ? 0 : int64_t(ua / ub));
    break;
  case ScalarOp::CeilDivSI:
    integer(ceilDiv(a.i, b.i));
    break;
  case ScalarOp::FloorDivSI:
    integer(floorDiv(a.i, b.i));
    break;
  case ScalarOp::RemSI:
    integer(b.i == 0 || b.i == -1 ? 0 : a.i % b.i);
    break;
  case ScalarOp::RemUI:
    ua = unsignedOf(in.from, a.i), ub = unsignedOf(in.from, b.i);
    integer(ub == 0 ? 0 : int64_t(ua % ub));
    break;
  case ScalarOp::AndI:
    integer(a.i & b.i);
    break;
  case ScalarOp::OrI:
    integer(a.i | b.i);
    break;
  case ScalarOp::XorI:
    integer(a.i ^ b.i);
    break;
  case ScalarOp::ShlI:
    integer(ub > 63 ? 0 : int64_t(ua << ub));
    break;
  case ScalarOp::ShrSI:
    integer(a.i >> std::min<uint64_t>(ub, 63));
    break;
  case ScalarOp::ShrUI:
    integer(ub > 63 ? 0 : int64_t(unsignedOf(in.from, a.i) >> ub));
    break;
  case ScalarOp::MaxSI:
    integer(std::max(signedOf(in.from, a.i), signedOf(in.from, b.i)));
    break;
  case ScalarOp::MinSI:
    integer(std::min(signedOf(in.from, a.i), signedOf(in.from, b.i)));
    break;
  case ScalarOp::MaxUI:
    integer(unsignedOf(in.from, a.i) > unsignedOf(in.from, b.i) ? a.i : b.i);
    break;
  case ScalarOp::MinUI:
    integer(unsignedOf(in.from, a.i) < unsignedOf(in.from, b.i) ? a.i : b.i);
    break;
  case ScalarOp::AbsI:
    integer(a.i < 0 ? int64_t(0 - ua) : a.i);
    break;
  case ScalarOp::CmpI:
    integer(compareInteger(in.predicate, in.from, a.i, b.i));
    break;
  case ScalarOp::CmpF:
    integer(compareFloat(in.predicate, a.f, b.f));
    break;
  case ScalarOp::Select:
    out = a.i ? b : c;
    break;
  case ScalarOp::IntToInt:
    integer(signedOf(in.from, a.i));
    break;
  case ScalarOp::UIntToInt:
    integer(int64_t(unsignedOf(in.from, a.i)));
    break;
  case ScalarOp::FloatToFloat:
    real(a.f);
    break;
  case ScalarOp::SIntToFloat:
    real(double(signedOf(in.from, a.i)));
    break;
  case ScalarOp::UIntToFloat:
    real(double(unsignedOf(in.from, a.i)));
    break;
  case ScalarOp::FloatToSInt:
  case ScalarOp::FloatToUInt:
    integer(saturate(a.f, in.type));
    break;
  }
  registers[in.dest] = roundTo(in.type, out);
}

} // namespace tilewright::execute
