//===- StudioStyle.h - Fusion with quieter edges --------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QProxyStyle>
#include <QStyleOption>

namespace tilewright::gui {

/// Fusion, with flat bars and headers, hairline splitters, slim scroll bars and
/// rounded buttons. Paints with Theme::current(), so that no style sheet is
/// needed.
class StudioStyle : public QProxyStyle {
  Q_OBJECT
public:
  StudioStyle();

  int pixelMetric(PixelMetric metric, const QStyleOption *option,
                  const QWidget *widget) const override;
  int styleHint(StyleHint hint, const QStyleOption *option,
                const QWidget *widget,
                QStyleHintReturn *returnData) const override;
  QSize sizeFromContents(ContentsType type, const QStyleOption *option,
                         const QSize &size,
                         const QWidget *widget) const override;
  QRect subControlRect(ComplexControl control,
                       const QStyleOptionComplex *option, SubControl which,
                       const QWidget *widget) const override;
  void drawPrimitive(PrimitiveElement element, const QStyleOption *option,
                     QPainter *painter, const QWidget *widget) const override;
  void drawControl(ControlElement element, const QStyleOption *option,
                   QPainter *painter, const QWidget *widget) const override;
  void drawComplexControl(ComplexControl control,
                          const QStyleOptionComplex *option, QPainter *painter,
                          const QWidget *widget) const override;

private:
  void drawScrollBar(const QStyleOptionSlider &option, QPainter *painter,
                     const QWidget *widget) const;
  void drawComboBox(const QStyleOptionComboBox &option,
                    QPainter *painter) const;
};

} // namespace tilewright::gui
