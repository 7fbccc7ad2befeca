//===- StatusLine.h - engine, generation, times, selection ----------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/Backend.h"
#include <QStatusBar>

class QLabel;

namespace tilewright::gui {

/// The status bar: engine state with a coloured dot, messages, then problems,
/// selection, caret, generation and compile time.
class StatusLine : public QStatusBar {
  Q_OBJECT
public:
  explicit StatusLine(QWidget *parent = nullptr);

  void setEngine(EngineState state, const QString &detail);
  void setMessage(const QString &text, bool isError);
  void setProblems(int errors, int warnings);
  void setSelection(const QString &text);
  void setCaret(int line, int column);
  void setCompilation(quint64 generation, double milliseconds);
  QString engineText() const;
  QString messageText() const;

signals:
  void problemsClicked();

protected:
  void paintEvent(QPaintEvent *event) override;
  void changeEvent(QEvent *event) override;
  bool eventFilter(QObject *object, QEvent *event) override;

private:
  void restyle();
  QLabel *makeLabel(bool permanent, int stretch = 0);
  QLabel *engine = nullptr;
  QLabel *message = nullptr;
  QLabel *selection = nullptr;
  QLabel *problems = nullptr;
  QLabel *caret = nullptr;
  QLabel *compilation = nullptr;
  EngineState state = EngineState::Starting;
  bool messageIsError = false;
  int errors = 0, warnings = 0;
};

} // namespace tilewright::gui
