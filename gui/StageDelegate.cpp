//===- StageDelegate.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/StageDelegate.h"

#include "gui/Fonts.h"
#include "gui/Icons.h"
#include "gui/StageModel.h"
#include "gui/Theme.h"
#include <QPainter>

namespace tilewright::gui {

static constexpr int markColumn = 30; ///< where names start
static constexpr int padding = 10;

QSize StageDelegate::sizeHint(const QStyleOptionViewItem &option,
                              const QModelIndex &index) const {
  bool stage = index.data(StageModel::IsStage).toBool();
  int width = QFontMetrics(option.font)
                  .horizontalAdvance(index.data(Qt::DisplayRole).toString()) +
              2 * padding;
  if (index.column() == StageModel::Name)
    width += markColumn;
  return {width, stage ? 30 : 25};
}

void StageDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option,
                          const QModelIndex &index) const {
  const Theme &theme = Theme::current();
  bool stage = index.data(StageModel::IsStage).toBool();
  bool changed = index.data(StageModel::Changed).toBool();
  bool chosen = option.state & QStyle::State_Selected;
  bool hovered = option.state & QStyle::State_MouseOver;
  QRect rect = option.rect;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);

  QColor back = chosen    ? theme.accentSoft
                : hovered ? theme.hover
                : stage   ? theme.raised
                          : theme.surface;
  painter->fillRect(rect, back);
  if (stage && index.row() > 0)
    painter->fillRect(QRect(rect.left(), rect.top(), rect.width(), 1),
                      theme.border);
  if (chosen && index.column() == 0)
    painter->fillRect(QRect(rect.left(), rect.top(), 3, rect.height()),
                      theme.accent);

  QColor color = stage || changed || chosen ? theme.text : theme.muted;
  if (index.column() == StageModel::Name) {
    QPointF mark(rect.left() + 17, rect.center().y() + 0.5);
    if (stage) {
      bool open = option.state & QStyle::State_Open;
      Icons::paint(painter, open ? Icons::ChevronDown : Icons::ChevronRight,
                   QRectF(mark.x() - 6.5, mark.y() - 6.5, 13, 13), theme.muted);
    } else {
      if (index.data(StageModel::TouchesSelection).toBool()) {
        painter->setPen(QPen(theme.accent, 1.5));
        painter->setBrush(Qt::NoBrush);
        painter->drawEllipse(mark, 6, 6);
      }
      painter->setPen(Qt::NoPen);
      if (changed) {
        painter->setBrush(theme.accent);
        painter->drawEllipse(mark, 3.2, 3.2);
      } else {
        painter->setBrush(theme.faint);
        painter->drawRoundedRect(QRectF(mark.x() - 3, mark.y() - 0.75, 6, 1.5),
                                 0.75, 0.75);
      }
    }
    painter->setFont(stage ? Fonts::ui(1, QFont::DemiBold) : Fonts::ui());
    painter->setPen(color);
    QRect text = rect.adjusted(markColumn, 0, -4, 0);
    if (!stage && index.data(StageModel::Reused).toBool()) {
      // A re-used pass cost nothing: say so next to its name.
      QRect icon(text.right() - 15, rect.center().y() - 6, 13, 13);
      Icons::paint(painter, Icons::Reused, icon, theme.good);
      text.setRight(icon.left() - 4);
    }
    painter->drawText(text, Qt::AlignVCenter,
                      painter->fontMetrics().elidedText(
                          index.data(Qt::DisplayRole).toString(),
                          Qt::ElideRight, text.width()));
  } else {
    QRect cell = rect.adjusted(4, 0, -padding, 0);
    if (index.column() == StageModel::Time && !stage) {
      double share = index.data(StageModel::Share).toDouble();
      double width = std::max(share > 0 ? 1.5 : 0.0, share * cell.width());
      QRectF bar(cell.right() + 1 - width, cell.bottom() - 3.5, width, 2);
      painter->setPen(Qt::NoPen);
      painter->setBrush(mix(theme.accent, theme.surface, 0.7));
      painter->drawRoundedRect(bar, 1, 1);
    }
    painter->setFont(Fonts::mono(0.93));
    painter->setPen(index.column() == StageModel::Operations && !chosen
                        ? theme.muted
                        : color);
    painter->drawText(cell, Qt::AlignRight | Qt::AlignVCenter,
                      index.data(Qt::DisplayRole).toString());
  }
  painter->restore();
}

} // namespace tilewright::gui
