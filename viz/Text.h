//===- Text.h - how wide a text is, and cutting it to fit -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>

namespace tilewright::viz {

enum class TextStyle {
  Title,      ///< a node's name, semi-bold
  Subtitle,   ///< its operation
  Badge,      ///< grid and counts
  EdgeLabel,  ///< tensor types
  GroupTitle, ///< on the frame of a box
  Heading     ///< stage and pass of an exported picture
};

/// Font size in pixels of each style; the same in every renderer.
double fontSize(TextStyle style);
bool isBold(TextStyle style);

/// Smaller than this on the screen a label is not drawn at all.
inline constexpr double leastLabelPixels = 9;
/// The smallest scale at which a graph is opened: titles are then as high as
/// `leastLabelPixels` by themselves, and the texts below them are drawn at
/// that size in boxes that still have room for two lines.
inline constexpr double readableScale = 0.7;

/// Gives the layout the width of texts. A front end passes one backed by its
/// own fonts; the methods may be called from the thread that lays out.
class TextMeasurer {
public:
  virtual ~TextMeasurer() = default;
  /// Pixels that `utf8` takes in one line. Invalid UTF-8 must be accepted.
  virtual double width(std::string_view utf8, TextStyle style) const = 0;
};

/// Widths from a table of a common sans-serif face, full width for East Asian
/// characters, slightly wide rather than too narrow. Needs no fonts.
class ApproximateTextMeasurer final : public TextMeasurer {
public:
  double width(std::string_view utf8, TextStyle style) const override;
};

/// `utf8` if it fits into `maxWidth`, else its longest head that does with an
/// ellipsis. Control characters become spaces; never cuts a code point; bytes
/// that are not UTF-8 become U+FFFD. Looks at a bounded part of long texts.
std::string elide(std::string_view utf8, double maxWidth, TextStyle style,
                  const TextMeasurer &measurer);

/// The same, but cuts in the middle: of names such as `layer.q.kernel` the end
/// tells them apart.
std::string elideMiddle(std::string_view utf8, double maxWidth, TextStyle style,
                        const TextMeasurer &measurer);

} // namespace tilewright::viz
