//===- StageTree.cpp ------------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/StageTree.h"

#include "gui/StageDelegate.h"
#include "gui/StageModel.h"
#include <QHeaderView>
#include <QMouseEvent>

namespace tilewright::gui {

StageTree::StageTree(StageModel *model, QWidget *parent) : QTreeView(parent) {
  setModel(model);
  setItemDelegate(new StageDelegate(this));
  setAccessibleName(tr("Stages and passes"));
  setFrameShape(QFrame::NoFrame);
  setIndentation(0);
  setRootIsDecorated(false);
  setUniformRowHeights(false);
  setMouseTracking(true);
  setAllColumnsShowFocus(true);
  setSelectionBehavior(SelectRows);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setVerticalScrollMode(ScrollPerItem);
  header()->setStretchLastSection(false);
  header()->setSectionsMovable(false);
  header()->setMinimumSectionSize(30);
  header()->setSectionResizeMode(StageModel::Name, QHeaderView::Stretch);
  header()->setSectionResizeMode(StageModel::Operations, QHeaderView::Fixed);
  header()->setSectionResizeMode(StageModel::Time, QHeaderView::Fixed);
  connect(model, &QAbstractItemModel::modelReset, this, &QTreeView::expandAll);
  expandAll();
}

void StageTree::resizeEvent(QResizeEvent *event) {
  QTreeView::resizeEvent(event);
  // Names matter most; the counts give way first.
  bool narrow = viewport()->width() < 300;
  header()->setSectionHidden(StageModel::Operations, narrow);
  header()->resizeSection(StageModel::Operations, 52);
  header()->resizeSection(StageModel::Time, 80);
}

void StageTree::choose(const QString &pass) {
  auto *stages = static_cast<StageModel *>(model());
  QModelIndex index = stages->indexOf(pass);
  silent = true;
  setCurrentIndex(index);
  if (index.isValid())
    scrollTo(index);
  silent = false;
}

QString StageTree::chosen() const {
  return currentIndex().data(StageModel::PassName).toString();
}

void StageTree::currentChanged(const QModelIndex &current,
                               const QModelIndex &previous) {
  QTreeView::currentChanged(current, previous);
  if (!silent && current.isValid())
    emit passChosen(current.data(StageModel::PassName).toString());
}

void StageTree::drawBranches(QPainter *, const QRect &,
                             const QModelIndex &) const {
  // The delegate draws the chevron; it paints the whole row.
}

void StageTree::drawRow(QPainter *painter, const QStyleOptionViewItem &option,
                        const QModelIndex &index) const {
  // Half a name at the lower edge reads as a fault; it can be scrolled to.
  if (option.rect.top() > 0 && option.rect.bottom() > viewport()->height() + 3)
    return;
  QTreeView::drawRow(painter, option, index);
}

void StageTree::mousePressEvent(QMouseEvent *event) {
  QModelIndex index = indexAt(event->position().toPoint());
  if (index.isValid() && !index.parent().isValid() &&
      event->position().x() < 30) {
    setExpanded(index, !isExpanded(index));
    return;
  }
  QTreeView::mousePressEvent(event);
}

} // namespace tilewright::gui
