//===- GraphTest.cpp - layout off the UI thread, pan, zoom, select --------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "Suites.h"

#include "Canned.h"
#include "gui/GraphCanvas.h"
#include "gui/GraphLayouter.h"
#include "tests/Stopwatch.h"
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

namespace tilewright::gui {

static void wheel(QWidget *widget, QPointF at, int delta,
                  Qt::KeyboardModifiers modifiers = {}) {
  QWheelEvent event(at, widget->mapToGlobal(at), {}, {0, delta}, Qt::NoButton,
                    modifiers, Qt::NoScrollPhase, false);
  QCoreApplication::sendEvent(widget, &event);
}

class GraphTest : public QObject {
  Q_OBJECT

  struct Fixture {
    KeyColors colors;
    GraphLayouter layouter;
    GraphCanvas canvas{&colors};
    Fixture() {
      canvas.resize(900, 700);
      layouter.setArea(QSizeF(3000, 3000), false); // all of the samples open
      connect(&layouter, &GraphLayouter::finished, &canvas,
              &GraphCanvas::setScene);
      connect(&canvas, &GraphCanvas::toggled, &layouter,
              &GraphLayouter::setOpen);
      canvas.show();
    }
    bool load(const model::Graph &graph) {
      layouter.setGraph(std::make_shared<model::Graph>(graph));
      return wait();
    }
    bool wait() {
      return QTest::qWaitFor([this] { return !layouter.busy(); }, 30000);
    }
    QPoint center(const char *id) {
      return canvas.screenRect(id).center().toPoint();
    }
  };
  model::Graph tileGraph() {
    return cannedBackend()->graphs["tile/expand-tiles"];
  }

private slots:
  void showsTheWholeGraphAtFirst() {
    Fixture f;
    QVERIFY(f.load(cannedBackend()->graphs["tensor/dce"]));
    QVERIFY(f.canvas.scene());
    for (const auto &node : f.canvas.scene()->scene.nodes)
      QVERIFY2(QRectF(f.canvas.rect()).contains(f.canvas.screenRect(node.id)),
               node.id.c_str());
  }

  void zoomKeepsThePointUnderTheCursor() {
    Fixture f;
    QVERIFY(f.load(tileGraph()));
    QPointF at(310, 220);
    viz::Point before = f.canvas.viewport().toPlane(at);
    double scale = f.canvas.viewport().scale;
    wheel(&f.canvas, at, 240);
    QVERIFY(f.canvas.viewport().scale > scale);
    viz::Point after = f.canvas.viewport().toPlane(at);
    QVERIFY(std::abs(before.x - after.x) < 0.01);
    QVERIFY(std::abs(before.y - after.y) < 0.01);
    for (int i = 0; i < 200; ++i)
      wheel(&f.canvas, at, 1200);
    QVERIFY(f.canvas.viewport().scale <= 4);
    for (int i = 0; i < 200; ++i)
      wheel(&f.canvas, at, -1200);
    QVERIFY(f.canvas.viewport().scale > 0);
    f.canvas.grab();
    QTest::keyClick(&f.canvas, Qt::Key_F);
    QRectF bounds =
        f.canvas.viewport().toScreen(f.canvas.scene()->scene.bounds);
    QVERIFY(QRectF(f.canvas.rect()).adjusted(-1, -1, 1, 1).contains(bounds));
  }

  void dragPans() {
    Fixture f;
    QVERIFY(f.load(tileGraph()));
    QPointF before = f.canvas.viewport().offset;
    QSignalSpy chosen(&f.canvas, &GraphCanvas::keysChosen);
    QTest::mousePress(&f.canvas, Qt::LeftButton, {}, {100, 100});
    QTest::mouseMove(&f.canvas, {120, 110});
    QTest::mouseMove(&f.canvas, {160, 130});
    QTest::mouseRelease(&f.canvas, Qt::LeftButton, {}, {160, 130});
    QCOMPARE(f.canvas.viewport().offset - before, QPointF(60, 30));
    QCOMPARE(chosen.size(), 0);
  }

  void clickSelects() {
    Fixture f;
    QVERIFY(f.load(tileGraph()));
    QSignalSpy chosen(&f.canvas, &GraphCanvas::keysChosen);
    QTest::mouseClick(&f.canvas, Qt::LeftButton, {}, f.center("act"));
    QCOMPARE(chosen.size(), 1);
    auto keys = chosen[0][0].value<std::vector<std::string>>();
    QCOMPARE(keys, std::vector<std::string>{"swiglu_ffn/act"});
    f.canvas.showKeys(keys, false);
    QVERIFY(!f.canvas.litNodes().empty());
    QTest::mouseClick(&f.canvas, Qt::LeftButton, Qt::ControlModifier,
                      f.center("hidden"));
    keys = chosen[1][0].value<std::vector<std::string>>();
    QCOMPARE(keys.size(), size_t(2));
    // The background clears.
    QTest::mouseClick(&f.canvas, Qt::LeftButton, {}, {3, 3});
    QVERIFY(chosen[2][0].value<std::vector<std::string>>().empty());
  }

  void selectionFromElsewhereComesIntoView() {
    Fixture f;
    QVERIFY(f.load(tileGraph()));
    wheel(&f.canvas, {450, 350}, 2000);
    f.canvas.showKeys({"swiglu_ffn/y"}, true);
    QVERIFY(QRectF(f.canvas.rect()).intersects(f.canvas.screenRect("y")));
  }

  void doubleClickClosesAndOpens() {
    Fixture f;
    QVERIFY(f.load(tileGraph()));
    QVERIFY(!f.canvas.screenRect("act").isNull());
    QRectF group = f.canvas.screenRect("scope:ffn");
    QPointF corner = group.topLeft();
    QTest::mouseDClick(&f.canvas, Qt::LeftButton, {},
                       (corner + QPointF(14, 8)).toPoint());
    QVERIFY(f.wait());
    QTRY_VERIFY(f.canvas.screenRect("act").isNull());
    QRectF closed = f.canvas.screenRect("scope:ffn");
    QVERIFY(!closed.isNull());
    QVERIFY((closed.topLeft() - corner).manhattanLength() < 2);
    // A selection inside lights the closed group.
    f.canvas.showKeys({"swiglu_ffn/act"}, false);
    QVERIFY(!f.canvas.litNodes().empty());
    f.canvas.grab();
    QTest::mouseDClick(&f.canvas, Qt::LeftButton, {},
                       closed.center().toPoint());
    QVERIFY(f.wait());
    QTRY_VERIFY(!f.canvas.screenRect("act").isNull());
    f.layouter.setAllOpen(false);
    QVERIFY(f.wait());
    QVERIFY(f.canvas.screenRect("act").isNull());
    f.layouter.reveal("act");
    QVERIFY(f.wait());
    QTRY_VERIFY(!f.canvas.screenRect("act").isNull());
  }

  void newLayoutOfTheStageKeepsTheView() {
    Fixture f;
    QVERIFY(f.load(tileGraph()));
    wheel(&f.canvas, {100, 100}, 300);
    Viewport2D before = f.canvas.viewport();
    QVERIFY(f.load(tileGraph()));
    QCOMPARE(f.canvas.viewport().offset, before.offset);
    QCOMPARE(f.canvas.viewport().scale, before.scale);
    // Another stage starts afresh.
    QVERIFY(f.load(cannedBackend()->graphs["tensor/dce"]));
    QVERIFY(f.canvas.viewport().scale != before.scale);
  }

  void theMapShowsWhereTheViewIs() {
    Fixture f;
    QVERIFY(f.load(cannedLargeGraph(400)));
    f.canvas.fit();
    QVERIFY(f.canvas.overviewRect().isEmpty());
    for (int i = 0; i < 12; ++i)
      wheel(&f.canvas, {450, 350}, 240);
    QRectF map = f.canvas.overviewRect();
    QVERIFY(!map.isEmpty());
    QVERIFY(QRectF(f.canvas.rect()).contains(map));
    // A click on it goes there and selects nothing.
    QSignalSpy chosen(&f.canvas, &GraphCanvas::keysChosen);
    QPoint corner = map.topLeft().toPoint() + QPoint(6, 6);
    QTest::mouseClick(&f.canvas, Qt::LeftButton, {}, corner);
    const viz::Rect &bounds = f.canvas.scene()->scene.bounds;
    viz::Point middle = f.canvas.viewport().toPlane({450, 350});
    QVERIFY(middle.x - bounds.x < bounds.width * 0.15);
    QVERIFY(middle.y - bounds.y < bounds.height * 0.15);
    // And a drag follows.
    QTest::mousePress(&f.canvas, Qt::LeftButton, {}, corner);
    QTest::mouseMove(&f.canvas, map.bottomRight().toPoint() - QPoint(6, 6));
    QTest::mouseRelease(&f.canvas, Qt::LeftButton, {},
                        map.bottomRight().toPoint() - QPoint(6, 6));
    middle = f.canvas.viewport().toPlane({450, 350});
    QVERIFY(middle.y - bounds.y > bounds.height * 0.85);
    QCOMPARE(chosen.size(), 0);
    f.canvas.grab();
  }

  void labelsAreNeverTooSmall() {
    Fixture f;
    QVERIFY(f.load(tileGraph()));
    for (double scale = 2; scale > 0.02; scale *= 0.85) {
      double factor = scale / f.canvas.viewport().scale;
      wheel(&f.canvas, {450, 350}, int(std::log(factor) / std::log(1.0015)));
      f.canvas.grab();
      QVERIFY(f.canvas.paintedLabels().leastPixels >= 9);
    }
  }

  void whatAPersonOpenedStaysOpen() {
    Fixture f;
    f.layouter.setArea(QSizeF(300, 200), false); // too small for all of it
    QVERIFY(f.load(tileGraph()));
    QVERIFY(!f.canvas.scene()->collapsed.empty());
    std::string closed = *f.canvas.scene()->collapsed.begin();
    f.layouter.setOpen(QString::fromStdString(closed), true);
    QVERIFY(f.wait());
    QVERIFY(!f.canvas.scene()->collapsed.count(closed));
    auto before = f.canvas.scene()->collapsed;
    QVERIFY(f.load(tileGraph())); // as after an edit
    QVERIFY(f.canvas.scene()->collapsed == before);
    // More room changes nothing any more.
    f.layouter.setArea(QSizeF(3000, 3000), true);
    QVERIFY(f.wait());
    QVERIFY(f.canvas.scene()->collapsed == before);
    // A new document does.
    f.layouter.setGraph(nullptr);
    QVERIFY(f.load(tileGraph()));
    QVERIFY(f.canvas.scene()->collapsed.empty());
  }

  void moreRoomOpensMore() {
    Fixture f;
    f.layouter.setArea(QSizeF(300, 200), false);
    QVERIFY(f.load(tileGraph()));
    size_t closed = f.canvas.scene()->collapsed.size();
    QVERIFY(closed > 0);
    f.layouter.setArea(QSizeF(3000, 3000), true);
    QVERIFY(f.layouter.busy());
    QVERIFY(f.wait());
    QTRY_VERIFY(f.canvas.scene()->collapsed.size() < closed);
  }

  void newestGraphWins() {
    Fixture f;
    QSignalSpy finished(&f.layouter, &GraphLayouter::finished);
    f.layouter.setGraph(
        std::make_shared<model::Graph>(cannedLargeGraph(20000)));
    f.layouter.setGraph(std::make_shared<model::Graph>(tileGraph()));
    QVERIFY(f.wait());
    QCOMPARE(finished.size(), 1);
    QCOMPARE(f.canvas.scene()->graph->pass, std::string("tile/expand-tiles"));
  }

  /// Odd graphs come from odd IR: none may crash the canvas.
  void oddGraphs() {
    Fixture f;
    model::Graph graph;
    QVERIFY(f.load(graph));
    f.canvas.grab();
    graph.nodes.resize(3);
    graph.nodes[0].id = "a";
    graph.nodes[1].id = "a";
    graph.nodes[2].id = "b";
    graph.nodes[2].parent = "b";
    graph.nodes[1].label = std::string(20000, 'x') + "<&>\"\xff 张量 🚀\n\t";
    graph.edges.resize(2);
    graph.edges[0].from = graph.edges[0].to = "a";
    graph.edges[1].from = "b";
    graph.edges[1].to = "nowhere";
    QVERIFY(f.load(graph));
    f.canvas.grab();
    for (int x = 0; x < 900; x += 90)
      QTest::mouseMove(&f.canvas, {x, 350});
  }

  /// The UI thread stays free while a large graph is laid out, and drawing it
  /// far out is bounded.
  void largeGraph() {
    Fixture f;
    auto graph = std::make_shared<model::Graph>(cannedLargeGraph(10000));
    testing::Stopwatch watch(testing::Stopwatch::Of::ThisThread);
    f.layouter.setGraph(graph);
    QVERIFY2(watch.milliseconds() < 100,
             "layout must not run in the UI thread");
    QVERIFY(f.wait());
    f.canvas.fit();
    f.canvas.grab();
    double best = 1000;
    for (int i = 0; i < 5; ++i) {
      watch.restart();
      f.canvas.grab();
      best = std::min(best, watch.milliseconds());
    }
    qInfo("10,000 nodes, fit: best frame %.1f ms", best);
    QVERIFY(best < 250);
  }
};

static RegisterSuite<GraphTest> suite("Graph");

} // namespace tilewright::gui

#include "GraphTest.moc"
#include "tests/Stopwatch.h"
