//===- StudioStyle.cpp ----------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/StudioStyle.h"

#include "gui/Fonts.h"
#include "gui/Icons.h"
#include "gui/Theme.h"
#include <QComboBox>
#include <QPainter>
#include <QPushButton>
#include <QStyleFactory>
#include <QStyleOption>

namespace tilewright::gui {

StudioStyle::StudioStyle() : QProxyStyle(QStyleFactory::create("Fusion")) {}

int StudioStyle::pixelMetric(PixelMetric metric, const QStyleOption *option,
                             const QWidget *widget) const {
  switch (metric) {
  case PM_SplitterWidth:
    return 1;
  case PM_ScrollBarExtent:
    return 12;
  case PM_ScrollBarSliderMin:
    return 32;
  case PM_ToolBarFrameWidth:
  case PM_ToolBarItemMargin:
  case PM_DefaultFrameWidth:
    return metric == PM_DefaultFrameWidth ? 1 : 0;
  case PM_ToolBarItemSpacing:
    return 6;
  case PM_ButtonIconSize:
  case PM_SmallIconSize:
  case PM_ToolBarIconSize:
    return 16;
  case PM_MenuPanelWidth:
    return 1;
  case PM_MenuVMargin:
    return 4;
  default:
    return QProxyStyle::pixelMetric(metric, option, widget);
  }
}

int StudioStyle::styleHint(StyleHint hint, const QStyleOption *option,
                           const QWidget *widget,
                           QStyleHintReturn *returnData) const {
  switch (hint) {
  case SH_ScrollView_FrameOnlyAroundContents:
  case SH_EtchDisabledText:
  case SH_DitherDisabledText:
    return 0;
  case SH_ComboBox_Popup:
    return 0;
  case SH_ToolTip_WakeUpDelay:
    return 450;
  default:
    return QProxyStyle::styleHint(hint, option, widget, returnData);
  }
}

QSize StudioStyle::sizeFromContents(ContentsType type,
                                    const QStyleOption *option,
                                    const QSize &size,
                                    const QWidget *widget) const {
  QSize result = QProxyStyle::sizeFromContents(type, option, size, widget);
  switch (type) {
  case CT_ToolButton:
    return {std::max(result.width() + 4, 28), 28};
  case CT_PushButton:
    return {result.width() + 8, std::max(result.height(), 28)};
  case CT_ComboBox:
    return {result.width() + 10, 28};
  case CT_HeaderSection:
    return {result.width(), 24};
  case CT_MenuBarItem:
    return {result.width() + 6, 26};
  case CT_MenuItem:
    return {result.width() + 12, std::max(result.height(), 24)};
  default:
    return result;
  }
}

QRect StudioStyle::subControlRect(ComplexControl control,
                                  const QStyleOptionComplex *option,
                                  SubControl which,
                                  const QWidget *widget) const {
  if (control == CC_ScrollBar) {
    auto *bar = qstyleoption_cast<const QStyleOptionSlider *>(option);
    if (!bar)
      return {};
    bool horizontal = bar->orientation == Qt::Horizontal;
    QRect all = option->rect;
    int length = horizontal ? all.width() : all.height();
    int span = bar->maximum - bar->minimum;
    int slider = length;
    if (span > 0)
      slider = std::clamp(
          int(qint64(bar->pageStep) * length / (span + bar->pageStep)),
          std::min(length, pixelMetric(PM_ScrollBarSliderMin, option, widget)),
          length);
    int at =
        sliderPositionFromValue(bar->minimum, bar->maximum, bar->sliderPosition,
                                length - slider, bar->upsideDown);
    auto along = [&](int from, int size) {
      return horizontal
                 ? QRect(all.left() + from, all.top(), size, all.height())
                 : QRect(all.left(), all.top() + from, all.width(), size);
    };
    switch (which) {
    case SC_ScrollBarSlider:
      return along(at, slider);
    case SC_ScrollBarGroove:
      return all;
    case SC_ScrollBarSubPage:
      return along(0, at);
    case SC_ScrollBarAddPage:
      return along(at + slider, length - at - slider);
    default:
      return {};
    }
  }
  return QProxyStyle::subControlRect(control, option, which, widget);
}

void StudioStyle::drawPrimitive(PrimitiveElement element,
                                const QStyleOption *option, QPainter *painter,
                                const QWidget *widget) const {
  const Theme &theme = Theme::current();
  switch (element) {
  case PE_FrameStatusBarItem:
  case PE_PanelStatusBar:
  case PE_FrameFocusRect:
    return;
  case PE_PanelScrollAreaCorner:
    painter->fillRect(option->rect, theme.surface);
    return;
  case PE_IndicatorToolBarSeparator: {
    QRect rect = option->rect;
    painter->fillRect(
        QRect(rect.center().x(), rect.top() + 6, 1, rect.height() - 12),
        theme.border);
    return;
  }
  case PE_PanelButtonTool: {
    bool down = option->state & (State_Sunken | State_On);
    bool hover = option->state & State_MouseOver;
    if (!(option->state & State_Enabled) || (!down && !hover))
      return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(down ? mix(theme.text, theme.hover, 0.1) : theme.hover);
    painter->drawRoundedRect(QRectF(option->rect).adjusted(1, 1, -1, -1), 5, 5);
    painter->restore();
    return;
  }
  case PE_PanelButtonCommand: {
    auto *button = qstyleoption_cast<const QStyleOptionButton *>(option);
    bool primary =
        button && button->features & QStyleOptionButton::DefaultButton;
    bool enabled = option->state & State_Enabled;
    bool down = option->state & State_Sunken,
         hover = option->state & State_MouseOver;
    QColor fill = primary ? theme.accent : theme.raised;
    if (down)
      fill = mix(theme.text, fill, 0.14);
    else if (hover)
      fill = primary ? mix(theme.surface, fill, 0.12) : theme.hover;
    if (!enabled)
      fill = theme.hover;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(primary || !enabled ? QPen(Qt::NoPen) : QPen(theme.border));
    painter->setBrush(fill);
    painter->drawRoundedRect(
        QRectF(option->rect).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    if (option->state & State_HasFocus &&
        option->state & State_KeyboardFocusChange) {
      painter->setPen(QPen(theme.accent, 2));
      painter->setBrush(Qt::NoBrush);
      painter->drawRoundedRect(QRectF(option->rect).adjusted(1, 1, -1, -1), 6,
                               6);
    }
    painter->restore();
    return;
  }
  case PE_PanelMenu:
  case PE_FrameMenu:
    painter->fillRect(option->rect, theme.raised);
    painter->setPen(theme.border);
    painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
    return;
  case PE_PanelTipLabel:
    painter->fillRect(option->rect, theme.raised);
    painter->setPen(theme.border);
    painter->drawRect(option->rect.adjusted(0, 0, -1, -1));
    return;
  default:
    QProxyStyle::drawPrimitive(element, option, painter, widget);
  }
}

void StudioStyle::drawControl(ControlElement element,
                              const QStyleOption *option, QPainter *painter,
                              const QWidget *widget) const {
  const Theme &theme = Theme::current();
  switch (element) {
  case CE_Splitter:
    painter->fillRect(option->rect, theme.border);
    return;
  case CE_ToolBar:
    painter->fillRect(option->rect, theme.window);
    painter->fillRect(QRect(option->rect.left(), option->rect.bottom(),
                            option->rect.width(), 1),
                      theme.border);
    return;
  case CE_MenuBarEmptyArea:
    painter->fillRect(option->rect, theme.window);
    return;
  case CE_MenuBarItem: {
    auto *item = qstyleoption_cast<const QStyleOptionMenuItem *>(option);
    painter->fillRect(option->rect, theme.window);
    if (!item)
      return;
    if (item->state & State_Selected) {
      painter->save();
      painter->setRenderHint(QPainter::Antialiasing);
      painter->setPen(Qt::NoPen);
      painter->setBrush(theme.hover);
      painter->drawRoundedRect(QRectF(option->rect).adjusted(1, 2, -1, -2), 5,
                               5);
      painter->restore();
    }
    drawItemText(painter, item->rect,
                 Qt::AlignCenter | Qt::TextShowMnemonic | Qt::TextDontClip,
                 item->palette, item->state & State_Enabled, item->text,
                 QPalette::WindowText);
    return;
  }
  case CE_HeaderSection:
  case CE_HeaderEmptyArea:
    painter->fillRect(option->rect, theme.surface);
    painter->fillRect(QRect(option->rect.left(), option->rect.bottom(),
                            option->rect.width(), 1),
                      theme.border);
    return;
  case CE_HeaderLabel: {
    auto *header = qstyleoption_cast<const QStyleOptionHeader *>(option);
    if (!header)
      return;
    painter->setFont(Fonts::ui(0.9));
    painter->setPen(theme.muted);
    bool right = header->textAlignment & Qt::AlignRight;
    painter->drawText(
        header->rect.adjusted(right ? 0 : 8, 0, right ? -10 : 0, 0),
        int(header->textAlignment | Qt::AlignVCenter), header->text);
    return;
  }
  case CE_PushButtonLabel: {
    auto *button = qstyleoption_cast<const QStyleOptionButton *>(option);
    if (!button)
      return;
    QStyleOptionButton copy = *button;
    bool primary = button->features & QStyleOptionButton::DefaultButton;
    copy.palette.setColor(QPalette::ButtonText, !(button->state & State_Enabled)
                                                    ? theme.faint
                                                : primary ? theme.onAccent
                                                          : theme.text);
    QProxyStyle::drawControl(element, &copy, painter, widget);
    return;
  }
  case CE_ComboBoxLabel: {
    auto *combo = qstyleoption_cast<const QStyleOptionComboBox *>(option);
    if (!combo)
      return;
    painter->setPen(combo->state & State_Enabled ? theme.text : theme.faint);
    painter->drawText(combo->rect.adjusted(10, 0, -24, 0), Qt::AlignVCenter,
                      combo->currentText);
    return;
  }
  default:
    QProxyStyle::drawControl(element, option, painter, widget);
  }
}

void StudioStyle::drawComplexControl(ComplexControl control,
                                     const QStyleOptionComplex *option,
                                     QPainter *painter,
                                     const QWidget *widget) const {
  if (control == CC_ScrollBar) {
    if (auto *bar = qstyleoption_cast<const QStyleOptionSlider *>(option))
      drawScrollBar(*bar, painter, widget);
    return;
  }
  if (control == CC_ComboBox) {
    if (auto *combo = qstyleoption_cast<const QStyleOptionComboBox *>(option);
        combo && !combo->editable) {
      drawComboBox(*combo, painter);
      return;
    }
  }
  QProxyStyle::drawComplexControl(control, option, painter, widget);
}

void StudioStyle::drawScrollBar(const QStyleOptionSlider &option,
                                QPainter *painter,
                                const QWidget *widget) const {
  const Theme &theme = Theme::current();
  painter->save();
  painter->fillRect(option.rect, theme.surface);
  if (option.maximum > option.minimum) {
    QRectF slider =
        subControlRect(CC_ScrollBar, &option, SC_ScrollBarSlider, widget);
    bool active = option.state & State_MouseOver ||
                  option.activeSubControls & SC_ScrollBarSlider;
    double inset = active ? 2.5 : 3.5;
    slider.adjust(inset, inset, -inset, -inset);
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(mix(theme.muted, theme.surface, active ? 0.6 : 0.36));
    double radius = std::min(slider.width(), slider.height()) / 2;
    painter->drawRoundedRect(slider, radius, radius);
  }
  painter->restore();
}

void StudioStyle::drawComboBox(const QStyleOptionComboBox &option,
                               QPainter *painter) const {
  const Theme &theme = Theme::current();
  bool hover = option.state & State_MouseOver;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  painter->setPen(option.state & State_HasFocus ? theme.accent : theme.border);
  painter->setBrush(hover ? theme.hover : theme.surface);
  painter->drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5),
                           6, 6);
  Icons::paint(
      painter, Icons::ChevronDown,
      QRectF(option.rect.right() - 20, option.rect.center().y() - 6, 13, 13),
      theme.muted);
  painter->restore();
}

} // namespace tilewright::gui
