//===- ProblemsModel.h - diagnostics as a list ----------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "gui/Document.h"
#include <QAbstractListModel>

namespace tilewright::gui {

/// The diagnostics of the source, worst first, then in text order.
class ProblemsModel : public QAbstractListModel {
  Q_OBJECT
public:
  enum Role { SeverityRole = Qt::UserRole, CodeRole, HintRole, LineRole };
  using QAbstractListModel::QAbstractListModel;

  void setDiagnostics(std::vector<SourceDiagnostic> diagnostics);
  const SourceDiagnostic &at(int row) const { return items[row]; }
  int count(model::Severity severity) const;

  int rowCount(const QModelIndex &parent = {}) const override;
  QVariant data(const QModelIndex &index, int role) const override;

private:
  std::vector<SourceDiagnostic> items;
};

} // namespace tilewright::gui
