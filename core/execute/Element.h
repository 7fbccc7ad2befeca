//===- Element.h - element types as bytes -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilewright::execute {

/// Element types that can be executed. An i1 takes one byte, 0 or 1.
enum class Element : uint8_t { F64, F32, F16, BF16, I1, I8, I16, I32, I64 };

constexpr int64_t bytesOf(Element element) {
  switch (element) {
  case Element::F64:
  case Element::I64:
    return 8;
  case Element::F32:
  case Element::I32:
    return 4;
  case Element::F16:
  case Element::BF16:
  case Element::I16:
    return 2;
  case Element::I1:
  case Element::I8:
    return 1;
  }
  return 0;
}

constexpr std::string_view nameOf(Element element) {
  switch (element) {
  case Element::F64:
    return "f64";
  case Element::F32:
    return "f32";
  case Element::F16:
    return "f16";
  case Element::BF16:
    return "bf16";
  case Element::I1:
    return "i1";
  case Element::I8:
    return "i8";
  case Element::I16:
    return "i16";
  case Element::I32:
    return "i32";
  case Element::I64:
    return "i64";
  }
  return "";
}

constexpr std::optional<Element> elementNamed(std::string_view name) {
  for (Element element :
       {Element::F64, Element::F32, Element::F16, Element::BF16, Element::I1,
        Element::I8, Element::I16, Element::I32, Element::I64})
    if (nameOf(element) == name)
      return element;
  return std::nullopt;
}

constexpr bool isFloat(Element element) { return element <= Element::BF16; }

inline float fromBf16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

/// Rounds to nearest even; a NaN stays one.
inline uint16_t toBf16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return uint16_t((bits & 0x7fffffff) > 0x7f800000 ? (bits >> 16) | 0x40
                                                   : rounded);
}

inline float fromF16(uint16_t bits) {
  return float(std::bit_cast<_Float16>(bits));
}

inline uint16_t toF16(float value) {
  return std::bit_cast<uint16_t>(_Float16(value));
}

} // namespace tilewright::execute
