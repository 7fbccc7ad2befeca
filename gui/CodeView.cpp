//===- CodeView.cpp -------------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/CodeView.h"

#include "gui/CodeAccessible.h"
#include "gui/MlirHighlighter.h"
#include "gui/Sci.h"
#include "gui/Theme.h"
#include <QEvent>
#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>

namespace tilewright::gui {

static constexpr int highlightIndicator = 8, findIndicator = 14;
/// Matches counted and marked at most; on goes the search itself.
static constexpr int mostMatches = 2000;

CodeView::CodeView(QWidget *parent)
    : QsciScintilla(parent), highlighter(new MlirHighlighter(this)) {
  CodeAccessible::install();
  setUtf8(true);
  setFrameShape(QFrame::NoFrame);
  setMarginType(0, NumberMargin);
  setMarginWidth(1, 0);
  setMarginWidth(2, 0);
  setTabWidth(2);
  setIndentationsUseTabs(false);
  setBraceMatching(SloppyBraceMatch);
  send(this, Sci::SCI_SETLAYOUTCACHE, Sci::SC_CACHE_PAGE);
  send(this, Sci::SCI_SETSCROLLWIDTHTRACKING, 1);
  send(this, Sci::SCI_SETSCROLLWIDTH, 1);
  send(this, Sci::SCI_SETEXTRAASCENT, 2);
  send(this, Sci::SCI_SETEXTRADESCENT, 2);
  send(this, Sci::SCI_SETMARGINLEFT, 0, 8);
  send(this, Sci::SCI_SETMARGINRIGHT, 0, 2);
  send(this, Sci::SCI_INDICSETSTYLE, highlightIndicator, Sci::INDIC_FULLBOX);
  send(this, Sci::SCI_INDICSETUNDER, highlightIndicator, 1);
  send(this, Sci::SCI_INDICSETSTYLE, findIndicator, Sci::INDIC_ROUNDBOX);
  send(this, Sci::SCI_INDICSETUNDER, findIndicator, 1);
  connect(this, &Sci::SCN_UPDATEUI, this, &CodeView::updateUi);
  CodeView::applyTheme();
  sizeLineNumbers();
}

void CodeView::setBytes(const QByteArray &utf8) {
  bool locked = send(this, Sci::SCI_GETREADONLY);
  send(this, Sci::SCI_SETREADONLY, 0);
  send(this, Sci::SCI_SETUNDOCOLLECTION, 0);
  send(this, Sci::SCI_CLEARALL);
  sendText(this, Sci::SCI_APPENDTEXT, utf8.size(), utf8.constData());
  send(this, Sci::SCI_SETUNDOCOLLECTION, 1);
  send(this, Sci::SCI_EMPTYUNDOBUFFER);
  send(this, Sci::SCI_SETSAVEPOINT);
  send(this, Sci::SCI_SETSCROLLWIDTH, 1);
  send(this, Sci::SCI_SETREADONLY, locked);
  marked.clear();
  sizeLineNumbers();
}

QByteArray CodeView::bytes() const {
  long length = send(this, Sci::SCI_GETLENGTH);
  auto *text = reinterpret_cast<const char *>(
      send(this, Sci::SCI_GETRANGEPOINTER, 0, length));
  return text ? QByteArray(text, length) : QByteArray();
}

void CodeView::setHighlights(const std::vector<model::TextRange> &ranges,
                             bool reveal) {
  long length = send(this, Sci::SCI_GETLENGTH);
  send(this, Sci::SCI_SETINDICATORCURRENT, highlightIndicator);
  for (const model::TextRange &range : marked)
    send(this, Sci::SCI_INDICATORCLEARRANGE, range.begin,
         std::min<long>(range.end, length) - range.begin);
  marked = ranges;
  for (const model::TextRange &range : marked)
    if (range.begin < length)
      send(this, Sci::SCI_INDICATORFILLRANGE, range.begin,
           std::min<long>(range.end, length) - range.begin);
  if (!reveal || marked.empty())
    return;
  long top = send(this, Sci::SCI_DOCLINEFROMVISIBLE,
                  send(this, Sci::SCI_GETFIRSTVISIBLELINE));
  long rows = send(this, Sci::SCI_LINESONSCREEN);
  for (const model::TextRange &range : marked) {
    long line = send(this, Sci::SCI_LINEFROMPOSITION, range.begin);
    if (line >= top && line < top + rows)
      return;
  }
  revealLine(send(this, Sci::SCI_LINEFROMPOSITION, marked.front().begin));
}

long CodeView::caret() const { return send(this, Sci::SCI_GETCURRENTPOS); }

long CodeView::byteOf(DocumentPosition position, Encoding encoding) const {
  long lines = send(this, Sci::SCI_GETLINECOUNT);
  long length = send(this, Sci::SCI_GETLENGTH);
  if (position.line < 0)
    return 0;
  if (position.line >= lines)
    return length;
  long start = send(this, Sci::SCI_POSITIONFROMLINE, position.line);
  long end = send(this, Sci::SCI_GETLINEENDPOSITION, position.line);
  long at = start + position.character;
  if (encoding == Encoding::Utf16) {
    at = send(this, Sci::SCI_POSITIONRELATIVECODEUNITS, start,
              position.character);
    if (at == 0 && position.character > 0) // beyond the end of the text
      at = end;
  }
  return std::clamp(at, start, end);
}

model::TextRange CodeView::bytesOf(const DocumentRange &range,
                                   Encoding encoding) const {
  return {byteOf(range.begin, encoding), byteOf(range.end, encoding)};
}

DocumentPosition CodeView::positionOf(long byte, Encoding encoding) const {
  long line = send(this, Sci::SCI_LINEFROMPOSITION, byte);
  long start = send(this, Sci::SCI_POSITIONFROMLINE, line);
  long column = encoding == Encoding::Utf8
                    ? byte - start
                    : send(this, Sci::SCI_COUNTCODEUNITS, start, byte);
  return {int(line), int(column)};
}

void CodeView::revealLine(long line) {
  long rows = send(this, Sci::SCI_LINESONSCREEN);
  long visible = send(this, Sci::SCI_VISIBLEFROMDOCLINE, line);
  send(this, Sci::SCI_SETFIRSTVISIBLELINE, std::max(0L, visible - rows / 3));
}

long CodeView::byteAt(const QPoint &point) const {
  return send(this, Sci::SCI_POSITIONFROMPOINTCLOSE, point.x(), point.y());
}

FindResult CodeView::find(const QString &text, FindStep step) {
  const QByteArray sought = text.toUtf8();
  long length = send(this, Sci::SCI_GETLENGTH);
  send(this, Sci::SCI_SETSEARCHFLAGS, 0);
  // The match in [begin, end), or the last in it if begin > end; -1: none.
  auto match = [&](long begin, long end) {
    send(this, Sci::SCI_SETTARGETSTART, begin);
    send(this, Sci::SCI_SETTARGETEND, end);
    return sendText(this, Sci::SCI_SEARCHINTARGET, sought.size(),
                    sought.constData());
  };
  endFind();
  send(this, Sci::SCI_SETINDICATORCURRENT, findIndicator);
  long from = send(this, Sci::SCI_GETSELECTIONSTART);
  long to = send(this, Sci::SCI_GETSELECTIONEND);
  long found = step == FindStep::Previous ? match(from, 0)
               : step == FindStep::Next   ? match(to, length)
                                          : match(from, length);
  if (found < 0) // on from the other end
    found = step == FindStep::Previous ? match(length, 0) : match(0, length);
  FindResult result;
  if (found < 0)
    return result;
  long end = send(this, Sci::SCI_GETTARGETEND);
  for (long at = 0; at < length;) {
    long one = match(at, length);
    if (one < 0)
      break;
    at = std::max(send(this, Sci::SCI_GETTARGETEND), one + 1);
    if (result.total == mostMatches) {
      result.more = true;
      break;
    }
    ++result.total;
    if (one <= found)
      result.current = result.total;
    send(this, Sci::SCI_INDICATORFILLRANGE, one, at - one);
  }
  send(this, Sci::SCI_SETSEL, found, end);
  long line = send(this, Sci::SCI_LINEFROMPOSITION, found);
  long top = send(this, Sci::SCI_DOCLINEFROMVISIBLE,
                  send(this, Sci::SCI_GETFIRSTVISIBLELINE));
  if (line < top || line >= top + send(this, Sci::SCI_LINESONSCREEN))
    revealLine(line);
  send(this, Sci::SCI_SCROLLRANGE, found, end);
  // What is found is what the other views show, as if the caret went there.
  emit caretMoved(found);
  return result;
}

QString CodeView::findHint() const {
  long from = send(this, Sci::SCI_GETSELECTIONSTART);
  long to = send(this, Sci::SCI_GETSELECTIONEND);
  if (to <= from || to - from > 200 ||
      send(this, Sci::SCI_LINEFROMPOSITION, from) !=
          send(this, Sci::SCI_LINEFROMPOSITION, to))
    return {};
  auto *text = reinterpret_cast<const char *>(
      send(this, Sci::SCI_GETRANGEPOINTER, from, to - from));
  return text ? QString::fromUtf8(text, to - from) : QString();
}

void CodeView::endFind() {
  send(this, Sci::SCI_SETINDICATORCURRENT, findIndicator);
  send(this, Sci::SCI_INDICATORCLEARRANGE, 0, send(this, Sci::SCI_GETLENGTH));
}

void CodeView::changeEvent(QEvent *event) {
  QsciScintilla::changeEvent(event);
  if (event->type() == QEvent::PaletteChange)
    applyTheme();
}

bool CodeView::viewportEvent(QEvent *event) {
  if (event->type() == QEvent::ToolTip) {
    auto *help = static_cast<QHelpEvent *>(event);
    long at = byteAt(help->pos());
    QString text = at >= 0 ? toolTipAt(at) : QString();
    if (text.isEmpty()) {
      QToolTip::hideText();
      if (at >= 0)
        emit hovered(at, help->globalPos());
    } else {
      QToolTip::showText(help->globalPos(), text, viewport());
    }
    return true;
  }
  return QsciScintilla::viewportEvent(event);
}

QString CodeView::toolTipAt(long) { return {}; }

void CodeView::applyTheme() {
  const Theme &theme = Theme::current();
  highlighter->applyTheme();
  send(this, Sci::SCI_SETCARETFORE, sciColor(theme.accent));
  send(this, Sci::SCI_SETCARETWIDTH, 2);
  send(this, Sci::SCI_SETCARETLINEVISIBLE, 1);
  send(this, Sci::SCI_SETCARETLINEBACK,
       sciColor(mix(theme.hover, theme.surface, 0.55)));
  send(this, Sci::SCI_SETSELFORE, 0);
  send(this, Sci::SCI_SETSELBACK, 1,
       sciColor(mix(theme.accent, theme.surface, theme.dark() ? 0.38 : 0.24)));
  send(this, Sci::SCI_SETFOLDMARGINCOLOUR, 1, sciColor(theme.surface));
  send(this, Sci::SCI_SETFOLDMARGINHICOLOUR, 1, sciColor(theme.surface));
  send(this, Sci::SCI_INDICSETFORE, findIndicator, sciColor(theme.warning));
  send(this, Sci::SCI_INDICSETALPHA, findIndicator, theme.dark() ? 70 : 60);
  send(this, Sci::SCI_INDICSETOUTLINEALPHA, findIndicator, 110);
  send(this, Sci::SCI_INDICSETFORE, highlightIndicator, sciColor(theme.accent));
  send(this, Sci::SCI_INDICSETALPHA, highlightIndicator,
       theme.dark() ? 58 : 38);
  send(this, Sci::SCI_INDICSETOUTLINEALPHA, highlightIndicator,
       theme.dark() ? 120 : 90);
  QPalette own = palette();
  own.setColor(QPalette::Base, theme.surface);
  viewport()->setPalette(own);
}

void CodeView::updateUi(int what) {
  if (what & Sci::SC_UPDATE_CONTENT)
    sizeLineNumbers();
  else if (what & Sci::SC_UPDATE_SELECTION && hasFocus())
    emit caretMoved(caret());
}

void CodeView::sizeLineNumbers() {
  int digits = std::max<int>(
      3, QString::number(send(this, Sci::SCI_GETLINECOUNT)).size());
  if (digits == lineDigits)
    return;
  lineDigits = digits;
  QByteArray sample = " " + QByteArray(digits, '8') + " ";
  send(this, Sci::SCI_SETMARGINWIDTHN, 0,
       sendText(this, Sci::SCI_TEXTWIDTH, Sci::STYLE_LINENUMBER,
                sample.constData()));
}

} // namespace tilewright::gui
