//===- BenchLine.h - a figure as a JSON line --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::bench {

class Timer {
public:
  double milliseconds() const {
    return std::chrono::duration<double, std::milli>(
               std::chrono::steady_clock::now() - start)
        .count();
  }

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

/// {name, value, unit, peer, peer_value, ratio, spread, origin}. `ratio` is
/// value over peer_value; `spread` is (worst - best) / best of the rounds.
struct Line {
  std::string name, unit;
  double value = 0, spread = 0;
  std::optional<std::string> peer;
  std::optional<double> peerValue;

  /// The least of `times` is the figure.
  void measured(const std::vector<double> &times) {
    auto [best, worst] = std::minmax_element(times.begin(), times.end());
    value = *best;
    spread = *best > 0 ? (*worst - *best) / *best : 0;
  }

  void print() const {
    nlohmann::ordered_json json;
    json["name"] = name;
    json["value"] = value;
    json["unit"] = unit;
    json["peer"] = peer && peerValue ? nlohmann::ordered_json(*peer)
                                     : nlohmann::ordered_json();
    json["peer_value"] = peerValue ? nlohmann::ordered_json(*peerValue)
                                   : nlohmann::ordered_json();
    json["ratio"] = peerValue && *peerValue > 0
                        ? nlohmann::ordered_json(value / *peerValue)
                        : nlohmann::ordered_json();
    json["spread"] = spread;
    json["origin"] = "measured";
    std::puts(json.dump().c_str());
    std::fflush(stdout);
  }
};

} // namespace tilewright::bench
