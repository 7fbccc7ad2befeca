//===- StatusLine.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/StatusLine.h"

#include "gui/Fonts.h"
#include "gui/Format.h"
#include "gui/Theme.h"
#include <QEvent>
#include <QLabel>
#include <QPainter>

namespace tilewright::gui {

StatusLine::StatusLine(QWidget *parent) : QStatusBar(parent) {
  setSizeGripEnabled(false);
  setContentsMargins(0, 0, 0, 0);
  setFixedHeight(26);
  engine = makeLabel(false);
  message = makeLabel(false, 1);
  message->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  selection = makeLabel(true);
  problems = makeLabel(true);
  caret = makeLabel(true);
  compilation = makeLabel(true);
  problems->setCursor(Qt::PointingHandCursor);
  problems->installEventFilter(this);
  setEngine(EngineState::Starting, {});
  setProblems(0, 0);
}

QLabel *StatusLine::makeLabel(bool permanent, int stretch) {
  auto *label = new QLabel(this);
  label->setFont(Fonts::ui(0.94));
  label->setContentsMargins(8, 0, 8, 0);
  if (permanent)
    addPermanentWidget(label);
  else
    addWidget(label, stretch);
  return label;
}

void StatusLine::setEngine(EngineState next, const QString &detail) {
  state = next;
  QString text;
  switch (state) {
  case EngineState::Starting:
    text = tr("Engine starting");
    break;
  case EngineState::Ready:
    text = tr("Engine ready");
    break;
  case EngineState::Busy:
    text = tr("Engine working");
    break;
  case EngineState::Restarting:
    text = tr("Engine restarting");
    break;
  case EngineState::Failed:
    text = tr("No engine");
    break;
  }
  engine->setText(text);
  engine->setToolTip(detail);
  restyle();
  if (!detail.isEmpty())
    setMessage(detail, state == EngineState::Failed ||
                           state == EngineState::Restarting);
}

void StatusLine::setMessage(const QString &text, bool isError) {
  messageIsError = isError;
  message->setText(text.simplified());
  message->setToolTip(text);
  restyle();
}

void StatusLine::setProblems(int errorCount, int warningCount) {
  errors = errorCount;
  warnings = warningCount;
  QStringList parts;
  if (errors)
    parts << tr("%n error(s)", nullptr, errors);
  if (warnings)
    parts << tr("%n warning(s)", nullptr, warnings);
  problems->setText(parts.isEmpty() ? tr("No problems") : parts.join(", "));
  restyle();
}

void StatusLine::setSelection(const QString &text) {
  selection->setText(text.isEmpty() ? QString()
                                    : selection->fontMetrics().elidedText(
                                          text, Qt::ElideMiddle, 320));
  selection->setVisible(!text.isEmpty());
}

void StatusLine::setCaret(int line, int column) {
  caret->setText(tr("Ln %1, Col %2").arg(line).arg(column));
}

void StatusLine::setCompilation(quint64 generation, double milliseconds) {
  compilation->setText(tr("Generation %1 · compiled in %2 ms, measured")
                           .arg(generation)
                           .arg(formatMilliseconds(milliseconds)));
}

QString StatusLine::engineText() const { return engine->text(); }
QString StatusLine::messageText() const { return message->text(); }

void StatusLine::restyle() {
  const Theme &theme = Theme::current();
  auto ink = [](QLabel *label, const QColor &color) {
    QPalette palette = label->palette();
    if (palette.color(QPalette::WindowText) == color)
      return;
    palette.setColor(QPalette::WindowText, color);
    label->setPalette(palette);
  };
  ink(engine, theme.text);
  engine->setContentsMargins(26, 0, 8, 0);
  ink(message, messageIsError ? theme.error : theme.muted);
  ink(problems, errors ? theme.error : warnings ? theme.warning : theme.muted);
  ink(selection, theme.accent);
  ink(caret, theme.muted);
  ink(compilation, theme.muted);
  update();
}

void StatusLine::paintEvent(QPaintEvent *) {
  const Theme &theme = Theme::current();
  QPainter painter(this);
  painter.fillRect(rect(), theme.window);
  painter.fillRect(QRect(0, 0, width(), 1), theme.border);
  QColor dot = state == EngineState::Ready    ? theme.good
               : state == EngineState::Failed ? theme.error
                                              : theme.warning;
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(mix(dot, theme.window, 0.25));
  QPointF center(engine->x() + 15, height() / 2.0 + 0.5);
  painter.drawEllipse(center, 6, 6);
  painter.setBrush(dot);
  painter.drawEllipse(center, 3.5, 3.5);
}

void StatusLine::changeEvent(QEvent *event) {
  QStatusBar::changeEvent(event);
  if (event->type() == QEvent::PaletteChange)
    restyle();
}

bool StatusLine::eventFilter(QObject *object, QEvent *event) {
  if (object == problems && event->type() == QEvent::MouseButtonPress)
    emit problemsClicked();
  return QStatusBar::eventFilter(object, event);
}

} // namespace tilewright::gui
