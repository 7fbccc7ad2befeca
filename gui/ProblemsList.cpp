//===- ProblemsList.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/ProblemsList.h"

#include "gui/Fonts.h"
#include "gui/Icons.h"
#include "gui/ProblemsModel.h"
#include "gui/Theme.h"
#include <QPainter>
#include <QStyledItemDelegate>

namespace tilewright::gui {

namespace {
/// Icon, message, below it the hint; code and line at the right.
class ProblemDelegate : public QStyledItemDelegate {
public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem &,
                 const QModelIndex &index) const override {
    bool hint = !index.data(ProblemsModel::HintRole).toString().isEmpty();
    return {100, hint ? 44 : 28};
  }

  void paint(QPainter *painter, const QStyleOptionViewItem &option,
             const QModelIndex &index) const override {
    const Theme &theme = Theme::current();
    QRect rect = option.rect;
    painter->save();
    if (option.state & QStyle::State_Selected)
      painter->fillRect(rect, theme.accentSoft);
    else if (option.state & QStyle::State_MouseOver)
      painter->fillRect(rect, theme.hover);
    int severity = index.data(ProblemsModel::SeverityRole).toInt();
    Icons::Id icon = severity == 1   ? Icons::Error
                     : severity == 2 ? Icons::Warning
                                     : Icons::Info;
    QColor color = severity == 1   ? theme.error
                   : severity == 2 ? theme.warning
                                   : theme.info;
    Icons::paint(painter, icon, QRect(rect.left() + 10, rect.top() + 7, 14, 14),
                 color);
    QString place = index.data(ProblemsModel::CodeRole).toString();
    if (!place.isEmpty())
      place += "  ";
    place += ProblemsModel::tr("line %1").arg(
        index.data(ProblemsModel::LineRole).toInt());
    painter->setFont(Fonts::mono(0.9));
    int placeWidth = painter->fontMetrics().horizontalAdvance(place);
    painter->setPen(theme.muted);
    QRect first(rect.left() + 32, rect.top() + 4, rect.width() - 42, 20);
    painter->drawText(first, Qt::AlignRight | Qt::AlignVCenter, place);
    first.setRight(first.right() - placeWidth - 12);
    painter->setFont(Fonts::ui());
    painter->setPen(theme.text);
    QString message = index.data(Qt::DisplayRole).toString().simplified();
    painter->drawText(first, Qt::AlignVCenter,
                      painter->fontMetrics().elidedText(message, Qt::ElideRight,
                                                        first.width()));
    QString hint = index.data(ProblemsModel::HintRole).toString().simplified();
    if (!hint.isEmpty()) {
      painter->setFont(Fonts::ui(0.93));
      painter->setPen(theme.muted);
      QRect second(rect.left() + 32, rect.top() + 22, rect.width() - 42, 18);
      painter->drawText(second, Qt::AlignVCenter,
                        painter->fontMetrics().elidedText(hint, Qt::ElideRight,
                                                          second.width()));
    }
    painter->restore();
  }
};
} // namespace

ProblemsList::ProblemsList(ProblemsModel *model, QWidget *parent)
    : QListView(parent) {
  setModel(model);
  setItemDelegate(new ProblemDelegate(this));
  setAccessibleName(tr("Problems"));
  setFrameShape(QFrame::NoFrame);
  setMouseTracking(true);
  setVerticalScrollMode(ScrollPerPixel);
  auto choose = [this, model](const QModelIndex &index) {
    if (index.isValid())
      emit problemChosen(model->at(index.row()));
  };
  connect(this, &QListView::clicked, this, choose);
  connect(this, &QListView::activated, this, choose);
}

} // namespace tilewright::gui
