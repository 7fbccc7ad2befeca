//===- ProblemsList.h - what is wrong, to jump to -------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/Document.h"
#include <QListView>

namespace tilewright::gui {

class ProblemsModel;

/// Lists a ProblemsModel; activating a row goes to its place.
class ProblemsList : public QListView {
  Q_OBJECT
public:
  explicit ProblemsList(ProblemsModel *model, QWidget *parent = nullptr);

signals:
  void problemChosen(const tilewright::gui::SourceDiagnostic &problem);
};

} // namespace tilewright::gui
