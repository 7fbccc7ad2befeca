//===- Icons.h - Studio's icons, drawn in the theme's colours -------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QColor>
#include <QIcon>
#include <QRectF>

class QPainter;

namespace tilewright::gui {

/// Line icons on a 16x16 grid. Drawn when needed, so that they are sharp at
/// every scale and follow the theme.
class Icons {
public:
  enum Id {
    Run,
    Stop,
    Open,
    Save,
    Fit,
    ZoomIn,
    ZoomOut,
    ChevronDown,
    ChevronUp,
    ChevronRight,
    ExpandAll,
    CollapseAll,
    Reused,
    Error,
    Warning,
    Info,
    Good,
    Sun,
    Moon,
    Search,
    Close,
    Logo
  };
  static void paint(QPainter *painter, Id id, const QRectF &rect,
                    const QColor &color);
  /// Follows theme changes; `role` picks the colour.
  enum Role { Plain, OnAccent };
  static QIcon icon(Id id, Role role = Plain);
};

} // namespace tilewright::gui
