//===- KeyBand.cpp - the keys that a mask lets queries see ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "core/decision/KeyBand.h"
#include <algorithm>

namespace tilewright::decision {

KeyBand intersection(const KeyBand &a, const KeyBand &b) {
  return {std::max(a.from, b.from), std::min(a.to, b.to),
          std::max(a.rowFrom, b.rowFrom), std::min(a.rowTo, b.rowTo)};
}

KeyBand hull(const KeyBand &a, const KeyBand &b) {
  return {std::min(a.from, b.from), std::max(a.to, b.to),
          std::min(a.rowFrom, b.rowFrom), std::max(a.rowTo, b.rowTo)};
}

static int64_t roundDown(int64_t value, int64_t to) {
  int64_t rest = value % to;
  return value - (rest < 0 ? rest + to : rest);
}

KeySteps keySteps(const KeyBand &band, int64_t row, int64_t rowTile,
                  int64_t keys, int64_t keyTile) {
  KeySteps steps;
  int64_t whole = keys / keyTile * keyTile;
  int64_t first = std::max(band.from, row + band.rowFrom);
  int64_t last = std::min(band.to, row + rowTile - 1 + band.rowTo);
  steps.begin = std::max<int64_t>(0, roundDown(first, keyTile));
  steps.end = std::min(whole, roundDown(last + keyTile - 1, keyTile));
  steps.rest = whole < keys && last > whole;
  return steps;
}

StepCount countSteps(const KeyBand &band, int64_t rows, int64_t rowTile,
                     int64_t keys, int64_t keyTile) {
  StepCount count;
  for (int64_t row = 0; row < rows; row += rowTile) {
    int64_t steps = keySteps(band, row, rowTile, keys, keyTile).count(keyTile);
    count.total += steps;
    count.most = std::max(count.most, steps);
  }
  return count;
}

} // namespace tilewright::decision
