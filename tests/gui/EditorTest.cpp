//===- EditorTest.cpp - edits, positions, diagnostics, accessibility ------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "Suites.h"

#include "Canned.h"
#include "gui/Sci.h"
#include "gui/ShadowText.h"
#include "gui/SourceEditor.h"
#include "gui/SourceFile.h"
#include <QAccessible>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

namespace tilewright::gui {

/// Applies edits to a text by UTF-16 positions, as a server that agreed on
/// UTF-16 does; independent of ShadowText.
static void applyUtf16(QString &text, const TextChange &change) {
  auto offset = [&](DocumentPosition at) {
    qsizetype start = 0;
    for (int line = 0; line < at.line; ++line) {
      while (start < text.size() && text[start] != '\n' && text[start] != '\r')
        ++start;
      if (start + 1 < text.size() && text[start] == '\r' &&
          text[start + 1] == '\n')
        ++start;
      ++start;
    }
    return start + at.character;
  };
  qsizetype begin = offset(change.utf16.begin), end = offset(change.utf16.end);
  text.replace(begin, end - begin, QString::fromUtf8(change.text));
}

class EditorTest : public QObject {
  Q_OBJECT
private slots:
  void editsEqualTheText_data() {
    QTest::addColumn<QByteArray>("newline");
    QTest::newRow("LF") << QByteArray("\n");
    QTest::newRow("CRLF") << QByteArray("\r\n");
  }

  /// Random insertions, deletions, undo and redo with ASCII, Han and emoji:
  /// what the server is told must give the very text, in both encodings.
  void editsEqualTheText() {
    QFETCH(QByteArray, newline);
    SourceEditor editor;
    QByteArray start = cannedSource().replace("\n", newline);
    editor.setBytes(start);
    ShadowText shadow;
    shadow.reset(start);
    QString utf16 = QString::fromUtf8(start);
    int batches = 0;
    connect(&editor.edits(), &EditTracker::edited, this,
            [&](const std::vector<TextChange> &changes) {
              ++batches;
              for (const TextChange &change : changes) {
                shadow.apply(change);
                applyUtf16(utf16, change);
              }
            });
    const QList<QByteArray> pieces = {"x",
                                      "张量",
                                      "🚀",
                                      "\n",
                                      "%a = tw.add",
                                      "𝛼β",
                                      newline + "  // 注释 🙂" + newline,
                                      "\r",
                                      "{}"};
    quint32 noise = 42;
    auto next = [&noise](long below) {
      noise = noise * 1664525u + 1013904223u;
      return below > 0 ? long((noise >> 8) % quint32(below)) : 0;
    };
    for (int round = 0; round < 1500; ++round) {
      long length = send(&editor, Sci::SCI_GETLENGTH);
      // A position between characters.
      long at = send(&editor, Sci::SCI_POSITIONBEFORE,
                     send(&editor, Sci::SCI_POSITIONAFTER, next(length + 1)));
      switch (next(6)) {
      case 0: {
        long end = send(&editor, Sci::SCI_POSITIONBEFORE,
                        std::min(length, at + next(24)));
        if (end > at)
          send(&editor, Sci::SCI_DELETERANGE, at, end - at);
        break;
      }
      case 1:
        editor.undo();
        break;
      case 2:
        editor.redo();
        break;
      default:
        sendText(&editor, Sci::SCI_INSERTTEXT, at,
                 pieces[next(pieces.size())].constData());
      }
      if (next(5) == 0)
        editor.edits().flush();
    }
    editor.edits().flush();
    QVERIFY(batches > 10);
    QCOMPARE(shadow.text(), editor.bytes());
    QCOMPARE(utf16.toUtf8(), editor.bytes());
  }

  void typingAndUndoByKeys() {
    SourceEditor editor;
    editor.setBytes("one\ntwo\n");
    ShadowText shadow;
    shadow.reset("one\ntwo\n");
    connect(&editor.edits(), &EditTracker::edited, this,
            [&](const std::vector<TextChange> &changes) {
              for (const TextChange &change : changes)
                shadow.apply(change);
            });
    editor.show();
    editor.setFocus();
    QTest::keyClicks(editor.viewport(), "abc");
    QTest::keyClick(editor.viewport(), Qt::Key_Return);
    QTest::keyClick(editor.viewport(), Qt::Key_Backspace);
    QTest::keyClick(editor.viewport(), Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(shadow.text(), editor.bytes());
    QVERIFY(editor.bytes().contains("abc"));
    // Several carets at once.
    send(&editor, Sci::SCI_SETSELECTION, 0, 0);
    send(&editor, Sci::SCI_ADDSELECTION, send(&editor, Sci::SCI_GETLENGTH),
         send(&editor, Sci::SCI_GETLENGTH));
    QTest::keyClicks(editor.viewport(), "e");
    QTRY_COMPARE(shadow.text(), editor.bytes());
  }

  void loadingIsNoEdit() {
    SourceEditor editor;
    int batches = 0;
    connect(&editor.edits(), &EditTracker::edited, this, [&] { ++batches; });
    editor.setBytes("text");
    QTest::qWait(5);
    QCOMPARE(batches, 0);
    QVERIFY(!editor.isUndoAvailable());
  }

  void positionsInBothEncodings() {
    SourceEditor editor;
    editor.setBytes("a🚀b张c\nzweite\n");
    // After the rocket: 5 bytes, 3 UTF-16 units.
    QCOMPARE(editor.byteOf({0, 5}, Encoding::Utf8), 5L);
    QCOMPARE(editor.byteOf({0, 3}, Encoding::Utf16), 5L);
    QCOMPARE(editor.byteOf({0, 5}, Encoding::Utf16), 9L);
    QCOMPARE(editor.byteOf({1, 0}, Encoding::Utf16), 11L);
    // Beyond the end of a line or the text.
    QCOMPARE(editor.byteOf({0, 900}, Encoding::Utf16), 10L);
    QCOMPARE(editor.byteOf({0, 900}, Encoding::Utf8), 10L);
    QCOMPARE(editor.byteOf({900, 0}, Encoding::Utf8),
             long(editor.bytes().size()));
    QCOMPARE(editor.byteOf({-1, 0}, Encoding::Utf8), 0L);
    QCOMPARE(editor.positionOf(9, Encoding::Utf16), (DocumentPosition{0, 5}));
    QCOMPARE(editor.positionOf(12, Encoding::Utf8), (DocumentPosition{1, 1}));
  }

  void diagnosticsAreShown() {
    SourceEditor editor;
    editor.resize(900, 300);
    editor.setBytes(cannedSource());
    editor.show();
    SourceDiagnostic problem;
    problem.range = {{5, 2}, {5, 6}};
    problem.severity = model::Severity::Error;
    problem.code = "TW0102";
    problem.message = "matmul: k is 4096 on the left and 1408 on the right";
    problem.hint = "transpose the right operand";
    editor.setDiagnostics({problem}, Encoding::Utf8);
    QCOMPARE(editor.lineNote(5), problem.message);
    QVERIFY(editor.lineNote(4).isEmpty());
    // The squiggle covers exactly the range.
    long begin = editor.byteOf({5, 2}, Encoding::Utf8);
    auto marked = [&](long at) {
      return send(&editor, Sci::SCI_INDICATORVALUEAT, 9, at) != 0;
    };
    QVERIFY(marked(begin) && marked(begin + 3));
    QVERIFY(!marked(begin - 1) && !marked(begin + 4));
    // The note is painted: with it the picture has the error's colour.
    QImage with = editor.grab().toImage();
    editor.setDiagnostics({}, Encoding::Utf8);
    QVERIFY(editor.lineNote(5).isEmpty());
    QVERIFY(!marked(begin));
    QVERIFY(with != editor.grab().toImage());
    // The note moves with its line.
    editor.setDiagnostics({problem}, Encoding::Utf8);
    sendText(&editor, Sci::SCI_INSERTTEXT, 0, "// new\n");
    QCOMPARE(editor.lineNote(6), problem.message);
  }

  /// Without room after the line the note goes below it, and back when there
  /// is.
  void notesFindRoom() {
    SourceEditor editor;
    editor.resize(400, 300);
    editor.setBytes(cannedSource());
    editor.show();
    SourceDiagnostic problem;
    problem.range = {{5, 2}, {5, 6}};
    problem.message = QString("a long message about k ").repeated(6).trimmed();
    editor.setDiagnostics({problem}, Encoding::Utf8);
    auto below = [&](long line) {
      return send(&editor, Sci::SCI_ANNOTATIONGETLINES, line);
    };
    QVERIFY(below(5) >= 1 && below(5) <= 3);
    QCOMPARE(below(4), 0L);
    editor.resize(3000, 300);
    QCOMPARE(below(5), 0L);
    editor.grab();
  }

  void oddDiagnosticRanges() {
    SourceEditor editor;
    editor.setBytes("ab\n");
    auto at = [](DocumentRange range) {
      SourceDiagnostic one;
      one.range = range;
      one.message = "m";
      return one;
    };
    // Empty, reversed, outside the text: none may crash or hang.
    editor.setDiagnostics({at({{0, 2}, {0, 2}}), at({{1, 0}, {0, 0}}),
                           at({{99, 5}, {100, 7}}), at({{-1, -1}, {-1, -1}})},
                          Encoding::Utf16);
    editor.grab();
  }

  void keysUnderTheCaret() {
    SourceEditor editor;
    auto backend = cannedBackend();
    editor.setBytes(cannedSource());
    editor.setKeys(backend->sourceKeys, Encoding::Utf8);
    long up = editor.byteOf({5, 12}, Encoding::Utf8);
    QCOMPARE(editor.keysAt(up), std::vector<std::string>{"swiglu_ffn/up"});
    // Between operations the function is meant; before it nothing.
    QCOMPARE(editor.keysAt(editor.byteOf({2, 3}, Encoding::Utf8)),
             std::vector<std::string>{"swiglu_ffn"});
    QVERIFY(editor.keysAt(0).empty());
    editor.showKeys({"swiglu_ffn/up"}, true);
    QCOMPARE(editor.highlights().size(), size_t(1));
    QVERIFY(send(&editor, Sci::SCI_INDICATORVALUEAT, 8, up));
    editor.showKeys({}, false);
    QVERIFY(!send(&editor, Sci::SCI_INDICATORVALUEAT, 8, up));
  }

  void onlyVisibleLinesAreStyled() {
    SourceEditor editor;
    editor.resize(600, 300);
    QByteArray text;
    for (int i = 0; i < 100'000; ++i)
      text += "%v" + QByteArray::number(i) + " = tw.add %a, %b\n";
    editor.setBytes(text);
    editor.show();
    editor.grab();
    long last = send(&editor, Sci::SCI_GETLENGTH) - 20;
    QVERIFY(send(&editor, Sci::SCI_GETSTYLEAT, 0) != 0);
    QCOMPARE(send(&editor, Sci::SCI_GETSTYLEAT, last), 0L);
    editor.revealLine(99'990);
    editor.grab();
    QCoreApplication::processEvents();
    editor.grab();
    QVERIFY(send(&editor, Sci::SCI_GETSTYLEAT, last) != 0);
  }

  void readsAccessibly() {
    SourceEditor editor;
    editor.setBytes("a🚀b\n");
    QAccessibleInterface *found =
        QAccessible::queryAccessibleInterface(&editor);
    QVERIFY(found);
    QCOMPARE(found->role(), QAccessible::EditableText);
    QAccessibleTextInterface *text = found->textInterface();
    QVERIFY(text);
    QCOMPARE(text->characterCount(), 5);
    QCOMPARE(text->text(1, 3), QString("🚀"));
    text->setCursorPosition(3);
    QCOMPARE(editor.caret(), 5L);
    QCOMPARE(text->cursorPosition(), 3);
  }

  void readsFiles() {
    QTemporaryDir folder;
    auto write = [&](const char *name, const QByteArray &bytes) {
      QFile file(folder.filePath(name));
      file.open(QIODevice::WriteOnly);
      file.write(bytes);
      return file.fileName();
    };
    QVERIFY(SourceFile::read(write("empty", "")).error.isEmpty());
    SourceFile bad = SourceFile::read(write("bad", "a\xff\xfe z\xc3"));
    QVERIFY(bad.repaired);
    QVERIFY(bad.text.isValidUtf8());
    QByteArray nul("a\0b", 3);
    QCOMPARE(SourceFile::read(write("nul", nul)).text, nul);
    QVERIFY(!SourceFile::read(folder.path()).error.isEmpty());
    QVERIFY(!SourceFile::read(folder.filePath("none")).error.isEmpty());
    QString path = folder.filePath("out");
    QVERIFY(SourceFile::write(path, "x\n").isEmpty());
    QCOMPARE(SourceFile::read(path).text, QByteArray("x\n"));
    QVERIFY(!SourceFile::write("/nonexistent/f", "x").isEmpty());
    // NUL bytes survive the editor.
    SourceEditor editor;
    editor.setBytes(nul);
    QCOMPARE(editor.bytes(), nul);
  }
};

static RegisterSuite<EditorTest> suite("Editor");

} // namespace tilewright::gui

#include "EditorTest.moc"
