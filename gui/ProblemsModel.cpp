//===- ProblemsModel.cpp --------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/ProblemsModel.h"

#include <algorithm>

namespace tilewright::gui {

void ProblemsModel::setDiagnostics(std::vector<SourceDiagnostic> diagnostics) {
  beginResetModel();
  items = std::move(diagnostics);
  std::sort(items.begin(), items.end(),
            [](const SourceDiagnostic &a, const SourceDiagnostic &b) {
              if (a.severity != b.severity)
                return a.severity < b.severity;
              if (a.range.begin.line != b.range.begin.line)
                return a.range.begin.line < b.range.begin.line;
              if (a.range.begin.character != b.range.begin.character)
                return a.range.begin.character < b.range.begin.character;
              return a.message < b.message;
            });
  endResetModel();
}

int ProblemsModel::count(model::Severity severity) const {
  return int(std::count_if(items.begin(), items.end(), [&](auto &item) {
    return item.severity == severity;
  }));
}

int ProblemsModel::rowCount(const QModelIndex &parent) const {
  return parent.isValid() ? 0 : int(items.size());
}

QVariant ProblemsModel::data(const QModelIndex &index, int role) const {
  if (!index.isValid() || index.row() >= int(items.size()))
    return {};
  const SourceDiagnostic &item = items[index.row()];
  switch (role) {
  case Qt::DisplayRole:
    return item.message;
  case Qt::ToolTipRole:
    return item.hint.isEmpty() ? item.message : item.message + "\n" + item.hint;
  case Qt::AccessibleTextRole:
    return tr("%1 %2, line %3")
        .arg(item.code, item.message)
        .arg(item.range.begin.line + 1);
  case SeverityRole:
    return int(item.severity);
  case CodeRole:
    return item.code;
  case HintRole:
    return item.hint;
  case LineRole:
    return item.range.begin.line + 1;
  default:
    return {};
  }
}

} // namespace tilewright::gui
