//===- StageBar.h - one button a stage ------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QStringList>
#include <QWidget>

namespace tilewright::gui {

/// A row of joined buttons, of which one is chosen. Before anything is compiled
/// it shows the four stages every target has, disabled.
class StageBar : public QWidget {
  Q_OBJECT
public:
  explicit StageBar(QWidget *parent = nullptr);

  void setStages(const QStringList &stages);
  void setCurrent(const QString &stage);
  const QString &current() const { return chosen; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

signals:
  void stageChosen(const QString &stage);

protected:
  void paintEvent(QPaintEvent *event) override;
  void mouseMoveEvent(QMouseEvent *event) override;
  void mousePressEvent(QMouseEvent *event) override;
  void keyPressEvent(QKeyEvent *event) override;
  void leaveEvent(QEvent *event) override;
  void changeEvent(QEvent *event) override;

private:
  QList<QRect> cells() const;
  QStringList names;
  QString chosen;
  bool known = false;
  int hovered = -1;
};

} // namespace tilewright::gui
