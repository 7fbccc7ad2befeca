//===- SvgElements.h - the pieces an SVG is written from --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain SVG 1.1 with everything as attributes: no style sheet, markers or
// filters, which simple renderers lack.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "viz/Geometry.h"
#include "viz/Scene.h"
#include "viz/Theme.h"
#include <initializer_list>
#include <string>
#include <string_view>

namespace tilewright::viz {

/// Builds an SVG element by element. All lengths are pixels.
class SvgElements {
public:
  /// What has been written so far.
  std::string out;

  /// The root element and a ground of `background`; `finish()` ends it. With
  /// `groundClass` style sheets can find the ground.
  void start(const Rect &view, const Colour &background,
             std::string_view groundClass = {});
  void finish();

  /// One decimal; what is not finite becomes 0.
  void number(double value);
  void attribute(const char *name, double value);
  void attribute(const char *name, std::string_view value);
  /// Text as XML character data: what XML forbids becomes U+FFFD.
  void escaped(std::string_view text);

  /// Fill, stroke and dashes as attributes of the element begun; an empty
  /// colour is none.
  void paint(std::string_view fill, std::string_view stroke, double width,
             std::string_view dashes = {});
  void rect(const Rect &r, double radius, std::string_view fill,
            std::string_view stroke, double width,
            std::string_view dashes = {});
  void line(Point from, Point to, std::string_view stroke, double width,
            std::string_view dashes = {});
  void polygon(std::initializer_list<Point> corners, std::string_view fill,
               std::string_view stroke, double width);
  /// With a rim of `halo` behind the letters, if given.
  void text(const SceneText &text, const Colour &colour,
            const Colour *halo = nullptr);
};

} // namespace tilewright::viz
