//===- DiagnosticHints.cpp ------------------------------------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "gui/DiagnosticHints.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace tilewright::gui {

// As the compiler and the server write them; a test looks for them there.
static constexpr const char *sentences[] = {
    QT_TRANSLATE_NOOP("DiagnosticHints", "save the file as plain UTF-8 text"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "use a to z, digits, '_', '.', '$' and '-' in names"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "move the inner part into a function of its own"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "flatten this literal or type"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "break the line"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "%1 would do"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "leave %1 out"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "take one of them away"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "did you mean %1?"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "Did you mean %1?"),
    QT_TRANSLATE_NOOP(
        "DiagnosticHints",
        "Kernels hold block instructions, views of memrefs, scf.for, scf.if "
        "and scalar arith, math and affine operations."),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "Use f64, f32, f16, bf16, i1, i8, i16, i32 or i64."),
    QT_TRANSLATE_NOOP("DiagnosticHints", "Run block/allocate-onchip first."),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "Buffers are allocations, arguments and memref subviews, "
                      "casts, expansions and collapses of them."),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "Pack both operands, the right one, or none."),
    QT_TRANSLATE_NOOP("DiagnosticHints", "use dense<…>"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "use f32, f16, bf16, i1, i8, i32 or i64"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "check the folder, its permissions and the free space"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "check the path and its permissions"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "use float32, float16, int8, int32, int64 or bool, or V2 "
                      "for the bits of bf16"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "convert it with numpy's astype"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "give a tensor of that shape"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "give one tensor for each argument"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "give inputs whose sizes agree"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "an event must order the two writes"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "an event, or other room for one of the buffers, must "
                      "keep the two apart"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "write the buffer first: a move, a fill, or a first "
                      "instruction without accumulate"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "every wait needs a set that its pipe comes to first"),
    QT_TRANSLATE_NOOP(
        "DiagnosticHints",
        "use another id, or order the wait before the second set"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "give the destination room of its own"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "The next request starts a new one. If the text is "
                      "ordinary, please report it with this message."),
    QT_TRANSLATE_NOOP("DiagnosticHints", "The next request starts a new one."),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "Install Tilewright completely, or set TILEWRIGHT_ENGINE "
                      "to the path of tilewright-engine."),
    QT_TRANSLATE_NOOP(
        "DiagnosticHints",
        "The next run starts a new process. If it happens again, check the "
        "operator with --check, and report it with its source."),
    QT_TRANSLATE_NOOP("DiagnosticHints", "the kinds are %1"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "correct the key; the rest of the pin acts"),
    QT_TRANSLATE_NOOP(
        "DiagnosticHints",
        "remove the pin, or rename it to the operation's new name"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "remove the pin, or rename it: its operation is probably "
                      "called %1 now"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "write {\"LEVEL\": {\"m\": 128, \"n\": 256}}"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "the form is %1"),
    QT_TRANSLATE_NOOP(
        "DiagnosticHints",
        "keys are function/name, with the name as in the source without %"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "did you mean '%1'?"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "define it above this line, or correct its name"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "end it in `scf.forall.in_parallel { … }`"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "define it before this operation"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "write `module { … }`"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "give one of them another name"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "define it in this file, or correct its name"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "write `func.func @name(…) -> … { … }`"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "send the whole text again"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "correct the JSON at byte %1"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "compare with resources/schemas, or write the file again "
                      "with this version of Tilewright"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "pin the root of the scope"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "write {\"fuse\": [\"KEY\"]}, {\"apart\": [\"KEY\"]} or "
                      "{\"apart\": true}"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "the source did not compile; mend its errors first"),
    QT_TRANSLATE_NOOP(
        "DiagnosticHints",
        "name a stage (tensor, tile, block, execution) or one of: %1"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "mend its errors first"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "'tilewright target check FILE' shows each place; "
                      "resources/schemas/target.schema.json describes the "
                      "form"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "check that the file exists and may be read"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "choose one of these, or put a description into %1"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "Save it as UTF-8. If it is not text "
                                         "at all, it may be the wrong file."),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "Make it a file that you may read, or take it away."),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "%1 (all processors) to %2 are possible"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "%1 to %2 are possible"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "there is: %1"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "Choose with --function NAME (of the method: function)."),
    QT_TRANSLATE_NOOP("DiagnosticHints", "it takes none"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "it takes: %1"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "run for cpu or cpu-generic, or without a trace"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "choose another name"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "run it first: tilewright/run"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "one of: none, llvm, asm, object"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "code is made for cpu and cpu-generic"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "is there space, and may you write there?"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "free some space there, or set TMPDIR to another folder"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "is there space where temporary files go?"),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "compare the stages around it: tilewright diff %1"),
    QT_TRANSLATE_NOOP("DiagnosticHints", "Close the file and open it again."),
    QT_TRANSLATE_NOOP("DiagnosticHints",
                      "Free some space, or write elsewhere."),
};

static QString translated(const char *text) {
  return QCoreApplication::translate("DiagnosticHints", text);
}

QStringList hintSentences() {
  QStringList all;
  for (const char *sentence : sentences)
    all << QString::fromUtf8(sentence);
  return all;
}

/// What stands for %1 … if `hint` is this sentence.
static bool match(const QString &hint, const QString &sentence,
                  QStringList &parts) {
  static const QRegularExpression place("%[1-9]");
  QStringList fixed = sentence.split(place);
  if (fixed.size() == 1)
    return hint == sentence;
  if (!hint.startsWith(fixed.first()))
    return false;
  qsizetype at = fixed.first().size();
  for (qsizetype i = 1; i < fixed.size(); ++i) {
    const QString &next = fixed[i];
    qsizetype end = i + 1 < fixed.size()  ? hint.indexOf(next, at)
                    : hint.endsWith(next) ? hint.size() - next.size()
                                          : -1;
    if (end <= at)
      return false;
    parts << hint.mid(at, end - at);
    at = end + next.size();
  }
  return true;
}

QString localizedHint(const QString &hint) {
  if (hint.isEmpty())
    return hint;
  //: Before a hint of the compiler that is in English. English: only "%1".
  QString heading = translated(QT_TRANSLATE_NOOP("DiagnosticHints", "%1"));
  for (const char *sentence : sentences) {
    QStringList parts;
    if (!match(hint, QString::fromUtf8(sentence), parts))
      continue;
    QString text = translated(sentence);
    for (qsizetype i = parts.size(); i-- > 0;)
      text.replace("%" + QString::number(i + 1), parts[i]);
    return heading.arg(text);
  }
  return heading.arg(hint);
}

} // namespace tilewright::gui
