//===- FindBar.h - finds text in a view -----------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/Searchable.h"
#include <QWidget>

class QLabel;
class QLineEdit;

namespace tilewright::gui {

/// A line below a panel's header: text, how many, next (Enter), previous
/// (Shift+Enter), close (Escape). Hidden until opened.
class FindBar : public QWidget {
  Q_OBJECT
public:
  /// `view` is what is searched, `content` gets the focus back.
  FindBar(Searchable *view, QWidget *content, const QString &placeholder,
          QWidget *parent = nullptr);

  void openBar();
  void closeBar();
  void step(FindStep step);
  QLineEdit &input() { return *edit; }
  QString countText() const;

protected:
  bool eventFilter(QObject *object, QEvent *event) override;
  void paintEvent(QPaintEvent *event) override;

private:
  Searchable *view = nullptr;
  QWidget *content = nullptr;
  QLineEdit *edit = nullptr;
  QLabel *count = nullptr;
};

} // namespace tilewright::gui
