//===- IrView.h - the text of a pass's snapshot ---------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Stage.h"
#include "gui/CodeView.h"
#include "gui/KeyIndex.h"
#include <memory>

namespace tilewright::gui {

/// A snapshot's text with the index that finds an operation's parts in it.
/// Made off the UI thread.
struct IrDocument {
  model::PrintedStage printed;
  KeyIndex index; ///< into printed.spans
  static std::shared_ptr<const IrDocument> make(model::PrintedStage printed);
};

/// Read-only view of the IR after a pass.
class IrView : public CodeView {
  Q_OBJECT
public:
  explicit IrView(QWidget *parent = nullptr);

  void setDocument(std::shared_ptr<const IrDocument> document);
  const IrDocument *document() const { return current.get(); }
  /// Keys of the innermost span around a byte.
  std::vector<std::string> keysAt(long byte) const;
  void showKeys(const std::vector<std::string> &keys, bool reveal);

private:
  std::shared_ptr<const IrDocument> current;
};

} // namespace tilewright::gui
