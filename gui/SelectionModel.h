//===- SelectionModel.h - what is selected, in every view at once ---------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QObject>
#include <string>
#include <vector>

namespace tilewright::gui {

/// The selection all views share: keys of tensor-graph operations. A view sets
/// it and hears it; `origin` lets it tell its own selections (no scrolling)
/// from others' (scroll into view).
class SelectionModel : public QObject {
  Q_OBJECT
public:
  enum class Origin { None, Source, Passes, Ir, Graph, Timeline, Problems };
  Q_ENUM(Origin)

  using QObject::QObject;
  const std::vector<std::string> &keys() const { return selectedKeys; }
  Origin origin() const { return lastOrigin; }
  bool empty() const { return selectedKeys.empty(); }

  /// Keys are kept sorted and unique. Nothing is emitted when nothing changes.
  void select(std::vector<std::string> keys, Origin origin);
  void clear() { select({}, Origin::None); }
  bool matches(const std::vector<std::string> &keys) const;
  /// For the status bar: "gate", "gate, up", "gate and 5 more".
  QString describe() const;

signals:
  void changed();

private:
  std::vector<std::string> selectedKeys;
  Origin lastOrigin = Origin::None;
};

} // namespace tilewright::gui
