//===- StageModel.cpp -----------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/StageModel.h"

#include "gui/Format.h"
#include "gui/Keys.h"
#include <algorithm>

namespace tilewright::gui {

QString stageTitle(const std::string &stage) {
  if (stage == "tensor")
    return StageModel::tr("Tensor");
  if (stage == "tile")
    return StageModel::tr("Tile");
  if (stage == "block")
    return StageModel::tr("Block");
  if (stage == "execution")
    return StageModel::tr("Execution");
  if (stage == "llvm")
    return StageModel::tr("LLVM");
  if (stage == "asm")
    return StageModel::tr("Assembly");
  return QString::fromStdString(stage);
}

// Index ids: 0 for a stage, stage row + 1 for a pass below it.
static constexpr quintptr stageId = 0;

bool StageModel::sameShape(const model::StageTable &next) const {
  if (!current || current->passes.size() != next.passes.size())
    return false;
  for (size_t i = 0; i < next.passes.size(); ++i)
    if (next.passes[i].stage != current->passes[i].stage ||
        next.passes[i].pass != current->passes[i].pass)
      return false;
  return true;
}

void StageModel::setTable(std::shared_ptr<const model::StageTable> table) {
  if (table && sameShape(*table)) {
    current = std::move(table);
    group();
    markSelection();
    for (int row = 0; row < int(grouped.size()); ++row) {
      QModelIndex stage = index(row, 0);
      emit dataChanged(stage, index(row, ColumnCount - 1));
      int last = rowCount(stage) - 1;
      if (last >= 0)
        emit dataChanged(index(0, 0, stage),
                         index(last, ColumnCount - 1, stage));
    }
    return;
  }
  beginResetModel();
  current = std::move(table);
  group();
  markSelection();
  endResetModel();
}

void StageModel::group() {
  grouped.clear();
  slowest = 0;
  if (!current)
    return;
  for (size_t i = 0; i < current->passes.size(); ++i) {
    const model::PassRecord &pass = current->passes[i];
    auto stage =
        std::find_if(grouped.begin(), grouped.end(),
                     [&](const Stage &s) { return s.name == pass.stage; });
    if (stage == grouped.end()) {
      grouped.push_back({pass.stage, {}, 0, false, true});
      stage = std::prev(grouped.end());
    }
    stage->passes.push_back(int(i));
    stage->milliseconds += pass.milliseconds;
    stage->changed |= pass.changed;
    stage->reused &= pass.reused;
    slowest = std::max(slowest, pass.milliseconds);
  }
}

void StageModel::markSelection() {
  touches.assign(current ? current->passes.size() : 0, 0);
  if (selected.empty())
    return;
  for (size_t i = 0; i < touches.size(); ++i)
    touches[i] = anyKeyMatches(selected, current->passes[i].changedKeys);
}

void StageModel::setSelectedKeys(std::vector<std::string> keys) {
  selected = std::move(keys);
  std::vector<char> before = touches;
  markSelection();
  if (before == touches)
    return;
  for (int row = 0; row < int(grouped.size()); ++row) {
    QModelIndex stage = index(row, 0);
    emit dataChanged(index(0, 0, stage),
                     index(rowCount(stage) - 1, ColumnCount - 1, stage),
                     {TouchesSelection});
  }
}

QModelIndex StageModel::indexOf(const QString &pass) const {
  std::string wanted = pass.toStdString();
  for (int row = 0; row < int(grouped.size()); ++row)
    for (int i = 0; i < int(grouped[row].passes.size()); ++i)
      if (current->passes[grouped[row].passes[i]].name() == wanted)
        return index(i, 0, index(row, 0));
  return {};
}

QStringList StageModel::stages() const {
  QStringList names;
  for (const Stage &stage : grouped)
    names << QString::fromStdString(stage.name);
  return names;
}

QString StageModel::lastPass(const QString &name) const {
  for (const Stage &stage : grouped)
    if (QString::fromStdString(stage.name) == name && !stage.passes.empty())
      return QString::fromStdString(
          current->passes[stage.passes.back()].name());
  return {};
}

double StageModel::totalMilliseconds() const {
  double total = 0;
  for (const Stage &stage : grouped)
    total += stage.milliseconds;
  return total;
}

QModelIndex StageModel::index(int row, int column,
                              const QModelIndex &parent) const {
  if (!hasIndex(row, column, parent))
    return {};
  return createIndex(row, column,
                     parent.isValid() ? quintptr(parent.row()) + 1 : stageId);
}

QModelIndex StageModel::parent(const QModelIndex &child) const {
  if (!child.isValid() || child.internalId() == stageId)
    return {};
  return createIndex(int(child.internalId()) - 1, 0, stageId);
}

int StageModel::rowCount(const QModelIndex &parent) const {
  if (!parent.isValid())
    return int(grouped.size());
  if (parent.internalId() != stageId || parent.column() != 0 ||
      parent.row() >= int(grouped.size()))
    return 0;
  return int(grouped[parent.row()].passes.size());
}

int StageModel::columnCount(const QModelIndex &) const { return ColumnCount; }

QVariant StageModel::headerData(int section, Qt::Orientation orientation,
                                int role) const {
  if (orientation != Qt::Horizontal)
    return {};
  if (role == Qt::TextAlignmentRole)
    return int(section == Name ? Qt::AlignLeft | Qt::AlignVCenter
                               : Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole)
    return {};
  switch (section) {
  case Name:
    return tr("Pass");
  case Operations:
    return tr("Ops");
  default:
    return tr("measured");
  }
}

QVariant StageModel::data(const QModelIndex &index, int role) const {
  if (!index.isValid() || !current)
    return {};
  if (role == Qt::TextAlignmentRole)
    return int(index.column() == Name ? Qt::AlignLeft | Qt::AlignVCenter
                                      : Qt::AlignRight | Qt::AlignVCenter);
  if (index.internalId() == stageId) {
    if (index.row() >= int(grouped.size()))
      return {};
    return stageData(grouped[index.row()], index.column(), role);
  }
  size_t stage = index.internalId() - 1;
  if (stage >= grouped.size() ||
      index.row() >= int(grouped[stage].passes.size()))
    return {};
  int pass = grouped[stage].passes[index.row()];
  return passData(current->passes[pass], pass, index.column(), role);
}

QVariant StageModel::stageData(const Stage &stage, int column, int role) const {
  switch (role) {
  case Qt::DisplayRole:
    if (column == Name)
      return stageTitle(stage.name);
    if (column == Time)
      return formatMilliseconds(stage.milliseconds) + " ms";
    return {};
  case Qt::ToolTipRole:
    return tr("%n pass(es), %1 ms, measured", nullptr, int(stage.passes.size()))
        .arg(formatMilliseconds(stage.milliseconds));
  case PassName:
    return QString::fromStdString(current->passes[stage.passes.back()].name());
  case Changed:
    return stage.changed;
  case Reused:
    return stage.reused;
  case Milliseconds:
    return stage.milliseconds;
  case TouchesSelection:
    return false;
  case IsStage:
    return true;
  default:
    return {};
  }
}

QVariant StageModel::passData(const model::PassRecord &pass, int index,
                              int column, int role) const {
  switch (role) {
  case Qt::DisplayRole:
    if (column == Name)
      return QString::fromStdString(pass.pass);
    if (column == Operations)
      return pass.operations ? formatCount(pass.operations) : QString();
    return formatMilliseconds(pass.milliseconds);
  case Qt::ToolTipRole: {
    QString text = tr("%1: %2 ms, measured")
                       .arg(QString::fromStdString(pass.name()),
                            formatMilliseconds(pass.milliseconds));
    if (!pass.changed)
      text += "\n" + tr("Changed nothing");
    else if (!pass.changedKeys.empty())
      text += "\n" + tr("Changed %n operation(s)", nullptr,
                        int(pass.changedKeys.size()));
    if (pass.reused)
      text += "\n" + tr("Every scope came from the cache");
    return text;
  }
  case Qt::AccessibleTextRole:
    if (column == Name)
      return pass.changed
                 ? tr("%1, changed").arg(QString::fromStdString(pass.pass))
                 : tr("%1, unchanged").arg(QString::fromStdString(pass.pass));
    return {};
  case PassName:
    return QString::fromStdString(pass.name());
  case Changed:
    return pass.changed;
  case Reused:
    return pass.reused;
  case Milliseconds:
    return pass.milliseconds;
  case Share:
    return slowest > 0 ? pass.milliseconds / slowest : 0.0;
  case TouchesSelection:
    return bool(touches[index]);
  case IsStage:
    return false;
  default:
    return {};
  }
}

} // namespace tilewright::gui
