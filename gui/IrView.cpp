//===- IrView.cpp ---------------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/IrView.h"

#include "gui/Sci.h"
#include <algorithm>

namespace tilewright::gui {

std::shared_ptr<const IrDocument>
IrDocument::make(model::PrintedStage printed) {
  auto document = std::make_shared<IrDocument>();
  document->printed = std::move(printed);
  for (size_t i = 0; i < document->printed.spans.size(); ++i)
    document->index.add(document->printed.spans[i].keys, uint32_t(i));
  return document;
}

IrView::IrView(QWidget *parent) : CodeView(parent) {
  setAccessibleName(tr("IR of the chosen pass"));
  send(this, Sci::SCI_SETREADONLY, 1);
  send(this, Sci::SCI_SETMODEVENTMASK, 0);
}

void IrView::setDocument(std::shared_ptr<const IrDocument> document) {
  // Keep the place when the same pass comes again after an edit.
  bool samePass = current && document &&
                  current->printed.pass == document->printed.pass &&
                  current->printed.stage == document->printed.stage;
  if (samePass && current->printed.text == document->printed.text) {
    current = std::move(document);
    return;
  }
  long top = send(this, Sci::SCI_GETFIRSTVISIBLELINE);
  current = std::move(document);
  const std::string none;
  const std::string &text = current ? current->printed.text : none;
  setBytes(QByteArray::fromRawData(text.data(), qsizetype(text.size())));
  if (samePass)
    send(this, Sci::SCI_SETFIRSTVISIBLELINE, top);
}

std::vector<std::string> IrView::keysAt(long byte) const {
  if (!current)
    return {};
  const auto &spans = current->printed.spans;
  auto after = std::upper_bound(spans.begin(), spans.end(), byte,
                                [](long at, const model::TextSpan &span) {
                                  return at < span.range.begin;
                                });
  // Enclosing spans come first, so the nearest before that reaches is the
  // innermost one. Bounded: a caret between operations must not walk it all.
  for (int steps = 0; after != spans.begin() && steps < 4096; ++steps) {
    --after;
    if (after->range.end >= byte && !after->keys.empty())
      return after->keys;
  }
  return {};
}

void IrView::showKeys(const std::vector<std::string> &keys, bool reveal) {
  std::vector<model::TextRange> ranges;
  if (current) {
    for (uint32_t item : current->index.lookup(keys)) {
      const model::TextRange &range = current->printed.spans[item].range;
      bool multiLine = send(this, Sci::SCI_LINEFROMPOSITION, range.begin) !=
                       send(this, Sci::SCI_LINEFROMPOSITION, range.end);
      if (multiLine) {
        // The first line stands for a region; filling it all would drown the
        // operations in it.
        long line = send(this, Sci::SCI_LINEFROMPOSITION, range.begin);
        ranges.push_back(
            {range.begin, send(this, Sci::SCI_GETLINEENDPOSITION, line)});
      } else {
        ranges.push_back(range);
      }
      if (ranges.size() >= 5000)
        break;
    }
  }
  setHighlights(ranges, reveal);
}

} // namespace tilewright::gui
