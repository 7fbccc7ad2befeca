//===- StageModel.h - stages and their passes as a tree -------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Stage.h"
#include <QAbstractItemModel>
#include <memory>

namespace tilewright::gui {

/// A name for a person: "Tensor" for "tensor".
QString stageTitle(const std::string &stage);

/// Two levels: stages in the order they ran, below each its passes. Rows stay
/// the same objects when a new table has the same passes, so that a view keeps
/// its selection and scroll position after an edit.
class StageModel : public QAbstractItemModel {
  Q_OBJECT
public:
  enum Column { Name, Operations, Time, ColumnCount };
  enum Role {
    PassName = Qt::UserRole, ///< "tile/expand-tiles"; of a stage its last pass
    Changed,                 ///< bool
    Reused,                  ///< bool
    Milliseconds,            ///< double, measured
    Share,                   ///< of the slowest pass, 0 to 1
    TouchesSelection,        ///< bool: changed a selected operation
    IsStage                  ///< bool
  };

  using QAbstractItemModel::QAbstractItemModel;

  void setTable(std::shared_ptr<const model::StageTable> table);
  const model::StageTable *table() const { return current.get(); }
  void setSelectedKeys(std::vector<std::string> keys);

  QModelIndex indexOf(const QString &pass) const;
  /// Stage names in order.
  QStringList stages() const;
  /// Last pass of a stage, as "stage/pass"; empty if there is none.
  QString lastPass(const QString &stage) const;
  double totalMilliseconds() const;

  QModelIndex index(int row, int column,
                    const QModelIndex &parent = {}) const override;
  QModelIndex parent(const QModelIndex &child) const override;
  int rowCount(const QModelIndex &parent = {}) const override;
  int columnCount(const QModelIndex &parent = {}) const override;
  QVariant data(const QModelIndex &index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation,
                      int role) const override;

private:
  struct Stage {
    std::string name;
    std::vector<int> passes; ///< indices in the table
    double milliseconds = 0;
    bool changed = false;
    bool reused = false;
  };
  QVariant stageData(const Stage &stage, int column, int role) const;
  QVariant passData(const model::PassRecord &pass, int index, int column,
                    int role) const;
  bool sameShape(const model::StageTable &next) const;
  void group();
  void markSelection();

  std::shared_ptr<const model::StageTable> current;
  std::vector<Stage> grouped;
  std::vector<std::string> selected;
  std::vector<char> touches; ///< a pass
  double slowest = 0;
};

} // namespace tilewright::gui
