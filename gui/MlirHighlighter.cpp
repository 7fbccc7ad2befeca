//===- MlirHighlighter.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/MlirHighlighter.h"

#include "gui/Fonts.h"
#include "gui/MlirTokenizer.h"
#include "gui/Sci.h"
#include "gui/Theme.h"
#include <algorithm>
#include <vector>

namespace tilewright::gui {

/// Beyond this a line (a dense constant) stays uncoloured.
static constexpr long maxStyledLine = 16 * 1024;

MlirHighlighter::MlirHighlighter(QsciScintilla *view)
    : QObject(view), view(view) {
  send(view, Sci::SCI_SETLEXER, Sci::SCLEX_CONTAINER);
  connect(view, &Sci::SCN_STYLENEEDED, this, [this](int) { styleVisible(); });
  connect(view, &Sci::SCN_UPDATEUI, this, [this](int what) {
    if (what & (Sci::SC_UPDATE_V_SCROLL | Sci::SC_UPDATE_CONTENT))
      styleVisible();
  });
}

void MlirHighlighter::applyTheme() {
  const Theme &theme = Theme::current();
  QFont font = Fonts::mono();
  QByteArray family = Fonts::monoFamily().toUtf8();
  auto set = [&](int style, const QColor &fore, bool bold = false,
                 bool italic = false) {
    send(view, Sci::SCI_STYLESETFORE, style, sciColor(fore));
    send(view, Sci::SCI_STYLESETBACK, style, sciColor(theme.surface));
    sendText(view, Sci::SCI_STYLESETFONT, style, family.constData());
    send(view, Sci::SCI_STYLESETSIZEFRACTIONAL, style,
         long(font.pointSizeF() * int(Sci::SC_FONT_SIZE_MULTIPLIER)));
    send(view, Sci::SCI_STYLESETBOLD, style, bold);
    send(view, Sci::SCI_STYLESETITALIC, style, italic);
  };
  set(Sci::STYLE_DEFAULT, theme.text);
  send(view, Sci::SCI_STYLECLEARALL);
  auto token = [&](Token which, const QColor &fore) { set(int(which), fore); };
  token(Token::Default, theme.text);
  token(Token::Comment, theme.synComment);
  token(Token::String, theme.synString);
  token(Token::Number, theme.synNumber);
  token(Token::Value, theme.synValue);
  token(Token::Symbol, theme.synSymbol);
  token(Token::Block, theme.synSymbol);
  token(Token::Type, theme.synType);
  token(Token::Operation, theme.synOp);
  token(Token::Keyword, theme.synKeyword);
  token(Token::Attribute, theme.synAttribute);
  token(Token::Punctuation, theme.synPunctuation);
  set(Sci::STYLE_LINENUMBER, theme.faint);
  set(Sci::STYLE_BRACELIGHT, theme.accent, true);
  set(Sci::STYLE_CONTROLCHAR, theme.error);
}

void MlirHighlighter::styleVisible() {
  long top = send(view, Sci::SCI_GETFIRSTVISIBLELINE);
  long rows = send(view, Sci::SCI_LINESONSCREEN);
  long first = send(view, Sci::SCI_DOCLINEFROMVISIBLE, top);
  long last = std::min(send(view, Sci::SCI_DOCLINEFROMVISIBLE, top + rows + 1),
                       send(view, Sci::SCI_GETLINECOUNT) - 1);
  std::vector<uint8_t> styles;
  for (long line = first; line <= last; ++line) {
    long begin = send(view, Sci::SCI_POSITIONFROMLINE, line);
    long end = send(view, Sci::SCI_GETLINEENDPOSITION, line);
    long length = std::min(end - begin, maxStyledLine);
    if (length <= 0)
      continue;
    // The pointer stays valid until the document is changed.
    auto *text = reinterpret_cast<const char *>(
        send(view, Sci::SCI_GETRANGEPOINTER, begin, length));
    if (!text)
      continue;
    styles.assign(length, 0);
    tokenizeLine({text, size_t(length)}, styles);
    send(view, Sci::SCI_STARTSTYLING, begin);
    sendText(view, Sci::SCI_SETSTYLINGEX, length,
             reinterpret_cast<const char *>(styles.data()));
  }
  // Nothing is left to style as far as Scintilla knows; scrolling asks again.
  send(view, Sci::SCI_STARTSTYLING, send(view, Sci::SCI_GETLENGTH));
}

} // namespace tilewright::gui
