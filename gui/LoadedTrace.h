//===- LoadedTrace.h - a trace with what the timeline says about it -------===//
//
// SPDX-License-Identifier: GPL-3.0-or-later
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "gui/KeyIndex.h"
#include "profiler/CriticalPath.h"
#include "profiler/TraceStore.h"
#include "profiler/Utilisation.h"
#include <QString>
#include <memory>

namespace tilewright::gui {

/// Immutable; made off the UI thread.
struct LoadedTrace {
  QString path;
  profiler::TraceStore store;
  profiler::Utilisation utilisation;
  profiler::CriticalPath critical;
  std::vector<double> share;    ///< a track; negative where nothing is to run
  std::vector<uint32_t> order;  ///< as displayed: tracks with events, and
                                ///< idle cores beside them
  std::vector<bool> isCritical; ///< an event
  KeyIndex keySets;             ///< from keys to TraceStore::keySets
  std::vector<std::vector<std::string>> keysOfSet;

  struct Outcome {
    std::shared_ptr<const LoadedTrace> trace;
    model::Diagnostic error;
  };
  /// Reads a Chrome trace. Both empty if `stop` was requested.
  static Outcome read(const QString &path, std::stop_token stop);
  static std::shared_ptr<const LoadedTrace> make(profiler::TraceStore store,
                                                 std::stop_token stop);
};

} // namespace tilewright::gui
