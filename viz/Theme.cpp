//===- Theme.cpp - colours of a picture -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/Theme.h"
#include <algorithm>
#include <cmath>

namespace tilewright::viz {

std::string Colour::hex() const {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text = "#";
  for (uint8_t part : {red, green, blue}) {
    text += digits[part >> 4];
    text += digits[part & 15];
  }
  return text;
}

namespace {

constexpr Colour rgb(uint32_t value) {
  return {static_cast<uint8_t>(value >> 16), static_cast<uint8_t>(value >> 8),
          static_cast<uint8_t>(value)};
}

Colour mix(Colour a, Colour b, double share) {
  auto part = [&](uint8_t x, uint8_t y) {
    return static_cast<uint8_t>(std::lround(x + (y - x) * share));
  };
  return {part(a.red, b.red), part(a.green, b.green), part(a.blue, b.blue)};
}

const Theme light = {rgb(0xffffff), rgb(0x1f2733), rgb(0x5a6675),
                     rgb(0x5a6675), rgb(0x8793a3), rgb(0x9a7b4f),
                     rgb(0xb0567e), rgb(0x0b6bcb)};
const Theme dark = {rgb(0x171b21), rgb(0xe4e9f0), rgb(0x9aa7b8), rgb(0x9aa7b8),
                    rgb(0x6d7a8c), rgb(0xb9965f), rgb(0xd07aa3), rgb(0x5aa9ff)};

/// The hue that stands for a kind, at the strength of a border on white.
Colour accent(model::NodeKind kind) {
  using model::NodeKind;
  switch (kind) {
  case NodeKind::Operation:
    return rgb(0x3b6fb6);
  case NodeKind::Input:
    return rgb(0x2f8f5b);
  case NodeKind::Output:
    return rgb(0x1f7f86);
  case NodeKind::Constant:
    return rgb(0x7a818c);
  case NodeKind::Function:
    return rgb(0x6b7686);
  case NodeKind::Scope:
    return rgb(0x7257b5);
  case NodeKind::Loop:
    return rgb(0x9a6a1f);
  case NodeKind::Grid:
    return rgb(0x4a63c8);
  case NodeKind::Kernel:
    return rgb(0xb5562b);
  case NodeKind::Buffer:
    return rgb(0x8a7a1c);
  case NodeKind::Move:
    return rgb(0x17879c);
  case NodeKind::Sync:
    return rgb(0xb8437c);
  case NodeKind::Dispatch:
    return rgb(0x9c4fb0);
  case NodeKind::Task:
    return rgb(0x5b7f2b);
  }
  return rgb(0x6b7686);
}

} // namespace

const Theme &theme(ThemeName name) {
  return name == ThemeName::Light ? light : dark;
}

NodeColours nodeColours(ThemeName name, model::NodeKind kind) {
  const Theme &base = theme(name);
  Colour hue = accent(kind);
  if (name == ThemeName::Light)
    return {mix(base.background, hue, 0.11), mix(base.background, hue, 0.72),
            base.text, mix(base.mutedText, hue, 0.15)};
  Colour bright = mix(hue, rgb(0xffffff), 0.25);
  return {mix(base.background, bright, 0.26), mix(base.background, bright, 0.8),
          base.text, rgb(0xb3bfce)};
}

NodeColours groupColours(ThemeName name, model::NodeKind kind, int depth) {
  const Theme &base = theme(name);
  Colour hue = accent(kind);
  // Boxes in boxes must stay apart, and lighter than the nodes on them.
  double shade = depth % 2 == 0 ? 0.045 : 0.015;
  if (name == ThemeName::Light)
    return {mix(base.background, hue, shade), mix(base.background, hue, 0.42),
            mix(hue, base.text, 0.45), base.mutedText};
  Colour bright = mix(hue, rgb(0xffffff), 0.35);
  return {mix(base.background, bright, shade * 1.7),
          mix(base.background, bright, 0.5), mix(bright, rgb(0xffffff), 0.45),
          base.mutedText};
}

} // namespace tilewright::viz
