//===- StageBar.cpp -------------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/StageBar.h"

#include "gui/Fonts.h"
#include "gui/StageModel.h"
#include "gui/Theme.h"
#include <QMouseEvent>
#include <QPainter>

namespace tilewright::gui {

StageBar::StageBar(QWidget *parent)
    : QWidget(parent), names{"tensor", "tile", "block", "execution"} {
  setMouseTracking(true);
  setFocusPolicy(Qt::TabFocus);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  setAccessibleName(tr("Stage"));
}

void StageBar::setStages(const QStringList &stages) {
  known = !stages.isEmpty();
  if (known)
    names = stages;
  updateGeometry();
  update();
}

void StageBar::setCurrent(const QString &stage) {
  chosen = stage;
  update();
}

QList<QRect> StageBar::cells() const {
  QList<QRect> result;
  QFontMetrics metrics(Fonts::ui(1, QFont::DemiBold));
  int x = 3;
  for (const QString &name : names) {
    int width = metrics.horizontalAdvance(stageTitle(name.toStdString())) + 24;
    result << QRect(x, 3, width, 22);
    x += width;
  }
  return result;
}

QSize StageBar::sizeHint() const {
  QList<QRect> all = cells();
  return {all.isEmpty() ? 40 : all.last().right() + 4, 28};
}

void StageBar::paintEvent(QPaintEvent *) {
  const Theme &theme = Theme::current();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(hasFocus() ? theme.accent : theme.border);
  painter.setBrush(mix(theme.hover, theme.window, 0.7));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 7, 7);
  QList<QRect> all = cells();
  for (int i = 0; i < all.size(); ++i) {
    bool isChosen = known && names[i] == chosen;
    if (isChosen) {
      painter.setPen(theme.border);
      painter.setBrush(theme.dark() ? mix(theme.text, theme.raised, 0.1)
                                    : theme.surface);
      painter.drawRoundedRect(QRectF(all[i]).adjusted(0.5, 0.5, -0.5, -0.5), 5,
                              5);
    } else if (i == hovered && known) {
      painter.setPen(Qt::NoPen);
      painter.setBrush(mix(theme.text, theme.hover, 0.06));
      painter.drawRoundedRect(QRectF(all[i]).adjusted(1, 1, -1, -1), 5, 5);
    }
    painter.setFont(Fonts::ui(1, isChosen ? QFont::DemiBold : QFont::Normal));
    painter.setPen(!known ? theme.faint : isChosen ? theme.text : theme.muted);
    painter.drawText(all[i], Qt::AlignCenter,
                     stageTitle(names[i].toStdString()));
  }
}

void StageBar::mouseMoveEvent(QMouseEvent *event) {
  int under = -1;
  QList<QRect> all = cells();
  for (int i = 0; i < all.size(); ++i)
    if (all[i].contains(event->position().toPoint()))
      under = i;
  if (under != hovered) {
    hovered = under;
    update();
  }
}

void StageBar::mousePressEvent(QMouseEvent *event) {
  QList<QRect> all = cells();
  for (int i = 0; i < all.size() && known; ++i)
    if (all[i].contains(event->position().toPoint()))
      emit stageChosen(names[i]);
}

void StageBar::keyPressEvent(QKeyEvent *event) {
  int at = int(names.indexOf(chosen));
  int step = event->key() == Qt::Key_Right  ? 1
             : event->key() == Qt::Key_Left ? -1
                                            : 0;
  if (!known || !step || at + step < 0 || at + step >= names.size())
    return QWidget::keyPressEvent(event);
  emit stageChosen(names[at + step]);
}

void StageBar::leaveEvent(QEvent *) {
  hovered = -1;
  update();
}

void StageBar::changeEvent(QEvent *event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange)
    update();
}

} // namespace tilewright::gui
