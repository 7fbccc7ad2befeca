//===- HeatMap.cpp - what other tiles would do, as a picture --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/HeatMap.h"
#include "viz/SvgElements.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tilewright::viz {

namespace {

constexpr double cellWidth = 46, cellHeight = 28;
constexpr double left = 92, top = 84, right = 28, axis = 58, legend = 64;

Colour mix(Colour a, Colour b, double share) {
  auto part = [&](uint8_t from, uint8_t to) {
    return uint8_t(std::lround(from + (to - from) * share));
  };
  return {part(a.red, b.red), part(a.green, b.green), part(a.blue, b.blue)};
}

/// From fast to slow. Dark is fast on light ground and light on dark ground, so
/// that what is good stands out; the order holds without colours, too.
Colour scale(ThemeName name, double share) {
  static const Colour light[] = {{11, 79, 108},
                                 {26, 130, 142},
                                 {116, 184, 150},
                                 {226, 222, 150},
                                 {250, 240, 205}};
  static const Colour dark[] = {{246, 232, 150},
                                {128, 196, 144},
                                {40, 140, 146},
                                {30, 84, 116},
                                {34, 48, 76}};
  const Colour *stops = name == ThemeName::Light ? light : dark;
  double at = std::clamp(share, 0.0, 1.0) * 4;
  int index = std::min(3, int(at));
  return mix(stops[index], stops[index + 1], at - index);
}

/// What can be read on `ground`.
Colour inkOn(Colour ground) {
  double light =
      0.299 * ground.red + 0.587 * ground.green + 0.114 * ground.blue;
  return light > 140 ? Colour{16, 20, 24} : Colour{255, 255, 255};
}

class HeatMap : SvgElements {
public:
  HeatMap(const model::WhatIf &map, ThemeName name)
      : map(map), name(name), colours(theme(name)) {}

  std::string write() {
    size_t columns = map.xs.size(), rows = std::max<size_t>(1, map.ys.size());
    mapWidth = double(columns) * cellWidth;
    mapHeight = double(rows) * cellHeight;
    double width = std::max(left + mapWidth + right, 620.0);
    double height = top + mapHeight + axis + legend;
    start({0, 0, width, height}, colours.background);
    heading();
    if (map.points.empty()) {
      text(left, top + 20, 13, colours.mutedText,
           "there is nothing to choose for this operation");
    } else {
      cells(columns, rows);
      axes(columns, rows);
      // The framed and the marked one over all others.
      mark(map.current, false);
      mark(map.best, true);
      key(top + mapHeight + axis);
    }
    finish();
    return std::move(out);
  }

private:
  const model::WhatIf &map;
  ThemeName name;
  const Theme &colours;
  double mapWidth = 0, mapHeight = 0;

  void box(double x, double y, double width, double height,
           const Colour &fill) {
    rect({x, y, width, height}, 0, fill.hex(), {}, 0);
  }

  void text(double x, double y, double size, Colour colour,
            const std::string &words, const char *anchor = "start",
            bool bold = false) {
    out += "<text";
    attribute("x", x);
    attribute("y", y);
    attribute("font-size", size);
    attribute("fill", colour.hex());
    attribute("text-anchor", anchor);
    if (bold)
      attribute("font-weight", "bold");
    out += ">";
    escaped(words);
    out += "</text>\n";
  }

  /// Rows grow upwards.
  double cellX(size_t column) const {
    return left + double(column) * cellWidth;
  }
  double cellY(size_t row) const {
    return top + mapHeight - double(row + 1) * cellHeight;
  }

  double bestSeconds() const {
    return map.best < 0 ? 0 : map.points[size_t(map.best)].seconds;
  }

  /// 0: as fast as the best; 1: ten times as long, or longer.
  double shareOf(double seconds) const {
    double best = bestSeconds();
    return best > 0 && seconds > 0 ? std::log10(seconds / best) : 0;
  }

  static std::string ratio(double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, value < 9.95 ? "%.1f" : "%.0f", value);
    return value > 999 ? "> 999" : digits;
  }

  void heading() {
    text(24, 30, 16, colours.text, "Tiles of " + map.key + " on " + map.target,
         "start", true);
    std::string line = "estimated time";
    if (map.best >= 0)
      line += "; best " + model::formatSeconds(bestSeconds()) + " with " +
              model::tileText(map.points[size_t(map.best)].sizes);
    text(24, 50, 12, colours.mutedText, line);
    if (map.currentSeconds > 0) {
      line = "in force " + model::formatSeconds(map.currentSeconds);
      if (bestSeconds() > 0)
        line += ", " + ratio(map.currentSeconds / bestSeconds()) +
                " times the best";
      text(24, 67, 12, colours.mutedText, line);
    }
  }

  void cells(size_t columns, size_t rows) {
    Colour blocked = mix(colours.background, colours.text, 0.10);
    Colour hatch = mix(colours.background, colours.text, 0.32);
    for (size_t row = 0; row < rows; ++row)
      for (size_t column = 0; column < columns; ++column) {
        const model::TilePoint &point = map.points[row * columns + column];
        double x = cellX(column), y = cellY(row);
        out += "<g><title>";
        std::string sizes = map.xDim + "=" + std::to_string(point.x);
        if (!map.yDim.empty())
          sizes = map.yDim + "=" + std::to_string(point.y) + ", " + sizes;
        escaped(sizes + ": ");
        if (point.legal)
          escaped(model::formatSeconds(point.seconds) + " with " +
                  model::tileText(point.sizes) + "; " +
                  std::to_string(point.tasks) + " tasks; bound by " +
                  point.bound);
        else
          escaped(point.why + " [" + point.code + "]");
        out += "</title>\n";
        if (point.legal) {
          Colour ground = scale(name, shareOf(point.seconds));
          box(x, y, cellWidth, cellHeight, ground);
          text(x + cellWidth / 2, y + cellHeight / 2 + 4, 11, inkOn(ground),
               ratio(bestSeconds() > 0 ? point.seconds / bestSeconds() : 1),
               "middle");
        } else {
          box(x, y, cellWidth, cellHeight, blocked);
          for (double shift : {0.25, 0.75, 1.25, 1.75}) {
            // Diagonals of the cell, cut off at its borders.
            double x1 = x + cellWidth * std::max(0.0, shift - 1);
            double y1 = y + cellHeight * std::min(1.0, shift);
            double x2 = x + cellWidth * std::min(1.0, shift);
            double y2 = y + cellHeight * std::max(0.0, shift - 1);
            line({x1, y1}, {x2, y2}, hatch.hex(), 1);
          }
        }
        out += "</g>\n";
      }
    for (size_t column = 0; column <= columns; ++column)
      line({cellX(column), top}, {cellX(column), top + mapHeight},
           colours.background.hex(), 1);
    for (size_t row = 0; row <= rows; ++row)
      line({left, top + double(row) * cellHeight},
           {left + mapWidth, top + double(row) * cellHeight},
           colours.background.hex(), 1);
  }

  void axes(size_t columns, size_t rows) {
    double bottom = top + mapHeight;
    for (size_t column = 0; column < columns; ++column)
      text(cellX(column) + cellWidth / 2, bottom + 17, 11, colours.text,
           std::to_string(map.xs[column]), "middle");
    text(left + mapWidth / 2, bottom + 38, 12, colours.text, map.xDim, "middle",
         true);
    for (size_t row = 0; row < rows && !map.ys.empty(); ++row)
      text(left - 9, cellY(row) + cellHeight / 2 + 4, 11, colours.text,
           std::to_string(map.ys[row]), "end");
    if (!map.yDim.empty())
      text(28, top + mapHeight / 2 + 4, 12, colours.text, map.yDim, "middle",
           true);
  }

  /// A frame for the tiles in force, a diamond for the best.
  void mark(int64_t index, bool best) {
    if (index < 0)
      return;
    size_t columns = map.xs.size();
    double x = cellX(size_t(index) % columns),
           y = cellY(size_t(index) / columns);
    if (best)
      diamond(x + cellWidth - 8, y + 8);
    else
      frame(x, y, cellWidth, cellHeight);
  }

  void frame(double x, double y, double width, double height) {
    Rect inside{x + 1, y + 1, width - 2, height - 2};
    rect(inside, 0, {}, colours.background.hex(), 5);
    rect(inside, 0, {}, colours.selection.hex(), 3);
  }

  void diamond(double x, double y) {
    polygon({{x, y - 5.5}, {x + 5.5, y}, {x, y + 5.5}, {x - 5.5, y}}, "#ffffff",
            "#101418", 1.2);
  }

  /// What colours and signs mean.
  void key(double y) {
    constexpr double barWidth = 150, barHeight = 12;
    double x = 24;
    text(x, y + 10, 11, colours.mutedText, "times the best:");
    x += 92;
    constexpr int steps = 30;
    for (int i = 0; i < steps; ++i)
      box(x + barWidth * i / steps, y, barWidth / steps + 0.5, barHeight,
          scale(name, (i + 0.5) / steps));
    for (auto [share, label] :
         {std::pair(0.0, "1"), {0.301, "2"}, {0.699, "5"}, {1.0, "10"}})
      text(x + barWidth * share, y + 26, 11, colours.mutedText, label,
           "middle");
    x += barWidth + 36;
    frame(x, y - 2, 22, 16);
    text(x + 30, y + 10, 11, colours.mutedText, "in force");
    x += 96;
    diamond(x, y + 6);
    text(x + 12, y + 10, 11, colours.mutedText, "best");
    x += 60;
    box(x, y - 1, 22, 14, mix(colours.background, colours.text, 0.10));
    std::string hatch = mix(colours.background, colours.text, 0.32).hex();
    line({x, y + 13}, {x + 22, y - 1}, hatch, 1);
    line({x, y + 6}, {x + 11, y - 1}, hatch, 1);
    line({x + 11, y + 13}, {x + 22, y + 6}, hatch, 1);
    text(x + 30, y + 10, 11, colours.mutedText, "not legal");
  }
};

} // namespace

std::string heatMapSvg(const model::WhatIf &map, ThemeName name) {
  return HeatMap(map, name).write();
}

} // namespace tilewright::viz
