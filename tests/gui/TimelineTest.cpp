//===- TimelineTest.cpp - zoom, pan, hit, selection -----------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#include "Suites.h"

#include "Canned.h"
#include "gui/TimelineCanvas.h"
#include "profiler/ChromeTraceReader.h"
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

namespace tilewright::gui {

static std::shared_ptr<const LoadedTrace> load(const QByteArray &json) {
  model::Diagnostic error;
  auto store =
      profiler::readChromeTraceText({json.data(), size_t(json.size())}, error);
  return store ? LoadedTrace::make(std::move(*store), {}) : nullptr;
}

class TimelineTest : public QObject {
  Q_OBJECT

  static void wheel(TimelineCanvas &canvas, QPointF at, int delta,
                    Qt::KeyboardModifiers modifiers = {}) {
    QWheelEvent event(at, canvas.viewport()->mapToGlobal(at), {}, {0, delta},
                      Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(canvas.viewport(), &event);
  }

private slots:
  void anIdleCoreIsShownAndCounts() {
    auto trace = load(R"({"traceEvents":[
      {"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"core 0"}},
      {"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"core 1"}},
      {"ph":"X","name":"a","pid":1,"tid":1,"ts":0,"dur":10}]})");
    QVERIFY(trace);
    QCOMPARE(trace->order.size(), size_t(2));
    QCOMPARE(trace->share[trace->order[1]], 0.0);
    QCOMPARE(trace->utilisation.share, 0.5);
  }

  void showsAllAtFirst() {
    KeyColors colors;
    TimelineCanvas canvas(&colors);
    canvas.resize(1000, 220);
    canvas.show();
    auto trace = load(cannedTrace(4, 86));
    QVERIFY(trace);
    QCOMPARE(trace->order.size(), size_t(4));
    canvas.setTrace(trace);
    auto range = canvas.visibleRange(), all = trace->store.range();
    QVERIFY(range.begin <= all.begin && range.end >= all.end);
    for (double share : trace->share)
      QVERIFY(share <= 1);
    QVERIFY(trace->utilisation.share > 0.5);
    canvas.grab();
  }

  void zoomKeepsTheTimeUnderTheCursor() {
    KeyColors colors;
    TimelineCanvas canvas(&colors);
    canvas.resize(1000, 220);
    canvas.setTrace(load(cannedTrace(4, 86)));
    canvas.show();
    auto timeAt = [&](double x) {
      double share = (x - 172) / (canvas.viewport()->width() - 172 - 12);
      return canvas.visibleRange().begin +
             share * canvas.visibleRange().length();
    };
    double before = timeAt(500);
    auto length = canvas.visibleRange().length();
    wheel(canvas, {500, 80}, 240);
    QVERIFY(canvas.visibleRange().length() < length);
    QVERIFY(std::abs(timeAt(500) - before) < double(length) / 500);
    auto zoomed = canvas.visibleRange();
    wheel(canvas, {500, 80}, 120, Qt::ShiftModifier);
    QCOMPARE(canvas.visibleRange().length(), zoomed.length());
    QVERIFY(canvas.visibleRange().begin != zoomed.begin);
    for (int i = 0; i < 300; ++i)
      wheel(canvas, {500, 80}, 1200);
    QVERIFY(canvas.visibleRange().length() >= 200);
    canvas.grab();
    for (int i = 0; i < 300; ++i)
      wheel(canvas, {500, 80}, -1200);
    QVERIFY(canvas.visibleRange().length() <=
            canvas.trace()->store.range().length() * 1.2);
    QTest::keyClick(&canvas, Qt::Key_F);
    QVERIFY(canvas.visibleRange().begin <= canvas.trace()->store.range().begin);
  }

  void clickChoosesAnEvent() {
    KeyColors colors;
    TimelineCanvas canvas(&colors);
    canvas.resize(1000, 220);
    canvas.show();
    canvas.setTrace(load(cannedTrace(4, 86)));
    QSignalSpy chosen(&canvas, &TimelineCanvas::keysChosen);
    const auto &store = canvas.trace()->store;
    // The last event of a track is a kernel_y task.
    profiler::EventIndex last = profiler::noEvent;
    for (profiler::EventIndex e = 0; e < store.size(); ++e)
      if (store.nameOf(e) == "kernel_y")
        last = e;
    QPoint at = canvas.rectOf(last).center().toPoint();
    QCOMPARE(canvas.eventAt(at), last);
    QTest::mouseClick(canvas.viewport(), Qt::LeftButton, {}, at);
    QCOMPARE(canvas.chosenEvent(), last);
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].value<std::vector<std::string>>(),
             std::vector<std::string>{"swiglu_ffn/y"});
    // Double click zooms to it.
    auto length = canvas.visibleRange().length();
    QTest::mouseDClick(canvas.viewport(), Qt::LeftButton, {}, at);
    QVERIFY(canvas.visibleRange().length() < length);
    QVERIFY(canvas.rectOf(last).width() > 200);
  }

  void selectionDimsTheRest() {
    KeyColors colors;
    TimelineCanvas canvas(&colors);
    canvas.resize(1000, 220);
    canvas.show();
    canvas.setTrace(load(cannedTrace(4, 86)));
    QImage plain = canvas.grab().toImage();
    canvas.showKeys({"swiglu_ffn/gate"}, true);
    QImage dimmed = canvas.grab().toImage();
    QVERIFY(plain != dimmed);
    canvas.showKeys({}, true);
    QCOMPARE(canvas.grab().toImage(), plain);
  }

  void oddTraces() {
    KeyColors colors;
    TimelineCanvas canvas(&colors);
    canvas.resize(1000, 220);
    canvas.show();
    for (const char *json :
         {"{\"traceEvents\":[]}", "[]",
          "[{\"ph\":\"X\",\"ts\":5,\"dur\":0,\"pid\":1,\"tid\":1,\"name\":"
          "\"z\"}]",
          "[{\"ph\":\"X\",\"ts\":5,\"dur\":-5,\"pid\":1,\"tid\":1,\"name\":"
          "\"n\"}]",
          "[{\"ph\":\"B\",\"ts\":5,\"pid\":1,\"tid\":1,\"name\":\"u\"}]",
          "[{\"ph\":\"X\",\"ts\":0,\"dur\":100,\"pid\":1,\"tid\":1,\"name\":"
          "\"a\"},"
          "{\"ph\":\"X\",\"ts\":50,\"dur\":100,\"pid\":1,\"tid\":1,\"name\":"
          "\"b\"}]"}) {
      auto trace = load(json);
      QVERIFY2(trace, json);
      canvas.setTrace(trace);
      canvas.grab();
      for (int x = 180; x < 990; x += 90)
        QTest::mouseMove(canvas.viewport(), {x, 40});
      wheel(canvas, {500, 80}, 600);
      canvas.grab();
    }
    canvas.setTrace(nullptr);
    canvas.grab();
  }

  void manyEvents() {
    KeyColors colors;
    TimelineCanvas canvas(&colors);
    canvas.resize(1600, 400);
    canvas.show();
    canvas.setTrace(load(cannedTrace(8, 200'000)));
    QElapsedTimer clock;
    qint64 best = 1'000'000;
    for (int i = 0; i < 5; ++i) {
      clock.restart();
      canvas.grab();
      best = std::min(best, clock.nsecsElapsed() / 1000);
    }
    qInfo("200,000 events, fit: best frame %.1f ms", best / 1000.0);
    QVERIFY(best < 120'000);
    // Every core that worked has colour in its row.
    QImage picture = canvas.grab().toImage();
    QVERIFY(picture.pixelColor(800, 24 + 12) !=
            picture.pixelColor(1598, 24 + 12));
  }
};

static RegisterSuite<TimelineTest> suite("Timeline");

} // namespace tilewright::gui

#include "TimelineTest.moc"
