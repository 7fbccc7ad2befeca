//===- FindBar.cpp --------------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/FindBar.h"

#include "gui/Fonts.h"
#include "gui/Icons.h"
#include "gui/Theme.h"
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QToolButton>

namespace tilewright::gui {

FindBar::FindBar(Searchable *view, QWidget *content, const QString &placeholder,
                 QWidget *parent)
    : QWidget(parent), view(view), content(content), edit(new QLineEdit),
      count(new QLabel) {
  setFixedHeight(36);
  auto *row = new QHBoxLayout(this);
  row->setContentsMargins(8, 0, 6, 1);
  row->setSpacing(4);
  edit->setPlaceholderText(placeholder);
  edit->setAccessibleName(placeholder);
  edit->setClearButtonEnabled(true);
  edit->addAction(Icons::icon(Icons::Search), QLineEdit::LeadingPosition);
  edit->installEventFilter(this);
  count->setFont(Fonts::ui(0.92));
  count->setForegroundRole(QPalette::PlaceholderText);
  count->setMinimumWidth(64);
  count->setAlignment(Qt::AlignCenter);
  row->addWidget(edit, 1);
  row->addWidget(count);
  auto button = [&](Icons::Id icon, const QString &tip, auto slot) {
    auto *made = new QToolButton;
    made->setIcon(Icons::icon(icon));
    made->setIconSize({15, 15});
    made->setFixedSize(26, 26);
    made->setAutoRaise(true);
    made->setToolTip(tip);
    made->setAccessibleName(tip);
    made->setFocusPolicy(Qt::NoFocus);
    connect(made, &QToolButton::clicked, this, slot);
    row->addWidget(made);
  };
  button(Icons::ChevronUp, tr("Previous (Shift+F3)"),
         [this] { step(FindStep::Previous); });
  button(Icons::ChevronDown, tr("Next (F3)"), [this] { step(FindStep::Next); });
  button(Icons::Close, tr("Close (Escape)"), [this] { closeBar(); });
  connect(edit, &QLineEdit::textChanged, this,
          [this] { step(FindStep::Stay); });
  hide();
}

void FindBar::openBar() {
  show();
  if (QString hint = view->findHint(); !hint.isEmpty())
    edit->setText(hint);
  edit->selectAll();
  edit->setFocus(Qt::ShortcutFocusReason);
  step(FindStep::Stay);
}

void FindBar::closeBar() {
  hide();
  view->endFind();
  content->setFocus();
}

QString FindBar::countText() const { return count->text(); }

void FindBar::step(FindStep how) {
  if (edit->text().isEmpty()) {
    view->endFind();
    count->clear();
    return;
  }
  FindResult result = view->find(edit->text(), how);
  count->setText(
      result.total == 0 ? tr("nothing found")
      : result.more
          ? tr("%1 of more than %2").arg(result.current).arg(result.total)
          : tr("%1 of %2").arg(result.current).arg(result.total));
}

bool FindBar::eventFilter(QObject *object, QEvent *event) {
  if (event->type() != QEvent::KeyPress)
    return QWidget::eventFilter(object, event);
  auto *key = static_cast<QKeyEvent *>(event);
  switch (key->key()) {
  case Qt::Key_Return:
  case Qt::Key_Enter:
    step(key->modifiers() & Qt::ShiftModifier ? FindStep::Previous
                                              : FindStep::Next);
    return true;
  case Qt::Key_Escape:
    closeBar();
    return true;
  default:
    return QWidget::eventFilter(object, event);
  }
}

void FindBar::paintEvent(QPaintEvent *) {
  const Theme &theme = Theme::current();
  QPainter painter(this);
  painter.fillRect(rect(), theme.raised);
  painter.fillRect(QRect(0, height() - 1, width(), 1), theme.border);
}

} // namespace tilewright::gui
