//===- EmptyState.h - what a view says when it has nothing to show --------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QWidget>

class QPainter;

namespace tilewright::gui {

/// Title and hint in the middle of `rect`.
void paintEmptyState(QPainter &painter, const QRect &rect, const QString &title,
                     const QString &hint);

/// Shows `content`, or a text in its place while there is nothing.
class EmptyState : public QStackedWidget {
  Q_OBJECT
public:
  explicit EmptyState(QWidget *content, QWidget *parent = nullptr);
  void setText(const QString &title, const QString &hint);
  /// Adds a button under the text.
  void setAction(const QString &label);
  void setEmpty(bool empty);
  bool isEmpty() const { return currentIndex() == 1; }

signals:
  void actionTriggered();

protected:
  void changeEvent(QEvent *event) override;

private:
  void restyle();
  QWidget *page = nullptr;
  QLabel *title = nullptr;
  QLabel *hint = nullptr;
  QPushButton *button = nullptr;
};

} // namespace tilewright::gui
