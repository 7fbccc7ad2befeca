//===- ChromeEvent.h - one event of a Chrome trace as written ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <optional>
#include <simdjson.h>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::profiler {

/// Microseconds as written -> nanoseconds, exact for plain decimals: a double
/// does not hold the nanoseconds of a date. False if it is no number.
bool parseMicroseconds(std::string_view text, int64_t &nanoseconds);

/// False if `text` is no whole number.
bool parseInteger(std::string_view text, int64_t &value);

/// A simple value as it stands in the text: a number or word, or what is
/// between the quotes.
struct ChromeScalar {
  std::string_view text;
  bool isString = false;
  bool present = false;
};

/// One event as written. Texts point into what was parsed.
struct ChromeEvent {
  char phase = 0;
  std::string_view name, category, bind;
  ChromeScalar time, duration, process, thread, id, bindId;
  bool flowIn = false, flowOut = false;
  // From the arguments:
  std::vector<std::string_view> keys;
  std::vector<int64_t> grid, after;
  std::optional<int64_t> ownId, ownTrack, ownParent;
  std::string_view argName;
  ChromeScalar sortIndex;
  std::vector<std::pair<std::string_view, std::string_view>> numbers;

  void clear() {
    phase = 0;
    name = category = bind = argName = {};
    time = duration = process = thread = id = bindId = sortIndex = {};
    flowIn = flowOut = false;
    keys.clear();
    grid.clear();
    after.clear();
    numbers.clear();
    ownId = ownTrack = ownParent = {};
  }

  /// Takes what `object` says; what it leaves open stays as it is. Members of
  /// other types than expected are passed over.
  simdjson::error_code read(simdjson::ondemand::object &object);

private:
  simdjson::error_code readArguments(simdjson::ondemand::value value);
};

} // namespace tilewright::profiler
