//===- SvgElements.cpp - the pieces an SVG is written from ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/SvgElements.h"
#include "viz/Utf8.h"
#include <charconv>
#include <cmath>

namespace tilewright::viz {

constexpr const char *fontFamily =
    "Noto Sans, Noto Sans CJK SC, Noto Sans SC, PingFang SC, Microsoft YaHei, "
    "Helvetica, Arial, sans-serif";

void SvgElements::start(const Rect &view, const Colour &background,
                        std::string_view groundClass) {
  out += "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"";
  number(view.width);
  out += "\" height=\"";
  number(view.height);
  out += "\" viewBox=\"";
  for (double value : {view.x, view.y, view.width, view.height}) {
    number(value);
    out += ' ';
  }
  out.back() = '"';
  out += " font-family=\"";
  out += fontFamily;
  out += "\">\n";
  if (!groundClass.empty()) {
    out += "<g";
    attribute("class", groundClass);
    out += ">\n";
  }
  rect(view, 0, background.hex(), {}, 0);
  if (!groundClass.empty())
    out += "</g>\n";
}

void SvgElements::finish() { out += "</svg>\n"; }

void SvgElements::escaped(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    char32_t c = nextCodePoint(text, at);
    switch (c) {
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '&':
      out += "&amp;";
      break;
    case '"':
      out += "&quot;";
      break;
    default:
      bool allowed =
          c >= 0x20 ? c != 0xfffe && c != 0xffff : c == '\n' || c == '\t';
      appendCodePoint(out, allowed ? c : 0xfffd);
    }
  }
}

void SvgElements::number(double value) {
  if (!std::isfinite(value))
    value = 0;
  char text[32];
  auto end = std::to_chars(text, text + sizeof text, value,
                           std::chars_format::fixed, 1);
  std::string_view digits(text, size_t(end.ptr - text));
  if (digits.ends_with(".0"))
    digits.remove_suffix(2);
  out += digits == "-0" ? "0" : digits;
}

void SvgElements::attribute(const char *name, double value) {
  out += ' ';
  out += name;
  out += "=\"";
  number(value);
  out += '"';
}

void SvgElements::attribute(const char *name, std::string_view value) {
  out += ' ';
  out += name;
  out += "=\"";
  escaped(value);
  out += '"';
}

void SvgElements::rect(const Rect &r, double radius, std::string_view fill,
                       std::string_view stroke, double width,
                       std::string_view dashes) {
  out += "<rect";
  attribute("x", r.x);
  attribute("y", r.y);
  attribute("width", r.width);
  attribute("height", r.height);
  if (radius > 0)
    attribute("rx", radius);
  paint(fill, stroke, width, dashes);
  out += "/>\n";
}

void SvgElements::paint(std::string_view fill, std::string_view stroke,
                        double width, std::string_view dashes) {
  attribute("fill", fill.empty() ? "none" : fill);
  if (!stroke.empty()) {
    attribute("stroke", stroke);
    attribute("stroke-width", width);
  }
  if (!dashes.empty())
    attribute("stroke-dasharray", dashes);
}

void SvgElements::polygon(std::initializer_list<Point> corners,
                          std::string_view fill, std::string_view stroke,
                          double width) {
  out += "<polygon points=\"";
  for (const Point &p : corners) {
    number(p.x);
    out += ',';
    number(p.y);
    out += ' ';
  }
  out.back() = '"';
  paint(fill, stroke, width);
  out += "/>\n";
}

void SvgElements::text(const SceneText &text, const Colour &colour,
                       const Colour *halo) {
  if (text.text.empty())
    return;
  for (bool behind : {true, false}) {
    if (behind && !halo)
      continue;
    out += "<text";
    attribute("x", text.position.x);
    attribute("y", text.position.y);
    attribute("font-size", fontSize(text.style));
    if (isBold(text.style))
      attribute("font-weight", "bold");
    if (text.centered)
      attribute("text-anchor", "middle");
    attribute("fill", behind ? halo->hex() : colour.hex());
    if (behind) {
      attribute("stroke", halo->hex());
      attribute("stroke-width", 4.0);
      attribute("stroke-linejoin", "round");
    }
    out += '>';
    escaped(text.text);
    out += "</text>\n";
  }
}

void SvgElements::line(Point from, Point to, std::string_view stroke,
                       double width, std::string_view dashes) {
  out += "<line";
  attribute("x1", from.x);
  attribute("y1", from.y);
  attribute("x2", to.x);
  attribute("y2", to.y);
  paint({}, stroke, width, dashes);
  out += "/>\n";
}

} // namespace tilewright::viz
