//===- ToolStrip.cpp ------------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/ToolStrip.h"

#include "gui/Theme.h"
#include <QPainter>

namespace tilewright::gui {

ToolStrip::ToolStrip(QWidget *parent)
    : QWidget(parent), row(new QHBoxLayout(this)) {
  setFixedHeight(44);
  row->setContentsMargins(8, 0, 8, 1);
  row->setSpacing(8);
}

void ToolStrip::addSeparator() {
  auto *space = new QWidget;
  space->setFixedSize(1, 24);
  separators << space;
  row->addWidget(space, 0, Qt::AlignVCenter);
}

void ToolStrip::paintEvent(QPaintEvent *) {
  const Theme &theme = Theme::current();
  QPainter painter(this);
  painter.fillRect(rect(), theme.window);
  painter.fillRect(QRect(0, height() - 1, width(), 1), theme.border);
  for (QWidget *separator : separators)
    painter.fillRect(separator->geometry(), theme.border);
}

} // namespace tilewright::gui
