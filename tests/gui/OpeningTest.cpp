//===- OpeningTest.cpp - each stage of real operators can be read at once -===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "Suites.h"

#include "gui/GraphCanvas.h"
#include "gui/LspBackend.h"
#include "gui/MainWindow.h"
#include "gui/Workbench.h"
#include <QElapsedTimer>
#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

namespace tilewright::gui {

static const QString server = qEnvironmentVariable(
    "TILEWRIGHT_LSP", TILEWRIGHT_BINARY_DIR "/bin/tilewright-lsp");
static const QString examples = TILEWRIGHT_SOURCE_DIR "/resources/examples/";

/// With the real server at 1280x720, the smallest window people work in.
class OpeningTest : public QObject {
  Q_OBJECT

  QTemporaryDir folder;

  QString sourceOf(const QString &name) {
    if (name != "transformer_stack")
      return examples + name + ".mlir";
    QString path = folder.filePath("stack.mlir");
    if (!QFileInfo::exists(path)) {
      QProcess script;
      script.setStandardOutputFile(path);
      script.start("python3",
                   {examples + "transformer_stack.py", "--layers", "100"});
      if (!script.waitForFinished(30000) || script.exitCode() != 0)
        return {};
    }
    return path;
  }

  static bool isInput(const MainWindow &, const GraphScene &scene,
                      const viz::SceneNode &node) {
    return scene.graph->nodes[node.graphNode].kind == model::NodeKind::Input;
  }

private slots:
  void readableAtOnce_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("target");
    for (const char *name :
         {"softmax", "swiglu_ffn", "transformer_layer", "transformer_stack"})
      for (const char *target : {"cpu", "ascend-a3"})
        QTest::addRow("%s %s", name, target) << name << target;
  }

  void readableAtOnce() {
    if (!QFileInfo::exists(server))
      QSKIP("tilewright-lsp is not built");
    QFETCH(QString, name);
    QFETCH(QString, target);
    QString path = sourceOf(name);
    if (path.isEmpty())
      QSKIP("python3 cannot write the example");
    MainWindow window(std::make_unique<LspBackend>(server));
    window.resize(1280, 720);
    window.show();
    Workbench &bench = window.workbench();
    bench.setTarget(target);
    QVERIFY(window.openFile(path));
    QTRY_VERIFY_WITH_TIMEOUT(bench.settled() && bench.table(), 60000);
    QVERIFY(bench.table()->complete);
    GraphCanvas &canvas = window.graph();
    for (const char *stage : {"tensor", "tile", "block", "execution"}) {
      QElapsedTimer clock;
      clock.start();
      bench.chooseStage(stage);
      QTRY_VERIFY_WITH_TIMEOUT(bench.settled() && canvas.scene() &&
                                   canvas.scene()->scene.stage == stage,
                               60000);
      // Generous: other work may hold the machine.
      QVERIFY2(clock.elapsed() < 20000, stage);
      canvas.grab();
      const GraphScene &scene = *canvas.scene();
      auto painted = canvas.paintedLabels();
      QVERIFY2(painted.leastPixels >= 9, stage);
      QRectF seen(canvas.rect());
      int inside = 0, inputs = 0, readable = 0;
      for (const viz::SceneNode &node : scene.scene.nodes) {
        QRectF where = canvas.screenRect(node.id);
        if (!seen.contains(where))
          continue;
        ++inside;
        inputs += isInput(window, scene, node);
        readable += where.height() >= 13; // room for a line of 9 pixels
      }
      QVERIFY2(inside > 0, stage);
      QCOMPARE(readable, inside);
      QVERIFY2(painted.labels >= inside, stage);
      if (canvas.showsAll()) {
        QCOMPARE(inside, int(scene.scene.nodes.size()));
        QVERIFY(canvas.overviewRect().isEmpty());
        continue;
      }
      // Too large whatever is closed: it begins at the inputs, and a map tells
      // how much more there is.
      QVERIFY2(inputs > 0, stage);
      QVERIFY2(inside >= 4, stage);
      QVERIFY2(!canvas.overviewRect().isEmpty(), stage);
      for (const model::Node &node : scene.graph->nodes)
        if (!node.parent.empty() && scene.collapsed.count(node.parent))
          QVERIFY2(canvas.screenRect(node.id).isNull(), stage);
    }
  }
};

static RegisterSuite<OpeningTest> suite("Opening");

} // namespace tilewright::gui

#include "OpeningTest.moc"
