//===- OptionsTest.cpp - the command line and the program itself ----------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "Suites.h"

#include "gui/Options.h"
#include <QFileInfo>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

namespace tilewright::gui {

static const char *program = TILEWRIGHT_BINARY_DIR "/bin/tilewright-studio";

class OptionsTest : public QObject {
  Q_OBJECT
private slots:
  void parses() {
    Options o = Options::parse({"studio", "a.mlir", "--screenshot", "o.png",
                                "--size", "1920x1080", "--theme", "dark",
                                "--stage", "tile/expand-tiles", "--run",
                                "--language", "zh_CN", "--timeout", "5"});
    QVERIFY2(o.error.isEmpty(), qPrintable(o.error));
    QCOMPARE(o.file, QString("a.mlir"));
    QVERIFY(o.screenshot);
    QCOMPARE(o.screenshot->size, QSize(1920, 1080));
    QCOMPARE(o.screenshot->timeoutMs, 5000);
    QVERIFY(o.screenshot->run);
    QCOMPARE(o.stage, QString("tile/expand-tiles"));
    QCOMPARE(o.language, QString("zh_CN"));
  }

  void refuses_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("size") << QStringList{"--size", "12"};
    QTest::newRow("huge size") << QStringList{"--size", "99999x99999"};
    QTest::newRow("tiny size") << QStringList{"--size", "1x1"};
    QTest::newRow("low") << QStringList{"--size", "1280x559"};
    QTest::newRow("narrow") << QStringList{"--size", "899x720"};
    QTest::newRow("theme") << QStringList{"--theme", "blue"};
    QTest::newRow("unknown") << QStringList{"--frobnicate"};
    QTest::newRow("two files") << QStringList{"a", "b"};
    QTest::newRow("language") << QStringList{"--language", "tlh"};
    QTest::newRow("scale") << QStringList{"--scale", "big"};
    QTest::newRow("scale 0") << QStringList{"--scale", "0"};
    QTest::newRow("scale 9") << QStringList{"--scale", "9"};
    QTest::newRow("size at scale")
        << QStringList{"--scale", "2", "--size", "1280x720"};
    QTest::newRow("timeout") << QStringList{"--timeout", "-1"};
  }
  void refuses() {
    QFETCH(QStringList, arguments);
    Options o = Options::parse(QStringList{"studio"} + arguments);
    QVERIFY(!o.error.isEmpty());
  }

  void scales() {
    for (auto [text, percent] :
         {std::pair("1", 100), {"1.25", 125}, {"150%", 150}, {"200", 200}}) {
      Options o = Options::parse({"studio", "--scale", text});
      QVERIFY2(o.error.isEmpty(), qPrintable(o.error));
      QCOMPARE(o.scale, percent);
    }
  }

  void namesTheLeastSize() {
    Options o = Options::parse({"studio", "--size", "320x240"});
    QVERIFY2(o.error.contains("from 900x560"), qPrintable(o.error));
    QVERIFY(Options::parse({"studio", "--size", "900x560"}).error.isEmpty());
  }

  void exitCodes() {
    if (!QFileInfo::exists(program))
      QSKIP("tilewright-studio is not built");
    auto run = [](QStringList arguments, const char *server = "/nonexistent") {
      QProcess process;
      auto environment = QProcessEnvironment::systemEnvironment();
      environment.remove("DISPLAY");
      environment.remove("WAYLAND_DISPLAY");
      environment.remove("QT_QPA_PLATFORM");
      environment.insert("TILEWRIGHT_LSP", server);
      process.setProcessEnvironment(environment);
      process.start(program, arguments);
      process.waitForFinished(30000);
      return std::pair(process.exitCode(),
                       QString::fromUtf8(process.readAllStandardError()));
    };
    QTemporaryDir folder;
    QCOMPARE(run({"--help"}).first, 0);
    QCOMPARE(run({"--size", "x"}).first, 2);
    QCOMPARE(run({"--language", "tlh"}).first, 2);
    auto noDisplay = run({});
    QCOMPARE(noDisplay.first, 1);
    QVERIFY(noDisplay.second.contains("--screenshot"));
    QString picture = folder.filePath("o.png");
    auto noFile = run({"/nonexistent.mlir", "--screenshot", picture});
    QCOMPARE(noFile.first, 1);
    QVERIFY2(noFile.second.contains("/nonexistent.mlir"),
             qPrintable(noFile.second));
    QVERIFY(!QFileInfo::exists(picture));
    // Without a server a source cannot be shown compiled: that is an error.
    auto noServer =
        run({TILEWRIGHT_SOURCE_DIR "/resources/examples/matmul.mlir",
             "--screenshot", picture, "--timeout", "10"});
    QCOMPARE(noServer.first, 1);
    QVERIFY2(noServer.second.contains("/nonexistent"),
             qPrintable(noServer.second));
    // The empty window needs none.
    auto empty = run({"--screenshot", picture, "--size", "1000x640"});
    QVERIFY2(empty.first == 0, qPrintable(empty.second));
    QCOMPARE(QImage(picture).size(), QSize(1000, 640));
    // Twice as large in a picture of the size that was asked for.
    auto twice =
        run({"--screenshot", picture, "--size", "2560x1440", "--scale", "2"});
    QVERIFY2(twice.first == 0, qPrintable(twice.second));
    QImage large(picture);
    QCOMPARE(large.size(), QSize(2560, 1440));
    auto once = run({"--screenshot", picture, "--size", "1280x720"});
    QCOMPARE(once.first, 0);
    QImage small(picture);
    // The same window: shrunk by half it is nearly the same picture.
    QImage half = large.scaled(small.size(), Qt::IgnoreAspectRatio,
                               Qt::SmoothTransformation);
    int different = 0;
    for (int y = 0; y < small.height(); ++y)
      for (int x = 0; x < small.width(); ++x)
        different += std::abs(half.pixelColor(x, y).lightness() -
                              small.pixelColor(x, y).lightness()) > 60;
    QVERIFY2(different < small.width() * small.height() / 50,
             qPrintable(QString::number(different)));
    auto nowhere = run({"--screenshot", "/nonexistent/o.png"});
    QCOMPARE(nowhere.first, 1);
  }

  void targetsAndStagesThatAreNone() {
    QString server = TILEWRIGHT_BINARY_DIR "/bin/tilewright-lsp";
    if (!QFileInfo::exists(program) || !QFileInfo::exists(server))
      QSKIP("tilewright-studio or tilewright-lsp is not built");
    QTemporaryDir folder;
    QString picture = folder.filePath("o.png");
    auto run = [&](QStringList arguments) {
      QProcess process;
      auto environment = QProcessEnvironment::systemEnvironment();
      environment.remove("QT_QPA_PLATFORM");
      environment.insert("TILEWRIGHT_LSP", server);
      process.setProcessEnvironment(environment);
      process.start(program, QStringList{TILEWRIGHT_SOURCE_DIR
                                         "/resources/examples/matmul.mlir",
                                         "--screenshot", picture} +
                                 arguments);
      process.waitForFinished(60000);
      return std::pair(process.exitCode(),
                       QString::fromUtf8(process.readAllStandardError()));
    };
    for (QStringList wrong :
         {QStringList{"--target", "ascent-a3"}, QStringList{"--stage", "tiel"},
          QStringList{"--stage", "tile/no-such-pass"}}) {
      auto [code, said] = run(wrong);
      QVERIFY2(code == 2, qPrintable(wrong.join(" ") + ": " + said));
      QVERIFY2(said.contains(wrong[1]), qPrintable(said));
      QVERIFY2(said.contains(wrong[0] == "--target" ? "ascend-a3" : "block"),
               qPrintable(said));
      QVERIFY(!QFileInfo::exists(picture));
    }
    QCOMPARE(run({"--target", "ascend-a3", "--stage", "tile"}).first, 0);
  }
};

static RegisterSuite<OptionsTest> suite("Options");

} // namespace tilewright::gui

#include "OptionsTest.moc"
