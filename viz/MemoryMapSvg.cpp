//===- MemoryMapSvg.cpp - memory maps as pictures -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "viz/MemoryMapSvg.h"
#include "core/model/ByteCount.h"
#include "viz/SvgElements.h"
#include "viz/Text.h"
#include <algorithm>
#include <array>

namespace tilewright::viz {

namespace {

constexpr double margin = 24;
constexpr double headingHeight = 56;
constexpr double axisWidth = 76;
constexpr double panelHeight = 220;
constexpr double panelHeading = 30;
constexpr double panelGap = 30;
constexpr double bracketHeight = 16;
/// Steps are this wide at most and at least, unless there are so many that the
/// picture would be wider than `widest`.
constexpr double widestStep = 48, thinnestStep = 5, widest = 6000;
constexpr double narrowest = 760;

double roundUpToTick(double bytes) {
  // A power of two times 1, so that ticks are round in KiB.
  double tick = 1;
  while (tick < bytes)
    tick *= 2;
  return tick;
}

class MapWriter : SvgElements {
public:
  MapWriter(const model::MemoryMap &map, const MemoryMapOptions &options)
      : map(map), options(options), colours(theme(options.theme)) {}

  std::string write() {
    double height = headingHeight, width = narrowest;
    for (const model::KernelMemory &kernel : map.kernels) {
      if (!shows(kernel))
        continue;
      width = std::max(width, axisWidth + stepWidth(kernel) *
                                              double(kernel.steps.size()));
      height += heightOf(kernel);
    }
    width += 2 * margin;
    height += margin;
    if (height == headingHeight + margin)
      height += 40;
    start({0, 0, width, height}, colours.background);
    std::string title = options.title;
    title += (title.empty() ? "" : "  \u00b7  ") + map.pass + "  \u00b7  " +
             map.target;
    put(title, {margin, 34}, TextStyle::Heading, colours.text, width);
    double top = headingHeight;
    bool any = false;
    for (const model::KernelMemory &kernel : map.kernels)
      if (shows(kernel)) {
        any = true;
        top = this->kernel(kernel, top, width - 2 * margin);
      }
    if (!any)
      put("No kernel keeps a buffer on the chip.", {margin, top + 16},
          TextStyle::Subtitle, colours.mutedText, width);
    finish();
    return std::move(out);
  }

private:
  bool shows(const model::MapLevel &level) const {
    return options.level.empty() || level.name == options.level;
  }
  bool shows(const model::KernelMemory &kernel) const {
    return std::any_of(
        kernel.levels.begin(), kernel.levels.end(),
        [&](const model::MapLevel &level) { return shows(level); });
  }

  static double stepWidth(const model::KernelMemory &kernel) {
    double steps = double(std::max<size_t>(1, kernel.steps.size()));
    double width =
        std::clamp((narrowest - axisWidth) / steps, thinnestStep, widestStep);
    return std::min(width, widest / steps);
  }

  static int depthOfLoops(const model::KernelMemory &kernel) {
    int depth = 0;
    for (const model::MapLoop &loop : kernel.loops)
      depth = std::max(depth, loop.depth + 1);
    return depth;
  }

  double heightOf(const model::KernelMemory &kernel) const {
    double height = 44 + bracketHeight * depthOfLoops(kernel) + margin;
    for (const model::MapLevel &level : kernel.levels)
      if (shows(level))
        height += panelHeading + panelHeight + panelGap;
    return height;
  }

  double put(const std::string &what, Point at, TextStyle style,
             const Colour &colour, double room, bool centered = false) {
    SceneText line;
    line.style = style;
    line.text = elide(what, room, style, measurer);
    line.position = at;
    line.centered = centered;
    text(line, colour);
    return measurer.width(line.text, style);
  }

  double kernel(const model::KernelMemory &kernel, double top, double width) {
    double used = put(kernel.kernel, {margin, top + 16}, TextStyle::Title,
                      colours.text, width - 260);
    put(kernel.core + " core, " + std::to_string(kernel.steps.size()) +
            (kernel.steps.size() == 1 ? " instruction" : " instructions") +
            ", left to right in program order",
        {margin + used + 14, top + 16}, TextStyle::Subtitle, colours.mutedText,
        width - used - 14);
    top += 36;
    left = margin + axisWidth;
    step = stepWidth(kernel);
    for (const model::MapLoop &loop : kernel.loops)
      bracket(loop, top + bracketHeight * loop.depth);
    top += bracketHeight * depthOfLoops(kernel) + 8;
    for (const model::MapLevel &level : kernel.levels)
      if (shows(level))
        top = panel(kernel, level, top, width);
    return top + margin;
  }

  void bracket(const model::MapLoop &loop, double y) {
    double from = left + step * double(loop.first) + 1,
           to = left + step * double(loop.last + 1) - 1;
    std::string stroke =
        nodeColours(options.theme, model::NodeKind::Loop).border.hex();
    std::string label =
        loop.label + (loop.turns > 0 ? " \u00d7" + std::to_string(loop.turns)
                                     : std::string());
    double needed = measurer.width(label, TextStyle::Badge) + 10;
    double middle = y + 7;
    line({from, middle}, {from, middle + 6}, stroke, 1.2);
    line({to, middle}, {to, middle + 6}, stroke, 1.2);
    if (needed + 12 < to - from) {
      double center = (from + to) / 2;
      line({from, middle}, {center - needed / 2, middle}, stroke, 1.2);
      line({center + needed / 2, middle}, {to, middle}, stroke, 1.2);
      put(label, {center, middle + 4}, TextStyle::Badge, colours.mutedText,
          needed, true);
    } else {
      line({from, middle}, {to, middle}, stroke, 1.2);
    }
  }

  double panel(const model::KernelMemory &kernel, const model::MapLevel &level,
               double top, double width) {
    double used = put(level.name, {margin, top + 18}, TextStyle::GroupTitle,
                      colours.text, 90);
    std::string facts =
        "reaches " + model::formatBytes(level.highWater) + " of " +
        model::formatBytes(level.usable) + " usable" +
        (level.capacity > level.usable
             ? " (" + model::formatBytes(level.capacity) + " physical)"
             : std::string()) +
        "; most alive at once " + model::formatBytes(level.peakBytes) +
        ", from instruction " + std::to_string(level.peakStep + 1);
    if (level.kind == "cache")
      facts += "; a cache, which may overflow";
    double most = double(std::max(level.highWater, int64_t(1)));
    double limit = double(std::max(level.usable, int64_t(1)));
    double range = std::max(most, limit);
    // Where little of a level is used, the axis ends above that.
    bool cut = most < limit / 4;
    if (cut) {
      range = most * 1.25;
      facts += "; axis ends at " + model::formatBytes(int64_t(range));
    }
    put(facts, {margin + used + 12, top + 18}, TextStyle::Subtitle,
        colours.mutedText, width - used - 12);
    top += panelHeading;
    double bottom = top + panelHeight;
    double across = step * double(kernel.steps.size());
    range *= 1.04;
    auto yOf = [&](double bytes) {
      return bottom - bytes / range * panelHeight;
    };
    Rect frame{left, top, across, panelHeight};
    rect(frame, 0,
         groupColours(options.theme, model::NodeKind::Kernel, 1).fill.hex(), {},
         0);
    // The step with most alive.
    if (!level.buffers.empty())
      rect({left + step * double(level.peakStep), top, step, panelHeight}, 0,
           nodeColours(options.theme, model::NodeKind::Loop).fill.hex(), {}, 0);
    double tick = roundUpToTick(range / 8);
    std::string grid =
        groupColours(options.theme, model::NodeKind::Buffer, 0).border.hex();
    for (double at = 0; at < range; at += tick) {
      double y = yOf(at);
      line({left - 4, y}, {left, y}, grid, 1);
      line({left, y}, {left + across, y}, grid, 0.4);
      put(model::formatBytes(int64_t(at)), {margin, y + 4}, TextStyle::Badge,
          colours.mutedText, axisWidth - 8);
    }
    for (const model::MapBuffer &buffer : level.buffers)
      this->buffer(level, buffer, yOf);
    if (!cut) {
      double y = yOf(limit);
      std::string over = colours.eventEdge.hex();
      line({left, y}, {left + across, y}, over, 1.6, "7 4");
    }
    double water = yOf(double(level.highWater));
    line({left, water}, {left + across, water}, colours.selection.hex(), 1.2);
    rect(frame, 0, {}, grid, 1);
    return bottom + panelGap;
  }

  /// "x_L1_2" holds "x": copies of one tile look alike.
  static std::string_view nameOfContent(const model::MapBuffer &buffer) {
    std::string_view name = buffer.name;
    size_t digits = name.find_last_not_of("0123456789");
    if (digits != std::string_view::npos && digits + 1 < name.size() &&
        name[digits] == '_')
      name = name.substr(0, digits);
    if (name.ends_with("_" + buffer.type.level))
      name.remove_suffix(buffer.type.level.size() + 1);
    return name;
  }

  template <typename Place>
  void buffer(const model::MapLevel &level, const model::MapBuffer &buffer,
              const Place &yOf) {
    NodeColours c = bufferColours(options.theme, nameOfContent(buffer));
    double from = left + step * double(buffer.first),
           to = left + step * double(buffer.last + 1);
    double upper = yOf(double(buffer.offset + buffer.bytes)),
           lower = yOf(double(buffer.offset));
    // Never thinner than can be seen.
    Rect box{from, std::min(upper, lower - 1.5), std::max(to - from, 1.5),
             std::max(lower - upper, 1.5)};
    out += "<g>\n<title>";
    escaped(tooltip(level, buffer));
    out += "</title>\n";
    rect(box, box.height > 8 && box.width > 8 ? 2 : 0, c.fill.hex(),
         c.border.hex(), box.height > 4 ? 1 : 0.5);
    double size = fontSize(TextStyle::Badge);
    if (box.height >= size + 3 && box.width >= 24) {
      std::string label = buffer.name;
      if (buffer.writers.size() > 1)
        label += " \u21bb";
      double room = box.width - 8;
      std::string sized = label + "  " + model::formatBytes(buffer.bytes);
      if (measurer.width(sized, TextStyle::Badge) <= room)
        label = sized;
      put(label, {box.x + 4, box.y + box.height / 2 + size * 0.36},
          TextStyle::Badge, c.text, room);
    }
    out += "</g>\n";
  }

  static std::string tooltip(const model::MapLevel &level,
                             const model::MapBuffer &buffer) {
    std::string text = buffer.id;
    std::string shape;
    for (const model::Expr &size : buffer.type.shape)
      shape += size.str() + "x";
    text += "\n" + shape + buffer.type.dtype;
    if (!buffer.type.layout.empty())
      text += " " + buffer.type.layout;
    text += "\n" + level.name + " " + std::to_string(buffer.offset) + " to " +
            std::to_string(buffer.offset + buffer.bytes) + " (" +
            model::formatBytes(buffer.bytes) + ")";
    text += "\ninstructions " + std::to_string(buffer.first + 1) + " to " +
            std::to_string(buffer.last + 1);
    auto list = [&](const char *what, const std::vector<std::string> &names) {
      for (size_t i = 0; i < names.size() && i < 8; ++i)
        text += (i ? ", " : std::string("\n") + what + " ") + names[i];
      if (names.size() > 8)
        text += " and " + std::to_string(names.size() - 8) + " more";
    };
    list("has room of", buffer.reuses);
    list("in place:", buffer.writers.size() > 1 ? buffer.writers
                                                : std::vector<std::string>());
    list("from", buffer.keys);
    return text;
  }

  const model::MemoryMap &map;
  const MemoryMapOptions &options;
  const Theme &colours;
  ApproximateTextMeasurer measurer;
  double left = 0, step = 0;
};

} // namespace

NodeColours bufferColours(ThemeName name, std::string_view key) {
  using model::NodeKind;
  // Hues far apart; FNV-1a spreads the names over them.
  static constexpr std::array<NodeKind, 8> kinds = {
      NodeKind::Operation, NodeKind::Input,   NodeKind::Scope,
      NodeKind::Kernel,    NodeKind::Move,    NodeKind::Sync,
      NodeKind::Task,      NodeKind::Dispatch};
  uint32_t hash = 2166136261u;
  for (char c : key)
    hash = (hash ^ uint8_t(c)) * 16777619u;
  return nodeColours(name, kinds[(hash >> 16) % kinds.size()]);
}

std::string toSvg(const model::MemoryMap &map,
                  const MemoryMapOptions &options) {
  return MapWriter(map, options).write();
}

} // namespace tilewright::viz
