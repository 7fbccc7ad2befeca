//===- EmptyState.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/EmptyState.h"

#include "gui/Fonts.h"
#include "gui/Theme.h"
#include <QEvent>
#include <QPainter>
#include <QVBoxLayout>

namespace tilewright::gui {

void paintEmptyState(QPainter &painter, const QRect &rect, const QString &title,
                     const QString &hint) {
  const Theme &theme = Theme::current();
  painter.save();
  painter.setFont(Fonts::ui(1.15, QFont::DemiBold));
  painter.setPen(theme.text);
  QRect area = rect.adjusted(24, 0, -24, 0);
  int width = std::min(area.width(), 420);
  area = QRect(area.center().x() - width / 2, area.top(), width, area.height());
  int titleHeight = painter.fontMetrics().height();
  QFont hintFont = Fonts::ui();
  QRect hintRect = QFontMetrics(hintFont).boundingRect(
      QRect(0, 0, width, 1000), Qt::AlignHCenter | Qt::TextWordWrap, hint);
  int total = titleHeight + (hint.isEmpty() ? 0 : 6 + hintRect.height());
  int y = area.center().y() - total / 2;
  painter.drawText(QRect(area.left(), y, width, titleHeight), Qt::AlignHCenter,
                   title);
  painter.setFont(hintFont);
  painter.setPen(theme.muted);
  painter.drawText(
      QRect(area.left(), y + titleHeight + 6, width, hintRect.height() + 4),
      Qt::AlignHCenter | Qt::TextWordWrap, hint);
  painter.restore();
}

EmptyState::EmptyState(QWidget *content, QWidget *parent)
    : QStackedWidget(parent), page(new QWidget), title(new QLabel),
      hint(new QLabel), button(new QPushButton) {
  addWidget(content);
  auto *layout = new QVBoxLayout(page);
  layout->setContentsMargins(24, 12, 24, 12);
  layout->setSpacing(6);
  layout->addStretch(1);
  for (QLabel *label : {title, hint}) {
    label->setAlignment(Qt::AlignHCenter);
    label->setWordWrap(true);
    layout->addWidget(label);
  }
  button->hide();
  layout->addSpacing(6);
  layout->addWidget(button, 0, Qt::AlignHCenter);
  layout->addStretch(1);
  page->setAutoFillBackground(true);
  addWidget(page);
  connect(button, &QPushButton::clicked, this, &EmptyState::actionTriggered);
  restyle();
}

void EmptyState::setText(const QString &titleText, const QString &hintText) {
  title->setText(titleText);
  hint->setText(hintText);
  hint->setVisible(!hintText.isEmpty());
}

void EmptyState::setAction(const QString &label) {
  button->setText(label);
  button->setVisible(!label.isEmpty());
}

void EmptyState::setEmpty(bool empty) { setCurrentIndex(empty ? 1 : 0); }

void EmptyState::changeEvent(QEvent *event) {
  QStackedWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange)
    restyle();
}

void EmptyState::restyle() {
  const Theme &theme = Theme::current();
  QPalette palette = page->palette();
  if (palette.color(QPalette::Window) == theme.surface &&
      hint->palette().color(QPalette::WindowText) == theme.muted)
    return;
  palette.setColor(QPalette::Window, theme.surface);
  page->setPalette(palette);
  title->setFont(Fonts::ui(1.15, QFont::DemiBold));
  QPalette quiet = palette;
  quiet.setColor(QPalette::WindowText, theme.muted);
  hint->setPalette(quiet);
}

} // namespace tilewright::gui
