//===- Panel.h - a titled area of the window ------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QWidget>

class QHBoxLayout;
class QLabel;
class QToolButton;

namespace tilewright::gui {

/// A header with title, a quieter detail and buttons at the right; below it the
/// content.
class Panel : public QWidget {
  Q_OBJECT
public:
  Panel(const QString &title, QWidget *content, QWidget *parent = nullptr);

  void setTitle(const QString &text);
  /// Elided in the middle when there is no room.
  void setDetail(const QString &text, bool isError = false);
  QString detail() const { return fullDetail; }
  QToolButton *addButton(int icon, const QString &toolTip);
  /// For when there is nothing they could act on.
  void setButtonsEnabled(bool enabled);
  void addHeaderWidget(QWidget *widget);
  /// Between header and content.
  void addBar(QWidget *widget);
  /// Only the header is there, without its buttons: nothing to show yet.
  void setFolded(bool folded);
  bool isFolded() const { return folded; }
  int headerHeight() const;

protected:
  void paintEvent(QPaintEvent *event) override;
  void resizeEvent(QResizeEvent *event) override;
  void changeEvent(QEvent *event) override;

private:
  void showDetail();
  QWidget *header = nullptr;
  QHBoxLayout *bar = nullptr;
  QLabel *titleLabel = nullptr;
  QLabel *detailLabel = nullptr;
  QWidget *content = nullptr;
  QList<QToolButton *> buttons;
  bool folded = false;
  QString fullDetail;
  bool detailIsError = false;
};

} // namespace tilewright::gui
