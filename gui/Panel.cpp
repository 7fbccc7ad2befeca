//===- Panel.cpp ----------------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/Panel.h"

#include "gui/Fonts.h"
#include "gui/Icons.h"
#include "gui/Theme.h"
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

namespace tilewright::gui {

static constexpr int headHeight = 32;

Panel::Panel(const QString &title, QWidget *content, QWidget *parent)
    : QWidget(parent), header(new QWidget(this)), bar(new QHBoxLayout(header)),
      titleLabel(new QLabel(title)), detailLabel(new QLabel), content(content) {
  header->setFixedHeight(headHeight);
  bar->setContentsMargins(12, 0, 6, 1);
  bar->setSpacing(2);
  titleLabel->setFont(Fonts::ui(1, QFont::DemiBold));
  detailLabel->setFont(Fonts::ui(0.95));
  detailLabel->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  detailLabel->setTextFormat(Qt::PlainText);
  bar->addWidget(titleLabel);
  bar->addSpacing(8);
  bar->addWidget(detailLabel, 1);
  auto *column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(header);
  column->addWidget(content, 1);
  showDetail();
}

void Panel::setTitle(const QString &text) { titleLabel->setText(text); }

void Panel::setDetail(const QString &text, bool isError) {
  fullDetail = text;
  detailIsError = isError;
  showDetail();
}

void Panel::showDetail() {
  const Theme &theme = Theme::current();
  QPalette palette = detailLabel->palette();
  QColor ink = detailIsError ? theme.error : theme.muted;
  if (palette.color(QPalette::WindowText) != ink) {
    palette.setColor(QPalette::WindowText, ink);
    detailLabel->setPalette(palette);
  }
  detailLabel->setText(detailLabel->fontMetrics().elidedText(
      fullDetail, Qt::ElideRight, detailLabel->width()));
  detailLabel->setToolTip(detailLabel->text() == fullDetail ? QString()
                                                            : fullDetail);
}

QToolButton *Panel::addButton(int icon, const QString &toolTip) {
  auto *button = new QToolButton;
  button->setIcon(Icons::icon(Icons::Id(icon)));
  button->setIconSize({15, 15});
  button->setFixedSize(26, 26);
  button->setAutoRaise(true);
  button->setToolTip(toolTip);
  button->setAccessibleName(toolTip);
  button->setFocusPolicy(Qt::TabFocus);
  bar->addWidget(button);
  buttons << button;
  button->setVisible(!folded);
  return button;
}

void Panel::setButtonsEnabled(bool enabled) {
  for (QToolButton *button : buttons)
    button->setEnabled(enabled);
}

int Panel::headerHeight() const { return headHeight; }

void Panel::setFolded(bool value) {
  if (folded == value)
    return;
  folded = value;
  content->setVisible(!folded);
  for (QToolButton *button : buttons)
    button->setVisible(!folded);
  setMaximumHeight(folded ? headHeight : QWIDGETSIZE_MAX);
}

void Panel::addBar(QWidget *widget) {
  static_cast<QVBoxLayout *>(layout())->insertWidget(1, widget);
}

void Panel::addHeaderWidget(QWidget *widget) { bar->addWidget(widget); }

void Panel::paintEvent(QPaintEvent *) {
  const Theme &theme = Theme::current();
  QPainter painter(this);
  painter.fillRect(QRect(0, 0, width(), headHeight), theme.raised);
  painter.fillRect(QRect(0, headHeight - 1, width(), 1), theme.border);
}

void Panel::resizeEvent(QResizeEvent *event) {
  QWidget::resizeEvent(event);
  // The layout has placed the label only after this event.
  QMetaObject::invokeMethod(this, &Panel::showDetail, Qt::QueuedConnection);
}

void Panel::changeEvent(QEvent *event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange)
    showDetail();
}

} // namespace tilewright::gui
