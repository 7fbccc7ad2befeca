//===- ToolStrip.h - the bar of controls under the menu -------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QHBoxLayout>
#include <QWidget>

namespace tilewright::gui {

/// A row of controls, centred in height, with a hairline below.
class ToolStrip : public QWidget {
  Q_OBJECT
public:
  explicit ToolStrip(QWidget *parent = nullptr);
  void add(QWidget *widget) { row->addWidget(widget, 0, Qt::AlignVCenter); }
  void addSeparator();
  void addStretch() { row->addStretch(1); }

protected:
  void paintEvent(QPaintEvent *event) override;

private:
  QHBoxLayout *row = nullptr;
  QList<QWidget *> separators;
};

} // namespace tilewright::gui
