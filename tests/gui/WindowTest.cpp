//===- WindowTest.cpp - the whole window, its states and pictures ---------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "Suites.h"

#include "Canned.h"
#include "gui/DiagnosticHints.h"
#include "gui/DiagnosticTitles.h"
#include "gui/GraphCanvas.h"
#include "gui/MainWindow.h"
#include "gui/Panel.h"
#include "gui/ProblemsList.h"
#include "gui/Sci.h"
#include "gui/Screenshot.h"
#include "gui/SourceEditor.h"
#include "gui/StageTree.h"
#include "gui/StatusLine.h"
#include "gui/Theme.h"
#include "gui/TimelineCanvas.h"
#include "gui/Translations.h"
#include "gui/UiScale.h"
#include <QComboBox>
#include <QDirIterator>
#include <QFile>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QRegularExpression>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTranslator>

namespace tilewright::gui {

static const char *example =
    TILEWRIGHT_SOURCE_DIR "/resources/examples/swiglu_ffn.mlir";

static SourceDiagnostic mismatch() {
  SourceDiagnostic problem;
  problem.range = {{8, 28}, {8, 35}};
  problem.severity = model::Severity::Error;
  problem.code = "TW0102";
  problem.message = "k is 1408 in %hidden but 4096 in %w_gate";
  problem.hint = "use %w_down: tensor<1408x4096xf32>, or transpose %w_gate";
  return problem;
}

/// The detail in the header of the panel a widget is in.
static QString detailOf(const QWidget &content) {
  for (const QWidget *at = &content; at; at = at->parentWidget())
    if (auto *panel = qobject_cast<const Panel *>(at))
      return panel->detail();
  return {};
}

class WindowTest : public QObject {
  Q_OBJECT
private slots:
  void cleanup() { Theme::apply(Theme::Kind::Light); }

  void emptyWindow() {
    MainWindow window(cannedBackend());
    window.resize(1280, 720);
    window.show();
    QTRY_COMPARE(window.findChild<QComboBox *>()->count(), 3);
    QVERIFY(window.findChild<StatusLine *>()->engineText().contains("ready"));
    QVERIFY(!window.grab().isNull());
  }

  void opensCompilesAndRuns() {
    MainWindow window(cannedBackend());
    window.resize(1280, 720);
    window.show();
    QVERIFY(window.openFile(example));
    Workbench &bench = window.workbench();
    QTRY_VERIFY(bench.settled() && bench.table());
    QCOMPARE(window.source().bytes(), cannedSource());
    QVERIFY(window.ir().bytes().contains("tw.matmul"));
    QVERIFY(window.graph().scene());
    QCOMPARE(window.passes().chosen(), bench.chosenPass());
    QTest::keyClick(&window, Qt::Key_2, Qt::ControlModifier);
    QTRY_COMPARE(bench.chosenStage(), QString("tile"));
    QTRY_VERIFY(window.ir().bytes().contains("scf.forall"));
    QTest::keyClick(&window, Qt::Key_F5);
    QTRY_VERIFY(bench.trace());
    QTRY_VERIFY(window.timeline().trace());
  }

  void interpretedRunsSaySo() {
    auto owned = cannedBackend();
    owned->traceJson.clear();
    owned->runResult.milliseconds.clear();
    owned->runResult.target = "ascend-a3";
    MainWindow window(std::move(owned));
    window.resize(1280, 720);
    window.show();
    QVERIFY(window.openFile(example));
    Workbench &bench = window.workbench();
    QTRY_VERIFY(bench.settled() && bench.table());
    QVERIFY(detailOf(window.timeline()).startsWith("Nothing was run yet"));
    bench.run();
    QTRY_VERIFY(bench.settled() && bench.lastRun());
    QCOMPARE(window.timeline().emptyText(), QString("The run has no timeline"));
    QVERIFY(detailOf(window.timeline()).contains("ascend-a3"));
    QVERIFY(!detailOf(window.timeline()).contains("best of"));
  }

  void timelineHeaderTellsTimesFromTheTrace() {
    MainWindow window(cannedBackend());
    window.resize(1280, 720);
    window.show();
    QVERIFY(window.openFile(example));
    Workbench &bench = window.workbench();
    QTRY_VERIFY(bench.settled() && bench.table());
    bench.run();
    QTRY_VERIFY(bench.trace());
    QString detail = detailOf(window.timeline());
    QVERIFY2(detail.startsWith("the fastest of"), qPrintable(detail));
    QVERIFY2(detail.contains("tasks"), qPrintable(detail));
    QVERIFY2(!detail.contains("trace"), qPrintable(detail));
    // A trace from a file is of another run: nothing of ours beside it.
    QTemporaryDir folder;
    QFile file(folder.filePath("device.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(cannedTrace(2, 8));
    file.close();
    window.openTrace(file.fileName());
    QTRY_VERIFY(bench.settled() && !bench.isTraceOfRun());
    detail = detailOf(window.timeline());
    QVERIFY2(detail.startsWith("trace device.json"), qPrintable(detail));
    QVERIFY2(!detail.contains("fastest"), qPrintable(detail));
    QVERIFY2(!detail.contains("GFLOP"), qPrintable(detail));
  }

  void theTimelineTakesNoRoomBeforeARun() {
    MainWindow window(cannedBackend());
    window.resize(1280, 720);
    window.show();
    QVERIFY(window.openFile(example));
    Workbench &bench = window.workbench();
    QTRY_VERIFY(bench.settled() && bench.table());
    QVERIFY(!window.timeline().isVisible());
    QVERIFY(detailOf(window.timeline()).contains("F5"));
    int before = window.graph().height();
    bench.run();
    QTRY_VERIFY(bench.trace());
    QVERIFY(window.timeline().isVisible());
    QTRY_VERIFY(window.graph().height() < before);
    QVERIFY(window.timeline().height() > 120);
  }

  void hintsInTheUsersLanguage() {
    // Each sentence is one the compiler or the server writes.
    QString all;
    for (const char *room : {"core", "lsp"}) {
      QDirIterator files(QString(TILEWRIGHT_SOURCE_DIR "/") + room,
                         {"*.cpp", "*.h"}, QDir::Files,
                         QDirIterator::Subdirectories);
      while (files.hasNext()) {
        QFile file(files.next());
        QVERIFY(file.open(QIODevice::ReadOnly));
        all += QString::fromUtf8(file.readAll());
      }
    }
    static const QRegularExpression joint("\"\\s+\"");
    all.replace(joint, QString()).replace("\\\"", "\"");
    static const QRegularExpression place("%[1-9]");
    for (const QString &sentence : hintSentences())
      for (const QString &part : sentence.split(place))
        QVERIFY2(part.size() < 4 || all.contains(part.trimmed()),
                 qPrintable(sentence));
    QString range = "0 (all processors) to 256 are possible";
    QCOMPARE(localizedHint(range), range);
    auto *translator = new QTranslator(qApp);
    QVERIFY(translator->load(QLocale("zh_CN"), "tilewright", "_", ":/i18n"));
    QCoreApplication::installTranslator(translator);
    QCOMPARE(localizedHint(range),
             QString("建议：可以是 0（全部处理器）到 256"));
    QCOMPARE(localizedHint("did you mean 'qk.%1'?"),
             QString("建议：是否想写 'qk.%1'？"));
    // What is not known keeps its words.
    QCOMPARE(localizedHint("UB needs 213 KiB"),
             QString("建议：UB needs 213 KiB"));
    QCOMPARE(localizedHint(""), QString());
    for (const QString &sentence : hintSentences())
      QVERIFY2(localizedHint(sentence) != "建议：" + sentence,
               qPrintable(sentence));
    delete translator;
  }

  void scaleAndLanguageAreKept() {
    QSettings settings;
    MainWindow window(cannedBackend());
    window.show();
    auto choose = [&](const char *menuText, const QString &entry) {
      for (QMenu *menu : window.findChildren<QMenu *>())
        if (menu->title().remove('&') == menuText)
          for (QAction *action : menu->actions())
            if (action->text() == entry) {
              action->trigger();
              return true;
            }
      return false;
    };
    auto answer = [&](const char *button) {
      auto *box = window.findChild<QMessageBox *>();
      QVERIFY(box);
      for (QAbstractButton *one : box->buttons())
        if (one->text().remove('&') == button)
          one->click();
      QTRY_VERIFY(!window.findChild<QMessageBox *>());
    };
    QVERIFY(choose("UI scale", "150 %"));
    QCOMPARE(uiscale::stored(), 150);
    answer("Later");
    QVERIFY(choose("Language", "简体中文"));
    QCOMPARE(settings.value("language").toString(), QString("zh_CN"));
    answer("Later");
    QVERIFY(choose("UI scale", "As the screen has it"));
    answer("Later");
    QVERIFY(choose("Language", "As the system has it"));
    answer("Later");
    QCOMPARE(uiscale::stored(), 0);
    QVERIFY(!settings.contains("language"));
    settings.setValue("uiScale", "garbage");
    QCOMPARE(uiscale::stored(), 0);
    settings.setValue("uiScale", 100000);
    QCOMPARE(uiscale::stored(), 0);
    settings.clear();
  }

  void graphIsSeenWhole() {
    MainWindow window(cannedBackend());
    window.resize(1280, 720);
    window.show();
    window.workbench().wishFor("tile");
    QVERIFY(window.openFile(example));
    QTRY_VERIFY(window.workbench().settled() && window.graph().scene());
    QVERIFY(window.graph().showsAll());
  }

  void wrongWishesAreTold() {
    MainWindow window(cannedBackend());
    Workbench &bench = window.workbench();
    bench.wishFor("tiel");
    QVERIFY(window.openFile(example));
    QTRY_VERIFY(bench.settled() && bench.table());
    QVERIFY(bench.wishError().contains("tiel"));
    QVERIFY(bench.wishError().contains("tensor"));
  }

  void codesHaveTitlesInTheUsersLanguage() {
    QFile file(TILEWRIGHT_SOURCE_DIR "/docs/diagnostics.md");
    QVERIFY(file.open(QIODevice::ReadOnly));
    QString docs = QString::fromUtf8(file.readAll());
    auto titles = diagnosticTitles();
    QVERIFY(titles.size() > 100);
    QVERIFY(std::is_sorted(titles.begin(), titles.end()));
    for (auto &[code, title] : titles)
      QVERIFY2(docs.contains("### " + code + " " + title + "\n"),
               qPrintable(code));
    QCOMPARE(localizedMessage("TW0104", "k differs"), QString("k differs"));
    auto *translator = new QTranslator(qApp);
    QVERIFY(translator->load(QLocale("zh_CN"), "tilewright", "_", ":/i18n"));
    QCoreApplication::installTranslator(translator);
    QCOMPARE(localizedMessage("TW0104", "k differs"),
             QString("矩阵乘的形状不匹配：k differs"));
    QCOMPARE(localizedMessage("TW9999", "k differs"), QString("k differs"));
    for (auto &[code, title] : titles)
      QVERIFY2(localizedMessage(code, "x") != "x", qPrintable(code));
    delete translator;
  }

  void editReachesTheServerOnce() {
    auto owned = cannedBackend();
    FakeBackend *backend = owned.get();
    MainWindow window(std::move(owned));
    window.show();
    QVERIFY(window.openFile(example));
    QTRY_VERIFY(window.workbench().settled());
    int before = int(backend->asked.count("stages"));
    window.source().setFocus();
    QTest::keyClicks(window.source().viewport(), "// hello");
    QTRY_COMPARE(backend->text.text(), window.source().bytes());
    // Typing asks for stages once it pauses, not for each key.
    QTRY_COMPARE(int(backend->asked.count("stages")), before + 1);
    QVERIFY(window.windowTitle().contains("*"));
  }

  void problemsShowAndJump() {
    auto owned = cannedBackend();
    FakeBackend *backend = owned.get();
    MainWindow window(std::move(owned));
    window.resize(1280, 720);
    window.show();
    QVERIFY(window.openFile(example));
    QTRY_VERIFY(window.workbench().settled());
    QVERIFY(!window.problems().isVisible());
    backend->publish({mismatch()});
    QVERIFY(window.problems().isVisible());
    QCOMPARE(window.source().lineNote(8), mismatch().message);
    QTest::mouseClick(window.problems().viewport(), Qt::LeftButton, {},
                      {60, 12});
    QCOMPARE(window.source().caret(),
             window.source().byteOf({8, 28}, Encoding::Utf8));
    backend->publish({});
    QVERIFY(!window.problems().isVisible());
    QVERIFY(window.source().lineNote(8).isEmpty());
  }

  void deadEngineLeavesTheEditor() {
    auto owned = cannedBackend();
    owned->dead = true;
    owned->hold();
    MainWindow window(std::move(owned));
    window.resize(1280, 720);
    window.show();
    QVERIFY(window.openFile(example));
    QVERIFY(
        window.findChild<StatusLine *>()->engineText().contains("No engine"));
    QVERIFY(window.findChild<StatusLine *>()->messageText().contains(
        "cannot be started"));
    window.source().setFocus();
    QTest::keyClicks(window.source().viewport(), "x");
    QVERIFY(window.source().bytes().startsWith("x"));
    window.grab();
  }

  void savesWhatIsShown() {
    QTemporaryDir folder;
    QString path = folder.filePath("a.mlir");
    QFile::copy(example, path);
    QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner);
    MainWindow window(cannedBackend());
    window.show();
    QVERIFY(window.openFile(path));
    window.source().setFocus();
    QTest::keyClicks(window.source().viewport(), "// saved ");
    sendText(&window.source(), Sci::SCI_ADDTEXT, 3, "张");
    QVERIFY(window.save());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), window.source().bytes());
    QVERIFY(!window.windowTitle().contains("*"));
    QString error;
    QVERIFY(!window.openFile(folder.filePath("none.mlir"), &error));
    QVERIFY(!error.isEmpty());
  }

  void badLayoutFileIsHarmless() {
    QSettings settings;
    settings.setValue("geometry", QByteArray("garbage"));
    settings.setValue("columns", QByteArray("garbage"));
    settings.setValue("rows", QByteArray("garbage"));
    MainWindow window(cannedBackend());
    window.show();
    QVERIFY(window.width() > 600);
    settings.clear();
  }

  void themesDiffer() {
    MainWindow window(cannedBackend());
    window.resize(1000, 640);
    window.show();
    QCoreApplication::processEvents();
    QColor light = window.grab().toImage().pixelColor(5, 630);
    window.setDarkTheme(true);
    QCoreApplication::processEvents();
    QColor dark = window.grab().toImage().pixelColor(5, 630);
    QVERIFY(light.lightness() > 200);
    QVERIFY(dark.lightness() < 60);
  }

  void screenshotWritesThePicture() {
    QTemporaryDir folder;
    QString path = folder.filePath("shot.png");
    MainWindow window(cannedBackend());
    QVERIFY(window.openFile(example));
    Screenshot shot(&window,
                    {path, {1280, 720}, true, "swiglu_ffn/gate", 20000});
    QSignalSpy finished(&shot, &Screenshot::finished);
    shot.start();
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 20000);
    QCOMPARE(finished[0][0].toInt(), 0);
    QImage picture(path);
    QCOMPARE(picture.size() / picture.devicePixelRatio(),
             QSize(1280, 720) * window.devicePixelRatioF() /
                 picture.devicePixelRatio());
    QVERIFY(window.workbench().trace());
    QVERIFY(!window.ir().highlights().empty());
  }

  void screenshotSaysWhyThereAreNoStages() {
    auto owned = cannedBackend();
    owned->failing["stages"].message = "the engine died";
    MainWindow window(std::move(owned));
    QVERIFY(window.openFile(example));
    Screenshot shot(&window,
                    {"/nonexistent/o.png", {900, 600}, false, "", 20000});
    QSignalSpy finished(&shot, &Screenshot::finished);
    shot.start();
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 10000);
    QCOMPARE(finished[0][0].toInt(), 1);
    QVERIFY(window.workbench().stagesError().contains("died"));
  }

  void screenshotGivesUp() {
    auto owned = cannedBackend();
    owned->hold(); // never answers
    MainWindow window(std::move(owned));
    QVERIFY(window.openFile(example));
    Screenshot shot(&window, {"/tmp/never.png", {900, 600}, false, "", 300});
    QSignalSpy finished(&shot, &Screenshot::finished);
    shot.start();
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 10000);
    QCOMPARE(finished[0][0].toInt(), 1);
  }

  void chinese() {
    QTranslator translator;
    QVERIFY2(translator.load(QLocale("zh_CN"), "tilewright", "_", ":/i18n"),
             "the translation is part of the program");
    // Every text has one: an untranslated one shows up here.
    QFile file(TILEWRIGHT_SOURCE_DIR "/gui/i18n/tilewright_zh_CN.ts");
    QVERIFY(file.open(QIODevice::ReadOnly));
    QByteArray ts = file.readAll();
    QVERIFY(!ts.contains("type=\"unfinished\""));
    QVERIFY(!ts.contains("type=\"vanished\""));
    QVERIFY(ts.count("<message") > 80);
  }

  /// Writes pictures for a person to look at; only when asked.
  void pictures() {
    QString folder = qEnvironmentVariable("TILEWRIGHT_PICTURES");
    if (folder.isEmpty())
      QSKIP("TILEWRIGHT_PICTURES names no folder");
    QString language = qEnvironmentVariable("TILEWRIGHT_LANGUAGE", "en");
    installTranslation(language);
    QStringList size =
        qEnvironmentVariable("TILEWRIGHT_SIZE", "1280x720").split('x');
    QSize window(size[0].toInt(), size[1].toInt());
    for (bool dark : {false, true}) {
      Theme::apply(dark ? Theme::Kind::Dark : Theme::Kind::Light);
      QCoreApplication::processEvents();
      auto name = [&](const char *state) {
        return QString("%1/%2-%3-%4-%5.png")
            .arg(folder, state, size.join('x'), dark ? "dark" : "light",
                 language);
      };
      auto settle = [&](MainWindow &w) {
        QTRY_VERIFY(w.workbench().settled());
        QTest::qWait(150);
      };
      {
        MainWindow w(cannedBackend());
        w.resize(window);
        w.show();
        QTest::qWait(100);
        QVERIFY(Screenshot::write(w, name("empty")).isEmpty());
      }
      {
        MainWindow w(cannedBackend());
        w.resize(window);
        w.show();
        w.workbench().wishFor("tile/expand-tiles");
        QVERIFY(w.openFile(example));
        settle(w);
        if (!qEnvironmentVariableIsSet("TILEWRIGHT_NO_RUN"))
          w.workbench().run();
        settle(w);
        QVERIFY(Screenshot::write(w, name("tile")).isEmpty());
        w.workbench().selection().select({"swiglu_ffn/gate"},
                                         SelectionModel::Origin::None);
        settle(w);
        QVERIFY(Screenshot::write(w, name("selected")).isEmpty());
      }
      {
        auto owned = cannedBackend();
        FakeBackend *backend = owned.get();
        MainWindow w(std::move(owned));
        w.resize(window);
        w.show();
        QVERIFY(w.openFile(example));
        settle(w);
        SourceDiagnostic warning;
        warning.range = {{4, 2}, {4, 7}};
        warning.severity = model::Severity::Warning;
        warning.code = "TW0301";
        warning.message =
            "pin tile L1.m=512 is not applied: UB needs 213 KiB of 184 KiB";
        backend->publish({mismatch(), warning});
        settle(w);
        QVERIFY(Screenshot::write(w, name("error")).isEmpty());
      }
      {
        auto owned = cannedBackend();
        owned->dead = true;
        owned->hold();
        MainWindow w(std::move(owned));
        w.resize(window);
        w.show();
        QVERIFY(w.openFile(example));
        QTest::qWait(100);
        QVERIFY(Screenshot::write(w, name("noengine")).isEmpty());
      }
    }
  }
};

static RegisterSuite<WindowTest> suite("Window");

} // namespace tilewright::gui

#include "WindowTest.moc"
