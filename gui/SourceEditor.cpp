//===- SourceEditor.cpp ---------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/SourceEditor.h"

#include "gui/Fonts.h"
#include "gui/Sci.h"
#include "gui/Theme.h"
#include <QPainter>
#include <algorithm>
#include <map>

namespace tilewright::gui {

// Indicators and markers by severity (1 error … 4 hint).
static int indicatorOf(model::Severity severity) { return 8 + int(severity); }
static int markerOf(model::Severity severity) { return int(severity); }
static int noteStyleOf(model::Severity severity) { return 20 + int(severity); }

/// A note with less room than this after its line goes below it.
static constexpr int leastNoteWidth = 180;

static QColor colorOf(model::Severity severity) {
  const Theme &theme = Theme::current();
  switch (severity) {
  case model::Severity::Error:
    return theme.error;
  case model::Severity::Warning:
    return theme.warning;
  default:
    return theme.info;
  }
}

SourceEditor::SourceEditor(QWidget *parent) : CodeView(parent), tracker(this) {
  setAccessibleName(tr("Source"));
  setMarginType(1, SymbolMargin);
  setMarginSensitivity(1, false);
  setMarginMarkerMask(1, 0x1e);
  send(this, Sci::SCI_SETMARGINWIDTHN, 1, 12);
  send(this, Sci::SCI_ANNOTATIONSETVISIBLE, Sci::ANNOTATION_STANDARD);
  send(this, Sci::SCI_SETMULTIPLESELECTION, 1);
  send(this, Sci::SCI_SETADDITIONALSELECTIONTYPING, 1);
  send(this, Sci::SCI_SETMULTIPASTE, Sci::SC_MULTIPASTE_EACH);
  setAutoIndent(true);
  SourceEditor::applyTheme();
}

void SourceEditor::setBytes(const QByteArray &utf8) {
  tracker.setPaused(true);
  send(this, Sci::SCI_ANNOTATIONCLEARALL);
  shown.clear();
  notes.clear();
  keyRanges.clear();
  keyIndex.clear();
  send(this, Sci::SCI_MARKERDELETEALL, -1);
  CodeView::setBytes(utf8);
  tracker.setPaused(false);
}

void SourceEditor::applyTheme() {
  CodeView::applyTheme();
  for (int s = 1; s <= 4; ++s) {
    auto severity = model::Severity(s);
    long color = sciColor(colorOf(severity));
    send(this, Sci::SCI_INDICSETSTYLE, indicatorOf(severity),
         s == 4 ? Sci::INDIC_DOTS : Sci::INDIC_SQUIGGLE);
    send(this, Sci::SCI_INDICSETFORE, indicatorOf(severity), color);
    // Markers keep the place; the dot is painted smoothly in paintEvent().
    send(this, Sci::SCI_MARKERDEFINE, markerOf(severity), Sci::SC_MARK_EMPTY);
    int style = noteStyleOf(severity);
    const Theme &theme = Theme::current();
    send(this, Sci::SCI_STYLESETFORE, style, color);
    send(this, Sci::SCI_STYLESETBACK, style,
         sciColor(mix(colorOf(severity), theme.surface,
                      theme.dark() ? 0.16 : 0.09)));
    send(this, Sci::SCI_STYLESETSIZEFRACTIONAL, style,
         long(Fonts::mono(0.94).pointSizeF() *
              int(Sci::SC_FONT_SIZE_MULTIPLIER)));
  }
  send(this, Sci::SCI_SETMARGINTYPEN, 1, Sci::SC_MARGIN_COLOUR);
  send(this, Sci::SCI_SETMARGINBACKN, 1, sciColor(Theme::current().surface));
  viewport()->update();
}

void SourceEditor::setDiagnostics(
    const std::vector<SourceDiagnostic> &diagnostics, Encoding encoding) {
  long length = send(this, Sci::SCI_GETLENGTH);
  for (int s = 1; s <= 4; ++s) {
    send(this, Sci::SCI_SETINDICATORCURRENT, indicatorOf(model::Severity(s)));
    send(this, Sci::SCI_INDICATORCLEARRANGE, 0, length);
    send(this, Sci::SCI_MARKERDELETEALL, markerOf(model::Severity(s)));
  }
  shown.clear();
  notes.clear();
  std::map<long, std::vector<const SourceDiagnostic *>> byLine;
  for (const SourceDiagnostic &diagnostic : diagnostics) {
    model::TextRange range = bytesOf(diagnostic.range, encoding);
    long line = send(this, Sci::SCI_LINEFROMPOSITION, range.begin);
    // An empty range still needs something to see.
    if (range.end <= range.begin) {
      range.end = send(this, Sci::SCI_POSITIONAFTER, range.begin);
      if (send(this, Sci::SCI_LINEFROMPOSITION, range.end) != line &&
          range.begin > send(this, Sci::SCI_POSITIONFROMLINE, line)) {
        range.end = range.begin;
        range.begin = send(this, Sci::SCI_POSITIONBEFORE, range.begin);
      }
    }
    send(this, Sci::SCI_SETINDICATORCURRENT, indicatorOf(diagnostic.severity));
    send(this, Sci::SCI_INDICATORFILLRANGE, range.begin,
         range.end - range.begin);
    shown.push_back({range, diagnostic.severity, diagnostic.message,
                     diagnostic.hint, diagnostic.code});
    byLine[line].push_back(&diagnostic);
  }
  for (auto &[line, list] : byLine) {
    const SourceDiagnostic *worst =
        *std::min_element(list.begin(), list.end(), [](auto *a, auto *b) {
          return a->severity < b->severity;
        });
    QString text = worst->message.section('\n', 0, 0);
    if (list.size() > 1)
      text += QString(" (+%1)").arg(list.size() - 1);
    int marker =
        int(send(this, Sci::SCI_MARKERADD, line, markerOf(worst->severity)));
    notes.push_back({marker, worst->severity, text});
  }
  placeNotes();
  viewport()->update();
}

/// Breaks at blanks into lines of at most `columns`, three at most.
static QStringList wrapped(const QString &text, int columns) {
  QStringList lines;
  QString rest = text;
  while (rest.size() > columns && lines.size() < 2) {
    qsizetype cut = rest.lastIndexOf(' ', columns);
    if (cut <= 0)
      cut = columns;
    lines << rest.left(cut);
    rest = rest.mid(cut).trimmed();
  }
  if (rest.size() > columns)
    rest = rest.left(std::max(1, columns - 1)) + QChar(0x2026);
  return lines << rest;
}

void SourceEditor::placeNotes() {
  send(this, Sci::SCI_ANNOTATIONCLEARALL);
  int left = 8;
  for (int margin = 0; margin < 3; ++margin)
    left += int(send(this, Sci::SCI_GETMARGINWIDTHN, margin));
  int width = viewport()->width();
  QFontMetrics metrics(Fonts::ui(0.95));
  int column = std::max(1L, sendText(this, Sci::SCI_TEXTWIDTH,
                                     noteStyleOf(model::Severity::Error), "m"));
  for (Note &note : notes) {
    long line = send(this, Sci::SCI_MARKERLINEFROMHANDLE, note.marker);
    if (line < 0)
      continue;
    // Measured by characters: lines off the screen have no layout yet.
    long length = send(this, Sci::SCI_GETLINEENDPOSITION, line) -
                  send(this, Sci::SCI_POSITIONFROMLINE, line);
    int after = width - left -
                int(std::min(length, 4000L)) *
                    int(sendText(this, Sci::SCI_TEXTWIDTH, 0, "m")) -
                44;
    note.below =
        after < std::min(metrics.horizontalAdvance(note.text), leastNoteWidth);
    if (!note.below)
      continue;
    long indent = std::min(24L, send(this, Sci::SCI_GETLINEINDENTATION, line));
    int columns = std::max(16, (width - left - 8) / column - int(indent) - 1);
    QString text;
    for (const QString &part : wrapped(note.text, columns))
      text += (text.isEmpty() ? "" : "\n") + QString(indent, ' ') + part;
    QByteArray bytes = text.toUtf8();
    sendText(this, Sci::SCI_ANNOTATIONSETTEXT, line, bytes.constData());
    send(this, Sci::SCI_ANNOTATIONSETSTYLE, line, noteStyleOf(note.severity));
  }
}

void SourceEditor::resizeEvent(QResizeEvent *event) {
  CodeView::resizeEvent(event);
  if (!notes.empty())
    placeNotes();
}

QString SourceEditor::lineNote(long line) const {
  for (const Note &note : notes)
    if (send(this, Sci::SCI_MARKERLINEFROMHANDLE, note.marker) == line)
      return note.text;
  return {};
}

void SourceEditor::setKeys(const std::vector<SourceKey> &keys,
                           Encoding encoding) {
  keyRanges.clear();
  keyIndex.clear();
  for (const SourceKey &key : keys)
    keyRanges.push_back({key.key, bytesOf(key.range, encoding),
                         bytesOf(key.selection, encoding)});
  // An enclosing range before what it holds, as in printed stages.
  std::sort(keyRanges.begin(), keyRanges.end(),
            [](const KeyRange &a, const KeyRange &b) {
              return a.range.begin != b.range.begin
                         ? a.range.begin < b.range.begin
                         : a.range.end > b.range.end;
            });
  for (size_t i = 0; i < keyRanges.size(); ++i)
    keyIndex.add(keyRanges[i].key, uint32_t(i));
}

std::vector<std::string> SourceEditor::keysAt(long byte) const {
  const KeyRange *best = nullptr;
  for (const KeyRange &range : keyRanges) {
    if (range.range.begin > byte)
      break;
    if (range.range.end >= byte)
      best = &range;
  }
  // The line an operation starts on counts as its own, blanks included.
  return best ? std::vector<std::string>{best->key}
              : std::vector<std::string>{};
}

void SourceEditor::showKeys(const std::vector<std::string> &keys, bool reveal) {
  std::vector<model::TextRange> ranges;
  for (uint32_t item : keyIndex.lookup(keys)) {
    const KeyRange &range = keyRanges[item];
    // A multi-line operation (a loop, a function) is shown by its name alone.
    bool oneLine = send(this, Sci::SCI_LINEFROMPOSITION, range.range.begin) ==
                   send(this, Sci::SCI_LINEFROMPOSITION, range.range.end);
    ranges.push_back(oneLine ? range.range : range.selection);
  }
  setHighlights(ranges, reveal);
}

bool SourceEditor::goToKeys(const std::vector<std::string> &keys) {
  std::vector<uint32_t> items = keyIndex.lookup(keys);
  if (items.empty())
    return false;
  long at = keyRanges[items.front()].selection.begin;
  send(this, Sci::SCI_SETSEL, at, at);
  revealLine(send(this, Sci::SCI_LINEFROMPOSITION, at));
  setFocus();
  return true;
}

void SourceEditor::goTo(DocumentPosition position, Encoding encoding) {
  long at = byteOf(position, encoding);
  send(this, Sci::SCI_GOTOPOS, at);
  revealLine(send(this, Sci::SCI_LINEFROMPOSITION, at));
  setFocus();
}

QString SourceEditor::toolTipAt(long byte) {
  QString text;
  for (const Shown &one : shown) {
    if (byte < one.range.begin || byte > one.range.end)
      continue;
    if (!text.isEmpty())
      text += "<hr>";
    text +=
        QString("<p style='white-space:pre-wrap'><b style='color:%1'>%2</b> "
                "%3</p>")
            .arg(colorOf(one.severity).name(), one.code.toHtmlEscaped(),
                 one.message.toHtmlEscaped());
    if (!one.hint.isEmpty())
      text += QString("<p style='white-space:pre-wrap;color:%1'>%2</p>")
                  .arg(Theme::current().muted.name(), one.hint.toHtmlEscaped());
  }
  return text;
}

void SourceEditor::paintEvent(QPaintEvent *event) {
  CodeView::paintEvent(event);
  if (notes.empty())
    return;
  const Theme &theme = Theme::current();
  QPainter painter(viewport());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(Fonts::ui(0.95));
  QFontMetrics metrics(painter.font());
  long height = send(this, Sci::SCI_TEXTHEIGHT);
  long top = send(this, Sci::SCI_GETFIRSTVISIBLELINE);
  long rows = send(this, Sci::SCI_LINESONSCREEN) + 1;
  for (const Note &note : notes) {
    long line = send(this, Sci::SCI_MARKERLINEFROMHANDLE, note.marker);
    long visible =
        line < 0 ? -1 : send(this, Sci::SCI_VISIBLEFROMDOCLINE, line);
    if (visible < top || visible > top + rows)
      continue;
    long start = send(this, Sci::SCI_POSITIONFROMLINE, line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colorOf(note.severity));
    painter.drawEllipse(
        QPointF(send(this, Sci::SCI_GETMARGINWIDTHN, 0) + 5.0,
                send(this, Sci::SCI_POINTYFROMPOSITION, 0, start) +
                    height / 2.0),
        3.6, 3.6);
    if (note.below)
      continue;
    long end = send(this, Sci::SCI_GETLINEENDPOSITION, line);
    int x = int(send(this, Sci::SCI_POINTXFROMPOSITION, 0, end)) + 24;
    int y = int(send(this, Sci::SCI_POINTYFROMPOSITION, 0, end));
    int room = viewport()->width() - x - 20;
    if (room < 48)
      continue;
    QString text = metrics.elidedText(note.text, Qt::ElideRight, room);
    QColor color = colorOf(note.severity);
    QRectF pill(x - 8, y + 1.5, metrics.horizontalAdvance(text) + 16,
                height - 3);
    painter.setPen(Qt::NoPen);
    painter.setBrush(mix(color, theme.surface, theme.dark() ? 0.16 : 0.09));
    painter.drawRoundedRect(pill, 4, 4);
    painter.setPen(color);
    painter.drawText(pill.adjusted(8, 0, 0, 0), Qt::AlignVCenter, text);
  }
}

} // namespace tilewright::gui
