//===- StageTree.h - the list of stages and passes ------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QTreeView>

namespace tilewright::gui {

class StageModel;

/// Shows a StageModel: a mark where a pass changed something, unchanged passes
/// dimmed, re-used ones marked, times with a bar relative to the slowest pass.
class StageTree : public QTreeView {
  Q_OBJECT
public:
  explicit StageTree(StageModel *model, QWidget *parent = nullptr);

  /// Selects a pass without announcing it.
  void choose(const QString &pass);
  QString chosen() const;

signals:
  /// The user chose a pass ("tile/expand-tiles"); choosing a stage chooses its
  /// last pass.
  void passChosen(const QString &pass);

protected:
  void currentChanged(const QModelIndex &current,
                      const QModelIndex &previous) override;
  void drawRow(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override;
  void drawBranches(QPainter *painter, const QRect &rect,
                    const QModelIndex &index) const override;
  void mousePressEvent(QMouseEvent *event) override;
  void resizeEvent(QResizeEvent *event) override;

private:
  bool silent = false;
};

} // namespace tilewright::gui
