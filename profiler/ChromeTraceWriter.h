//===- ChromeTraceWriter.h - traces -> Chrome trace JSON --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "profiler/TraceStore.h"
#include <string>

namespace tilewright::profiler {

struct WriteOptions {
  /// Dependencies are always in the events' args (`after`: ids), which our
  /// reader uses. Other viewers need a pair of flow events for each; these are
  /// left out above this many.
  uint64_t maxFlowEvents = 200'000;
  bool gzip = false; ///< also if the path ends in ".gz"
};

/// Writes to a temporary file beside `path`, then renames. False on failure
/// (TW0086 cannot be written, TW0085 cancelled), with `error` set; what was at
/// `path` before then stays.
bool writeChromeTrace(const TraceStore &store, const std::string &path,
                      model::Diagnostic &error,
                      const WriteOptions &options = {},
                      std::stop_token stop = {}, const Progress &progress = {});

/// The same as text.
std::string toChromeTrace(const TraceStore &store,
                          const WriteOptions &options = {});

} // namespace tilewright::profiler
