//===- ChromeTraceReader.h - Chrome trace JSON -> TraceStore ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "core/model/Diagnostic.h"
#include "profiler/TraceStore.h"
#include <optional>
#include <string_view>

namespace tilewright::profiler {

struct ReadOptions {
  /// A broken file gives what was read before the fault, with a note, instead
  /// of an error.
  bool keepBroken = false;
  /// More events are refused (TW0084): each takes about 45 bytes of memory.
  uint64_t maxEvents = 200'000'000;
};

/// Reads the trace event format: an array of events or an object with
/// `traceEvents`, plain or gzip. Phases B E X i I R C M s t f b e n; others are
/// counted in the notes. Reads in pieces: memory grows with the events kept,
/// not with the file.
///
/// Empty on failure, with `error` set and, where it applies, `error.range` at
/// the byte (of the unpacked text):
///   TW0080 cannot be opened or read     TW0081 is no trace (what it is)
///   TW0082 malformed or truncated JSON  TW0083 malformed gzip
///   TW0084 too many events              TW0085 cancelled
std::optional<TraceStore> readChromeTrace(const std::string &path,
                                          model::Diagnostic &error,
                                          const ReadOptions &options = {},
                                          std::stop_token stop = {},
                                          const Progress &progress = {});

/// The same from memory (plain or gzip).
std::optional<TraceStore> readChromeTraceText(std::string_view text,
                                              model::Diagnostic &error,
                                              const ReadOptions &options = {},
                                              std::stop_token stop = {},
                                              const Progress &progress = {});

} // namespace tilewright::profiler
