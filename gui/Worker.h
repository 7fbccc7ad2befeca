//===- Worker.h - work off the UI thread, newest wins ---------------------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include <QObject>
#include <QThreadPool>
#include <memory>
#include <stop_token>
#include <utility>

namespace tilewright::gui {

/// Runs one kind of work (a layout, reading a trace) in a thread of its own.
/// A new start supersedes what runs: that is asked to stop and its result is
/// dropped. Destruction waits for the thread.
class Worker : public QObject {
  Q_OBJECT
public:
  explicit Worker(QObject *parent = nullptr) : QObject(parent) {
    pool.setMaxThreadCount(1);
  }
  ~Worker() override {
    stop.request_stop();
    pool.waitForDone();
  }

  /// `work(std::stop_token)` runs in the thread; `then(result)` in this
  /// object's thread unless something newer was started.
  template <typename Work, typename Then> void start(Work work, Then then) {
    cancel();
    stop = std::stop_source();
    auto token = stop.get_token();
    auto serial = ++latest;
    pool.start([this, work = std::move(work), then = std::move(then), token,
                serial]() mutable {
      if (token.stop_requested())
        return;
      auto result = work(token);
      if (token.stop_requested())
        return;
      QMetaObject::invokeMethod(
          this,
          [this, serial, then = std::move(then),
           result = std::move(result)]() mutable {
            if (serial != latest)
              return;
            running = false;
            then(std::move(result));
          },
          Qt::QueuedConnection);
    });
    running = true;
  }
  void cancel() {
    stop.request_stop();
    ++latest;
    running = false;
  }
  bool busy() const { return running; }

private:
  QThreadPool pool;
  std::stop_source stop;
  quint64 latest = 0;
  bool running = false;
};

} // namespace tilewright::gui
